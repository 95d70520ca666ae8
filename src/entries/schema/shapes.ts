import * as z from 'zod/mini';
import { contentBlocks } from '../blocks.ts';
import type { Alternatives, EntryType, KnownVersion } from '../entry-type.ts';
import { messageRoles } from '../roles.ts';

/**
 * The schemas look at kinds of values and at the words that tell one shape from another (type, role), never at other
 * values: the format grows, and a new stop reason or thinking level is no fault. Unknown fields pass;
 * what zod makes of an object leaves them out, which is faster, and nobody looks at it.
 */
export type Schema = z.ZodMiniType;
export type Fields = Readonly<Record<string, Schema>>;

/** What fields are made of. Declarations get it handed in, so that most commands need not load zod. */
export type Shapes = typeof basics & {
  readonly block: Schema;
  /** Most roles take plain text or blocks. */
  readonly content: Schema;
  /** What an assistant's turn took: its cost has to be there, but for seed 000. */
  readonly usageOfTurn: Schema;
  readonly message: Schema;
  /** The message of the role system. */
  readonly system: Schema;
  readonly version: KnownVersion;
};

const string: Schema = z.string();
const number: Schema = z.number();
const unknown: Schema = z.unknown();
const optional = (schema: Schema): Schema => z.optional(schema);
const object = (fields: Fields): z.ZodMiniObject => z.object(fields);
/** As a union, so that a finding names both kinds that would do. */
const orNull = (schema: Schema): Schema => z.union([schema, z.null()]);
/** Anything may be here, and deep JSON is not walked. */
const anything = optional(unknown);
const amount = optional(number);

/** Tokens and money; seed 000 spells inputTokens and outputTokens. */
const usageFields: Fields = {
  input: amount,
  output: amount,
  cacheRead: amount,
  cacheWrite: amount,
  // pi 1.5: parts of cacheWrite and of output.
  cacheWrite1h: amount,
  reasoning: amount,
  totalTokens: amount,
  inputTokens: amount,
  outputTokens: amount,
  cost: optional(
    object({
      input: amount,
      output: amount,
      cacheRead: amount,
      cacheWrite: amount,
      total: amount,
      totalFromProvider: anything,
    }),
  ),
};

const basics = {
  string,
  number,
  boolean: z.boolean() as Schema,
  unknown,
  anything,
  /** Never checked here: a time that cannot be read is a rule of its own. */
  timestamp: anything,
  usage: described(object(usageFields), { id: 'usage' }) as Schema,
  optional,
  object,
  orNull,
  array: (schema: Schema): Schema => z.array(schema),
  union: (schemas: readonly Schema[]): Schema => z.union(schemas),
  /** Any string, of which these are known. */
  words: (...examples: string[]): Schema => described(z.string(), { examples }),
};

let made: Readonly<Record<KnownVersion, Shapes>> | undefined;

/** The shapes of a version, made when a schema is first asked for. */
function shapesOf(version: KnownVersion): Shapes {
  made ??= makeShapes();
  return made[version];
}

function makeShapes(): Readonly<Record<KnownVersion, Shapes>> {
  const usageOfTurn = described(requireOneOf(object(usageFields), [['cost'], ['inputTokens']]), {
    id: 'usage-of-turn',
  });
  const simple = { ...basics, usageOfTurn } as Partial<Shapes> as Shapes;
  const block = choice(
    'type',
    contentBlocks.map(({ name, fields, oneOf = [] }) => named('block', 'type', name, fields(simple), oneOf)),
  );
  const withBlocks: Shapes = { ...simple, block, content: z.union([string, z.array(block)]) };
  const roles = messageRoles.map((role) => ({
    ...role,
    schema: named('message', 'role', role.name, role.fields(withBlocks), []),
  }));
  const system = roles.find(({ name }) => name === 'system')?.schema as Schema;
  const of = (version: KnownVersion): Shapes => {
    const known = roles.filter(({ isOld }) => version < 3 || !isOld);
    return {
      ...withBlocks,
      version,
      system,
      message: choice(
        'role',
        known.map(({ schema }) => schema),
      ),
    };
  };
  return { 1: of(1), 2: of(2), 3: of(3) };
}

function named(
  kind: 'block' | 'message',
  key: string,
  name: string,
  fields: Fields,
  oneOf: Alternatives,
): z.ZodMiniObject {
  return described(requireOneOf(object({ [key]: z.literal(name), ...fields }), oneOf), { id: `${kind}-${name}` });
}

function choice(key: string, options: readonly z.ZodMiniObject[]): Schema {
  return z.discriminatedUnion(key, options as unknown as readonly [z.ZodMiniObject]);
}

const schemas = new Map<string, Schema>();

/** The schema of an entry type in a version, the same one each time. */
export function schemaOf(type: EntryType, version: KnownVersion): Schema {
  const key = `${version} ${type.name}`;
  let schema = schemas.get(key);
  if (!schema) {
    const fields = { type: z.literal(type.name), ...envelopeOf(version), ...type.fields(shapesOf(version)) };
    schema = requireOneOf(object(fields), type.oneOf?.(version) ?? []);
    schemas.set(key, schema);
  }
  return schema;
}

/** An entry of a type that is not known still has an envelope. */
export function unknownEntrySchema(version: KnownVersion): Schema {
  return object({ type: string, ...envelopeOf(version) });
}

/** In version 1 the order of the lines is the tree, so ids and parents may be absent. */
function envelopeOf(version: KnownVersion): Fields {
  if (version === 1) return { id: optional(string), parentId: optional(orNull(string)), timestamp: anything };
  return { id: z.string().check(z.minLength(1)), parentId: orNull(string), timestamp: anything };
}

/** The first line of a log, behind a title slot where there is one. */
export const header: Schema = object({
  type: z.literal('session'),
  version: optional(z.literal([1, 2, 3])),
  id: string,
  timestamp: anything,
  cwd: optional(string),
  parentSession: optional(string),
  // Seed 004 and omp.
  title: optional(string),
  titleSource: optional(string),
  additionalDirectories: optional(z.array(string)),
  previousSessionFiles: optional(z.array(string)),
  providerPromptCacheKey: optional(string),
  // pi 1.5.
  metadata: anything,
  // Version 1.
  provider: optional(string),
  modelId: optional(string),
  thinkingLevel: optional(string),
  branchedFrom: optional(string),
});

/** The line that omp rewrites in place before the header; its 256 bytes are a rule of their own. */
export const titleSlot: Schema = object({
  type: z.literal('title'),
  v: number,
  title: string,
  source: optional(string),
  updatedAt: anything,
  pad: string,
});

/**
 * Requires all keys of at least one of the alternatives: for what the dialects spell differently. The same goes into
 * the JSON Schema, which knows nothing of refinements.
 */
function requireOneOf(schema: z.ZodMiniObject, alternatives: Alternatives): z.ZodMiniObject {
  if (alternatives.length === 0) return schema;
  const spelled = alternatives.map((keys) => keys.join(' and ')).join(' or ');
  const checked = schema.check(
    z.refine(
      (value) =>
        alternatives.some((keys) => keys.every((key) => (value as Record<string, unknown>)[key] !== undefined)),
      {
        error: spelled,
        params: { requires: spelled },
      },
    ),
  );
  return described(checked, { anyOf: alternatives.map((keys) => ({ required: [...keys] })) });
}

/** A schema with something that goes into the JSON Schema: a name of its own, or what a refinement means. */
function described<S extends Schema>(schema: S, more: Record<string, unknown>): S {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), ...more });
  return schema;
}
