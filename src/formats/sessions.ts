import { LogError } from '../util/errors.ts';
import type { ConversionReport, RelatedSession } from './format.ts';

/** More sessions are counted, not listed. */
const MOST_LISTED = 8;

/** A session of a source that has several. */
export interface ListedSession {
  readonly id: string;
  /** The id that it has in its native form. */
  readonly nativeId?: string | undefined;
  readonly title?: string | undefined;
  readonly cwd?: string | undefined;
}

/** Whether `wanted` is a start of the session's id, or of its part after a slash, or its native id. */
export function isNamed({ id, nativeId }: ListedSession, wanted: string): boolean {
  return id.startsWith(wanted) || id.slice(id.lastIndexOf('/') + 1).startsWith(wanted) || nativeId === wanted;
}

/** The wanted session, by its id or a unique start of it; by default the last one. */
export function chooseSession<Session extends ListedSession>(
  name: string,
  sessions: readonly Session[],
  wanted: string | undefined,
): Session | undefined {
  if (wanted === undefined) return sessions.at(-1);
  const exact = sessions.find(({ id }) => id === wanted);
  const found = exact ? [exact] : sessions.filter((one) => isNamed(one, wanted));
  if (found.length === 1) return found[0];
  if (found.length > 1)
    throw new LogError(name, `'${wanted}' is the start of several sessions: ${listed(found)}; pass more of it`);
  throw new LogError(name, `has no session '${wanted}'; it has ${sessions.length === 0 ? 'none' : listed(sessions)}`);
}

/** The other sessions in the same log, the newest last. */
export function othersInside(report: ConversionReport | undefined): readonly RelatedSession[] {
  return report?.sessions.filter(({ isSibling, isInside }) => isSibling || isInside) ?? [];
}

/** A list of the newest sessions, which come last. */
export function listed(sessions: readonly ListedSession[]): string {
  const newest = sessions.slice(-MOST_LISTED).reverse();
  const names = newest.map(({ id, title }) => (title === undefined ? id : `${id} (${title})`));
  const more = sessions.length - newest.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
