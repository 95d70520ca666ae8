import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot, run } from '../../support/run.ts';
import { scratchFolder } from '../../support/scratch.ts';

const folder = join(projectRoot, 'fixtures/formats/codex');

type Item = Record<string, unknown>;

/**
 * What the real agent sent when it resumed the file, and what we make of the file, are compared without
 * - ids, status and annotations, which the service gives and does not need back,
 * - `internal_chat_message_metadata_passthrough`, which only the service behind Codex reads,
 * - a content of reasoning that is null,
 * - how closely the model looks at an image (`detail`), for which native images have no place: loss IMAGE_DETAIL.
 */
function plain(item: Item): Item {
  const { id, status, internal_chat_message_metadata_passthrough: internal, content, ...rest } = item;
  if (!Array.isArray(content)) return content === null || content === undefined ? rest : { ...rest, content };
  return { ...rest, content: content.map(({ annotations, detail, ...part }: Item) => part) };
}

function isContext({ role, content }: Item): boolean {
  const text = (content as Item[] | undefined)?.[0]?.['text'];
  return role !== 'assistant' && /^<(permissions|skills_|environment_)|^# AGENTS\.md/.test(String(text));
}

/**
 * Left out of what the agent sent: the system prompt, which 0.166 has as a first developer message and older versions
 * beside the messages; and behind the history what a resume says anew (permissions, AGENTS.md, environment, skills).
 */
function history(messages: readonly Item[], basePrompt: unknown): Item[] {
  const items = messages.map(plain);
  const first = items[0];
  if (first && JSON.stringify(first['content']) === JSON.stringify([{ type: 'input_text', text: basePrompt }]))
    items.shift();
  while (isContext(items.at(-1) ?? {})) items.pop();
  return items;
}

/** Those that cannot be compared, and why. */
const WITHOUT_CONTEXT: Readonly<Record<string, string>> = {
  '0.166.0/subagent-2': 'Codex resumes the child of a multi-agent session through its parent alone',
};

const cases = ['0.166.0', '0.98.0'].flatMap((version) =>
  readdirSync(join(folder, version))
    .filter((name) => name.endsWith('.context.json'))
    .map((name) => `${version}/${name.replace('.context.json', '')}`),
);

async function responses(path: string): Promise<Item[]> {
  const { stdout } = await run(['context', '--as', 'responses', path]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Item);
}

describe('context --as responses of a Codex rollout', () => {
  it.each(cases.filter((name) => !(name in WITHOUT_CONTEXT)))('is what Codex itself sends: %s', async (name) => {
    const path = join(folder, `${name}.jsonl`);
    const sent = JSON.parse(readFileSync(join(folder, `${name}.context.json`), 'utf8')) as { messages: Item[] };
    const meta = JSON.parse(readFileSync(path, 'utf8').split('\n')[0] ?? '') as {
      payload: { base_instructions: Item };
    };
    const made = (await responses(path)).map(plain);
    expect(made).toEqual(history(sent.messages, meta.payload.base_instructions['text']));
  });

  it.each(Object.keys(WITHOUT_CONTEXT))('has nothing to be compared with: %s', (name) => {
    const sent = JSON.parse(readFileSync(join(folder, `${name}.context.json`), 'utf8')) as { messages: unknown };
    expect(sent.messages).toBeNull();
  });
});

describe('context of a Codex rollout that has lost a line', () => {
  const scratch = scratchFolder();
  const without = (name: string, isLost: (line: string, at: number) => boolean): string => {
    const lines = readFileSync(join(folder, `0.166.0/${name}.jsonl`), 'utf8').split('\n');
    const path = join(scratch, `${name}.jsonl`);
    writeFileSync(path, lines.filter((line, at) => !isLost(line, at)).join('\n'));
    return path;
  };
  const texts = async (path: string): Promise<unknown[]> =>
    (await responses(path)).map(({ content }) => (content as Item[] | undefined)?.[0]?.['text']);
  /** Of the record with the compaction in compact-manual; its summary is an item before it. */
  const compacted = 52;
  const summary = 'Ada changed the port to 4000; one command failed.';

  it('has the summary of a compaction as an answer where the compaction is lost or did not come, as Codex sends it', async () => {
    const cut = await texts(without('compact-manual', (_, at) => at >= compacted));
    expect(cut.at(-1)).toBe(summary);
    const whole = await texts(without('compact-manual', () => false));
    expect(whole).not.toContain(summary);
    const lost = await texts(without('compact-manual', (_, at) => at === compacted));
    expect(lost.indexOf(summary)).toBe(cut.length - 1);
    expect(lost).toHaveLength(cut.length + 2);
  });

  it('counts it once, whatever became of it', async () => {
    for (const [from, to] of [
      [99, 99],
      [compacted, 53],
      [compacted, 99],
    ] as const) {
      const path = without('compact-manual', (_, at) => at >= from && at < to);
      const report = join(scratch, 'report.json');
      expect((await run(['convert', '--report', report, '-o', '/dev/null', path])).code).toBe(0);
      const { counts } = JSON.parse(readFileSync(report, 'utf8')) as { counts: Record<string, number> };
      expect(counts['records']).toBe(readFileSync(path, 'utf8').trimEnd().split('\n').length);
    }
  });

  it('says that a result is shown whose call is lost, because Codex leaves it out', async () => {
    const isCall = (line: string): boolean => line.includes('"type":"function_call"');
    const { stderr } = await run(['context', without('interrupted', isCall)]);
    expect(stderr).toMatch(
      /:\d+: the call of a result is missing; the result is shown, though the agent may not send it/,
    );
  });
});
