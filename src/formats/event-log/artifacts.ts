import { isUtf8 } from 'node:buffer';
import { isObject, type JsonObject } from '../../json/value.ts';
import type { NearLog } from '../format.ts';
import { readNear } from '../near-file.ts';

/** The folder beside a log for content that is too large for it. */
export const FOLDER = 'artifacts';
const SCHEME = 'artifact:';
const MOST_BYTES = 16 * 1024 * 1024;
/** References are not searched for deeper. */
const DEEPEST = 4;
const MEMBERS = /(?:^ref|Ref|Uri)s?$|^(?:uri|url)$/;

/** A reference to an artifact, and its path in the event. */
interface ArtifactRef {
  readonly ref: string;
  readonly path: string;
  /** In hex, where the event has it. */
  readonly sha256?: string | undefined;
}

/**
 * The file that a reference names, relative to the log; undefined where it is not of this session, or would leave the
 * folder of artifacts.
 */
export function artifactPath(ref: string, session: string): string | undefined {
  const [, id, name] = /^artifact:\/\/session\/([^/]+)\/(.+)$/s.exec(ref) ?? [];
  if (name === undefined || id !== session || /[\\\0:]/.test(name)) return undefined;
  return name.split('/').some((part) => part === '' || part === '.' || part === '..') ? undefined : `${FOLDER}/${name}`;
}

/** The references of an event: strings and lists of them in members with such names, also in objects with a hash. */
export function artifactRefs(event: JsonObject): readonly ArtifactRef[] {
  const found: ArtifactRef[] = [];
  const search = (value: unknown, key: string, path: string, sha256?: string): void => {
    if (typeof value === 'string') {
      if (MEMBERS.test(key) && value.startsWith(SCHEME)) found.push({ ref: value, path, sha256 });
    } else if (path.split(/[.[]/).length > DEEPEST) return;
    else if (Array.isArray(value)) value.forEach((one, at) => void search(one, key, `${path}[${at}]`));
    else if (isObject(value)) {
      const hash = hashIn(value);
      for (const [name, one] of Object.entries(value)) search(one, name, path === '' ? name : `${path}.${name}`, hash);
    }
  };
  search(event, '', '');
  return found;
}

function hashIn({ sha256, hash }: JsonObject): string | undefined {
  for (const value of [sha256, hash]) {
    const [, digits] = (typeof value === 'string' && /^(?:sha256[:-])?([0-9a-f]{64})$/i.exec(value)) || [];
    if (digits !== undefined) return digits.toLowerCase();
  }
  return undefined;
}

/** The text of an artifact; undefined where it is missing, or is no text. */
export async function artifactText(
  log: Pick<NearLog, 'open'>,
  ref: string,
  session: string,
): Promise<string | undefined> {
  const path = artifactPath(ref, session);
  const whole = path === undefined ? undefined : await readNear(log, path, MOST_BYTES, FOLDER);
  return whole && isUtf8(whole) && !whole.includes(0) ? whole.toString('utf8') : undefined;
}
