import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { htmlExporter } from '../../src/exporters/html/html-exporter.ts';
import { markdownHtml } from '../../src/exporters/html/markdown.ts';
import { settings } from '../support/properties.ts';
import { parseXml } from '../support/xml.ts';
import { hostileText } from './hostile-text.ts';
import { entry, exportEntries, said, tagsOf } from './support.ts';

const OURS = new Set(
  'p h3 h4 h5 h6 em strong s del code pre ins ul ol li blockquote a hr div table thead tbody tr th td'.split(' '),
);

/** Throws where a tag is not closed, or closed in the wrong order. */
function requireBalance(html: string): void {
  const open: string[] = [];
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/g)) {
    if (name === 'hr' || name === 'img' || name === 'meta') continue;
    if (slash === '') open.push(name);
    else if (open.pop() !== name) throw new Error(`</${name}> closes another tag`);
  }
  expect(open).toEqual([]);
}

describe('HTML of a text', () => {
  it('has only tags of ours, all closed, whatever the text is made of', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const html = markdownHtml(text);
        requireBalance(html);
        expect(tagsOf(html).filter((tag) => !OURS.has(tag.replace(/^<\/?/, '')))).toEqual([]);
        const odd = (html.match(/<[^>]*>/g) ?? []).filter(
          (tag) =>
            !/^<\/?[a-z0-9]+>$|^<a href="(?:https?:\/\/|mailto:)[^"<>]*" rel="noreferrer noopener" target="_blank">$|^<pre(?: class="diff")?(?: data-language="[\w+#.-]*")? tabindex="0">$|^<ol start="\d+"(?: class="wide")?>$|^<div class="table" tabindex="0">$/.test(
              tag,
            ),
        );
        expect(odd).toEqual([]);
      }),
      settings(2000),
    );
  });

  it('keeps every letter of the text', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            '- ',
            '> ',
            '# ',
            '1. ',
            '\n',
            ' ',
            'word',
            '**',
            '`',
            '|',
            '    ',
            '\n\n',
            '[a](b)',
            '_',
            '~~',
          ),
          {
            maxLength: 30,
          },
        ),
        (parts) => {
          const text = parts.map((part, at) => (part === 'word' ? `w${at}w` : part)).join('');
          const html = markdownHtml(text);
          for (const word of text.match(/w\d+w/g) ?? []) expect(html).toContain(word);
        },
      ),
      settings(1500),
    );
    for (const mark of ['> ', '- ', '1. ', '> - '])
      expect(markdownHtml(`${mark.repeat(500)}word\n\nlast`)).toMatch(/word.*last/s);
    expect(markdownHtml('[a]: https://b.c "words"')).toContain('words');
  });

  it('renders what such texts use', () => {
    expect(markdownHtml('# A\n\nb **c** _d_ `e<f` ~~g~~')).toBe(
      '<h3>A</h3><p>b <strong>c</strong> <em>d</em> <code>e&lt;f</code> <s>g</s></p>',
    );
    expect(markdownHtml('- a\n  - b\n- c')).toBe('<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>');
    expect(markdownHtml('3. a\n4. b')).toBe('<ol start="3"><li>a</li><li>b</li></ol>');
    // An answer that is only a number: beside the text there is no room for so many digits.
    expect(markdownHtml('4000.')).toBe('<ol start="4000" class="wide"><li></li></ol>');
    expect(markdownHtml('```ts\n<b>\n```')).toBe('<pre data-language="ts" tabindex="0"><code>&lt;b&gt;</code></pre>');
    expect(markdownHtml('```\nnever closed')).toBe('<pre tabindex="0"><code>never closed</code></pre>');
    expect(markdownHtml('> a\n> b')).toBe('<blockquote><p>a\nb</p></blockquote>');
    expect(markdownHtml('|a|b|\n|-|-|\n|1|`x`|')).toContain('<tr><td>1</td><td><code>x</code></td></tr>');
    expect(markdownHtml('- [x] done')).toBe('<ul><li>☑ done</li></ul>');
    expect(markdownHtml('a\n\n---\nb\n---')).toBe('<p>a</p><hr><h4>b</h4>');
    expect(markdownHtml('[x](https://a.b/c_(d)) <https://e.f> https://g.h/i.')).toMatch(
      /c_\(d\)".*"https:\/\/e\.f".*"https:\/\/g\.h\/i"/,
    );
    expect(markdownHtml('[x](javascript:alert(1)) ![y](https://t.b/p.gif)')).not.toMatch(/href="java|<img/);
    expect(markdownHtml('snake_case_name and 2*3*4 \\*no\\*')).toBe('<p>snake_case_name and 2<em>3</em>4 *no*</p>');
  });

  it('takes linear time on texts made to be slow', () => {
    for (const piece of [
      '**a ',
      '[a `b ',
      '`',
      '* ',
      '> ',
      '- ',
      '\n\n',
      '- a\n\n\n\n',
      '|-',
      '[',
      '](',
      'http://a)))',
      '***',
      '_a',
      '# ',
      '```\n',
    ])
      expect(markdownHtml(`x${piece.repeat(30_000)}`).length).toBeGreaterThan(0);
  });
});

