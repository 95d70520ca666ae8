import * as z from 'zod/mini';
import type { Alternatives, ContentBlock, EntryType, KnownVersion } from '../entry-type.ts';
import { contentBlocks, messageRoles } from '../messages.ts';

/**
 * The schemas check kinds of values, and the values of `type` and `role`, but no other values: the format grows, and a
 * new stop reason is not a problem. Unknown fields pass. The parsed object is not used.
 */
export type Schema = z.ZodMiniType;
type Fields = Record<string, Schema>;
/** The types that a declaration can name. */
type Kinds = Readonly<Record<string, Schema>>;

const BASICS: Kinds = {
  string: z.string(),
  number: z.number(),
  boolean: z.boolean(),
  null: z.null(),
  object: z.object({}),
  /** Any value; not traversed, however deep. */
  unknown: z.unknown(),
};

/** One for all fields of a kind: most fields are optional, and to make schemas is much of what a short run does. */
const optionals = new Map<Schema, Schema>();

function optional(schema: Schema): Schema {
  const found = optionals.get(schema) ?? z.optional(schema);
  optionals.set(schema, found);
  return found;
}

/**
 * Parses fields in TypeScript notation: `id: string, exitCode?: number | null, cost?: { total?: number }`. Literals in
 * a union, as in `'low' | 'high' | string`, are only examples.
 */
function fieldsOf(notation: string, kinds: Kinds = BASICS): Fields {
  const tokens = notation.match(/'\w+'|\w+|\[\]|[?:,|{}]/g) ?? [];
  const skip = (token: string): boolean => tokens[0] === token && tokens.shift() !== undefined;
  const fields = (): Fields => {
    const found: Fields = {};
    while (tokens.length > 0 && !skip('}')) {
      const name = tokens.shift() as string;
      const isOptional = skip('?');
      skip(':');
      found[name] = isOptional ? optional(union()) : union();
      skip(',');
    }
    return found;
  };
  const union = (): Schema => {
    const examples: string[] = [];
    const options: Schema[] = [];
    do {
      if (tokens[0]?.startsWith("'")) examples.push((tokens.shift() as string).slice(1, -1));
      else options.push(single());
    } while (skip('|'));
    if (examples.length > 0) return described(z.string(), { examples });
    return options.length > 1 ? z.union(options) : (options[0] as Schema);
  };
  const single = (): Schema => {
    const name = tokens.shift() ?? '';
    const schema = name === '{' ? z.object(fields()) : kinds[name];
    if (!schema) throw new TypeError(`'${name}' is no kind of value, in the fields ${notation}`);
    return skip('[]') ? z.array(schema) : schema;
  };
  return fields();
}

/** Tokens and cost; seed 000 has inputTokens, outputTokens. cacheWrite1h is part of cacheWrite, reasoning of output. */
export const USAGE = `input?: number, output?: number, cacheRead?: number, cacheWrite?: number, cacheWrite1h?: number,
  reasoning?: number, totalTokens?: number, inputTokens?: number, outputTokens?: number,
  cost?: { input?: number, output?: number, cacheRead?: number, cacheWrite?: number, total?: number,
    totalFromProvider?: unknown }`;

/** The types by version, made on first use. */
let kindsByVersion: Readonly<Record<KnownVersion, Kinds>> | undefined;

function makeKinds(): Readonly<Record<KnownVersion, Kinds>> {
  const usage = described(z.object(fieldsOf(USAGE)), { id: 'usage' });
  // The usage of an assistant turn must have a cost, except in seed 000.
  const withCost = requireOneOf(z.object(fieldsOf(USAGE)), [['cost'], ['inputTokens']]);
  const basics = { ...BASICS, usage, usageOfTurn: described(withCost, { id: 'usage-of-turn' }) };
  const block = choice(
    'type',
    contentBlocks.map((one) => named('block', 'type', one, basics)),
  );
  // Most roles take plain text or blocks.
  const kinds = { ...basics, block, content: z.union([z.string(), z.array(block)]) };
  const roles = messageRoles.map((role) => named('message', 'role', role, kinds));
  const system = roles[messageRoles.findIndex(({ name }) => name === 'system')] as Schema;
  const current = roles.filter((_, at) => !messageRoles[at]?.isOld);
  const old = { ...kinds, system, message: choice('role', roles) };
  return { 1: old, 2: old, 3: { ...old, message: choice('role', current) } };
}

