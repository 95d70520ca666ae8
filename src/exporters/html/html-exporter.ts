import { counted, grouped } from '../../util/words.ts';
import type {
  CallPart,
  ExportedBranch,
  Exporter,
  ExporterOptions,
  MessageItem,
  MessagePart,
  NoteItem,
  Omitted,
  RichText,
  TranscriptFacts,
} from '../exporter.ts';
import { branchStart, escapeHtml, lineEnds, oneLine, renderWords, visible, type WordStyle } from '../text.ts';
import { allTokens, costText, isoOf, tokensText } from '../view/totals.ts';
import { EntryTexts, logHeader } from './entries.ts';
import { codeHtml, markdownHtml } from './markdown.ts';
import { pageStart, shown } from './page.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

const HTML_WORDS: WordStyle = {
  own: escapeHtml,
  code: (text) => `<code>${shown(text)}</code>`,
  plain: (text) => `<bdi>${shown(text)}</bdi>`,
  link: (text, anchor) => `<a href="#${anchor}"><code>${shown(text)}</code></a>`,
};

/** Items in a piece of the page that a browser lays out only when it is about to be seen. */
const CHUNK = 50;

/** How much of the text that is not shown at first is in the page, in characters: of one text, and of all. */
const LONGEST_OMITTED = 2 ** 20;
const MOST_OMITTED = 10 * LONGEST_OMITTED;

interface PageText {
  readonly html: (words: RichText) => string;
  /** Characters of omitted text that the page still takes. */
  room: number;
}

/** The page in document order. A run is a chain without a fork; the script shows those of one branch. */
export function htmlExporter(options: ExporterOptions): Exporter {
  const html = (words: RichText): string => renderWords(words, HTML_WORDS, options.anchorOf);
  const page: PageText = { html, room: MOST_OMITTED };
  /** The run that ended at each fork. */
  const forks = new Map<string | undefined, number>();
  let run = 0;
  let isOpen = false;
  let items = 0;
  let current = 1;
  const entries = new EntryTexts();
  const openRun = (parent?: number): string => {
    isOpen = true;
    items = 0;
    const from = parent === undefined ? '' : ` data-parent="${parent}"`;
    return `<section data-run="${++run}" data-branch="${current}"${from}>\n<div class="chunk">\n`;
  };
  const openItem = (): string => {
    if (!isOpen) return openRun();
    return ++items % CHUNK === 0 ? '</div>\n<div class="chunk">\n' : '';
  };
  const takeEntries = (): string => {
    const text = entries.take();
    return text === '' || isOpen ? text : openRun() + text;
  };
  const closeRun = (): string => {
    const end = takeEntries() + (isOpen ? '</div>\n</section>\n' : '');
    isOpen = false;
    return end;
  };
  return {
    head: (...parts) => pageHead(options, ...parts),
    branch: (branch) => {
      const { number, from, entries } = branch;
      current = number;
      const about = `${html(branchStart(branch))}, ${counted(entries, 'entry', 'entries')}`;
      const title = `<h2>Branch ${number}${labelHtml(branch)}</h2><p>${about}</p>`;
      return `${closeRun()}${openRun(forks.get(from))}<div class="branch" id="branch-${number}">${title}</div>\n`;
    },
    item: (item) => {
      const start = openItem();
      if (item.kind === 'note') return `${start}${noteHtml(item, page)}`;
      const { anchor, heading, tokens, parts } = item;
      const facts = `<p>${item.facts.map((fact) => `<span>${html(fact)}</span>`).join('')}</p>`;
      const head = heading
        ? `<a class="number" href="#${anchor}">${heading.number}</a><h2>${html(heading.title)}</h2>${facts}`
        : `${facts}${entryLink(anchor)}`;
      const used = tokens > 0 ? ` data-tokens="${tokens}"` : '';
      const inside = `<div class="head">${head}</div>${partsHtml(parts, page)}`;
      return `${start}<article class="${kindsOf(item)}" id="${anchor}"${used}>${inside}</article>\n`;
    },
    entry: (place, text, images) => {
      entries.add(place, text, images);
      return entries.isFull ? takeEntries() : '';
    },
    fork: (anchor, branches) => {
      forks.set(anchor, run);
      const links = branches.map(({ number }) => `<a href="#branch-${number}">branch ${number}</a>`).join(', ');
      const verb = branches.length === 1 ? 'continues' : 'continue';
      return `<p class="fork" id="${anchor}">Fork: ${links} ${verb} from here</p>\n${closeRun()}${openRun(run)}`;
    },
    tail: () => `${closeRun()}</main>\n<script>${SCRIPT}</script>\n</body>\n</html>\n`,
  };
}

