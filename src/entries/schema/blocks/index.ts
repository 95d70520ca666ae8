import * as z from 'zod/mini';
import { anthropicServerTool } from './anthropic-server-tool.ts';
import { fallback } from './fallback.ts';
import { image } from './image.ts';
import { redactedThinking } from './redacted-thinking.ts';
import { text } from './text.ts';
import { thinking } from './thinking.ts';
import { toolCall } from './tool-call.ts';

/** Every content block that is known. One line a block. */
export const block = z.discriminatedUnion('type', [text, image, thinking, toolCall, redactedThinking, anthropicServerTool, fallback]);

export type Block = z.infer<typeof block>;

export const knownBlocks: readonly string[] = block.def.options.flatMap((option) => option.shape.type.def.values);

export const blocks = z.array(block);

/** Most roles take plain text or blocks. */
export const content = z.union([z.string(), blocks]);
