import { isObject, type JsonObject, objectsIn } from '../json/value.ts';
import { stringOf } from './entry-type.ts';

/** How a command or code that the user ran is described to the model. */
export function executionText(message: JsonObject): string {
  const isShell = message['role'] === 'bashExecution';
  const output = stringOf(message['output']);
  const lines = [
    `The user ran ${isShell ? 'a shell command' : 'Python code'}:`,
    fenced(stringOf(message[isShell ? 'command' : 'code'])),
    ...(output === '' ? ['It printed nothing.'] : ['It printed:', fenced(output)]),
  ];
  if (message['cancelled'] === true) lines.push('It was canceled.');
  else if (typeof message['exitCode'] === 'number' && message['exitCode'] !== 0)
    lines.push(`It ended with exit code ${message['exitCode']}.`);
  if (message['truncated'] === true) {
    const path = stringOf(message['fullOutputPath']);
    lines.push(path === '' ? 'The output was truncated.' : `The output was truncated; all of it is in ${path}.`);
  }
  return lines.join('\n\n');
}

/** The files that the user mentioned, as blocks. */
export function mentionedFiles({ files }: JsonObject): JsonObject[] {
  return objectsIn(files).flatMap(({ path, content, image }) => {
    const name = `The user mentioned the file ${stringOf(path)}`;
    const shown = typeof content === 'string' && content !== '' ? `${name}:\n\n${fenced(content)}` : `${name}.`;
    const block: JsonObject = { type: 'text', text: shown };
    if (!isObject(image) || typeof image['data'] !== 'string') return [block];
    return [block, { type: 'image', data: image['data'], mimeType: image['mimeType'] }];
  });
}

/** The text of a system message, including its sections. */
export function systemText({ content, sections }: JsonObject): string {
  const texts = objectsIn(content).map((block) => block['text']);
  const own = typeof content === 'string' ? content : strings(texts).join('\n\n');
  const pieces = strings([own, ...(isObject(sections) ? Object.values(sections) : [])]);
  return pieces.filter((piece) => piece.trim() !== '').join('\n\n');
}

function strings(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string');
}

/** Uses a fence that is longer than any inside, so that the text cannot end it. */
function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text.replace(/\n$/, '')}\n${fence}`;
}
