/** Old logs as the newest version has them, line by line, bytes kept wherever nothing changes. */
export { isVersion1 } from './is-version-1.ts';
export { type MigrateOptions, Migration, type TargetVersion } from './migration.ts';
export { ID_SCHEMES, type IdScheme, stableId } from './mint.ts';
export { migratedBytes } from './run.ts';
export { skimIds } from './skim.ts';
export type { MigrateWarning } from './v1-to-v2.ts';
