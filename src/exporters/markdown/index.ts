import { counted } from '../../util/words.ts';
import type { Branch, Exporter, ExporterOptions, ExportFormat, Fork, SessionFacts } from '../exporter.ts';
import type { Call, Fold, Image, Item, LoneResult, Message, Note, Part, Remark, Result } from '../view/item.ts';
import type { Totals } from '../view/totals.ts';
import { branchStart, oneLine, renderWords, type Words } from '../view/words.ts';
import { fenced } from './fence.ts';
import { frontMatter } from './front-matter.ts';
import { sanitizeMarkdown } from './sanitize-markdown.ts';
import { MARKDOWN_WORDS, plainText, SUMMARY_WORDS } from './words.ts';

export const markdownFormat: ExportFormat = {
  name: 'md',
  endings: ['.md', '.markdown'],
  describe: 'Markdown that GitHub renders, with front matter',
  make: (options) => new MarkdownExporter(options),
};

/** Every piece ends with a blank line, and every block of ours starts at the left edge: so nothing before it can hold it. */
class MarkdownExporter implements Exporter {
  readonly #options: ExporterOptions;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  head(facts: SessionFacts, totals: Totals, turns: number, branches: readonly Branch[]): string {
    const title = plainText(oneLine(facts.title || facts.opening || 'Session', 200));
    const matter = frontMatter(facts, totals, turns, this.#options);
    const list =
      this.#options.all && branches.length > 1
        ? `${branches.map((branch) => this.#branchLine(branch)).join('\n')}\n\n`
        : '';
    return `${matter}\n# ${title}\n\n${list}`;
  }

  branch(branch: Branch): string {
    const from = branchStart(branch);
    const facts: Words[] = [from, [counted(branch.entries, 'entry', 'entries')], ['leaf ', { entry: branch.leaf }]];
    if (branch.label !== undefined) facts.push(['label ', { code: oneLine(branch.label, 80) }]);
    return `# ${anchor(`branch-${branch.number}`)}Branch ${branch.number}\n\n${this.#small('', facts)}\n\n`;
  }

  item(item: Item): string {
    return item.kind === 'note' ? this.#note(item) : this.#message(item);
  }

  fork({ anchor: place, branches }: Fork): string {
    const links = branches.map((branch) => `[branch ${branch.number}](#branch-${branch.number})`).join(', ');
    return `> ${anchor(place)}**Fork:** ${links} ${branches.length === 1 ? 'continues' : 'continue'} from here\n\n`;
  }

  tail(): string {
    return '';
  }

  #branchLine(branch: Branch): string {
    const label = branch.label === undefined ? '' : `, ${this.#words(['label ', { code: oneLine(branch.label, 80) }])}`;
    return `- [Branch ${branch.number}](#branch-${branch.number}): ${counted(branch.entries, 'entry', 'entries')}${label}`;
  }

  #message(message: Message): string {
    const { heading } = message;
    let out = '';
    if (heading) {
      out += `## ${anchor(message.anchor)}${heading.number} · ${this.#words(heading.title)}\n\n`;
      if (message.facts.length > 0) out += `${this.#small('', message.facts)}\n\n`;
    } else out += `${this.#small(message.anchor, message.facts)}\n\n`;
    for (const part of message.parts) out += this.#part(part);
    return out;
  }

  #small(place: string, facts: readonly Words[]): string {
    let line = '';
    for (const fact of facts) line += line === '' ? this.#words(fact) : ` · ${this.#words(fact)}`;
    return `${anchor(place)}<sub>${line}</sub>`;
  }

  #note(note: Note): string {
    let out = `> ${anchor(note.anchor)}${this.#words(note.words)}\n\n`;
    for (const detail of note.details) out += this.#fold(detail);
    return out;
  }

  #part(part: Part): string {
    switch (part.kind) {
      case 'text':
        return `${sanitizeMarkdown(part.text)}\n\n`;
      case 'block':
        return `${fenced(part.language, part.text)}\n\n`;
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

  #fold(fold: Fold): string {
    let out = this.#opening(fold.title, fold.open);
    for (const part of fold.parts) out += this.#part(part);
    return `${out}</details>\n\n`;
  }

  #opening(title: Words, open: boolean, place = ''): string {
    return `<details${open ? ' open' : ''}>\n<summary>${anchor(place)}${renderWords(title, SUMMARY_WORDS, this.#options.anchorOf)}</summary>\n\n`;
  }

  #image(image: Image): string {
    const about = this.#words(image.about);
    return image.url === undefined ? `*${about}*\n\n` : `![${about}](${image.url})\n\n`;
  }

  #remark(remark: Remark): string {
    const words = this.#words(remark.words);
    if (remark.tone === 'note') return `*${words}*\n\n`;
    const alert = remark.tone === 'error' ? 'CAUTION' : 'WARNING';
    const detail = remark.detail === undefined ? '' : `\n>\n${quoted(fenced('', remark.detail))}`;
    return `> [!${alert}]\n> ${words}${detail}\n\n`;
  }

  #call(call: Call): string {
    const subject = this.#words(call.subject);
    let out = `**${this.#toolName(call.tool)}**${subject === '' ? '' : ` ${subject.trimStart()}`}\n\n`;
    for (const block of call.blocks) out += this.#part(block);
    for (const result of call.results) out += this.#result(result);
    if (call.missing) out += `*${this.#words(call.missing)}*\n\n`;
    return out;
  }

  #loneResult({ tool, result }: LoneResult): string {
    return `**${this.#toolName(tool)}** (without its call)\n\n${this.#result(result)}`;
  }

  #toolName(tool: string): string {
    return tool === '' ? 'unnamed tool' : plainText(oneLine(tool, 80));
  }

  #result(result: Result): string {
    let parts = '';
    for (const part of result.parts) parts += this.#part(part);
    if (result.long) return `${this.#opening(result.title, false, result.anchor)}${parts}</details>\n\n`;
    const title = this.#words(result.title);
    return `${anchor(result.anchor)}${result.isError ? `**${title}**` : `*${title}*`}\n\n${parts}`;
  }

  #words(words: Words): string {
    return renderWords(words, MARKDOWN_WORDS, this.#options.anchorOf);
  }
}

/** Anchors hold letters, digits, dots, dashes and underscores only. */
function anchor(name: string): string {
  return name === '' ? '' : `<a id="${name}"></a>`;
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}
