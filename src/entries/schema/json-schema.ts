import * as z from 'zod/mini';
import { isObject } from '../../json/value.ts';
import { entryTypes } from '../types/index.ts';
import { header, type Schema, schemaOf, titleSlot, unknownEntrySchema } from './shapes.ts';

/** A JSON Schema, or a part of one. */
export interface JsonSchema {
  readonly [key: string]: unknown;
}

type Definitions = Record<string, JsonSchema>;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** What `entrySchema` knows: every entry type, the header and the title slot. */
export function schemaTypes(): readonly string[] {
  return ['session', 'title', ...entryTypes.map(({ name }) => name)];
}

/** JSON Schema 2020-12 of one line of a log of version 3; `line-v1` and `line-v2` among its definitions are those of older logs. */
export function lineSchema(): JsonSchema {
  const definitions: Definitions = {};
  const others = [define('header', header, definitions), define('title-slot', titleSlot, definitions)] as const;
  const current = entryTypes.map(
    (one) => [one.name, define(`entry-${one.name}`, schemaOf(one, 3), definitions)] as const,
  );
  // Version 2 has the envelope of today and the roles of version 1.
  const older = entryTypes.map((one, at): readonly [string, JsonSchema] =>
    one.name === 'message'
      ? [one.name, define('entry-v2-message', schemaOf(one, 2), definitions)]
      : (current[at] as readonly [string, JsonSchema]),
  );
  const oldest = entryTypes.map(
    (one) => [one.name, define(`entry-v1-${one.name}`, schemaOf(one, 1), definitions)] as const,
  );
  const unknown = define('entry-unknown', unknownEntrySchema(3), definitions);
  definitions['line-v1'] = choice(others, oldest, define('entry-v1-unknown', unknownEntrySchema(1), definitions));
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

/** JSON Schema 2020-12 of one entry type, of the header ('session') or of the title slot ('title'); undefined for any other word. */
export function entrySchema(type: string): JsonSchema | undefined {
  const known = entryTypes.find(({ name }) => name === type);
  const found = known ? schemaOf(known, 3) : type === 'session' ? header : type === 'title' ? titleSlot : undefined;
  if (!found) return undefined;
  const definitions: Definitions = {};
  const schema = convert(found, definitions);
  const title =
    type === 'session'
      ? 'The header of a session log'
      : type === 'title'
        ? 'The title slot of a session log'
        : `An entry of type ${type}`;
  const used = Object.keys(definitions).length > 0 ? { $defs: sorted(definitions) } : {};
  return { $schema: DIALECT, title, ...schema, ...used };
}

function define(name: string, schema: Schema, definitions: Definitions): JsonSchema {
  definitions[name] = convert(schema, definitions);
  return { $ref: `#/$defs/${name}` };
}

/** Which schema holds is told by `type`; an object with any other type is an unknown entry. */
function choice(
  [headerRef, titleRef]: readonly [JsonSchema, JsonSchema],
  entries: readonly (readonly [string, JsonSchema])[],
  unknown: JsonSchema,
): JsonSchema {
  const isSlot = {
    properties: { type: { const: 'title' } },
    not: { anyOf: [{ required: ['id'] }, { required: ['parentId'] }] },
  };
  return {
    type: 'object',
    required: ['type'],
    properties: { type: { type: 'string' } },
    allOf: [
      when(isOf('type', 'session'), headerRef),
      when(isSlot, titleRef),
      ...entries.map(([type, schema]) => when(isOf('type', type), schema)),
      {
        if: { properties: { type: { enum: ['session', ...entries.map(([type]) => type)] } } },
        else: { if: isSlot, else: unknown },
      },
    ],
  };
}

// Spelled by name: a literal `then` would make the object look like a promise to whoever reads the code.
const THEN = 'then';

function when(condition: JsonSchema, schema: unknown): JsonSchema {
  return { if: condition, [THEN]: schema };
}

function isOf(key: string, word: unknown): JsonSchema {
  return { properties: { [key]: { const: word } } };
}

function convert(schema: Schema, definitions: Definitions): JsonSchema {
  const { $schema: _, $defs, ...rest } = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }) as JsonSchema;
  const found = isObject($defs) ? $defs : {};
  for (const [name, definition] of Object.entries(found)) {
    definitions[name] ??= open(definition, found) as JsonSchema;
  }
  return open(rest, found) as JsonSchema;
}

/**
 * The unions of zod are closed, the format is not: of what a union knows each is tied to its word, and other words pass.
 * `additionalProperties: {}` says what is so anyway.
 */
function open(node: unknown, definitions: JsonSchema): unknown {
  if (Array.isArray(node)) return node.map((one) => open(one, definitions));
  if (!isObject(node)) return node;
  const { oneOf } = node;
  if (Array.isArray(oneOf)) return openUnion(oneOf, definitions);
  const result: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    if (isObject(value) && Object.keys(value).length === 0 && (key === 'additionalProperties' || key === 'properties'))
      continue;
    result[key] = open(value, definitions);
  }
  return result;
}

function openUnion(options: readonly unknown[], definitions: JsonSchema): JsonSchema {
  const named = options.map((option) => {
    const reference = isObject(option) ? String(option['$ref']) : '';
    const definition = definitions[reference.replace('#/$defs/', '')];
    const properties = isObject(definition) && isObject(definition['properties']) ? definition['properties'] : {};
    const key = isObject(properties['role']) && 'const' in properties['role'] ? 'role' : 'type';
    const word = properties[key];
    return { key, word: isObject(word) ? word['const'] : undefined, option };
  });
  const key = named[0]?.key ?? 'type';
  return {
    type: 'object',
    required: [key],
    properties: { [key]: { type: 'string' } },
    allOf: named.map(({ word, option }) => when(isOf(key, word), option)),
  };
}

function sorted(definitions: Definitions): Definitions {
  return Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1)));
}
