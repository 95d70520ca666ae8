import { createHash } from 'node:crypto';
import { counted } from '../../util/words.ts';
import type { Branch, Exporter, ExporterOptions, ExportFormat, Fork, SessionFacts } from '../exporter.ts';
import type { Call, Fold, Image, Item, LoneResult, Message, Note, Part, Remark, Result } from '../view/item.ts';
import { costText, type Totals, tokensText } from '../view/totals.ts';
import { branchStart, oneLine, renderWords, type Words } from '../view/words.ts';
import { lineEnds, visible } from '../visible.ts';
import { markdownHtml } from './markdown.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';
import { codeHtml, escapeHtml, HTML_WORDS, shown } from './text.ts';

export const htmlFormat: ExportFormat = {
  name: 'html',
  endings: ['.html', '.htm'],
  describe: 'one self-contained page with search, folding and a tree of the branches',
  make: (options) => new HtmlExporter(options),
};

/**
 * The page in document order. A run is a chain of entries without a fork; the script shows the runs of one branch and
 * hides the others, and without scripts they stand one after another.
 */
class HtmlExporter implements Exporter {
  readonly #options: ExporterOptions;
  /** The run that ended at each fork. */
  readonly #forks = new Map<string, number>();
  #run = 0;
  #open = false;
  #branch = 1;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  head(facts: SessionFacts, totals: Totals, turns: number, branches: readonly Branch[]): string {
    const title = shown(oneLine(facts.title || facts.opening || 'Session', 200));
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${this.#policy()}">
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
${this.#branchList(branches)}</header>
<main>
`;
  }

  branch(branch: Branch): string {
    this.#branch = branch.number;
    const parent = branch.from === undefined ? undefined : this.#forks.get(branch.from);
    const from = branchStart(branch);
    const label = branch.label === undefined ? '' : ` <span class="label">${shown(oneLine(branch.label, 80))}</span>`;
    const about = `${this.#words(from)}, ${counted(branch.entries, 'entry', 'entries')}`;
    return `${this.#closeRun()}${this.#openRun(parent)}<div class="branch" id="branch-${branch.number}"><h2>Branch ${branch.number}${label}</h2><p>${about}</p></div>
`;
  }

  item(item: Item): string {
    const start = this.#open ? '' : this.#openRun(undefined);
    return start + (item.kind === 'note' ? this.#note(item) : this.#message(item));
  }

  fork({ anchor, branches }: Fork): string {
    this.#forks.set(anchor, this.#run);
    const links = branches.map((branch) => `<a href="#branch-${branch.number}">branch ${branch.number}</a>`).join(', ');
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

  #policy(): string {
    const images = this.#options.assets ? "data: 'self' file:" : 'data:';
    return `default-src 'none'; style-src ${STYLE_HASH}; script-src ${SCRIPT_HASH}; img-src ${images}; base-uri 'none'; form-action 'none'`;
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

  #branchList(branches: readonly Branch[]): string {
    if (!this.#options.all || branches.length < 2) return '';
    const items = branches.map((branch) => {
      const label = branch.label === undefined ? '' : ` <span class="label">${shown(oneLine(branch.label, 80))}</span>`;
      return `<li><a href="#branch-${branch.number}" data-to="${branch.number}">Branch ${branch.number}</a>, ${counted(branch.entries, 'entry', 'entries')}${label}</li>`;
    });
    return `<nav class="branches" aria-label="Branches"><ul>${items.join('')}</ul></nav>\n`;
  }

  #message(message: Message): string {
    const { heading, anchor, speaker } = message;
    const facts = message.facts.map((fact) => `<span>${this.#words(fact)}</span>`).join('');
    let html = `<article class="${heading ? 'turn ' : ''}${speaker}" id="${anchor}">`;
    if (heading) {
      html += `<div class="head"><a class="number" href="#${anchor}">${heading.number}</a><h2>${this.#words(heading.title)}</h2><p>${facts}</p></div>`;
    } else
      html += `<div class="head"><p>${facts}</p><a class="number" href="#${anchor}" aria-label="Link to this message">#</a></div>`;
    for (const part of message.parts) html += this.#part(part);
    return `${html}</article>\n`;
  }

  #note(note: Note): string {
    const id = note.anchor === '' ? '' : ` id="${note.anchor}"`;
    return `<div class="note"${id}><p>${this.#words(note.words)}</p>${note.details.map((detail) => this.#fold(detail)).join('')}</div>\n`;
  }

  #part(part: Part): string {
    switch (part.kind) {
      case 'text':
        return `<div class="text">${markdownHtml(part.text)}</div>`;
      case 'block':
        return this.#code(part.language, part.text);
      case 'image':
        return this.#image(part);
      case 'fold':
        return this.#fold(part);
      case 'remark':
        return this.#remark(part);
      case 'call':
        return this.#call(part);
      case 'lone-result':
        return this.#loneResult(part);
    }
  }

  #code(language: string, text: string): string {
    return codeHtml(language, visible(lineEnds(text)).replace(/\n$/, ''));
  }

  #fold(fold: Fold): string {
    const parts = fold.parts.map((part) => this.#part(part)).join('');
    return `<details class="${fold.tone}"${fold.open ? ' open' : ''}><summary>${this.#words(fold.title)}</summary>${parts}</details>`;
  }

  #image(image: Image): string {
    const about = this.#words(image.about);
    if (image.url === undefined) return `<p class="remark note">${about}</p>`;
    return `<figure><img src="${escapeHtml(image.url)}" alt="" loading="lazy"><figcaption>${about}</figcaption></figure>`;
  }

  #remark(remark: Remark): string {
    const detail = remark.detail === undefined ? '' : this.#code('', remark.detail);
    return `<div class="remark ${remark.tone}"><p>${this.#words(remark.words)}</p>${detail}</div>`;
  }

  #call(call: Call): string {
    const failed = call.results.some((result) => result.isError) ? ' failed' : '';
    let html = `<details class="call${failed}" open><summary><b>${this.#toolName(call.tool)}</b> ${this.#words(call.subject)}</summary>`;
    for (const block of call.blocks) html += this.#part(block);
    for (const result of call.results) html += this.#result(result);
    if (call.missing) html += `<p class="missing">${this.#words(call.missing)}</p>`;
    return `${html}</details>`;
  }

  #loneResult({ tool, result }: LoneResult): string {
    const failed = result.isError ? ' failed' : '';
    return `<details class="call${failed}" open><summary><b>${this.#toolName(tool)}</b> (without its call)</summary>${this.#result(result)}</details>`;
  }

  #toolName(tool: string): string {
    return tool === '' ? 'unnamed tool' : `<bdi>${shown(oneLine(tool, 80))}</bdi>`;
  }

  #result(result: Result): string {
    const id = result.anchor === '' ? '' : ` id="${result.anchor}"`;
    const kind = result.isError ? 'result failed' : 'result';
    const parts = result.parts.map((part) => this.#part(part)).join('');
    if (result.long)
      return `<details class="${kind}"${id}><summary>${this.#words(result.title)}</summary>${parts}</details>`;
    return `<div class="${kind}"${id}><p>${this.#words(result.title)}</p>${parts}</div>`;
  }

  #words(words: Words): string {
    return renderWords(words, HTML_WORDS, this.#options.anchorOf);
  }
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}'`;
}

const STYLE_HASH = hashOf(STYLE);
const SCRIPT_HASH = hashOf(SCRIPT);
