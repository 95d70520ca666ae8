export { launch, main } from './cli/launch.ts';
export type { ProcessIo } from './cli/report.ts';
