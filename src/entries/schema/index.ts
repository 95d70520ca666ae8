import type * as z from 'zod/mini';
import { isObject, type JsonObject } from '../../json/value.ts';
import { spellPath } from '../../json/walk.ts';
import type { KnownVersion } from '../entry-type.ts';
import { HEADER_TYPE, isHeader, isTitleSlot, messageOf, TITLE_TYPE } from '../envelope-check.ts';
import { messageRoles } from '../messages.ts';
import { entryTypeOf } from '../types/index.ts';
import { headerSchema, type Schema, schemaOf, titleSlotSchema, unknownEntrySchema } from './shapes.ts';

export type { KnownVersion } from '../entry-type.ts';

/** Shapes that make omp throw, so that the session does not open. Each is a rule. */
type FatalShape = 'bad-cwd' | 'bad-injected-rules' | 'null-block' | 'null-content' | 'usage-without-cost';
type MinorShape = 'unknown-entry-type' | 'unknown-role' | 'unknown-block';

/** Something in an entry that does not match the schemas. */
export interface ShapeIssue {
  readonly kind: 'missing-field' | 'wrong-type' | 'odd-shape' | MinorShape | FatalShape;
  /** Where in the entry, such as `message.content[0].text`. */
  readonly path: string;
  /** What was expected and what was found. */
  readonly message: string;
}

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Compiling a schema takes as long as a few thousand checks with it uncompiled. */
const WORTH_COMPILING = 1_000;
const used = new Map<string, { schema: Schema; uses: number }>();

/** Compiles a schema once many entries of its type were checked: most logs are small. */
function schemaFor(type: string, version: KnownVersion, role?: string): Schema {
  const key = `${version} ${type} ${role}`;
  let found = used.get(key);
  if (!found) {
    found = { schema: makeSchema(type, version, role), uses: 0 };
    used.set(key, found);
  }
  found.uses++;
  if (found.uses === WORTH_COMPILING) void compile(found);
  return found.schema;
}

function makeSchema(type: string, version: KnownVersion, role?: string): Schema {
  const known = entryTypeOf(type);
  if (known) return schemaOf(known, version, role);
  if (type === HEADER_TYPE) return headerSchema();
  return type === TITLE_TYPE ? titleSlotSchema() : unknownEntrySchema(version);
}

async function compile(found: { schema: Schema }): Promise<void> {
  found.schema = (await import('./compile.ts')).compile(found.schema);
}

/** Checks an entry, header or title slot against the schemas, except for ids and times, which other rules check. */
export function checkShape(value: JsonObject, version: KnownVersion): readonly ShapeIssue[] {
  const { type } = value;
  const isKnown = typeof type === 'string' && (entryTypeOf(type) || isHeader(value) || isTitleSlot(value));
  const first = isKnown ? fatalIssues(value) : [];
  if (typeof type === 'string' && !isKnown)
    first.push({ kind: 'unknown-entry-type', path: 'type', message: `unknown entry type ${quoted(type)}` });
  const role = type === 'message' ? knownRole(messageOf(value)?.['role'], version) : undefined;
  const { error } = schemaFor(isKnown ? type : '', version, role).safeParse(value);
  if (!error) return first;
  const others = error.issues.flatMap((issue) => issuesOf(issue, [], value, version));
  // A problem is reported once: not again at its path or at a parent of it.
  const isNew = ({ path }: ShapeIssue): boolean =>
    !isKnown || !first.some((one) => `${one.path}.`.startsWith(`${path}.`));
  return [...first, ...others.filter(isNew)];
}

function knownRole(role: unknown, version: KnownVersion): string | undefined {
  return messageRoles.find(({ name, isOld }) => name === role && (version < 3 || !isOld))?.name;
}

/** Roles whose content is a text or a list of blocks in every version. */
const CONTENT_ROLES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'toolResult', 'developer', 'custom']);

