import * as z from 'zod/mini';

/** Loose, because later versions add types and members. */
const text = z.nullish(z.string());
const list = z.nullish(z.array(z.unknown()));

const ITEMS = {
  message: z.looseObject({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })), phase: text }),
  reasoning: z.looseObject({
    summary: z.array(z.looseObject({ type: z.string() })),
    content: list,
    encrypted_content: text,
  }),
  function_call: z.looseObject({ name: z.string(), namespace: text, arguments: z.string(), call_id: z.string() }),
  function_call_output: z.looseObject({ call_id: z.string(), output: z.union([z.string(), z.array(z.unknown())]) }),
  custom_tool_call: z.looseObject({ name: z.string(), input: z.string(), call_id: z.string() }),
  custom_tool_call_output: z.looseObject({ call_id: z.string(), output: z.union([z.string(), z.array(z.unknown())]) }),
  local_shell_call: z.looseObject({
    call_id: text,
    action: z.looseObject({ type: z.string(), command: z.array(z.string()) }),
  }),
  web_search_call: z.looseObject({ action: z.nullish(z.looseObject({})) }),
} as const;

const PAYLOADS = {
  session_meta: z.looseObject({
    id: z.string(),
    timestamp: z.string(),
    cwd: text,
    cli_version: text,
    model_provider: text,
  }),
  turn_context: z.looseObject({ model: text, effort: z.optional(z.unknown()), cwd: text }),
  compacted: z.looseObject({
    message: z.string(),
    replacement_history: z.nullish(z.array(z.looseObject({ type: z.string() }))),
  }),
  token_usage_record: z.looseObject({ response_id: text, usage: z.looseObject({ input_tokens: z.number() }) }),
  event_msg: z.looseObject({ type: z.string() }),
} as const;

const envelope = z.looseObject({
  timestamp: z.string(),
  ordinal: z.optional(z.number()),
  type: z.string(),
  payload: z.looseObject({}),
});
const session = z.looseObject({ id: z.string(), timestamp: z.string(), instructions: z.optional(z.unknown()) });
const bare = z.looseObject({ type: z.string() });
const state = z.looseObject({ record_type: z.string() });

/** The schema of a record: of its envelope and what is in it, or of a bare item. */
export function schemaOf(record: Readonly<Record<string, unknown>>): z.ZodMiniType {
  const { type, payload } = record;
  const inner = typeof payload === 'object' && payload !== null ? payload : undefined;
  const itemType = (value: object): unknown => ('type' in value ? value.type : undefined);
  const item = (name: unknown): z.ZodMiniType => (ITEMS as Record<string, z.ZodMiniType>)[String(name)] ?? bare;
  if (inner && type === 'response_item') return z.extend(envelope, { payload: item(itemType(inner)) });
  if (inner) {
    const known = (PAYLOADS as Record<string, z.ZodMiniType>)[String(type)];
    return known ? z.extend(envelope, { payload: known }) : envelope;
  }
  if (typeof type === 'string') return item(type);
  return 'record_type' in record ? state : session;
}
