import * as z from 'zod/mini';

/**
 * The schemas look at kinds of values and at the words that tell one shape from another (type, role), never at other
 * values: the format grows, and a new stop reason or thinking level is no fault. Unknown fields pass;
 * what zod makes of an object leaves them out, which is faster, and nobody looks at it.
 */

/** Never checked here: a time that cannot be read is a rule of its own. */
export const timestamp = z.optional(z.unknown());

/** Anything may stand here, and deep JSON is not walked. */
export const anything = z.optional(z.unknown());

export const anObject = z.object({});

/** As a union, so that a finding names both kinds that would do. */
export function orNull<S extends z.ZodMiniType>(schema: S) {
  return z.union([schema, z.null()]);
}

/** What every entry of version 2 and later has. */
export const envelope = {
  id: z.string().check(z.minLength(1)),
  parentId: orNull(z.string()),
  timestamp,
};

/** In version 1 the order of the lines is the tree, so ids and parents may be absent. */
export const envelopeOfVersion1 = {
  id: z.optional(z.string()),
  parentId: z.optional(orNull(z.string())),
  timestamp,
};

const amount = z.optional(z.number());

/** Tokens and money; seed 000 spells inputTokens and outputTokens. */
const usageFields = {
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
  cost: z.optional(
    z.object({ input: amount, output: amount, cacheRead: amount, cacheWrite: amount, total: amount, totalFromProvider: anything }),
  ),
};

export const usage = described(z.object(usageFields), { id: 'usage' });

/**
 * Requires all keys of at least one of the alternatives: for what the dialects spell differently. The same goes into
 * the JSON Schema, which knows nothing of refinements.
 */
export function requireOneOf<S extends z.ZodMiniObject>(schema: S, alternatives: readonly (readonly string[])[]): S {
  const spelled = alternatives.map((keys) => keys.join(' and ')).join(' or ');
  const checked = schema.check(
    z.refine((value) => alternatives.some((keys) => keys.every((key) => (value as Record<string, unknown>)[key] !== undefined)), {
      error: spelled,
      params: { requires: spelled },
    }),
  );
  return described(checked, { anyOf: alternatives.map((keys) => ({ required: [...keys] })) });
}

/** What an assistant's turn took: its cost has to be there, but for seed 000. */
export const usageOfTurn = once(() => described(requireOneOf(z.object(usageFields), [['cost'], ['inputTokens']]), { id: 'usage-of-turn' }));

/** A schema with something that goes into the JSON Schema: a name of its own, or what a refinement means. */
export function described<S extends z.ZodMiniType>(schema: S, more: Record<string, unknown>): S {
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), ...more });
  return schema;
}

/** An entry type in all its versions. */
export interface EntryType<Schema extends z.ZodMiniType = z.ZodMiniType, Version1 extends z.ZodMiniType = z.ZodMiniType> {
  readonly type: string;
  /** Version 2 and later. */
  readonly schema: Schema;
  readonly version1: Version1;
}

interface Variations<Old extends z.core.$ZodLooseShape> {
  /** What version 1 has otherwise; `oneOf` is not asked of it then. */
  readonly version1?: () => Old;
  readonly oneOf?: readonly (readonly string[])[];
}

/** An entry type from its own fields; the envelope comes with it. Its schemas are made when a log has such an entry. */
export function entryType<
  const Type extends string,
  Fields extends z.core.$ZodLooseShape,
  Old extends z.core.$ZodLooseShape = Record<never, never>,
>(type: Type, fieldsOf: () => Fields, variations: Variations<Old> = {}) {
  const { oneOf } = variations;
  const fields = once(fieldsOf);
  const schema = once(() => {
    const plain = z.object({ type: z.literal(type), ...envelope, ...fields() });
    return oneOf ? requireOneOf(plain, oneOf) : plain;
  });
  const version1 = once(() => {
    const plain = z.object({ type: z.literal(type), ...envelopeOfVersion1, ...fields(), ...variations.version1?.() });
    return oneOf && !variations.version1 ? requireOneOf(plain, oneOf) : plain;
  });
  return {
    type,
    get schema() {
      return schema();
    },
    get version1() {
      return version1();
    },
  };
}

/** What a function gives, made when it is first asked for. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
