import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../../support/run.ts';

const folder = join(projectRoot, 'fixtures/formats/gemini');

type Json = Record<string, unknown>;
interface Content {
  readonly role: string;
  readonly parts: readonly Json[];
}

/** Gemini CLI sends an id without the name of the tool that it has put in front of it. */
function callId(id: unknown): string {
  return String(id).replace(/^.*?__/, '');
}

/** A tool's response as its text, as our results have it. */
function responseText(response: unknown): unknown {
  const { output, error } = response as Json;
  return output ?? error;
}

/**
 * What Gemini CLI sent when it resumed the file, without
 * - the session context in front, which every resume says anew; the log's own is kept beside the conversation,
 * - the second and any further result of a call with what comes with it, which it sends by mistake (DUP_RESULT),
 * - the signature that it makes up for a call whose own is not known.
 */
function sentContents(messages: readonly Content[]): Content[] {
  const seen = new Set<string>();
  return messages.map(({ role, parts }) => {
    let isRepeated = false;
    const kept = parts.flatMap((part): Json[] => {
      const { text, functionCall, functionResponse, inlineData } = part;
      if (functionResponse) {
        const { id, name, response } = functionResponse as Json;
        isRepeated = seen.has(String(id));
        seen.add(String(id));
        return isRepeated ? [] : [{ result: callId(id), name, text: responseText(response) }];
      }
      if (isRepeated || String(text).startsWith('<session_context>')) return [];
      if (!functionCall) return [inlineData ? { image: (inlineData as Json)['data'] } : { text }];
      const { id, name, args } = functionCall as Json;
      return [{ call: callId(id), name, args }];
    });
    return { role, parts: kept };
  });
}

/** Ours without thoughts, which Gemini CLI does not send again. */
function ourContents(messages: readonly Json[]): Content[] {
  return messages.map(({ role, content, summary, toolCallId, toolName }) => {
    const blocks = (content ?? [{ type: 'text', text: summary }]) as Json[];
    const parts = blocks.flatMap(({ type, text, data, id, name, arguments: args }, at): Json[] => {
      if (type === 'thinking') return [];
      if (type === 'toolCall') return [{ call: callId(id), name, args }];
      if (type === 'image') return [{ image: data }];
      return [role === 'toolResult' && at === 0 ? { result: callId(toolCallId), name: toolName, text } : { text }];
    });
    return { role: role === 'assistant' ? 'model' : 'user', parts };
  });
}

/** Messages of one role in a row are one for the API, and those without content are none. */
function joined(contents: readonly Content[]): Content[] {
  const all: { role: string; parts: Json[] }[] = [];
  for (const { role, parts } of contents) {
    const last = all.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts.push(...parts);
    else all.push({ role, parts: [...parts] });
  }
  return all;
}

/** Where the two differ, and why. */
const DIFFERENT: Readonly<Record<string, string>> = {
  'hand/kept-messages':
    'what the model is made to say to a summary that only the list has ("Got it. ...") has no place behind a compaction',
};

const cases = ['0.61.0', 'hand'].flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((name) => name.endsWith('.context.json'))
    .map((name) => `${version}/${name.replace('.context.json', '')}`),
);

async function contextOf(name: string): Promise<Content[]> {
  const ran = await run(['context', join(folder, `${name}.jsonl`)]);
  expect(ran.stderr).toBe('');
  return joined(ourContents(ran.stdout.split('\n').flatMap((line) => (line ? [JSON.parse(line) as Json] : []))));
}

function sentFor(name: string): readonly Content[] | null {
  return JSON.parse(readFileSync(join(folder, `${name}.context.json`), 'utf8')).messages;
}

describe('the context of a Gemini CLI session', () => {
  it.each(cases.filter((name) => !(name in DIFFERENT)))(
    'is what Gemini CLI sends when it resumes it: %s',
    async (name) => {
      // Gemini CLI does not resume a session without an answer or a prompt.
      expect(await contextOf(name)).toEqual(joined(sentContents(sentFor(name) ?? [])));
    },
  );

  it.each(Object.keys(DIFFERENT))('differs where it is said: %s', async (name) => {
    const sent = sentContents(sentFor(name) ?? []);
    const withoutReply = sent.filter(({ parts }) => !String(parts[0]?.['text']).startsWith('Got it.'));
    expect(await contextOf(name)).toEqual(joined(withoutReply));
  });
});
