/** Damaged lines and the index of a log become repaired lines, a quarantine and a report. */
export { InputChanged, type RepairCallbacks } from './apply.ts';
export { applyChecked, type Remaining } from './apply-checked.ts';
export { RepairIndexBuilder } from './build-index.ts';
export { digestRanges } from './byte-source.ts';
export { makePlan, type Plan } from './plan.ts';
export type { ChangeRecord, QuarantineRecord } from './records.ts';
export { applyRepair, planRepair, type RepairRequest } from './repair.ts';