/** What the filters ask for: who says it, whether it is only about tools, and whether something failed. */
function kindsOf({ heading, author, parts }: MessageItem): string {
  const isTools = author === 'tool' || parts.every(({ kind }) => kind === 'call');
  return `${heading ? 'turn ' : ''}${author}${isTools ? ' tools' : ''}${parts.some(isFailed) ? ' failed' : ''}`;
}

function isFailed(part: MessagePart): boolean {
  if (part.kind === 'call') return part.results.some(({ isError }) => isError);
  return part.kind === 'remark' && part.tone === 'error';
}

/** One line, which is the summary of what belongs to it. */
function noteHtml({ anchor, words, details }: NoteItem, page: PageText): string {
  const line = page.html(words);
  const [first, ...more] = details;
  const text = first
    ? `<details><summary>${line}</summary>${partsHtml([...first.parts, ...more], page)}</details>`
    : `<p>${line}</p>`;
  return `<div class="note"${idOf(anchor)}>${text}${entryLink(anchor)}</div>\n`;
}

function pageHead(
  { time, zone, assets }: ExporterOptions,
  ...[facts, totals, turns, branches]: Parameters<Exporter['head']>
): string {
  const title = shown(oneLine(facts.title || facts.opening || 'Session', 200));
  const images = assets ? "data: 'self' file:" : 'data:';
  const rows: (readonly [string, string | undefined])[] = [
    ['Session', facts.id],
    ['Folder', facts.cwd],
    ['Parent', facts.parentSession],
    [totals.models.size > 1 ? 'Models' : 'Model', [...totals.models].join(', ')],
    ['First entry', time(totals.first)],
    ['Last entry', time(totals.last)],
    ['Time zone', zone],
    ['Size', `${counted(turns, 'turn')}, ${counted(totals.entries, 'entry', 'entries')}`],
    ['Tokens', allTokens(totals.usage) > 0 ? tokensText(totals.usage) : undefined],
    ['Cost', totals.cost === undefined ? undefined : costText(totals.cost)],
    ['Log', facts.entries === 'too large' ? `too large to save from this page; ${forkCommand(facts)}` : undefined],
  ];
  const list = rows.map(([name, value]) =>
    value ? `<div><dt>${name}</dt><dd><bdi>${shown(oneLine(value, 400))}</bdi></dd></div>` : '',
  );
  return `${pageStart({ title, style: STYLE, script: SCRIPT, images })}<header id="top">
<h1>${title}</h1>
<dl class="facts">${list.join('')}</dl>
${branchList(branches)}</header>
${logHeader(facts)}
<main>
`;
}

function forkCommand({ leaf = 'REV' }: TranscriptFacts): string {
  return `sessionctl fork FILE ${leaf} writes a branch`;
}

function branchList(branches: readonly ExportedBranch[]): string {
  if (branches.length < 2) return '';
  const items = branches.map((branch) => {
    const link = `<a href="#branch-${branch.number}" data-to="${branch.number}">Branch ${branch.number}</a>`;
    return `<li>${link}, ${counted(branch.entries, 'entry', 'entries')}${labelHtml(branch)}</li>`;
  });
  return `<nav class="branches" aria-label="Branches"><ul>${items.join('')}</ul></nav>\n`;
}

function labelHtml({ label }: ExportedBranch): string {
  return label === undefined ? '' : ` <span class="label">${shown(oneLine(label, 80))}</span>`;
}

function partsHtml(parts: readonly MessagePart[], page: PageText): string {
  let text = '';
  for (const part of parts) text += partHtml(part, page);
  return text;
}

