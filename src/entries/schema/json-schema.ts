import { toJSONSchema } from 'zod/v4/core';
import { isObject } from '../../json/value.ts';
import type { KnownVersion } from '../entry-type.ts';
import { entryTypeOf, entryTypes } from '../types/index.ts';
import { headerSchema, type Schema, schemaOf, titleSlotSchema, unknownEntrySchema } from './shapes.ts';

/** A JSON Schema, or a part of one. */
interface JsonSchema {
  readonly [key: string]: unknown;
}

type JsonDefinitions = Record<string, JsonSchema>;
/** The schema of each entry type, by name. */
type TypeSchemas = readonly (readonly [type: string, schema: JsonSchema])[];

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const OTHERS: Readonly<Record<string, { readonly title: string; readonly schema: Schema }>> = {
  session: { title: 'The header of a session log', schema: headerSchema() },
  title: { title: 'The title slot of a session log', schema: titleSlotSchema() },
};

/** The names that `entrySchema` accepts: every entry type, the header and the title slot. */
export function schemaTypes(): readonly string[] {
  return [...Object.keys(OTHERS), ...entryTypes.map(({ name }) => name)];
}

/** JSON Schema 2020-12 of one line of a version 3 log; its `line-v1` and `line-v2` are for older logs. */
export function lineSchema(): JsonSchema {
  const definitions: JsonDefinitions = {};
  const define = (name: string, schema: Schema): JsonSchema => {
    definitions[name] = convert(schema, definitions);
    return { $ref: `#/$defs/${name}` };
  };
  const others = [define('header', headerSchema()), define('title-slot', titleSlotSchema())] as const;
  const entries = (version: KnownVersion, prefix: string): TypeSchemas =>
    entryTypes.map((type) => [type.name, define(`${prefix}-${type.name}`, schemaOf(type, version))]);
  const current = entries(3, 'entry');
  // Version 2 has the envelope of version 3 and the roles of version 1.
  const older = current.map(([name, schema]) => {
    const type = name === 'message' ? entryTypeOf(name) : undefined;
    return [name, type ? define('entry-v2-message', schemaOf(type, 2)) : schema] as const;
  });
  const unknown = define('entry-unknown', unknownEntrySchema(3));
  const unknownV1 = define('entry-v1-unknown', unknownEntrySchema(1));
  definitions['line-v1'] = choice(others, entries(1, 'entry-v1'), unknownV1);
  definitions['line-v2'] = choice(others, older, unknown);
  return {
    $schema: DIALECT,
    title: 'One line of a version 3 session log',
    description:
      'Unknown entry types, message roles, content blocks and fields are allowed. For logs of older versions use #/$defs/line-v1 and #/$defs/line-v2.',
    ...choice(others, current, unknown),
    $defs: sorted(definitions),
  };
}

/** JSON Schema 2020-12 of an entry type, of the header ('session') or of the title slot ('title'); else undefined. */
export function entrySchema(name: string): JsonSchema | undefined {
  const type = entryTypeOf(name);
  const known = type ? { title: `An entry of type ${name}`, schema: schemaOf(type, 3) } : OTHERS[name];
  if (!known) return undefined;
  const definitions: JsonDefinitions = {};
  const schema = convert(known.schema, definitions);
  const $defs = Object.keys(definitions).length > 0 ? { $defs: sorted(definitions) } : {};
  return { $schema: DIALECT, title: known.title, ...schema, ...$defs };
}

/** `type` selects the schema; any other type is an unknown entry. */
function choice([headerRef, titleRef]: readonly [JsonSchema, JsonSchema], entries: TypeSchemas, unknown: JsonSchema) {
  const isSlot = {
    properties: { type: { const: 'title' } },
    not: { anyOf: [{ required: ['id'] }, { required: ['parentId'] }] },
  };
  const isOther = { properties: { type: { enum: ['session', ...entries.map(([type]) => type)] } } };
  return byWord('type', [
    when(isOf('type', 'session'), headerRef),
    when(isSlot, titleRef),
    ...entries.map(([type, schema]) => when(isOf('type', type), schema)),
    { if: isOther, else: { if: isSlot, else: unknown } },
  ]);
}

function byWord(key: string, allOf: readonly JsonSchema[]): JsonSchema {
  return { type: 'object', required: [key], properties: { [key]: { type: 'string' } }, allOf };
}

// A literal `then` would make the object look like a promise.
const THEN = 'then';

function when(condition: JsonSchema, schema: unknown): JsonSchema {
  return { if: condition, [THEN]: schema };
}

function isOf(key: string, word: unknown): JsonSchema {
  return { properties: { [key]: { const: word } } };
}

function convert(schema: Schema, definitions: JsonDefinitions): JsonSchema {
  const { $schema: _, $defs, ...rest } = toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
  const found = ($defs ?? {}) as JsonDefinitions;
  for (const [name, definition] of Object.entries(found)) definitions[name] ??= open(definition, found) as JsonSchema;
  return open(rest, found) as JsonSchema;
}

/** zod's unions are closed, but the format is open: each option applies to its own type or role, and others pass. */
function open(node: unknown, definitions: JsonDefinitions): unknown {
  if (Array.isArray(node)) return node.map((one) => open(one, definitions));
  if (!isObject(node)) return node;
  if (Array.isArray(node['oneOf'])) return openUnion(node['oneOf'], definitions);
  const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0;
  const members = Object.entries(node)
    .filter(([key, value]) => !(isEmpty(value) && (key === 'additionalProperties' || key === 'properties')))
    .map(([key, value]) => [key, open(value, definitions)]);
  return Object.fromEntries(members);
}

/** Every option of a union is a definition with its type or role as a constant. */
function openUnion(options: readonly { readonly $ref: string }[], definitions: JsonDefinitions): JsonSchema {
  const constants = options.map(({ $ref }) => {
    const { properties } = definitions[$ref.replace('#/$defs/', '')] as { properties: JsonDefinitions };
    return { role: properties['role']?.['const'], type: properties['type']?.['const'] };
  });
  const key = constants[0]?.role === undefined ? 'type' : 'role';
  return byWord(
    key,
    options.map((option, at) => when(isOf(key, constants[at]?.[key]), option)),
  );
}

function sorted(definitions: JsonDefinitions): JsonDefinitions {
  return Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
}
