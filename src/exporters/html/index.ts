import { createHash } from 'node:crypto';
import { counted } from '../../util/words.ts';
import type {
  ExportedBranch,
  Exporter,
  ExporterOptions,
  ExportFormat,
  Item,
  MessageItem,
  MessagePart,
  NoteItem,
  ResultView,
  SessionFacts,
  Words,
} from '../exporter.ts';
import { branchStart, escapeHtml, lineEnds, oneLine, renderWords, visible, type WordStyle } from '../text.ts';
import { costText, type Totals, tokensText } from '../view/totals.ts';
import { codeHtml, markdownHtml } from './markdown.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

export const htmlFormat: ExportFormat = {
  name: 'html',
  endings: ['.html', '.htm'],
  make: (options) => new HtmlExporter(options),
};

const HTML_WORDS: WordStyle = {
  own: escapeHtml,
  code: (text) => `<code>${shown(text)}</code>`,
  plain: (text) => `<bdi>${shown(text)}</bdi>`,
  link: (text, anchor) => `<a href="#${anchor}"><code>${shown(text)}</code></a>`,
};

/**
 * The page in document order. A run is a chain of entries without a fork; the script shows the runs of one branch and
 * hides the others, and without scripts they stand one after another.
 */
class HtmlExporter implements Exporter {
  readonly #options: ExporterOptions;
  /** The run that ended at each fork. */
  readonly #forks = new Map<string | undefined, number>();
  #run = 0;
  #open = false;
  #branch = 1;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  head(facts: SessionFacts, totals: Totals, turns: number, branches: readonly ExportedBranch[]): string {
    const title = shown(oneLine(facts.title || facts.opening || 'Session', 200));
    const images = this.#options.assets ? "data: 'self' file:" : 'data:';
    const policy = `default-src 'none'; style-src ${hashOf(STYLE)}; script-src ${hashOf(SCRIPT)}; img-src ${images}; base-uri 'none'; form-action 'none'`;
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<header id="top">
<h1>${title}</h1>
<dl class="facts">${this.#facts(facts, totals, turns)}</dl>
${branchList(branches)}</header>
<main>
`;
  }

  branch(branch: ExportedBranch): string {
    const { number } = branch;
    this.#branch = number;
    const about = `${this.#words(branchStart(branch))}, ${counted(branch.entries, 'entry', 'entries')}`;
    return `${this.#closeRun()}${this.#openRun(this.#forks.get(branch.from))}<div class="branch" id="branch-${number}"><h2>Branch ${number}${label(branch)}</h2><p>${about}</p></div>
`;
  }

  item(item: Item): string {
    const start = this.#open ? '' : this.#openRun(undefined);
    return start + (item.kind === 'note' ? this.#note(item) : this.#message(item));
  }

  fork(anchor: string, branches: readonly ExportedBranch[]): string {
    this.#forks.set(anchor, this.#run);
    const links = branches.map(({ number }) => `<a href="#branch-${number}">branch ${number}</a>`).join(', ');
    const note = `<p class="fork" id="${anchor}">Fork: ${links} ${branches.length === 1 ? 'continues' : 'continue'} from here</p>\n`;
    return note + this.#closeRun() + this.#openRun(this.#run);
  }

  tail(): string {
    return `${this.#closeRun()}</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
  }

  #openRun(parent: number | undefined): string {
    this.#run++;
    this.#open = true;
    const from = parent === undefined ? '' : ` data-parent="${parent}"`;
    return `<section data-run="${this.#run}" data-branch="${this.#branch}"${from}>\n`;
  }

  #closeRun(): string {
    if (!this.#open) return '';
    this.#open = false;
    return '</section>\n';
  }

  #facts(facts: SessionFacts, totals: Totals, turns: number): string {
    const rows: (readonly [string, string | undefined])[] = [
      ['Session', facts.id],
      ['Folder', facts.cwd],
      ['Parent', facts.parentSession],
      [totals.models.size > 1 ? 'Models' : 'Model', [...totals.models].join(', ')],
      ['First entry', this.#options.time(totals.first)],
      ['Last entry', this.#options.time(totals.last)],
      ['Time zone', this.#options.zone],
      ['Size', `${counted(turns, 'turn')}, ${counted(totals.entries, 'entry', 'entries')}`],
      ['Tokens', tokensText(totals.usage)],
      ['Cost', totals.cost === undefined ? undefined : costText(totals.cost)],
    ];
    return rows
      .map(([name, value]) =>
        value ? `<div><dt>${name}</dt><dd><bdi>${shown(oneLine(value, 400))}</bdi></dd></div>` : '',
      )
      .join('');
  }

  #message({ heading, anchor, speaker, facts, parts }: MessageItem): string {
    const small = `<p>${facts.map((fact) => `<span>${this.#words(fact)}</span>`).join('')}</p>`;
    const head = heading
      ? `<a class="number" href="#${anchor}">${heading.number}</a><h2>${this.#words(heading.title)}</h2>${small}`
      : `${small}<a class="number" href="#${anchor}" aria-label="Link to this message">#</a>`;
    return `<article class="${heading ? 'turn ' : ''}${speaker}" id="${anchor}"><div class="head">${head}</div>${this.#parts(parts)}</article>\n`;
  }

  #note({ anchor, words, details }: NoteItem): string {
    return `<div class="note"${idOf(anchor)}><p>${this.#words(words)}</p>${this.#parts(details)}</div>\n`;
  }

  #parts(parts: readonly MessagePart[]): string {
    return parts.map((part) => this.#part(part)).join('');
  }

  #part(part: MessagePart): string {
    switch (part.kind) {
      case 'text':
        return `<div class="text">${markdownHtml(part.text)}</div>`;
      case 'block':
        return code(part.language, part.text);
      case 'image': {
        const about = this.#words(part.about);
        if (part.url === undefined) return `<p class="remark note">${about}</p>`;
        return `<figure><img src="${escapeHtml(part.url)}" alt="" loading="lazy"><figcaption>${about}</figcaption></figure>`;
      }
      case 'fold':
        return `<details class="${part.tone}"${part.open ? ' open' : ''}><summary>${this.#words(part.title)}</summary>${this.#parts(part.parts)}</details>`;
      case 'remark': {
        const detail = part.detail === undefined ? '' : code('', part.detail);
        return `<div class="remark ${part.tone}"><p>${this.#words(part.words)}</p>${detail}</div>`;
      }
      case 'call': {
        const missing = part.missing ? `<p class="missing">${this.#words(part.missing)}</p>` : '';
        return this.#call(part.tool, this.#words(part.subject), this.#parts(part.blocks), part.results, missing);
      }
      case 'lone-result':
        return this.#call(part.tool, '(without its call)', '', [part.result], '');
    }
  }

  #call(tool: string, subject: string, blocks: string, results: readonly ResultView[], missing: string): string {
    const failed = results.some((result) => result.isError) ? ' failed' : '';
    const name = tool === '' ? 'unnamed tool' : `<bdi>${shown(oneLine(tool, 80))}</bdi>`;
    const inside = blocks + results.map((result) => this.#result(result)).join('') + missing;
    return `<details class="call${failed}" open><summary><b>${name}</b> ${subject}</summary>${inside}</details>`;
  }

  #result({ anchor, isError, title, long, parts }: ResultView): string {
    const [outer, inner] = long ? ['details', 'summary'] : ['div', 'p'];
    const kind = isError ? 'result failed' : 'result';
    return `<${outer} class="${kind}"${idOf(anchor)}><${inner}>${this.#words(title)}</${inner}>${this.#parts(parts)}</${outer}>`;
  }

  #words(words: Words): string {
    return renderWords(words, HTML_WORDS, this.#options.anchorOf);
  }
}

/** Text of the log, with its control characters made visible. */
function shown(text: string): string {
  return escapeHtml(visible(text));
}

function code(language: string, text: string): string {
  return codeHtml(language, visible(lineEnds(text)).replace(/\n$/, ''));
}

function idOf(anchor: string): string {
  return anchor === '' ? '' : ` id="${anchor}"`;
}

function label(branch: ExportedBranch): string {
  return branch.label === undefined ? '' : ` <span class="label">${shown(oneLine(branch.label, 80))}</span>`;
}

function branchList(branches: readonly ExportedBranch[]): string {
  if (branches.length < 2) return '';
  const items = branches.map((branch) => {
    const link = `<a href="#branch-${branch.number}" data-to="${branch.number}">Branch ${branch.number}</a>`;
    return `<li>${link}, ${counted(branch.entries, 'entry', 'entries')}${label(branch)}</li>`;
  });
  return `<nav class="branches" aria-label="Branches"><ul>${items.join('')}</ul></nav>\n`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}
