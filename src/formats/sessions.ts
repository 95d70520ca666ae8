import { AppError } from '../util/errors.ts';
import type { ConversionReport, RelatedSession } from './format.ts';

/** So many sessions are listed. */
const MOST_LISTED = 8;

/** A session of a source that has several. */
export interface ListedSession {
  readonly id: string;
  /** The id that it has in its native form. */
  readonly nativeId?: string | undefined;
  readonly title?: string | undefined;
  readonly cwd?: string | undefined;
}

/** Whether a session is meant by an id: its own or its native one, the part behind the session it belongs to, or a start. */
export function isNamed({ id, nativeId }: ListedSession, wanted: string): boolean {
  return id.startsWith(wanted) || id.endsWith(`/${wanted}`) || nativeId === wanted;
}

/** The session that is wanted, by its id or by the start of it that only it has; else the last one. */
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
    throw new AppError(`${name}: '${wanted}' is the start of several sessions: ${listed(found)}; pass more of it`);
  throw new AppError(
    `${name}: has no session '${wanted}'; it has ${sessions.length === 0 ? 'none' : listed(sessions)}`,
  );
}

/** The other sessions that a log itself has, the newest last. */
export function othersInside(report: ConversionReport | undefined): readonly RelatedSession[] {
  return report?.sessions.filter(({ isSibling, isInside }) => isSibling || isInside) ?? [];
}

/** The newest of them by name, which come last. */
export function listed(sessions: readonly ListedSession[]): string {
  const newest = sessions.slice(-MOST_LISTED).reverse();
  const names = newest.map(({ id, title }) => (title === undefined ? id : `${id} (${title})`));
  const more = sessions.length - newest.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
