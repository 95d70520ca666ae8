import { describe, expect, it } from 'vitest';
import { contentBlocks, messageRoles } from '../../src/entries/messages.ts';
import { entryTypes } from '../../src/entries/types/index.ts';
import type { Exporter, ExporterOptions } from '../../src/exporters/exporter.ts';
import { htmlExporter } from '../../src/exporters/html/html-exporter.ts';
import { exportFormats } from '../../src/exporters/index.ts';
import { markdownExporter } from '../../src/exporters/markdown/index.ts';
import { OUTPUT, shorten } from '../../src/exporters/text.ts';
import { callInput } from '../../src/exporters/view/call.ts';
import { diffOf, languageOf } from '../../src/exporters/view/code.ts';
import { Totals, timeTextIn } from '../../src/exporters/view/totals.ts';
import { anchorOf, Transcript } from '../../src/exporters/view/transcript.ts';
import { entry, exportEntries, said, viewOptions } from './support.ts';

const text = (entries: Parameters<typeof exportEntries>[1], changes = {}) =>
  exportEntries(markdownExporter, entries, changes).text;

/** What makes the exporter of each format. */
const EXPORTERS: Readonly<Record<string, (options: ExporterOptions) => Exporter>> = {
  md: markdownExporter,
  html: htmlExporter,
};

function exporterOf(name: string): (options: ExporterOptions) => Exporter {
  const make = EXPORTERS[name];
  if (!make) throw new Error(`no exporter is tested for the format '${name}'`);
  return make;
}

