import * as z from 'zod';

/**
 * The schemas look at kinds of values and at the words that tell one shape from another (type, role), never at other
 * values: the format grows, and a new stop reason or thinking level is no fault. Objects are loose, so unknown fields pass.
 */

/** Never checked here: a time that cannot be read is a rule of its own. */
export const timestamp = z.unknown().optional();

/** Anything may stand here, and deep JSON is not walked. */
export const anything = z.unknown().optional();

export const anObject = z.looseObject({});

/** As a union, so that a finding names both kinds that would do. */
export function orNull<S extends z.ZodType>(schema: S) {
  return z.union([schema, z.null()]);
}

/** What every entry of version 2 and later has. */
export const envelope = {
  id: z.string().min(1),
  parentId: orNull(z.string()),
  timestamp,
};

/** In version 1 the order of the lines is the tree, so ids and parents may be absent. */
export const envelopeOfVersion1 = {
  id: z.string().optional(),
  parentId: orNull(z.string()).optional(),
  timestamp,
};

const amount = z.number().optional();

/** Tokens and money; seed 000 spells inputTokens and outputTokens. */
export const usage = z
  .looseObject({
    input: amount,
    output: amount,
    cacheRead: amount,
    cacheWrite: amount,
    totalTokens: amount,
    inputTokens: amount,
    outputTokens: amount,
    cost: z.looseObject({ input: amount, output: amount, cacheRead: amount, cacheWrite: amount, total: amount }).optional(),
  })
  .meta({ id: 'usage' });

/**
 * Requires all keys of at least one of the alternatives: for what the dialects spell differently. The same goes into
 * the JSON Schema, which knows nothing of refinements.
 */
export function requireOneOf<S extends z.ZodObject>(schema: S, alternatives: readonly (readonly string[])[]): S {
  const spelled = alternatives.map((keys) => keys.join(' and ')).join(' or ');
  return schema
    .refine((value) => alternatives.some((keys) => keys.every((key) => (value as Record<string, unknown>)[key] !== undefined)), {
      error: spelled,
      params: { requires: spelled },
    })
    .meta({ anyOf: alternatives.map((keys) => ({ required: [...keys] })) });
}

/** An entry type in all its versions. */
export interface EntryType<Schema extends z.ZodType = z.ZodType, Version1 extends z.ZodType = z.ZodType> {
  readonly type: string;
  /** Version 2 and later. */
  readonly schema: Schema;
  readonly version1: Version1;
}

interface Variations<Old extends z.ZodRawShape> {
  /** What version 1 has otherwise. */
  readonly version1?: Old;
  readonly oneOf?: readonly (readonly string[])[];
}

/** An entry type from its own fields; the envelope comes with it. */
export function entryType<const Type extends string, Fields extends z.ZodRawShape, Old extends z.ZodRawShape = Record<never, never>>(
  type: Type,
  fields: Fields,
  variations: Variations<Old> = {},
) {
  const schema = z.looseObject({ type: z.literal(type), ...envelope, ...fields });
  const version1 = z.looseObject({ type: z.literal(type), ...envelopeOfVersion1, ...fields, ...variations.version1 });
  const { oneOf } = variations;
  return {
    type,
    schema: oneOf ? requireOneOf(schema, oneOf) : schema,
    version1: oneOf ? requireOneOf(version1, oneOf) : version1,
  };
}
