import * as z from 'zod/mini';

/** What readers of version 1.7 accept, and no more: unknown members are errors for them, custom ones go to `extra`. */
const extra = z.optional(z.nullable(z.record(z.string(), z.unknown())));
const text = z.optional(z.nullable(z.string()));
const tokens = z.optional(z.nullable(z.int().check(z.nonnegative())));
const named = z.string().check(z.minLength(1));

const part = z.union([
  z.strictObject({ type: z.literal('text'), text: z.string() }),
  z.strictObject({
    type: z.literal('image'),
    source: z.strictObject({
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      path: named,
    }),
  }),
]);
const content = z.union([z.string(), z.array(part)]);

const toolCall = z.strictObject({
  tool_call_id: z.string(),
  function_name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  extra,
});

const subagentRef = z
  .strictObject({ trajectory_id: text, trajectory_path: text, session_id: text, extra })
  .check(z.refine((ref) => Boolean(ref.trajectory_id ?? ref.trajectory_path), 'names no trajectory'));

const result = z.strictObject({
  source_call_id: text,
  content: z.optional(z.nullable(content)),
  subagent_trajectory_ref: z.optional(z.nullable(z.array(subagentRef))),
  extra,
});

const metrics = z.strictObject({
  prompt_tokens: tokens,
  completion_tokens: tokens,
  cached_tokens: tokens,
  cost_usd: z.optional(z.nullable(z.number().check(z.nonnegative()))),
  prompt_token_ids: z.optional(z.nullable(z.array(z.int()))),
  completion_token_ids: z.optional(z.nullable(z.array(z.int()))),
  logprobs: z.optional(z.nullable(z.array(z.number()))),
  extra,
});

/** Members that only a step of the agent may have. */
const AGENT_ONLY = ['model_name', 'reasoning_effort', 'reasoning_content', 'tool_calls', 'metrics'] as const;

export const stepSchema = z
  .strictObject({
    step_id: z.int().check(z.gte(1)),
    timestamp: z.optional(z.nullable(z.iso.datetime({ offset: true, local: true }))),
    source: z.enum(['system', 'user', 'agent']),
    message: content,
    model_name: text,
    reasoning_effort: z.optional(z.nullable(z.union([z.string(), z.number()]))),
    reasoning_content: text,
    tool_calls: z.optional(z.nullable(z.array(toolCall))),
    observation: z.optional(z.nullable(z.strictObject({ results: z.array(result) }))),
    metrics: z.optional(z.nullable(metrics)),
    is_copied_context: z.optional(z.nullable(z.boolean())),
    llm_call_count: z.optional(z.nullable(z.int().check(z.nonnegative()))),
    extra,
  })
  .check(
    z.refine((step) => step.source === 'agent' || AGENT_ONLY.every((key) => step[key] === undefined), 'agent only'),
    z.refine(
      (step) => step.llm_call_count !== 0 || (step.metrics === undefined && step.reasoning_content === undefined),
      'no model was called',
    ),
    z.refine(({ tool_calls: calls, observation }) => {
      const ids = (calls ?? []).map((call) => call.tool_call_id);
      const named = (observation?.results ?? []).map((one) => one.source_call_id ?? undefined);
      return new Set(ids).size === ids.length && named.every((id) => id === undefined || ids.includes(id));
    }, 'calls and results do not match'),
  );

export const rootSchema = z.strictObject({
  schema_version: z.literal('ATIF-v1.7'),
  session_id: text,
  trajectory_id: text,
  agent: z.strictObject({
    name: named,
    version: named,
    model_name: text,
    tool_definitions: z.optional(z.nullable(z.array(z.record(z.string(), z.unknown())))),
    extra,
  }),
  notes: text,
  final_metrics: z.optional(
    z.nullable(
      z.strictObject({
        total_prompt_tokens: tokens,
        total_completion_tokens: tokens,
        total_cached_tokens: tokens,
        total_cost_usd: z.optional(z.nullable(z.number().check(z.nonnegative()))),
        total_steps: tokens,
        extra,
      }),
    ),
  ),
  continued_trajectory_ref: text,
  extra,
});
