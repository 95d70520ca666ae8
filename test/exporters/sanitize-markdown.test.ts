import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Item } from '../../src/exporters/exporter.ts';
import { markdownExporter } from '../../src/exporters/markdown/index.ts';
import { sanitizeMarkdown } from '../../src/exporters/markdown/sanitize-markdown.ts';
import { settings } from '../support/properties.ts';
import { hostileText as hostile } from './hostile-text.ts';
import { entry, exportEntries, rendered, said, tagsOf } from './support.ts';

/** What Markdown makes of harmless text, and nothing else. */
const HARMLESS = new Set(
  'p h1 h2 h3 h4 h5 h6 em strong code pre ul ol li blockquote a br hr del table thead tbody tr th td input'.split(' '),
);

/** What the export itself must show, whatever the texts in it say. */
function structureOf(items: readonly Item[]): { folds: number; small: number; anchors: string[] } {
  let folds = 0;
  let small = 0;
  const anchors: string[] = [];
  for (const item of items) {
    if (item.anchor !== '') anchors.push(item.anchor);
    if (item.kind === 'note') {
      folds += item.details.length;
      continue;
    }
    if (item.facts.length > 0 || !item.heading) small++;
    for (const part of item.parts) {
      if (part.kind === 'fold') folds++;
      const results = part.kind === 'call' ? part.results : [];
      for (const result of results) {
        if (result.anchor !== '') anchors.push(result.anchor);
        if (result.long) folds++;
      }
    }
  }
  return { folds, small, anchors };
}

