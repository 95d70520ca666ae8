import { numberOf } from '../../json/exact.ts';
import { asString, isObject, type JsonObject } from '../../json/value.ts';
import type { CodeBlock, RichText, ViewOptions } from '../exporter.ts';
import { INPUT, oneLine, type Shortened, shorten } from '../text.ts';
import { diffOf, languageOf } from './code.ts';
import { jsonText, remainder } from './json.ts';

/** The arguments of a tool call, in the form that suits the tool. */
export interface CallInput {
  readonly subject: RichText;
  readonly blocks: readonly CodeBlock[];
}

/** Gives undefined where the arguments are not what the form needs; the next form, in the end JSON, is taken then. */
type CallForm = (input: JsonObject) => Shape | undefined;

/** `shown` are the arguments that this shows. */
type Shape = CallInput & { readonly shown: readonly string[] };

type Argument = { readonly key: string; readonly value: string };

const PATHS = ['path', 'file_path', 'filePath', 'file', 'filename', 'notebook_path'];
const OLD = ['oldText', 'old_string', 'oldString', 'old_str', 'old_text', 'search'];
const NEW = ['newText', 'new_string', 'newString', 'new_str', 'new_text', 'replace'];
const CONTENTS = ['content', 'contents', 'file_text', 'fileText', 'text'];
const COMMANDS = ['command', 'cmd', 'script'];
const PATCHES = ['patch', 'diff', 'input'];
const CODES = ['code', 'source'];

/** The names of tools, compared without case, and their forms. */
const FORMS: readonly (readonly [string, ...CallForm[]])[] = [
  ['bash shell sh exec exec_command execute_command local_shell run_command terminal', shellForm],
  ['run_terminal_cmd run_shell_command powershell container.exec', shellForm],
  ['edit multiedit multi_edit edit_file str_replace search_replace replace', editForm, patchForm],
  ['str_replace_editor str_replace_based_edit_tool', editForm, writeForm],
  ['apply_patch applypatch patch', patchForm, editForm],
  ['write write_file write_to_file create create_file save_file', writeForm],
  ['read read_file view cat open_file', readForm],
  ['python ipython py code_interpreter eval', codeForm],
];
const formsOf: ReadonlyMap<string, readonly CallForm[]> = new Map(
  FORMS.flatMap(([names, ...forms]) => names.split(' ').map((name) => [name, forms])),
);

export function callInput(tool: string, input: unknown, tools: ViewOptions['tools']): CallInput {
  const { subject, blocks } = shapeOf(tool, input);
  if (tools === 'full') return { subject, blocks };
  return { subject, blocks: blocks.map((one) => shortBlock(one.language, shorten(one.text, INPUT))) };
}

function shapeOf(tool: string, input: unknown): CallInput {
  if (input === undefined || input === null) return { subject: [], blocks: [] };
  if (typeof input === 'string') return { subject: [], blocks: [block('', input)] };
  if (!isObject(input)) return { subject: [], blocks: [block('json', jsonText(input))] };
  for (const form of formsOf.get(tool.toLowerCase()) ?? []) {
    const shape = form(input);
    if (!shape) continue;
    const rest = remainder(input, shape.shown);
    if (!rest) return shape;
    const short = jsonText(rest, 0);
    if (short.length <= 80) return { subject: [...shape.subject, ' ', { code: short }], blocks: shape.blocks };
    return { subject: shape.subject, blocks: [...shape.blocks, block('json', jsonText(rest))] };
  }
  const short = jsonText(input, 0);
  if (short.length > 100) return { subject: [], blocks: [block('json', jsonText(input))] };
  return { subject: short === '{}' ? [] : [{ code: short }], blocks: [] };
}

export function block(language: string, text: string): CodeBlock {
  return { kind: 'block', language, text };
}

export function shortBlock(language: string, { text, omitted }: Shortened): CodeBlock {
  return omitted ? { kind: 'block', language, text, omitted } : block(language, text);
}

function firstOf(input: JsonObject, keys: readonly string[]): Argument | undefined {
  for (const key of keys) {
    const value = asString(input[key]);
    if (value !== undefined && numberOf(value) === undefined) return { key, value };
  }
  return undefined;
}

function shapeAt(path: Argument | undefined, blocks: readonly CodeBlock[], ...shown: readonly string[]): Shape {
  if (!path) return { subject: [], blocks, shown };
  return { subject: [{ code: oneLine(path.value) }], blocks, shown: [path.key, ...shown] };
}

function shellForm(input: JsonObject): Shape | undefined {
  const command = firstOf(input, COMMANDS);
  if (command) return shapeAt(undefined, [block('sh', command.value)], command.key);
  // A list of arguments is shown as one, for joining them would say something else.
  const list = COMMANDS.find((key) => Array.isArray(input[key]));
  return list === undefined ? undefined : shapeAt(undefined, [block('json', jsonText(input[list], 0))], list);
}

function editForm(input: JsonObject): Shape | undefined {
  const path = firstOf(input, PATHS);
  const one = replacementOf(input);
  if (one) return shapeAt(path, [one.diff], ...one.shown);
  const { edits } = input;
  if (!Array.isArray(edits) || edits.length === 0) return undefined;
  const blocks: CodeBlock[] = [];
  for (const edit of edits) {
    const replacement = isObject(edit) && replacementOf(edit);
    if (!replacement) return undefined;
    blocks.push(replacement.diff);
    const rest = remainder(edit, replacement.shown);
    if (rest) blocks.push(block('json', jsonText(rest)));
  }
  return shapeAt(path, blocks, 'edits');
}

function replacementOf(input: JsonObject): { readonly diff: CodeBlock; readonly shown: readonly string[] } | undefined {
  const before = firstOf(input, OLD);
  const after = firstOf(input, NEW);
  if (!before || !after) return undefined;
  return { diff: block('diff', diffOf(before.value, after.value)), shown: [before.key, after.key] };
}

function patchForm(input: JsonObject): Shape | undefined {
  const patch = firstOf(input, PATCHES);
  if (!patch || !/^(?:\*\*\* |@@|[-+ ]|diff )/m.test(patch.value.slice(0, 2000))) return undefined;
  return shapeAt(firstOf(input, PATHS), [block('diff', patch.value)], patch.key);
}

function writeForm(input: JsonObject): Shape | undefined {
  const path = firstOf(input, PATHS);
  const content = firstOf(input, CONTENTS);
  return path && content && shapeAt(path, [block(languageOf(path.value), content.value)], content.key);
}

function readForm(input: JsonObject): Shape | undefined {
  const path = firstOf(input, PATHS);
  return path && shapeAt(path, []);
}

function codeForm(input: JsonObject): Shape | undefined {
  const code = firstOf(input, CODES);
  return code && shapeAt(undefined, [block('python', code.value)], code.key);
}
