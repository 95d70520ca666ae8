import type { RandomAccess } from '../log/byte-store.ts';
import { CLASS_NAMES, type ClassRule, classifier, classRulesOf } from '../status/classes.ts';
import { sessionStatus } from '../status/status.ts';
import type { Status } from '../status/types.ts';
import { type Bytes, described, optionsOf } from './arguments.ts';
import { type SessionLog, withSession } from './session.ts';

export interface StatusOptions {
  /** The entry whose path is judged; the last of the log by default. */
  readonly leaf?: string;
  /** Classes for tools of your own; they are asked before the built-in table, and the first that fits wins. */
  readonly classes?: readonly ClassRule[];
}

/** Whether a session may be resumed: verdict, reasons, pending calls, last stable entry. Nothing is run or written. */
export async function status(source: Bytes | RandomAccess | SessionLog, options?: StatusOptions): Promise<Status> {
  const { leaf, classes } = optionsOf('status', options, { leaf: 'rev', classes: 'checked later' });
  const classify = classifier(rulesOf(classes));
  return await withSession('status', source, async (session) => await sessionStatus(session, { rev: leaf, classify }));
}

function rulesOf(classes: readonly ClassRule[] | undefined): ClassRule[] {
  if (classes === undefined) return [];
  if (!Array.isArray(classes))
    throw new TypeError(`status: classes must be an array of rules, not ${described(classes)}`);
  try {
    return classRulesOf(classes, 'classes');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TypeError(`status: ${why}; the classes are ${CLASS_NAMES.join(', ')}`);
  }
}