/** The schema of a block or of a message. */
function named(
  kind: string,
  key: string,
  { name, fields, oneOf = [] }: Pick<ContentBlock, 'name' | 'fields' | 'oneOf'>,
  kinds: Kinds,
): z.ZodMiniObject {
  const schema = z.object({ [key]: z.literal(name), ...fieldsOf(fields, kinds) });
  return described(requireOneOf(schema, oneOf), { id: `${kind}-${name}` });
}

function choice(key: string, options: readonly z.ZodMiniObject[]): Schema {
  return z.discriminatedUnion(key, options as unknown as readonly [z.ZodMiniObject]);
}

const schemas = new Map<string, Schema>();

/** The schema of an entry type in a version, cached. */
export function schemaOf(type: EntryType, version: KnownVersion): Schema {
  const key = `${version} ${type.name}`;
  let schema = schemas.get(key);
  if (!schema) {
    kindsByVersion ??= makeKinds();
    const { name, fields = '', oneOf = [], inVersion1 } = type;
    const isOld = version === 1 && inVersion1 !== undefined;
    const own = fieldsOf(isOld ? `${fields}, ${inVersion1}` : fields, kindsByVersion[version]);
    schema = requireOneOf(z.object({ type: z.literal(name), ...envelopeOf(version), ...own }), isOld ? [] : oneOf);
    schemas.set(key, schema);
  }
  return schema;
}

/** An entry of unknown type still has an envelope. */
export function unknownEntrySchema(version: KnownVersion): Schema {
  return z.object({ type: z.string(), ...envelopeOf(version) });
}

/** In version 1 the order of the lines is the tree, so ids and parents may be absent. */
function envelopeOf(version: KnownVersion): Fields {
  if (version === 1) return fieldsOf('id?: string, parentId?: string | null, timestamp?: unknown');
  return { id: z.string().check(z.minLength(1)), ...fieldsOf('parentId: string | null, timestamp?: unknown') };
}

/** The first line of a log, after a title slot if there is one. Some fields are only of version 1, omp or pi 1.5. */
export const header: Schema = z.object({
  type: z.literal('session'),
  version: z.optional(z.literal([1, 2, 3])),
  ...fieldsOf(`id: string, timestamp?: unknown, cwd?: string, parentSession?: string, title?: string,
    titleSource?: string, additionalDirectories?: string[], previousSessionFiles?: string[],
    providerPromptCacheKey?: string, metadata?: unknown, provider?: string, modelId?: string, thinkingLevel?: string,
    branchedFrom?: string`),
});

/** The line before the header that omp rewrites in place; its size of 256 bytes is another rule. */
export const titleSlot: Schema = z.object({
  type: z.literal('title'),
  ...fieldsOf('v: number, title: string, source?: string, updatedAt?: unknown, pad: string'),
});

/** Requires all keys of one of the alternatives, for fields that the dialects name differently; also in JSON Schema. */
function requireOneOf(schema: z.ZodMiniObject, alternatives: Alternatives): z.ZodMiniObject {
  if (alternatives.length === 0) return schema;
  const error = alternatives.map((keys) => keys.join(' and ')).join(' or ');
  const isOneWhole = (value: Readonly<Record<string, unknown>>): boolean =>
    alternatives.some((keys) => keys.every((key) => value[key] !== undefined));
  const checked = schema.check(z.refine(isOneWhole, { error }));
  return described(checked, { anyOf: alternatives.map((keys) => ({ required: [...keys] })) });
}

/** Adds metadata for the JSON Schema: an id, or the meaning of a refinement. */
function described<S extends Schema>(schema: S, more: Record<string, unknown>): S {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), ...more });
  return schema;
}