function partHtml(part: MessagePart, page: PageText): string {
  const { html } = page;
  switch (part.kind) {
    case 'text':
      return `<div class="text">${markdownHtml(part.text)}</div>`;
    case 'block':
      return part.omitted ? omittedHtml(part.language, part.omitted, page) : preHtml(part.language, part.text);
    case 'image': {
      const about = html(part.about);
      if (part.url === undefined) return `<p class="remark note">${about}</p>`;
      return `<figure><img${part.number === undefined ? '' : ` id="image-${part.number}"`} src="${escapeHtml(part.url)}" alt="" loading="lazy"><figcaption>${about}</figcaption></figure>`;
    }
    case 'fold': {
      const open = part.open ? ' open' : '';
      return `<details class="${part.tone}"${open}><summary>${html(part.title)}</summary>${partsHtml(part.parts, page)}</details>`;
    }
    case 'remark':
      return `<div class="remark ${part.tone}"><p>${html(part.words)}</p>${partsHtml(part.detail, page)}</div>`;
    case 'call': {
      const failed = isFailed(part) ? ' failed' : '';
      const missing = part.missing ? `<p class="missing">${html(part.missing)}</p>` : '';
      const inside = partsHtml([...part.blocks, ...part.results], page) + missing;
      return `<details class="call${failed}" open><summary>${callTitle(part, html)}</summary>${inside}</details>`;
    }
    case 'result': {
      const [outer, inner] = part.long && !part.cut ? ['details', 'summary'] : ['div', 'p'];
      const kind = part.isError ? 'result failed' : 'result';
      const title = `<${inner}>${html(part.title)}${entryLink(part.anchor)}</${inner}>`;
      const inside = title + partsHtml(part.parts, page);
      return `<${outer} class="${kind}"${idOf(part.anchor)}>${inside}</${outer}>`;
    }
  }
}

function preHtml(language: string, text: string): string {
  return codeHtml(language, visible(lineEnds(text)).replace(/\n$/, ''));
}

/** The middle can be opened, or it is said how to get it. */
function omittedHtml(language: string, { head, middle, tail, size }: Omitted, page: PageText): string {
  const [before, after] = [preHtml(language, head), preHtml(language, tail)];
  if (middle.length > Math.min(page.room, LONGEST_OMITTED))
    return `${before}<p class="omitted">${size} left out, <code>sessionctl export --tools full</code> shows all</p>${after}`;
  page.room -= middle.length;
  const inside = preHtml(language, middle);
  return `${before}<details class="omitted"><summary>${size} more</summary>${inside}</details>${after}`;
}

/** What a folded call still shows. The preview is in the blocks too, and so it is not shown above them. */
function callTitle(part: CallPart, html: PageText['html']): string {
  const { tool, subject, times, missing } = part;
  const took = times && durationOf(...times);
  const name = tool === '' ? 'unnamed tool' : `<bdi>${shown(oneLine(tool, 80))}</bdi>`;
  const preview = previewOf(part);
  const ending = isFailed(part) ? 'failed' : missing ? 'no result' : '';
  return [
    `<b>${name}</b> `,
    preview === '' ? '' : `<code class="gist">${shown(preview)}</code> `,
    html(subject),
    took === undefined ? '' : ` <span class="took">${durationText(took)}</span>`,
    ending === '' ? '' : ` <span class="ending">${ending}</span>`,
  ].join('');
}

/** The command, or the beginning of what was asked where the subject says nothing. */
function previewOf({ subject, blocks: [first] }: CallPart): string {
  if (!first || (first.language !== 'sh' && subject.length > 0)) return '';
  if (first.language !== 'sh') return oneLine(first.text.slice(0, 400).replace(/\s+/g, ' '), 100);
  const line = oneLine(first.text, 100);
  return `$ ${line}${line.endsWith('…') || line === first.text.trim() ? '' : ' …'}`;
}

/** Undefined where a time is missing, or both are the same: then the log has only one for both. */
function durationOf(from: unknown, to: unknown): number | undefined {
  const duration = Date.parse(isoOf(to) ?? '') - Date.parse(isoOf(from) ?? '');
  return duration > 0 ? duration : undefined;
}

/** '0.4 s', '12 s', '3 min 5 s', '2 h 10 min'. */
function durationText(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 10) return `${Math.max(0.1, milliseconds / 1000).toFixed(1)} s`;
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? `${minutes} min ${seconds % 60} s`
    : `${grouped(Math.floor(minutes / 60))} h ${minutes % 60} min`;
}

function entryLink(anchor: string): string {
  return anchor === '' ? '' : `<a class="number" href="#${anchor}" aria-label="Link to this entry">#</a>`;
}

function idOf(anchor: string): string {
  return anchor === '' ? '' : ` id="${anchor}"`;
}
