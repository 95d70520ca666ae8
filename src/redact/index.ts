export { KIND_IDS } from './finder.ts';
export { redactLog } from './redact-log.ts';
export { Redactor } from './redactor.ts';
