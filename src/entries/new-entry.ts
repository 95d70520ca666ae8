import { findMember, skipSpace } from '../json/text.ts';
import type { JsonObject } from '../json/value.ts';
import { encodeUtf8, type Line } from '../lines/line.ts';
import { BYTE_ORDER_MARK, readContent } from './damage.ts';
import { type Dialect, dialectOf } from './dialect.ts';
import { isHeader, TITLE_TYPE } from './envelope-check.ts';
import { checkShape, type KnownVersion } from './schema/index.ts';

interface NewEnvelope {
  readonly id: string;
  readonly parentId: string | null;
  readonly timestamp: string;
}

/** The body of a new entry: everything but the envelope. */
export interface Body {
  readonly value: JsonObject;
  /** Its bytes, without newline and surrounding white space. */
  readonly raw: string;
}

const ENVELOPE_KEYS = ['id', 'parentId', 'timestamp'] as const;

/** Reads a body from a line; a string says why it is none. */
export function readBody(line: Line): Body | string {
  const { damage, objects } = readContent(line, undefined);
  const value = objects[0]?.value;
  if (damage || !value) return damage ? `is not a complete JSON object (${damage})` : 'is blank';
  if (line.number === 1 && line.raw.startsWith(BYTE_ORDER_MARK)) return 'starts with a byte order mark';
  const key = ENVELOPE_KEYS.find((key) => Object.hasOwn(value, key));
  if (key) return `already has '${key}'; id, parentId and timestamp are set when the entry is added`;
  if (typeof value['type'] !== 'string') return "has no string 'type'";
  if (isHeader(value) || value['type'] === TITLE_TYPE) return `is of type '${value['type']}', which is not an entry`;
  return { value, raw: line.raw.trim() };
}

/** Why a body does not fit into a log of this version and dialect; undefined if it does. */
export function misfit(
  body: Body,
  envelope: NewEnvelope,
  version: KnownVersion,
  dialect: Dialect | undefined,
): string | undefined {
  const own = dialectOf(body.value);
  if (dialect !== undefined && own !== undefined && own !== dialect) {
    return `is an entry in the form that ${own} writes, but this is a log of ${dialect}, which would not read it that way`;
  }
  // Unknown types may be added; agents would fail on anything else, or misread it.
  const issue = checkShape({ ...body.value, ...envelope }, version).find(({ kind }) => !kind.startsWith('unknown-'));
  if (!issue) return undefined;
  const where = issue.path === '' || issue.message.includes(issue.path) ? '' : `${issue.path}: `;
  return `does not match the schema: ${where}${issue.message}`;
}

/** The line of the entry: the body's bytes, with the envelope after its type, as agents write it. */
export function entryLine(body: Body, envelope: NewEnvelope): string {
  const open = skipSpace(body.raw, 0);
  const at = findMember(body.raw, open, 'type')?.valueEnd ?? open + 1;
  const { id, parentId, timestamp } = envelope;
  const members = encodeUtf8(JSON.stringify({ id, parentId, timestamp }).slice(1, -1));
  return `${body.raw.slice(0, at)},${members}${body.raw.slice(at)}\n`;
}
