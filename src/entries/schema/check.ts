import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../../json/value.ts';
import { spellPath } from '../../json/walk.ts';
import type { KnownVersion } from '../entry-type.ts';
import { HEADER_TYPE, isTitleSlot, TITLE_TYPE } from '../envelope-check.ts';
import { type FatalShape, fatalFaults } from '../fatal-shapes.ts';
import { entryTypeOf } from '../types/index.ts';
import { header, type Schema, schemaOf, titleSlot, unknownEntrySchema } from './shapes.ts';

export type ShapeKind =
  | 'missing-field'
  | 'wrong-type'
  | 'odd-shape'
  | 'unknown-entry-type'
  | 'unknown-role'
  | 'unknown-block'
  | FatalShape;

/** Something in an entry that is not as the schemas say. */
export interface ShapeIssue {
  readonly kind: ShapeKind;
  /** Where in the entry, such as `message.content[0].text`. */
  readonly path: string;
  /** What was expected and what was found. */
  readonly message: string;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Compiling a schema takes as long as a few thousand plain checks with it. */
const WORTH_COMPILING = 1_000;

interface UsedSchema {
  schema: Schema;
  uses: number;
}

const used = new Map<string, UsedSchema>();

/** A schema is compiled when entries of its type keep coming: most logs are small, and most lines need no look at all. */
function schemaFor(type: string, version: KnownVersion): Schema {
  const key = `${version} ${type}`;
  let found = used.get(key);
  if (!found) {
    const known = entryTypeOf(type);
    const other = type === HEADER_TYPE ? header : type === TITLE_TYPE ? titleSlot : unknownEntrySchema(version);
    found = { schema: known ? schemaOf(known, version) : other, uses: 0 };
    used.set(key, found);
  }
  found.uses++;
  if (found.uses === WORTH_COMPILING) found.schema = z.compile(found.schema as z.ZodMiniObject);
  return found.schema;
}

const NONE: readonly ShapeIssue[] = [];

/**
 * What the schemas say about one line of a log: an entry, a header or a title slot. A header's type, id and version, a
 * title slot's size and all timestamps are other rules' business.
 */
export function checkShape(value: JsonObject, version: KnownVersion): readonly ShapeIssue[] {
  const { type } = value;
  if (typeof type === 'string' && (entryTypeOf(type) || type === HEADER_TYPE || isTitleSlot(value))) {
    const result = schemaFor(type, version).safeParse(value);
    const fatal = fatalIssues(value);
    if (result.success) return fatal;
    const others = issuesOf(result.error.issues, value, version);
    // A fault is told once: neither again at its place nor at what it is a part of.
    return [...fatal, ...others.filter(({ path }) => !fatal.some((one) => `${one.path}.`.startsWith(`${path}.`)))];
  }
  const issues: ShapeIssue[] = [];
  if (typeof type === 'string') {
    issues.push({ kind: 'unknown-entry-type', path: 'type', message: `unknown entry type ${quoted(type)}` });
  }
  const result = schemaFor('', version).safeParse(value);
  if (!result.success) issues.push(...issuesOf(result.error.issues, value, version));
  return issues;
}

function fatalIssues(value: JsonObject): readonly ShapeIssue[] {
  const faults = fatalFaults(value);
  if (faults.length === 0) return NONE;
  return faults.map(({ rule, path, expected }): ShapeIssue => {
    const spelled = spellPath(path);
    return {
      kind: rule,
      path: spelled,
      message: `expected ${expected} at ${spelled}, found ${description(valueAt(value, path))}`,
    };
  });
}

function issuesOf(found: readonly Issue[], value: JsonObject, version: KnownVersion): ShapeIssue[] {
  const issues: ShapeIssue[] = [];
  for (const issue of found) collect(issue, [], value, version, issues);
  return issues;
}

function collect(issue: Issue, above: Path, value: JsonObject, version: KnownVersion, into: ShapeIssue[]): void {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    const branch = fittingBranch(issue.errors);
    if (branch) {
      for (const inner of branch) collect(inner, path, value, version, into);
      return;
    }
  }
  const told = tell(issue, path, value, version);
  if (told) into.push(told);
}

/** Of a union's alternatives the one that the value was meant to be: the kind is right, only something inside is not. */
function fittingBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | undefined {
  return branches.find((branch) => !branch.some((issue) => issue.path.length === 0));
}

function tell(issue: Issue, path: Path, value: JsonObject, version: KnownVersion): ShapeIssue | undefined {
  const isHeader = value['type'] === 'session';
  const found = valueAt(value, path);
  const last = path.at(-1);
  const spelled = spellPath(path);

  if (isHeader && path.length === 1 && (last === 'id' || last === 'version')) return undefined;

  if (
    issue.code === 'invalid_union' &&
    'note' in issue &&
    issue.note === 'No matching discriminator' &&
    typeof found === 'string'
  ) {
    if (last === 'role')
      return {
        kind: 'unknown-role',
        path: spelled,
        message: `unknown message role ${quoted(found)}${roleHint(found)}`,
      };
    return { kind: 'unknown-block', path: spelled, message: `unknown content block ${quoted(found)}` };
  }
  if (issue.code === 'custom') {
    const where = spelled === '' ? '' : ` at ${spelled}`;
    return { kind: 'odd-shape', path: spelled, message: `expected ${issue.message}${where}, found neither` };
  }
  const kind =
    isHeader || !isVital(path, value, version) ? 'odd-shape' : found === undefined ? 'missing-field' : 'wrong-type';
  return { kind, path: spelled, message: `expected ${expectation(issue)} at ${spelled}, found ${description(found)}` };
}

/** Without these an agent loses the entry; everything else is a matter of shape. */
function isVital(path: Path, value: JsonObject, version: KnownVersion): boolean {
  if (isTitleSlot(value)) return false;
  if (path.length === 1) {
    if (path[0] === 'type') return true;
    if (path[0] === 'id' || path[0] === 'parentId') return version >= 2;
    return path[0] === 'message' && value['type'] === 'message';
  }
  return path.length === 2 && path[0] === 'message' && path[1] === 'role' && value['type'] === 'message';
}

function expectation(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return NOUNS[issue.expected] ?? issue.expected;
    case 'too_small':
      return 'a non-empty string';
    case 'invalid_union': {
      const nouns = new Set(
        issue.errors.flatMap((branch) => branch.filter((inner) => inner.path.length === 0).map(expectation)),
      );
      return nouns.size > 0 ? [...nouns].join(' or ') : 'a string';
    }
    default:
      return issue.message;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  null: 'null',
};

function description(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value === '') return 'an empty string';
  return typeof value === 'boolean' ? String(value) : (NOUNS[typeof value] ?? typeof value);
}

function roleHint(role: string): string {
  return role === 'hookMessage' ? '; before version 3 it was the name of custom' : '';
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value;
  for (const key of path) {
    if (Array.isArray(at)) at = at[Number(key)];
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[String(key)];
    else return undefined;
  }
  return at;
}

function quoted(word: string): string {
  return `'${word.length > 60 ? `${word.slice(0, 57)}...` : word}'`;
}
