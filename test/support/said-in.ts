import { modelMessageOf } from '../../src/formats/model-message.ts';
import { run } from './run.ts';

type Json = Record<string, unknown>;

/** What the entries on the path of a log say, in order: who, texts, thinking, calls and results. */
export async function saidIn(path: string): Promise<unknown[]> {
  const { stdout } = await run(['convert', path]);
  const entries = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  const byId = new Map(entries.map((entry) => [entry['id'], entry]));
  const onPath: Json[] = [];
  for (let entry = entries.at(-1); entry; entry = byId.get(entry['parentId'])) onPath.unshift(entry);
  return onPath.flatMap((entry) => {
    const sent = modelMessageOf(entry);
    if (!sent) return [];
    const texts = (type: string): string =>
      sent.content
        .filter((block) => block['type'] === type || (type === 'text' && block['type'] === 'image'))
        .map((block) => (block['type'] === 'image' ? `[${block['mimeType']}]` : block[type]))
        .join('\n');
    const calls = sent.content
      .filter(({ type }) => type === 'toolCall')
      .map(({ id, name, arguments: given }) => ({ id, name, given }));
    const by = sent.kind === 'summary' ? 'system' : sent.kind;
    const callId = by === 'result' ? sent.message['toolCallId'] : undefined;
    return [{ by, text: texts('text'), thinking: texts('thinking'), calls, callId }];
  });
}
