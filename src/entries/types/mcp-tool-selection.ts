import type { EntryType } from '../entry-type.ts';
/** omp: the tools of MCP servers that are shown to the model. */
export const mcpToolSelection: EntryType = {
  name: 'mcp_tool_selection',
  fields: 'selectedToolNames: string[]',
  dialect: 'omp',
  toModel: 'state',
  payload: [['selectedToolNames']],
  note: (entry) => ({ words: ['MCP tools: ', { names: entry['selectedToolNames'] }] }),
};
