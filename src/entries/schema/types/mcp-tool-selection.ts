import * as z from 'zod/mini';
import { entryType } from '../shapes.ts';

/** omp: the tools of MCP servers that are shown to the model. */
export const mcpToolSelection = entryType('mcp_tool_selection', () => ({ selectedToolNames: z.array(z.string()) }));