describe('what an export shows', () => {
  it.each(exportFormats)('knows every entry type, role and block of the schemas, as $name', ({ name }) => {
    const roles = messageRoles.map(({ name: role }) =>
      said(role, { content: 'words', command: 'c', code: 'c', output: 'o', files: [] }),
    );
    const blocks = contentBlocks.map(({ name: type }) =>
      said('assistant', {
        content: [
          { type, text: 't', thinking: 't', data: 'AAAA', mimeType: 'image/png', block: { type: 'x' }, name: 'n' },
        ],
      }),
    );
    const types = entryTypes.map(({ name: type }) => entry(type, { message: { role: 'user', content: 'words' } }));
    for (const one of [...roles, ...blocks, ...types]) {
      const shown = exportEntries(exporterOf(name), [one]).text;
      expect(shown, JSON.stringify(one)).not.toMatch(/unknown (?:type|role|form)|without a type/);
      expect(exportEntries(exporterOf(name), [one]).items.length, JSON.stringify(one)).toBe(1);
    }
  });

  it.each(exportFormats)('drops nothing that it does not know, as $name', ({ name }) => {
    const strange = [
      entry('teleport', { where: 'marker-1' }),
      said('oracle', { content: 'marker-2', mood: 'marker-3' }),
      said('assistant', {
        content: [{ type: 'hologram', beam: 'marker-4' }, 'marker-5', { type: 'text', text: 'marker-6' }],
      }),
      said('user', { content: { odd: 'marker-7' } }),
      entry('message', {}),
      { timestamp: 'x', note: 'marker-8' },
      { ...said('user', { content: 'x' }), timestamp: 'yesterday' },
      said('toolResult', { toolCallId: 'gone', toolName: 'marker-9', content: 'marker-10' }),
      said('fileMention', { files: ['marker-11', { path: 'marker-12' }] }),
      said('system', {
        content: 'marker-13',
        sections: { a: 'marker-14', b: ['marker-15'] },
        toolsAdded: [{ name: 'marker-16' }],
      }),
    ];
    const shown = exportEntries(exporterOf(name), strange).text;
    for (let n = 1; n <= 16; n++) expect(shown, `marker-${n}`).toMatch(new RegExp(`marker-${n}\\b`));
    expect(shown).toContain('A message entry without a message');
    expect(shown).toContain('yesterday');
  });

  it('puts results under their calls, also when several calls wait', () => {
    const calls = ['a', 'b'].map((id) => ({ type: 'toolCall', id, name: `tool-${id}`, arguments: {} }));
    const shown = text([
      said('assistant', { content: calls }),
      said('toolResult', { toolCallId: 'b', content: 'second' }),
      entry('label', { targetId: 'x', label: 'between' }),
      said('toolResult', { toolCallId: 'a', content: 'r-first' }),
      said('user', { content: 'next' }),
    ]);
    const order = ['tool-a', 'r-first', 'tool-b', 'second', 'between', 'next'].map((word) => shown.indexOf(word));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(Math.min(...order)).toBeGreaterThan(0);
  });

  it('pairs repeated call ids with the nearest call', () => {
    const call = (name: string) =>
      said('assistant', { content: [{ type: 'toolCall', id: 'same', name, arguments: {} }] });
    const shown = text([
      call('one'),
      said('toolResult', { toolCallId: 'same', content: 'r1' }),
      call('two'),
      said('toolResult', { toolCallId: 'same', content: 'r2' }),
    ]);
    expect(shown.indexOf('r1')).toBeLessThan(shown.indexOf('two'));
    expect(shown.indexOf('r2')).toBeGreaterThan(shown.indexOf('two'));
  });

  it('says why a call has no result', () => {
    const call = (fields = {}) =>
      said('assistant', { content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: {} }], ...fields });
    expect(text([call()])).toContain('*No result: the log ends here*');
    expect(text([call(), said('user', { content: 'x' })])).toContain('*No result was recorded*');
    expect(text([call({ stopReason: 'aborted' }), said('user', { content: 'x' })])).toContain(
      '*No result: the turn was stopped*',
    );
  });

  it('makes one turn of what an assistant does in a row', () => {
    const { turns, text: shown } = exportEntries(markdownExporter, [
      said('user', { content: 'go' }),
      said('assistant', { content: 'one', provider: 'p', model: 'm' }),
      entry('model_change', { model: 'p/m2' }),
      said('assistant', { content: 'two', provider: 'p', model: 'm2' }),
      said('user', { content: 'stop' }),
    ]);
    expect(turns).toBe(3);
    expect(shown.match(/^## .*$/gm)?.map((line) => line.replace(/<[^>]*>/g, ''))).toEqual([
      '## 1 · User: go',
      '## 2 · Assistant: one',
      '## 3 · User: stop',
    ]);
    expect(shown).toContain('p/m2</sub>');
  });

  it('marks errors, aborted turns and answers that were cut off', () => {
    const shown = text([
      said('assistant', { content: [], stopReason: 'error', errorMessage: 'overloaded' }),
      said('user', { content: 'a' }),
      said('assistant', { content: [], stopReason: 'aborted' }),
      said('user', { content: 'b' }),
      said('assistant', { content: 'half', stopReason: 'length' }),
    ]);
    expect(shown).toContain('> [!CAUTION]\n> Failed\n>\n> ```\n> overloaded\n> ```');
    expect(shown).toContain('> [!WARNING]\n> Aborted\n');
    expect(shown).toContain('> [!WARNING]\n> Truncated');
  });

  it('folds, opens or leaves out the thinking', () => {
    const thought = [
      said('assistant', {
        content: [
          { type: 'thinking', thinking: 'hmm' },
          { type: 'redactedThinking', data: 'xx' },
          { type: 'text', text: 'ok' },
        ],
      }),
    ];
    expect(text(thought)).toContain('<details>\n<summary>Thinking</summary>\n\nhmm\n\n</details>');
    expect(text(thought)).toContain('encrypted by the provider, 2 characters');
    expect(text(thought, { thinking: 'full' })).toContain('<details open>\n<summary>Thinking</summary>');
    expect(text(thought, { thinking: 'none' })).not.toMatch(/hmm|encrypted/);
    expect(
      text([said('assistant', { content: [{ type: 'thinking', thinking: 'hmm' }] })], { thinking: 'none' }),
    ).toContain('*Only thinking, left out*');
  });

  it('leaves tools out when asked, and says how many', () => {
    const step = [
      said('assistant', { content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'secret' } }] }),
      said('toolResult', { toolCallId: 'c', content: 'secret too' }),
    ];
    const shown = text([said('user', { content: 'go' }), ...step, ...step, said('assistant', { content: 'done' })], {
      tools: 'none',
    });
    expect(shown).not.toContain('secret');
    expect(shown).toContain('> 2 tool calls left out');
    expect(shown.indexOf('2 tool calls')).toBeLessThan(shown.indexOf('done'));
    const both = [
      { type: 'text', text: 'before' },
      { type: 'toolCall', id: 'c', name: 'bash', arguments: {} },
    ];
    const after = text([said('assistant', { content: both }), said('user', { content: 'then' })], { tools: 'none' });
    expect(after).toMatch(/before\n\n> 1 tool call left out\n\n##[^\n]*User/);
  });

  it('shortens long results and tells their full length, unless everything is wanted', () => {
    const long = Array.from({ length: 500 }, (_, at) => `line ${at}`).join('\n');
    const log = [
      said('assistant', { content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'x' } }] }),
      said('toolResult', { toolCallId: 'c', content: [{ type: 'text', text: long }] }),
    ];
    const shown = text(log);
    expect(shown).toContain('Result, 500 lines, 4,389 characters</summary>');
    expect(shown).toContain('[... 484 lines, 4,');
    expect(shown).toContain('line 499');
    expect(shown).not.toContain('line 250');
    const full = text(log, { tools: 'full' });
    expect(full).toContain('line 250');
    expect(full).toContain('Result, 500 lines, 4,389 characters</summary>');
  });

  it('shows a command as shell, an edit as a diff, a write in its language, a patch as a diff and the rest as JSON', () => {
    expect(callInput('bash', { command: 'ls\nls' }, 'full').blocks).toEqual([
      { kind: 'block', language: 'sh', text: 'ls\nls' },
    ]);
    expect(callInput('Bash', { command: 'ls', timeout: 5 }, 'full').subject).toEqual([' ', { code: '{"timeout":5}' }]);
    expect(callInput('edit', { path: 'a', oldText: 'a\nb', newText: 'a\nc' }, 'full').blocks[0]).toMatchObject({
      language: 'diff',
      text: ' a\n-b\n+c',
    });
    expect(callInput('Edit', { file_path: 'a', old_string: 'x', new_string: 'y' }, 'full').blocks[0]?.text).toBe(
      '-x\n+y',
    );
    const edits = {
      path: 'a',
      edits: [
        { oldText: 'x', newText: 'y' },
        { oldText: 'p', newText: 'q', all: true },
      ],
    };
    expect(callInput('edit', edits, 'full').blocks.map((block) => block.language)).toEqual(['diff', 'diff', 'json']);
    expect(callInput('write', { path: 'src/a.py', content: 'x = 1' }, 'full').blocks[0]).toMatchObject({
      language: 'python',
      text: 'x = 1',
    });
    expect(callInput('apply_patch', { input: '*** Begin Patch\n-x' }, 'full').blocks[0]?.language).toBe('diff');
    expect(callInput('python', { code: '1+1' }, 'full').blocks[0]?.language).toBe('python');
    expect(callInput('read', { path: 'a.ts', offset: 3 }, 'full')).toEqual({
      subject: [{ code: 'a.ts' }, ' ', { code: '{"offset":3}' }],
      blocks: [],
    });
    expect(callInput('other', { a: 'x'.repeat(200) }, 'full').blocks[0]?.language).toBe('json');
    expect(callInput('other', { a: 1 }, 'full').subject).toEqual([{ code: '{"a":1}' }]);
    expect(callInput('bash', { cmd: ['ls', '-l'] }, 'full').blocks[0]?.text).toBe('["ls","-l"]');
    expect(callInput('edit', { path: 1 }, 'full').subject).toEqual([{ code: '{"path":1}' }]);
    expect(callInput('bash', 'plain', 'full').blocks[0]?.text).toBe('plain');
    expect(callInput('bash', undefined, 'full').blocks).toEqual([]);
  });

  it('survives JSON that is nested too deeply to be written', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(text([entry('custom', { customType: 'x', data: deep })])).toContain('nested too deeply');
  });

  it('shows numbers that JSON.parse cannot hold as they stand in the log', () => {
    const line =
      '{"type":"message","id":"n","parentId":null,"timestamp":"2026-02-16T10:20:30.000Z","message":{"role":"assistant","usage":{"input":1},' +
      '"content":[{"type":"toolCall","id":"c","name":"other","arguments":{"id":12345678901234567890,"big":-1e400,"small":1.5,"s":"12345678901234567890"}}]}}';
    const transcript = new Transcript(viewOptions());
    const items = [
      ...transcript.push({ position: 0, line: 2, value: JSON.parse(line), text: line }),
      ...transcript.end(),
    ];
    const subject = { code: '{"id":12345678901234567890,"big":-1e400,"small":1.5,"s":"12345678901234567890"}' };
    expect(items[0]).toMatchObject({ parts: [{ kind: 'call', subject: [subject] }] });
    const data = '{"type":"custom","id":"n","parentId":null,"customType":"x","data":[98765432109876543210]}';
    expect(
      new Transcript(viewOptions()).push({ position: 0, line: 2, value: JSON.parse(data), text: data })[0],
    ).toMatchObject({
      words: ['Extension data: ', { code: 'x' }, ' ', { code: '[98765432109876543210]' }],
    });
    const command = line
      .replace('"name":"other"', '"name":"bash"')
      .replace('"id":12345678901234567890', '"command":12345678901234567890');
    const shown = new Transcript(viewOptions());
    shown.push({ position: 0, line: 2, value: JSON.parse(command), text: command });
    expect(JSON.stringify(shown.end())).not.toContain('number:');
  });

  it('tells what lines an edit changes', () => {
    expect(diffOf('a\nb\nc\nd\ne', 'a\nb\nX\nd\ne')).toBe(' a\n b\n-c\n+X\n d\n e');
    expect(diffOf('', 'new\n')).toBe('+new');
    expect(diffOf('old', '')).toBe('-old');
    const many = Array.from({ length: 2000 }, (_, at) => `l${at}`);
    const other = many.map((line) => `${line}!`);
    expect(diffOf(many.join('\n'), other.join('\n')).split('\n')).toHaveLength(4000);
  });

  it('never cuts a surrogate pair in half', () => {
    for (let pad = 0; pad < 4; pad++) {
      const { text: cut } = shorten('x'.repeat(pad) + '🎉'.repeat(3000), OUTPUT);
      expect(cut).not.toMatch(/\p{Surrogate}/u);
    }
  });

  it('names languages by the end of the file name', () => {
    expect(['a/b.TS', 'x.py', 'Dockerfile', 'c:\\d\\e.rs', 'none', 'a.unknown'].map(languageOf)).toEqual([
      'ts',
      'python',
      'dockerfile',
      'rust',
      '',
      '',
    ]);
  });

  it('gives different ids different anchors that need no escaping', () => {
    const ids = [
      'a1b2',
      '-x',
      'a b',
      'a.b',
      'ü',
      '"><script>',
      'x'.repeat(300),
      `${'x'.repeat(299)}y`,
      '.',
      '..',
      'a.20.b',
    ];
    const anchors = ids.map(anchorOf);
    expect(new Set(anchors).size).toBe(ids.length);
    for (const anchor of anchors) expect(anchor).toMatch(/^e-[\w.-]{0,120}$/);
  });

  it('writes times in one zone, whatever the machine says', () => {
    const utc = timeTextIn('UTC');
    expect(utc('2026-02-16T10:20:30.000Z')).toBe('2026-02-16 10:20:30');
    expect(utc('2026-02-16T10:20:30+02:00')).toBe('2026-02-16 08:20:30');
    expect(utc('2026-02-16T10:20:30')).toBe('2026-02-16 10:20:30');
    expect(utc(0)).toBe('1970-01-01 00:00:00');
    expect(utc('soon')).toBe('soon');
    expect(utc(1e300)).toBeUndefined();
    expect(utc(undefined)).toBeUndefined();
    expect(timeTextIn('Europe/Berlin')('2026-07-01T22:30:00.000Z')).toBe('2026-07-02 00:30:00');
    expect(() => timeTextIn('Mars/Olympus')).toThrow(RangeError);
  });

  it('adds up tokens and cost in all dialects, also of calls beside the conversation', () => {
    const totals = new Totals();
    const usage = { input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cost: { total: 0.1 } };
    totals.add(said('assistant', { usage, provider: 'p', model: 'm' }));
    totals.add(said('assistant', { usage: { inputTokens: 10, outputTokens: 20 } }));
    totals.add(entry('model_usage', { usage, timestamp: '2020-01-01T00:00:00Z' }));
    totals.add(entry('compaction', { usage, timestamp: 1e12 }));
    totals.add(said('user', { usage }));
    expect(totals).toMatchObject({
      usage: { input: 13, output: 26, cacheRead: 9, cacheWrite: 12 },
      entries: 5,
      lastModel: 'p/m',
    });
    expect(totals.cost).toBeCloseTo(0.3);
    expect(totals.first).toBe(1e12);
    expect(totals.last).toBe('2026-02-16T10:20:30.000Z');
  });
});
