/**
 * The library: what an agent author imports. Logs come as bytes, results leave as values and async iterables; nothing here
 * knows the file system, the process or a terminal. A wrong argument is a TypeError; what is wrong with a log as a whole
 * (it is no session log, or must not be migrated) is a AppError, whose message is one line for people.
 */
export { AppError } from './base/errors.ts';
export type { IdScheme, MigrateWarning, TargetVersion } from './entries/migrate/index.ts';
export type { JsonObject } from './json/value.ts';
export type { Bytes, Random, RereadableBytes } from './library/arguments.ts';
export {
  buildContext,
  type ContextOptions,
  contextOf,
  type GivenEntry,
  type MessagesAndState,
  type SessionContextOptions,
} from './library/context.ts';
export { type MigrateLogOptions, migrate } from './library/migrate.ts';
export { type DamageName, type ReadDamage, type ReadEntriesOptions, type ReadObject, readEntries } from './library/read-entries.ts';
export { type RepairOptions, type RepairResult, repair } from './library/repair.ts';
export {
  labels,
  leaves,
  type OpenSessionOptions,
  openSession,
  type PathOptions,
  pathTo,
  type RandomAccess,
  resolveRev,
  type SessionLog,
  sessionTitle,
} from './library/session.ts';
export { type StatusOptions, status } from './library/status.ts';
export { listRules, summarize, type ValidateOptions, type ValidationSummary, validate } from './library/validate.ts';
export type { Duplicates } from './log/log-index.ts';
export type { Context } from './projection/context/build.ts';
export type { PathState } from './projection/context/state.ts';
export type { Profile, Projected } from './projection/context/types.ts';
export type { ClassName, ClassRule, Idempotency, Policy } from './projection/status/classes.ts';
export type { ChecklistItem, PendingCall, Reason, State, Status } from './projection/status/types.ts';
export type { Verdict } from './projection/status/verdict.ts';
export type { ChangeRecord, QuarantineRecord, Remaining as Left } from './repair/index.ts';
export type { Finding, Severity } from './rules/finding.ts';
export type { Group, Level, RuleMeta } from './rules/rule.ts';
export type { LeftOut, LogEntry } from './tree/session.ts';
