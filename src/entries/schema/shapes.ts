import * as z from 'zod/mini';
import type { Alternatives, ContentBlock, EntryType, KnownVersion, MessageRole } from '../entry-type.ts';
import { contentBlocks, messageRoles } from '../messages.ts';

/**
 * The schemas check kinds of values, and the values of `type` and `role`, but no other values: the format grows, and a
 * new stop reason is not a problem. Unknown fields pass. The parsed object is not used.
 */
export type Schema = z.ZodMiniType;
type Fields = Record<string, Schema>;
/** One for all fields of a kind: most fields are optional, and to make schemas is much of what a short run does. */
const optionals = new Map<Schema, Schema>();

function optional(schema: Schema): Schema {
  const found = optionals.get(schema) ?? z.optional(schema);
  optionals.set(schema, found);
  return found;
}

/**
 * Parses fields in TypeScript notation: `id: string, exitCode?: number | null, cost?: { total?: number }`. Literals in
 * a union, as in `'low' | 'high' | string`, are only examples. `message` is the kind that this name stands for.
 */
function fieldsOf(notation: string, message = 'message'): Fields {
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
    const schema = name === '{' ? z.object(fields()) : kindOf(name === 'message' ? message : name);
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

/** The kinds of values that a declaration can name. */
const KINDS: Readonly<Record<string, () => Schema>> = {
  string: () => z.string(),
  number: () => z.number(),
  boolean: () => z.boolean(),
  null: () => z.null(),
  object: () => z.object({}),
  /** Any value; not traversed, however deep. */
  unknown: () => z.unknown(),
  usage: () => described(z.object(fieldsOf(USAGE)), { id: 'usage' }),
  // The usage of an assistant turn must have a cost, except in seed 000.
  usageOfTurn: () =>
    described(requireOneOf(z.object(fieldsOf(USAGE)), [['cost'], ['inputTokens']]), { id: 'usage-of-turn' }),
  block: () =>
    choice(
      'type',
      contentBlocks.map((block) => named('block', 'type', block)),
    ),
  // Most roles take plain text or blocks.
  content: () => z.union([kindOf('string') as Schema, z.array(kindOf('block') as Schema)]),
  system: () => kindOf('message-system') as Schema,
  message: () => messageOf(messageRoles.filter(({ isOld }) => !isOld)),
  'old message': () => messageOf(messageRoles),
};

/** To make schemas is much of what a short run does: each is made on first use, and once. */
const made = new Map<string, Schema>();

function once(name: string, make: () => Schema): Schema {
  const schema = made.get(name) ?? make();
  made.set(name, schema);
  return schema;
}

/** A kind of value; of a message also that of one role, such as `message-user`. */
function kindOf(name: string): Schema | undefined {
  const make = KINDS[name];
  if (make) return once(name, make);
  const role = messageRoles.find((one) => name === `message-${one.name}`);
  return role && once(name, () => named('message', 'role', role));
}

function messageOf(roles: readonly MessageRole[]): Schema {
  return choice(
    'role',
    roles.map(({ name }) => kindOf(`message-${name}`) as z.ZodMiniObject),
  );
}

/** The schema of a block or of a message. */
function named(
  kind: string,
  key: string,
  { name, fields, oneOf = [] }: Pick<ContentBlock, 'name' | 'fields' | 'oneOf'>,
): z.ZodMiniObject {
  const schema = z.object({ [key]: z.literal(name), ...fieldsOf(fields) });
  return described(requireOneOf(schema, oneOf), { id: `${kind}-${name}` });
}

function choice(key: string, options: readonly z.ZodMiniObject[]): Schema {
  return z.discriminatedUnion(key, options as unknown as readonly [z.ZodMiniObject]);
}

/** The schema of an entry type in a version, for a message of any role or of one. */
export function schemaOf(type: EntryType, version: KnownVersion, role?: string): Schema {
  return once(`entry ${type.name} ${version} ${role}`, () => entrySchema(type, version, role));
}

function entrySchema(type: EntryType, version: KnownVersion, role?: string): Schema {
  const { name, fields = '', oneOf = [], inVersion1 } = type;
  const isOld = version === 1 && inVersion1 !== undefined;
  const message = role ? `message-${role}` : version === 3 ? 'message' : 'old message';
  const own = fieldsOf(isOld ? `${fields}, ${inVersion1}` : fields, message);
  return requireOneOf(z.object({ type: z.literal(name), ...envelopeOf(version), ...own }), isOld ? [] : oneOf);
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
export const headerSchema = (): Schema =>
  z.object({
    type: z.literal('session'),
    version: z.optional(z.literal([1, 2, 3])),
    ...fieldsOf(`id: string, timestamp?: unknown, cwd?: string, parentSession?: string, title?: string,
    titleSource?: string, additionalDirectories?: string[], previousSessionFiles?: string[],
    providerPromptCacheKey?: string, metadata?: unknown, provider?: string, modelId?: string, thinkingLevel?: string,
    branchedFrom?: string`),
  });

/** The line before the header that omp rewrites in place; its size of 256 bytes is another rule. */
export const titleSlotSchema = (): Schema =>
  z.object({
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
