import { describe, expect, it } from 'vitest';
import { markdownExporter, yamlText } from '../../src/exporters/markdown/index.ts';
import { sanitizeMarkdown } from '../../src/exporters/markdown/sanitize-markdown.ts';
import { codeSpan, fenced, plainText } from '../../src/exporters/markdown/text.ts';
import { entry, exportEntries, rendered, said, tagsOf } from './support.ts';

describe('Markdown', () => {
  it('writes fences longer than any fence inside', () => {
    expect(fenced('', 'a ``` b ````` c')).toBe('``````\na ``` b ````` c\n``````');
    expect(rendered(fenced('md', '```\nx\n```'))).toBe('<pre><code class="language-md">```\nx\n```\n</code></pre>');
    expect(codeSpan('a `b` c')).toBe('``a `b` c``');
    expect(rendered(codeSpan('`'))).toBe('<p><code>`</code></p>');
  });

  const tricks: readonly [string, string][] = [
    ['a table whose cells cut a code span', '| a | b |\n|---|---|\n| ` | <evil> ` |'],
    ['a table in a quotation', '> | a | b |\n> |---|---|\n> | ` | <evil> ` |'],
    ['a code span behind an address', 'see https://a.example/`<evil>` now'],
    ['an address that ends in a tag', 'https://a.example/<evil>'],
    ['a link that swallows a backtick', '[a](x`) <evil> `'],
    ['a link title that swallows a backtick', '[a](x "`") <evil> `'],
    ['a code span over two lines', 'a ` b\nc ` <evil> `'],
    ['an escaped backtick', '\\` <evil> `'],
    ['a fence in a list that is no list', 'text\n    ```\n<evil>'],
    ['a fence in two quotations', '> > ```\n> > x\n\n<evil>'],
    ['a tag over two lines', '<evil\nonclick="x">'],
    ['a comment that never ends', '<!-- <evil>'],
    ['a fence that a longer run does not close', '````\n```\n<evil>'],
    ['a formula', '$x ` y$ <evil> `'],
  ];
  it.each(tricks)('keeps %s from writing a tag', (_, trick) => {
    const html = rendered(`${sanitizeMarkdown(trick)}\n\n## after`);
    expect(tagsOf(html)).not.toContain('<evil');
    expect(html).not.toContain('<!--');
    expect(html).toContain('<h2>after</h2>');
  });

  const definitions = [
    '[foo]: /evil',
    '[foo\nbar]: x',
    '[foo `]: /evil`',
    '[foo `\\[]: x`',
    '> [foo]: x',
    '- [foo]: x',
  ];
  it.each(definitions)('keeps %j from defining links for other turns', (trick) => {
    const html = rendered(`${sanitizeMarkdown(`${trick}\n\nseen`)}\n\n[foo] [foo bar] [foo \`] [foo \`\\[]`);
    expect(html).not.toContain('href');
    expect(html).toContain('foo');
  });

  it('calls nobody and loads nothing', () => {
    const shown = sanitizeMarkdown(
      'ask @octocat (@org/team) about a@b.example, `@kept` and https://x.example/@me ![pixel](https://t.example/p.gif)',
    );
    expect(shown).toContain('@&#8203;octocat (@&#8203;org/team) about a@b.example, `@kept` and https://x.example/@me');
    expect(rendered(shown)).not.toContain('<img');
    expect(rendered(shown)).toContain('<a href="https://t.example/p.gif">pixel</a>');
    expect(plainText('@octocat')).toBe('@&#8203;octocat');
  });

  it('shows names as they are, whatever they are made of', () => {
    const printed = Array.from({ length: 0x7f - 0x20 }, (_, at) => String.fromCharCode(0x20 + at));
    const escaped = printed.filter((character) => plainText(character) !== character);
    expect(escaped.join('')).toBe('!#$&*<>[\\]^_`|~');
    for (const name of ['a_b_', '*a*', 'x\ny', 'x\r\ny', '\u0007'])
      expect(plainText(`${name} and more`)).not.toContain(name);
  });

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:x',
    'data:text/html,x',
    'javascript&colon;x',
    '&#106;avascript:x',
    'file:///etc/passwd',
    'vbscript:x',
  ])('makes no link of %s', (address) => {
    expect(rendered(sanitizeMarkdown(`[a](${address})`))).not.toContain('href');
  });

  it('keeps what looks like front matter, headings and underlines below its own', () => {
    const html = rendered(
      sanitizeMarkdown('---\ntitle: x\n---\n# one\nTitle\n=====\nOther\n---\n\n> a\n> ===\n\n- b\n  ---'),
    );
    expect(html).not.toMatch(/<h[12]/);
    expect(html).toContain('<h3>one</h3>');
    expect(html).toContain('=====');
  });

  it('keeps lists that go on behind a code block', () => {
    const html = rendered(sanitizeMarkdown('- one\n  ```js\n  a\n    b\n  ```\n  more\n- two'));
    expect(html).toContain('<pre><code class="language-js">a\n  b\n</code></pre>');
    expect(html).toContain('<p>more</p>');
    expect(html).toContain('<li>two</li>');
    expect(rendered(sanitizeMarkdown('> ```\n> q\n> ```\n> end'))).toContain(
      '<blockquote>\n<pre><code>q\n</code></pre>\n</blockquote>',
    );
    expect(rendered(sanitizeMarkdown('- ```\n  x\n  ```'))).toContain('<pre><code>x\n</code></pre>');
    expect(rendered(sanitizeMarkdown('text\n- ~~~\n  x'))).toContain('<pre><code>x\n</code></pre>');
  });

  it('shows control characters as pictures and takes one kind of line end', () => {
    expect(sanitizeMarkdown('a\u001b[31mb\r\nc\rd\u0000\u009b')).toBe('a␛[31mb\nc\nd␀\ufffd');
    expect(
      exportEntries(markdownExporter, [said('bashExecution', { command: 'x', output: '\u001b[32mok\u001b[0m \u0007' })])
        .text,
    ).toContain('\nok ␇\n');
  });

  it('quotes every value of the front matter, so that YAML and JSON read the same', () => {
    const nasty = 'a: b # "c" \\ \n---\n\u2028 \u0085 \ud800 🎉 @x `y` - [z]';
    const { text } = exportEntries(markdownExporter, [], {}, { title: nasty, cwd: nasty, id: 'true' });
    const matter = text.slice(4, text.indexOf('\n---\n', 4)).split('\n');
    for (const line of matter) {
      expect(line).toMatch(/^ {0,2}[a-z_]+:(?: |$)/);
      const value = line.slice(line.indexOf(':') + 1).trim();
      if (value !== '') expect(() => JSON.parse(value), line).not.toThrow();
    }
    expect(JSON.parse(yamlText(nasty))).toBe(nasty.replace('\ud800', '\ufffd'));
    expect(matter).toContain('session: "true"');
  });

  it('embeds pictures only if they are what they say', () => {
    const image = (fields: object) =>
      exportEntries(markdownExporter, [said('user', { content: [{ type: 'image', ...fields }] })]).text;
    expect(image({ data: 'AAAA', mimeType: 'image/png' })).toContain(
      '![image/png, 3 bytes](data:image/png;base64,AAAA)',
    );
    expect(image({ data: 'AA\nAA', mimeType: 'image/png' })).toContain('(data:image/png;base64,AAAA)');
    const large = 'AbC+'.repeat(50_000);
    expect(image({ data: `${large}AA==`, mimeType: 'image/png' })).toContain(`(data:image/png;base64,${large}AA==)`);
    expect(image({ data: `${large}\n${large}`, mimeType: 'image/png' })).toContain(
      `(data:image/png;base64,${large}${large})`,
    );
    for (const bad of ['AA==', '!!!!', 'AAA', 'A=AA']) {
      expect(image({ data: large + bad + large, mimeType: 'image/png' })).toContain('whose data is not base64');
    }
    expect(image({ data: 'A)"><script>', mimeType: 'image/png' })).toContain(
      '*Image of type `image/png` whose data is not base64, not shown*',
    );
    expect(image({ data: 'AAAA', mimeType: 'image/svg+xml' })).not.toContain('data:');
    expect(image({ data: 'AAAA', mimeType: 'text/html"><script>' })).toContain('`text/html"><script>`');
    expect(image({ data: `blob:sha256:${'a'.repeat(64)}`, mimeType: 'image/png' })).toContain('`blob:sha256:aaaa');
    expect(image({ data: 'blob:sha256:../../etc/passwd', mimeType: 'image/png' })).toContain(
      'with a bad ref: `blob:sha256:../../etc/passwd`',
    );
    expect(image({ mimeType: 'image/png' })).toContain('*Image without data*');
  });

  it('heads a turn with its first words, which stay words', () => {
    const long = `fix_it & <b>now</b> *@octocat* \`x\` ${'and on '.repeat(20)}`;
    const { text } = exportEntries(markdownExporter, [
      { ...said('user', { content: `${long}\n\nsecond line` }), id: 'u' },
      said('assistant', { content: [{ type: 'toolCall', id: 'c', name: 'x', arguments: {} }] }),
    ]);
    const html = rendered(text);
    expect(html).toContain(
      '<h2><a id="e-u"></a>1 · User: fix_it &amp; &lt;b&gt;now&lt;/b&gt; *@\u200boctocat* `x` and on and on and on and…</h2>',
    );
    expect(html).toMatch(/<h2><a id="[^"]*"><\/a>2 · Assistant: x<\/h2>/);
  });

  it('heads a turn without words with what it runs, or how it ended', () => {
    const call = (name: string, args: object) => ({ type: 'toolCall', id: name, name, arguments: args });
    const { text } = exportEntries(markdownExporter, [
      said('user', { content: '## > *Goal*\n\nmore' }),
      said('assistant', { content: [call('bash', { command: 'npm test\necho' }), call('b', {})] }),
      said('bashExecution', { command: 'git status', output: '' }),
      said('assistant', { content: [call('read', { path: 'a_b.ts' })] }),
      said('user', { content: ['<image name="a">', '</image>', 'Look.'].map((text) => ({ type: 'text', text })) }),
      said('user', { content: [] }),
      said('assistant', { content: [], stopReason: 'error', errorMessage: 'overloaded' }),
    ]);
    expect((text.match(/^## .*/gm) ?? []).map((line) => line.replace(/<a.*?<\/a>/, ''))).toEqual([
      '## 1 · User: \\*Goal\\*',
      '## 2 · Assistant: bash npm test',
      '## 3 · Command: git status',
      '## 4 · Assistant: read a\\_b.ts',
      '## 5 · User: Look.',
      '## 6 · User',
      '## 7 · Assistant: Failed',
    ]);
  });

  it('folds what belongs to a note under the note itself', () => {
    const data = { childSession: 's-2', role: 'explorer', depth: 1, more: 'x'.repeat(100) };
    const { text } = exportEntries(markdownExporter, [entry('custom', { customType: 'sessionctl/subagent', data })]);
    expect(text).toContain('</a>Subagent <code>explorer</code> in the session <code>s-2</code></summary>\n\n```json\n');
    expect(text.match(/<details>/g)).toHaveLength(1);
  });

  it('folds a long result, which cannot close its fold', () => {
    const output = `</details>\n\n\`\`\`\n</details>\n${'line\n'.repeat(30)}`;
    const log = (content: string) => [
      said('assistant', { content: [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'x' } }] }),
      { ...said('toolResult', { toolCallId: 'c', content, isError: true }), id: 'r' },
    ];
    const tags = (content: string) =>
      tagsOf(rendered(exportEntries(markdownExporter, log(content)).text)).filter((tag) => /details|summary/.test(tag));
    expect(tags(output)).toEqual(['<details', '<summary', '</summary', '</details']);
    expect(exportEntries(markdownExporter, log(output)).text).toContain(
      '<details>\n<summary><a id="e-r"></a>Error, 34 lines, ',
    );
    expect(tags('short')).toEqual([]);
  });

  it('links to entries that are part of it and names the others', () => {
    const { text } = exportEntries(markdownExporter, [
      { ...said('user', { content: 'x' }), id: 'here' },
      entry('label', { targetId: 'here', label: 'a' }),
      entry('label', { targetId: 'elsewhere', label: 'b' }),
      entry('label', { targetId: 'here' }),
    ]);
    expect(text).toContain('Label `a` on [here](#e-here)');
    expect(text).toContain('Label `b` on `elsewhere`');
    expect(text).toContain('Label removed from [here](#e-here)');
  });
});