describe('the HTML page', () => {
  it('is guarded by a policy that names its own style and script and nothing else', () => {
    const { text } = exportEntries(htmlExporter, [said('user', { content: 'x' })]);
    const policy = /content="(default-src[^"]*)"/.exec(text)?.[1] ?? '';
    const hash = (part: string) => `'sha256-${createHash('sha256').update(part).digest('base64')}'`;
    const style = /<style>([\s\S]*?)<\/style>/.exec(text)?.[1] ?? '';
    const script = /<script>([\s\S]*?)<\/script>/.exec(text)?.[1] ?? '';
    expect(policy).toBe(
      `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; img-src data:; base-uri 'none'; form-action 'none'`,
    );
    expect(text.indexOf('Content-Security-Policy')).toBeLessThan(text.indexOf('<title>'));
    expect(style + script).not.toMatch(
      /https?:|url\(|@import|innerHTML|insertAdjacent|document\.write|eval\(|Function\(/,
    );
  });

  it('stays well formed with hostile text in every field', () => {
    fc.assert(
      fc.property(hostileText, hostileText, (one, two) => {
        const { text } = exportEntries(
          htmlExporter,
          [
            entry('model_change', { provider: one, modelId: two }),
            { ...said('user', { content: one }), id: two, timestamp: one },
            said('assistant', {
              content: [
                { type: 'thinking', thinking: two },
                { type: 'toolCall', id: 'c', name: one, arguments: { command: two, [one]: one } },
                { type: 'toolCall', id: 'd', name: 'edit', arguments: { path: one, oldText: one, newText: two } },
                { type: 'image', data: one, mimeType: two },
                { type: two },
              ],
              errorMessage: one,
              model: two,
            }),
            said('toolResult', { toolCallId: 'c', content: two, isError: true }),
            said('toolResult', { toolCallId: 'zz', toolName: two, content: [{ type: 'text', text: one }] }),
            entry('label', { targetId: one, label: two }),
            entry(one, { [two]: one }),
            entry('compaction', { summary: one, firstKeptEntryId: two, method: one, warning: two }),
          ],
          {},
          { title: one, cwd: two, id: one },
        );
        const body = text.slice(text.indexOf('<body>'), text.indexOf('<script>'));
        requireBalance(`${body}</body>`);
        expect(text.match(/<script/g)).toHaveLength(1);
        expect(body).not.toMatch(/<(?:evil|img|iframe|style|script|!)/i);
        expect((body.match(/<[a-z][^>]*>/g) ?? []).filter((tag) => /\son\w+=|style=|src=/.test(tag))).toEqual([]);
      }),
      settings(150),
    );
  });

  it('holds what it does not show at first, up to a limit, and says how to see the rest', () => {
    const lines = (bytes: number): string => 'a <b> line\n'.repeat(bytes / 11);
    const page = (...outputs: string[]): string =>
      exportEntries(htmlExporter, [
        said('assistant', {
          content: outputs.map((_, at) => ({ type: 'toolCall', id: `c${at}`, name: 'x', arguments: {} })),
        }),
        ...outputs.map((content, at) => said('toolResult', { toolCallId: `c${at}`, content })),
      ]).text;
    const small = page(lines(11 * 100));
    expect(small).toContain('<details class="omitted"><summary>84 lines, 924 characters more</summary>');
    expect(small.match(/a &lt;b&gt; line/g)).toHaveLength(100);
    const large = page(lines(11 * 100_000));
    expect(large).toContain(
      '<p class="omitted">99,984 lines, 1,099,824 characters left out, <code>sessionctl export --tools full</code> shows all</p>',
    );
    expect(large.match(/a &lt;b&gt; line/g)).toHaveLength(16);
    // Both sides of the limit: what is left out of one line has no line ends.
    const middle = (characters: number): string => page('x'.repeat(1200 + characters + 600));
    expect(middle(2 ** 20)).toContain('<summary>1,048,576 characters more</summary>');
    expect(middle(2 ** 20 + 1)).toContain('<p class="omitted">1,048,577 characters left out, <code>sessionctl export');
    const many = page(...Array.from({ length: 12 }, () => lines(1_000_000)));
    expect(many.match(/<details class="omitted">/g)).toHaveLength(10);
    expect(many.match(/<p class="omitted">/g)).toHaveLength(2);
  });

  it('says in its head how many tokens were used, where the log tells', () => {
    const usage = { input: 3, output: 4, cacheRead: 0, cacheWrite: 0 };
    const head = (...entries: Parameters<typeof exportEntries>[1]): string =>
      exportEntries(htmlExporter, entries).text.split('</header>')[0] ?? '';
    expect(head(said('assistant', { content: 'x', usage }))).toContain(
      '<dt>Tokens</dt><dd><bdi>3 in, 4 out</bdi></dd>',
    );
    expect(head(said('user', { content: 'x' }))).not.toContain('<dt>Tokens</dt>');
  });

  it('is a document that an XML parser takes too, but for what HTML leaves out', () => {
    const { text } = exportEntries(htmlExporter, [said('user', { content: 'a & b < c > d "e"' })]);
    const main = text.slice(text.indexOf('<main>'), text.indexOf('</main>') + '</main>'.length);
    expect(parseXml(`<?xml version="1.0" encoding="UTF-8"?>\n${main}`).name).toBe('main');
  });
});