describe('Markdown of a log inside an export', () => {
  it('never lets hostile text out of its turn, whatever it is made of', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const html = rendered(`## before\n\n${sanitizeMarkdown(text)}\n\n## after`);
        const tags = tagsOf(html);
        expect(tags.filter((tag) => tag === '<h2')).toHaveLength(2);
        expect(tags.filter((tag) => !HARMLESS.has(tag.replace(/^<\/?/, '')))).toEqual([]);
        expect(html.startsWith('<h2>before</h2>\n')).toBe(true);
        expect(html.trimEnd().endsWith('<h2>after</h2>')).toBe(true);
        expect(html).not.toMatch(/<img|<h1|href="(?:javascript|data)/);
        expect(tags.filter((tag) => tag === '<blockquote')).toHaveLength(
          tags.filter((tag) => tag === '</blockquote').length,
        );
      }),
      settings(1500),
    );
  });

  it('says the same of lines that need no work, whether it looks at them one by one or not', () => {
    const piece = fc.constantFrom(
      'words',
      ' ',
      '\n',
      '\n\n',
      '\t',
      '- x',
      '1. ',
      '| a |',
      '|-|',
      ':-',
      '> q',
      '`c`',
      '<b>',
      '"',
      '\u6f22',
      '#',
      'a@b',
      '\r',
    );
    const prose = fc.constantFrom('words of a line', '\n', '\n', 'more, (yet) "more".');
    fc.assert(
      fc.property(fc.oneof(fc.array(piece), fc.array(prose), fc.array(fc.oneof(prose, prose, piece))), (pieces) => {
        const text = pieces.join('');
        // Behind a line that needs work no line is left unread, and a rule leaves nothing behind.
        const behind = sanitizeMarkdown(`***\n\n${text}`);
        const alone = sanitizeMarkdown(text);
        expect(behind).toBe(alone === '' ? '***' : `***\n\n${alone}`);
      }),
      settings(5000),
    );
  });

  it('keeps every turn of an export in its place, with hostile text in every field', () => {
    fc.assert(
      fc.property(hostile, hostile, (one, two) => {
        const make = (a: string, b: string) =>
          exportEntries(
            markdownExporter,
            [
              entry('model_change', { id: 'm', provider: a, modelId: b }),
              entry('session_init', { id: 'i', systemPrompt: a, task: b, tools: [a, b] }),
              { ...said('user', { content: a }), id: 'u' },
              {
                ...said('assistant', {
                  content: [
                    { type: 'thinking', thinking: b },
                    { type: 'text', text: a },
                    { type: 'toolCall', id: 'c1', name: 'bash', arguments: { command: a, note: b } },
                    { type: 'toolCall', id: 'c2', name: 'edit', arguments: { path: a, oldText: a, newText: b } },
                    { type: 'toolCall', id: 'c3', name: b, arguments: { [a]: b } },
                    { type: a, data: b },
                  ],
                  model: a,
                  provider: b,
                  stopReason: 'error',
                  errorMessage: b,
                }),
                id: 'a',
              },
              {
                ...said('toolResult', { toolCallId: 'c1', toolName: 'bash', content: [{ type: 'text', text: b }] }),
                id: 'r1',
              },
              { ...said('toolResult', { toolCallId: 'lost', toolName: a, isError: true, content: b }), id: 'r2' },
              entry('label', { id: 'l', targetId: 'u', label: a }),
              entry('custom', { id: 'k', customType: a, data: { b } }),
              entry('compaction', { id: 'z', summary: b, firstKeptEntryId: a, tokensBefore: 1, warning: a }),
              entry('unheard-of', { id: 'w', [a]: b }),
              { ...said('bashExecution', { command: a, output: b, cancelled: true, exitCode: 1 }), id: 'b' },
              { ...said('fileMention', { files: [{ path: a, content: b }] }), id: 'f' },
            ],
            {},
            { title: a, cwd: b },
          );
        const reported = make(`W${one}`, `W${two}`);
        const html = rendered(reported.text);
        const count = (tag: string) => tagsOf(html).filter((found) => found === tag).length;
        const expected = structureOf(reported.items);
        expect(count('<h1')).toBe(1);
        expect(count('<h2')).toBe(reported.turns);
        expect([count('<details'), count('</details'), count('<summary')]).toEqual([
          expected.folds,
          expected.folds,
          expected.folds,
        ]);
        expect([count('<sub'), count('</sub')]).toEqual([expected.small, expected.small]);
        expect(Array.from(html.matchAll(/<a id="([^"]*)">/g), (match) => match[1])).toEqual(expected.anchors);
        expect(tagsOf(html).filter((tag) => /evil|script|style|pre[a-z]|textarea|<[!?]|img/i.test(tag))).toEqual([]);
      }),
      settings(120),
    );
  });

  it('takes linear time on lines made to be slow', () => {
    const slow = [
      '`$',
      '` `` ',
      '[`]:',
      '](',
      '"](a "',
      '- + ',
      '> ',
      '-',
      '| ` ',
      '\\|`',
      '<https://',
      'www.`',
      '@a',
      '~~~',
      '* ',
    ];
    for (const piece of slow) expect(sanitizeMarkdown(piece.repeat(100_000)).length).toBeGreaterThan(0);
    expect(sanitizeMarkdown(`| a |\n|---|\n${'| ` '.repeat(100_000)}`).length).toBeGreaterThan(0);
  });

  it('renders what is ordinary as it was meant', () => {
    const text = [
      '# Plan',
      '',
      '1. Run this:',
      '   ```sh',
      '   npm test <file>',
      '   ```',
      '2. Use `Array<string>` and **bold**.',
      '',
      '| a | b |',
      '|---|---|',
      '| `x` | 2 |',
      '',
      '---',
      '',
      '    indented <code>',
      '',
      'See [docs](https://example.org/a?b=1) and <https://example.org>.',
    ].join('\n');
    const html = rendered(sanitizeMarkdown(text));
    expect(html).toContain('<h3>Plan</h3>');
    expect(html).toContain('<pre><code class="language-sh">npm test &lt;file&gt;\n</code></pre>');
    expect(html).toContain('<ol start="2">\n<li>Use <code>Array&lt;string&gt;</code> and <strong>bold</strong>.</li>');
    expect(html).toContain('<td><code>x</code></td>');
    expect(html).toContain('<hr />');
    expect(html).toContain('<pre><code>indented &lt;code&gt;\n</code></pre>');
    expect(html).toContain(
      '<a href="https://example.org/a?b=1">docs</a> and <a href="https://example.org">https://example.org</a>.',
    );
  });

  it.each([
    ['```ts title="a.ts" {1,3}\nx\n```', '```ts title="a.ts" {1,3}\nx\n```'],
    ['``` na\u00efve caf\u00e9 \nx\n```', '```na\u00efve caf\u00e9\nx\n```'],
    ['~~~ sh `a` ~~~ <b>\nx\n~~~', '```sh &#96;a&#96; ~~~ <b>\nx\n```'],
    ['~~~```\nx\n~~~', '```&#96;&#96;&#96;\nx\n```'],
    ['> ```js a b\n> x\n> ```', '> ```js a b\n> x\n> ```'],
    ['- ```js a b\n  x\n  ```', '-\n\n```js a b\nx\n```'],
    ['````{.python .numberLines}\n```\nx', '````{.python .numberLines}\n```\nx\n````'],
  ])('keeps what is behind the marks of a fence: %j', (text, written) => {
    expect(sanitizeMarkdown(text).trim()).toBe(written);
    expect(rendered(sanitizeMarkdown(text)).match(/<pre>/g)).toHaveLength(1);
  });
});