/** Shapes of a header or an entry that make omp throw. Depends only on keys and kinds of values. */
function fatalIssues(value: JsonObject): ShapeIssue[] {
  const issues: ShapeIssue[] = [];
  const add = (kind: FatalShape, path: Path, expected: string): void => {
    const message = `expected ${expected} at ${spellPath(path)}, found ${description(valueAt(value, path))}`;
    issues.push({ kind, path: spellPath(path), message });
  };
  const addBlocks = (content: unknown, path: Path): void => {
    if (!Array.isArray(content) || !content.includes(null)) return;
    for (const [at, block] of content.entries()) if (block === null) add('null-block', [...path, at], 'an object');
  };
  const { type, cwd, injectedRules } = value;
  if (isHeader(value) && cwd !== undefined && typeof cwd !== 'string') add('bad-cwd', ['cwd'], 'a string');
  if (type === 'ttsr_injection' && !Array.isArray(injectedRules))
    add('bad-injected-rules', ['injectedRules'], 'an array');
  const addCost = (usage: unknown, path: Path): void => {
    // The oldest dialect has inputTokens and never a cost.
    if (isObject(usage) && (usage['cost'] ?? undefined) === undefined && usage['inputTokens'] === undefined)
      add('usage-without-cost', [...path, 'cost'], 'an object');
  };
  if (type === 'custom_message') addBlocks(value['content'], ['content']);
  if (type === 'model_usage') addCost(value['usage'], ['usage']);
  const { role, content, usage }: JsonObject = (type === 'message' ? messageOf(value) : undefined) ?? {};
  if (CONTENT_ROLES.has(role)) addBlocks(content, ['message', 'content']);
  if (role !== 'assistant') return issues;
  if (content === undefined || content === null) add('null-content', ['message', 'content'], 'a string or an array');
  addCost(usage, ['message', 'usage']);
  return issues;
}

function issuesOf(issue: Issue, above: Path, value: JsonObject, version: KnownVersion): readonly ShapeIssue[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    // Of several alternatives, the one whose kind matches and only something inside does not.
    const meant = issue.errors.find((branch) => !branch.some((inner) => inner.path.length === 0));
    if (meant) return meant.flatMap((inner) => issuesOf(inner, path, value, version));
  }
  const at = spellPath(path);
  const found = valueAt(value, path);
  if (isHeader(value) && (at === 'id' || at === 'version')) return [];
  const isUnknown = issue.code === 'invalid_union' && 'note' in issue && issue.note === 'No matching discriminator';
  if (isUnknown && typeof found === 'string') {
    if (path.at(-1) !== 'role')
      return [{ kind: 'unknown-block', path: at, message: `unknown content block ${quoted(found)}` }];
    const hint = found === 'hookMessage' ? '; before version 3 it was the name of custom' : '';
    return [{ kind: 'unknown-role', path: at, message: `unknown message role ${quoted(found)}${hint}` }];
  }
  if (issue.code === 'custom') {
    const where = at === '' ? '' : ` at ${at}`;
    return [{ kind: 'odd-shape', path: at, message: `expected ${issue.message}${where}, found neither` }];
  }
  const kind = !isVital(at, value, version) ? 'odd-shape' : found === undefined ? 'missing-field' : 'wrong-type';
  return [{ kind, path: at, message: `expected ${expectation(issue)} at ${at}, found ${description(found)}` }];
}

/** Without these an agent loses the entry; everything else is 'odd-shape'. */
function isVital(path: string, value: JsonObject, version: KnownVersion): boolean {
  if (isHeader(value) || isTitleSlot(value)) return false;
  if (path === 'id' || path === 'parentId') return version >= 2;
  return path === 'type' || (value['type'] === 'message' && (path === 'message' || path === 'message.role'));
}

function expectation(issue: Issue): string {
  if (issue.code === 'invalid_type') return NOUNS[issue.expected] ?? issue.expected;
  if (issue.code === 'too_small') return 'a non-empty string';
  if (issue.code !== 'invalid_union') return issue.message;
  const whole = issue.errors.flat().filter((inner) => inner.path.length === 0);
  return [...new Set(whole.map(expectation))].join(' or ') || 'a string';
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
  if (value === '') return 'an empty string';
  if (value === null || typeof value === 'boolean') return String(value);
  return NOUNS[Array.isArray(value) ? 'array' : typeof value] as string;
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
