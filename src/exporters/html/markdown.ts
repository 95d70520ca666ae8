import MarkdownIt, { type RendererRule, type StateBlock, type StateCore, type Token } from 'markdown-it';
import { escapeHtml, lineEnds, visible, withoutLineEnds } from '../text.ts';

/** What a user or a model wrote, as HTML. HTML in it is text, and only links to pages are links. */
export function markdownHtml(markdown: string): string {
  return parser.render(visible(lineEnds(markdown)));
}

const PAGE = /^(?:https?:\/\/|mailto:)/i;
const LANGUAGE = /^[\w+#.-]{1,40}/;
const TASK = /^\[([ xX])\](?=[ \t])/;
/** Blocks within blocks; at its own limit, 100, the parser would leave text out. */
const DEEPEST = 40;

const parser = makeParser();

function makeParser(): InstanceType<typeof MarkdownIt> {
  // An image from elsewhere would be fetched by looking at it, and a reference would hide its definition.
  const made = new MarkdownIt({ linkify: true }).disable(['image', 'reference']);
  made.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  made.validateLink = (address) => PAGE.test(address);
  made.normalizeLinkText = (address) => address;
  made.block.ruler.before('table', 'too_deep', paragraphOfLine);
  made.core.ruler.after('block', 'tasks', drawTasks);
  made.renderer.renderToken = (tokens, at) => tagHtml(tokens[at] as Token);
  const code: RendererRule = (tokens, at) => blockHtml(tokens[at] as Token);
  Object.assign(made.renderer.rules, { fence: code, code_block: code, hardbreak: () => '\n' });
  return made;
}

/** No white space between blocks, because the page shows it, and no attributes but these. */
function tagHtml({ type, tag, nesting, hidden, attrs }: Token): string {
  if (hidden) return '';
  const name = type.startsWith('heading') ? `h${Math.min(6, Number(tag.slice(1)) + 2)}` : tag;
  if (nesting < 0) return `</${name}>${name === 'table' ? '</div>' : ''}`;
  if (name === 'table') return '<div class="table" tabindex="0"><table>';
  const value = (key: string): string => escapeHtml(String(attrs?.find(([one]) => one === key)?.[1] ?? ''));
  if (name === 'a') return `<a href="${value('href')}" rel="noreferrer noopener" target="_blank">`;
  const start = name === 'ol' ? value('start') : '';
  if (start === '') return `<${name}>`;
  return `<ol start="${start}"${start.length > 3 ? ' class="wide"' : ''}>`;
}

function blockHtml({ info, content }: Token): string {
  return codeHtml(LANGUAGE.exec(info.trim())?.[0] ?? '', withoutLineEnds(content));
}

function paragraphOfLine(state: StateBlock, line: number, _end: number, silent: boolean): boolean {
  if (silent || state.level < DEEPEST) return false;
  state.push('paragraph_open', 'p', 1);
  const text = state.push('inline', '', 0);
  text.content = state.getLines(line, line + 1, state.blkIndent, false).trim();
  text.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = line + 1;
  return true;
}

function drawTasks({ tokens }: StateCore): void {
  tokens.forEach((token, at) => {
    if (token.type !== 'inline' || tokens[at - 2]?.type !== 'list_item_open') return;
    token.content = token.content.replace(TASK, (_, mark) => (mark === ' ' ? '☐' : '☑'));
  });
}

/** It may scroll, and then the keyboard has to reach it. */
export function codeHtml(language: string, text: string): string {
  const name = language === '' ? '' : ` data-language="${escapeHtml(language)}"`;
  const code = escapeHtml(text);
  if (language !== 'diff') return `<pre${name} tabindex="0"><code>${code}</code></pre>`;
  const lines = code.replace(/(?<![^\n])[+-][^\n]*/g, (line) =>
    line.startsWith('+') ? `<ins>${line}</ins>` : `<del>${line}</del>`,
  );
  return `<pre class="diff"${name} tabindex="0"><code>${lines}</code></pre>`;
}
