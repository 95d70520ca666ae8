/** Damaged lines and the index of a log become mended lines, a quarantine and a report. */
export { type ApplyHands, InputChanged } from './apply.ts';
export { applyChecked } from './apply-checked.ts';
export { digestRanges } from './byte-source.ts';
export type { PlanOptions } from './patient.ts';
export { makePlan, type Plan } from './plan.ts';
export type { ChangeRecord, QuarantineRecord } from './records.ts';
export { type Left, Survey, type SurveyOptions } from './survey.ts';
export { SurveyBlocks } from './survey-blocks.ts';
