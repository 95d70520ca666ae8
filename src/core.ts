/**
 * What of the library works in a browser: all that reads a session, and what makes another one of it. `validate`,
 * `repair` and `redact` need Node. Modules of Node that the rest names are replaced when it is built.
 */
export { append } from './library/append.ts';
export { buildContext, contextOf } from './library/context.ts';
export { convert } from './library/convert.ts';
export { diff } from './library/diff.ts';
export { exportSession } from './library/export.ts';
export { fork } from './library/fork.ts';
export { isBlock, isEntry, isMessage } from './library/guards.ts';
export { migrate } from './library/migrate.ts';
export { readEntries } from './library/read-entries.ts';
export { labels, leaves, openSession, pathTo, resolveRev, sessionTitle } from './library/session.ts';
export { status } from './library/status.ts';
export type * from './library/types.ts';
export { AppError } from './util/errors.ts';
