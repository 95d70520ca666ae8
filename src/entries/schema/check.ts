import * as z from 'zod/mini';
import { isObject, type JsonObject } from '../../json/value.ts';
import { isTitleSlot, TITLE_TYPE } from '../envelope-check.ts';
import { type FatalShape, fatalFaults } from '../fatal-shapes.ts';
import { header } from './header.ts';
import { envelope, envelopeOfVersion1 } from './shapes.ts';
import { titleSlot } from './title-slot.ts';
import { entryTypes } from './types/index.ts';
import { messageEntry, messageOfVersion2 } from './types/message.ts';

/** Versions above 3 are read as 3. */
export type KnownVersion = 1 | 2 | 3;

export type ShapeKind = 'missing-field' | 'wrong-type' | 'odd-shape' | 'unknown-entry-type' | 'unknown-role' | 'unknown-block' | FatalShape;

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

/** An entry of a type that is not known still has an envelope. */
export const unknownEntry = z.object({ type: z.string(), ...envelope });
export const unknownEntryOfVersion1 = z.object({ type: z.string(), ...envelopeOfVersion1 });

/** Compiling a schema takes as long as a few thousand plain checks with it. */
const WORTH_COMPILING = 1_000;

/** A schema is compiled when entries of its type keep coming: most logs are small, and most lines need no look at all. */
class SchemaTable {
  readonly #schemas: ReadonlyMap<string, () => z.ZodMiniType>;
  readonly #compiled = new Map<string, z.ZodMiniType>();
  readonly #uses = new Map<string, number>();
  readonly #fallback: z.ZodMiniType;

  constructor(schemas: Iterable<readonly [string, () => z.ZodMiniType]>, fallback: z.ZodMiniType) {
    this.#schemas = new Map(schemas);
    this.#fallback = fallback;
  }

  knows(type: string): boolean {
    return this.#schemas.has(type);
  }

  get(type: string): z.ZodMiniType {
    const known = this.#schemas.has(type) ? type : '';
    const compiled = this.#compiled.get(known);
    if (compiled) return compiled;
    const plain = this.#schemas.get(known)?.() ?? this.#fallback;
    const uses = (this.#uses.get(known) ?? 0) + 1;
    this.#uses.set(known, uses);
    if (uses > WORTH_COMPILING) this.#compiled.set(known, z.compile(plain));
    return plain;
  }
}

const otherLines: readonly (readonly [string, () => z.ZodMiniType])[] = [
  ['session', () => header],
  ['title', () => titleSlot],
];

const tables: Readonly<Record<KnownVersion, SchemaTable>> = {
  1: new SchemaTable([...entryTypes.map((one) => [one.type, () => one.version1] as const), ...otherLines], unknownEntryOfVersion1),
  2: new SchemaTable(
    [...entryTypes.map((one) => [one.type, () => one.schema] as const), [messageEntry.type, messageOfVersion2], ...otherLines],
    unknownEntry,
  ),
  3: new SchemaTable([...entryTypes.map((one) => [one.type, () => one.schema] as const), ...otherLines], unknownEntry),
};

const NONE: readonly ShapeIssue[] = [];

/**
 * What the schemas say about one line of a log: an entry, a header or a title slot. A header's type, id and version, a
 * title slot's size and all timestamps are other rules' business.
 */
export function checkShape(value: JsonObject, version: KnownVersion): readonly ShapeIssue[] {
  const { type } = value;
  const table = tables[version];
  if (typeof type === 'string' && table.knows(type) && (type !== TITLE_TYPE || isTitleSlot(value))) {
    const result = table.get(type).safeParse(value);
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
  const result = table.get('').safeParse(value);
  if (!result.success) issues.push(...issuesOf(result.error.issues, value, version));
  return issues;
}

function fatalIssues(value: JsonObject): readonly ShapeIssue[] {
  const faults = fatalFaults(value);
  if (faults.length === 0) return NONE;
  return faults.map(({ rule, path, expected }): ShapeIssue => {
    const spelled = spellPath(path);
    return { kind: rule, path: spelled, message: `expected ${expected} at ${spelled}, found ${description(valueAt(value, path))}` };
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

  if (issue.code === 'invalid_union' && 'note' in issue && issue.note === 'No matching discriminator' && typeof found === 'string') {
    if (last === 'role') return { kind: 'unknown-role', path: spelled, message: `unknown message role ${quoted(found)}${roleHint(found)}` };
    return { kind: 'unknown-block', path: spelled, message: `unknown content block ${quoted(found)}` };
  }
  if (issue.code === 'custom') {
    const where = spelled === '' ? '' : ` at ${spelled}`;
    return { kind: 'odd-shape', path: spelled, message: `expected ${issue.message}${where}, found neither` };
  }
  const kind = isHeader || !isVital(path, value, version) ? 'odd-shape' : found === undefined ? 'missing-field' : 'wrong-type';
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
      const nouns = new Set(issue.errors.flatMap((branch) => branch.filter((inner) => inner.path.length === 0).map(expectation)));
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

function spellPath(path: Path): string {
  let spelled = '';
  for (const key of path) {
    if (typeof key === 'number') spelled += `[${key}]`;
    else if (/^[A-Za-z_$][\w$]*$/.test(String(key))) spelled += spelled === '' ? String(key) : `.${String(key)}`;
    else spelled += `[${JSON.stringify(String(key))}]`;
  }
  return spelled;
}

function quoted(word: string): string {
  return `'${word.length > 60 ? `${word.slice(0, 57)}...` : word}'`;
}
