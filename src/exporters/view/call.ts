import { isObject, type JsonObject } from '../../json/value.ts';
import { diffOf } from './diff.ts';
import { EXACT_MARK } from './exact.ts';
import type { Block, ToolsOption } from './item.ts';
import { languageOf } from './language.ts';
import { jsonText, remainder, stringOf } from './read.ts';
import { INPUT, isLong, shorten } from './shorten.ts';
import { oneLine, type Words } from './words.ts';

/** What was asked of a tool, in the form that suits the tool. */
export interface Asked {
  readonly subject: Words;
  readonly blocks: readonly Block[];
}

/** Gives undefined where the arguments are not what the form needs; the next form, in the end JSON, is taken then. */
type Form = (input: JsonObject) => Shape | undefined;

interface Shape {
  readonly subject: Words;
  readonly blocks: readonly Block[];
  /** The arguments that this shows. */
  readonly shown: readonly string[];
}

const PATHS = ['path', 'file_path', 'filePath', 'file', 'filename', 'notebook_path'];
const OLD = ['oldText', 'old_string', 'oldString', 'old_str', 'old_text', 'search'];
const NEW = ['newText', 'new_string', 'newString', 'new_str', 'new_text', 'replace'];
const CONTENTS = ['content', 'contents', 'file_text', 'fileText', 'text'];
const COMMANDS = ['command', 'cmd', 'script'];
const PATCHES = ['patch', 'diff', 'input'];
const CODES = ['code', 'source'];

/** One line a tool; names are compared without case. */
const forms: ReadonlyMap<string, readonly Form[]> = new Map([
  ...named(
    ['bash', 'shell', 'sh', 'exec', 'exec_command', 'execute_command', 'local_shell', 'run_command', 'terminal'],
    shellForm,
  ),
  ...named(['run_terminal_cmd', 'run_shell_command', 'powershell', 'container.exec'], shellForm),
  ...named(
    ['edit', 'multiedit', 'multi_edit', 'edit_file', 'str_replace', 'search_replace', 'replace'],
    editForm,
    patchForm,
  ),
  ...named(['str_replace_editor', 'str_replace_based_edit_tool'], editForm, writeForm),
  ...named(['apply_patch', 'applypatch', 'patch'], patchForm, editForm),
  ...named(['write', 'write_file', 'write_to_file', 'create', 'create_file', 'save_file'], writeForm),
  ...named(['read', 'read_file', 'view', 'cat', 'open_file'], readForm),
  ...named(['python', 'ipython', 'py', 'code_interpreter', 'eval'], codeForm),
]);

function named(names: readonly string[], ...toolForms: Form[]): [string, readonly Form[]][] {
  return names.map((name) => [name, toolForms]);
}

export function askedOf(tool: string, input: unknown, tools: ToolsOption): Asked {
  const limits = tools === 'full' ? undefined : INPUT;
  const { subject, blocks } = shapeOf(tool, input);
  if (!limits || blocks.every((block) => !isLong(block.text, limits))) return { subject, blocks };
  return { subject, blocks: blocks.map((block) => ({ ...block, text: shorten(block.text, limits).text })) };
}

function shapeOf(tool: string, input: unknown): Asked {
  if (input === undefined || input === null) return { subject: [], blocks: [] };
  if (!isObject(input))
    return { subject: [], blocks: [typeof input === 'string' ? block('', input) : block('json', jsonText(input))] };
  for (const form of forms.get(tool.toLowerCase()) ?? []) {
    const shape = form(input);
    if (!shape) continue;
    const rest = remainder(input, shape.shown);
    if (!rest) return shape;
    const short = jsonText(rest, 0);
    if (short.length <= 80) return { subject: [...shape.subject, ' ', { code: short }], blocks: shape.blocks };
    return { subject: shape.subject, blocks: [...shape.blocks, block('json', jsonText(rest))] };
  }
  const short = jsonText(input, 0);
  if (short === '{}') return { subject: [], blocks: [] };
  return short.length <= 100
    ? { subject: [{ code: short }], blocks: [] }
    : { subject: [], blocks: [block('json', jsonText(input))] };
}

function block(language: string, text: string): Block {
  return { kind: 'block', language, text };
}

function firstString(
  input: JsonObject,
  keys: readonly string[],
): { readonly key: string; readonly value: string } | undefined {
  for (const key of keys) {
    const value = stringOf(input[key]);
    if (value !== undefined && !value.startsWith(EXACT_MARK)) return { key, value };
  }
  return undefined;
}

function shellForm(input: JsonObject): Shape | undefined {
  const command = firstString(input, COMMANDS);
  if (command) return { subject: [], blocks: [block('sh', command.value)], shown: [command.key] };
  // A list of arguments is shown as one, for joining them would say something else.
  const list = COMMANDS.find((key) => Array.isArray(input[key]));
  if (list === undefined) return undefined;
  return { subject: [], blocks: [block('json', jsonText(input[list], 0))], shown: [list] };
}

function editForm(input: JsonObject): Shape | undefined {
  const path = firstString(input, PATHS);
  const subject: Words = path ? [{ code: oneLine(path.value) }] : [];
  const shown = path ? [path.key] : [];
  const one = replacementOf(input);
  if (one) return { subject, blocks: [block('diff', one.diff)], shown: [...shown, ...one.shown] };
  const { edits } = input;
  if (!Array.isArray(edits) || edits.length === 0) return undefined;
  const blocks: Block[] = [];
  for (const edit of edits) {
    const replacement = isObject(edit) ? replacementOf(edit) : undefined;
    if (!isObject(edit) || !replacement) return undefined;
    blocks.push(block('diff', replacement.diff));
    const rest = remainder(edit, replacement.shown);
    if (rest) blocks.push(block('json', jsonText(rest)));
  }
  return { subject, blocks, shown: [...shown, 'edits'] };
}

function replacementOf(input: JsonObject): { readonly diff: string; readonly shown: readonly string[] } | undefined {
  const before = firstString(input, OLD);
  const after = firstString(input, NEW);
  if (!before || !after) return undefined;
  return { diff: diffOf(before.value, after.value), shown: [before.key, after.key] };
}

function patchForm(input: JsonObject): Shape | undefined {
  const patch = firstString(input, PATCHES);
  if (!patch || !/^(?:\*\*\* |@@|[-+ ]|diff )/m.test(patch.value.slice(0, 2000))) return undefined;
  const path = firstString(input, PATHS);
  const shown = path ? [path.key, patch.key] : [patch.key];
  return { subject: path ? [{ code: oneLine(path.value) }] : [], blocks: [block('diff', patch.value)], shown };
}

function writeForm(input: JsonObject): Shape | undefined {
  const path = firstString(input, PATHS);
  const content = firstString(input, CONTENTS);
  if (!path || !content) return undefined;
  return {
    subject: [{ code: oneLine(path.value) }],
    blocks: [block(languageOf(path.value), content.value)],
    shown: [path.key, content.key],
  };
}

function readForm(input: JsonObject): Shape | undefined {
  const path = firstString(input, PATHS);
  return path && { subject: [{ code: oneLine(path.value) }], blocks: [], shown: [path.key] };
}

function codeForm(input: JsonObject): Shape | undefined {
  const code = firstString(input, CODES);
  return code && { subject: [], blocks: [block('python', code.value)], shown: [code.key] };
}
