/**
 * The library: what an agent author imports. Logs come as bytes, results leave as values and async iterables; nothing
 * here knows the file system, the process or a terminal. A wrong argument is a TypeError; what is wrong with a log as a
 * whole (it is no session log, or must not be migrated) is an AppError, whose message is one line for people.
 */

export type { Context } from './context/context.ts';
export type { FormName } from './context/messages/form.ts';
export type { MessagesAndState } from './context/session-messages.ts';
export type { PathState } from './context/state.ts';
export type { Profile, Projected } from './context/types.ts';
export type { DamageName, ReadDamage, ReadObject } from './entries/read-objects.ts';
export type { ConversionReport } from './formats/format.ts';
export type { IdScheme } from './formats/native/ids.ts';
export type { MigrateWarning, TargetVersion } from './formats/native/migration.ts';
export type { JsonObject } from './json/value.ts';
export { type AppendOptions, append } from './library/append.ts';
export type { Bytes, Random, RereadableBytes } from './library/arguments.ts';
export {
  buildContext,
  type ContextEntry,
  type ContextOptions,
  contextOf,
  type SessionContextOptions,
} from './library/context.ts';
export { type ConvertLogOptions, convert } from './library/convert.ts';
export { type DiffOptions, diff } from './library/diff.ts';
export { type ExportSessionOptions, exportSession } from './library/export.ts';
export { type ForkSessionOptions, fork } from './library/fork.ts';
export { isBlock, isEntry, isMessage } from './library/guards.ts';
export { type MigrateLogOptions, migrate } from './library/migrate.ts';
export { type ReadEntriesOptions, readEntries } from './library/read-entries.ts';
export { type RedactOptions, type RedactResult, type ReplacedValue, redact } from './library/redact.ts';
export { type RepairOptions, type RepairResult, repair } from './library/repair.ts';
export {
  labels,
  leaves,
  type OpenSessionOptions,
  openSession,
  type PathOptions,
  pathTo,
  resolveRev,
  type SessionLog,
  sessionTitle,
} from './library/session.ts';
export { type StatusOptions, status } from './library/status.ts';
export type * from './library/types.ts';
export { listRules, summarize, type ValidateOptions, validate } from './library/validate.ts';
export type { RandomAccess } from './log/byte-store.ts';
export type { LeftOut, LogEntry } from './log/log-entry.ts';
export type { Duplicates } from './log/log-index.ts';
export type { ChangeRecord, QuarantineRecord, Remaining as Left } from './repair/index.ts';
export type { Finding, Level, RuleGroup, RuleMeta, Severity } from './rules/rule.ts';
export type { ClassName, ClassRule, Idempotency, Policy, Verdict } from './status/classes.ts';
export type { ChecklistItem, NextStep, PendingCall, Reason, State, Status } from './status/types.ts';
export { AppError, type ErrorCode } from './util/errors.ts';
export type { ValidationSummary } from './validate/log-checker.ts';
