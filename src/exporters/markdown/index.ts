import { counted } from '../../util/words.ts';
import type {
  ExportedBranch,
  Exporter,
  ExporterOptions,
  ExportFormat,
  Item,
  MessageItem,
  MessagePart,
  ResultView,
  SessionFacts,
  Words,
} from '../exporter.ts';
import { branchStart, oneLine, renderWords } from '../text.ts';
import type { Totals } from '../view/totals.ts';
import { sanitizeMarkdown } from './sanitize-markdown.ts';
import { fenced, MARKDOWN_WORDS, plainText, SUMMARY_WORDS } from './text.ts';

export const markdownFormat: ExportFormat = {
  name: 'md',
  endings: ['.md', '.markdown'],
  make: (options) => new MarkdownExporter(options),
};

/** Every piece ends with a blank line, and every block of ours starts at the left edge: so nothing before it can hold it. */
class MarkdownExporter implements Exporter {
  readonly #options: ExporterOptions;

  constructor(options: ExporterOptions) {
    this.#options = options;
  }

  head(facts: SessionFacts, totals: Totals, turns: number, branches: readonly ExportedBranch[]): string {
    const title = plainText(oneLine(facts.title || facts.opening || 'Session', 200));
    const list = branches.map(({ number, entries, label }) => {
      const words = label === undefined ? '' : `, ${this.#words(labelWords(label))}`;
      return `- [Branch ${number}](#branch-${number}): ${counted(entries, 'entry', 'entries')}${words}\n`;
    });
    if (list.length > 0) list.push('\n');
    return `${frontMatter(facts, totals, turns, this.#options)}\n# ${title}\n\n${list.join('')}`;
  }

  branch(branch: ExportedBranch): string {
    const { number, entries, leaf, label } = branch;
    const facts: Words[] = [branchStart(branch), [counted(entries, 'entry', 'entries')], ['leaf ', { entry: leaf }]];
    if (label !== undefined) facts.push(labelWords(label));
    return `# ${anchor(`branch-${number}`)}Branch ${number}\n\n${this.#small(facts)}`;
  }

  item(item: Item): string {
    if (item.kind === 'message') return this.#message(item);
    return `> ${anchor(item.anchor)}${this.#words(item.words)}\n\n${this.#parts(item.details)}`;
  }

  fork(place: string, branches: readonly ExportedBranch[]): string {
    const links = branches.map(({ number }) => `[branch ${number}](#branch-${number})`).join(', ');
    return `> ${anchor(place)}**Fork:** ${links} ${branches.length === 1 ? 'continues' : 'continue'} from here\n\n`;
  }

  tail(): string {
    return '';
  }

  #message({ heading, anchor: place, facts, parts }: MessageItem): string {
    if (!heading) return anchor(place) + this.#small(facts) + this.#parts(parts);
    const small = facts.length > 0 ? this.#small(facts) : '';
    return `## ${anchor(place)}${heading.number} · ${this.#words(heading.title)}\n\n${small}${this.#parts(parts)}`;
  }

  #small(facts: readonly Words[]): string {
    return `<sub>${facts.map((fact) => this.#words(fact)).join(' · ')}</sub>\n\n`;
  }

  #parts(parts: readonly MessagePart[]): string {
    return parts.map((part) => this.#part(part)).join('');
  }

  #part(part: MessagePart): string {
    switch (part.kind) {
      case 'text':
        return `${sanitizeMarkdown(part.text)}\n\n`;
      case 'block':
        return `${fenced(part.language, part.text)}\n\n`;
      case 'image': {
        const about = this.#words(part.about);
        return part.url === undefined ? `*${about}*\n\n` : `![${about}](${part.url})\n\n`;
      }
      case 'fold':
        return this.#fold(part.title, part.open, '', this.#parts(part.parts));
      case 'remark': {
        const words = this.#words(part.words);
        if (part.tone === 'note') return `*${words}*\n\n`;
        const alert = part.tone === 'error' ? 'CAUTION' : 'WARNING';
        const detail = part.detail === undefined ? '' : `\n\n${fenced('', part.detail)}`;
        const lines = `[!${alert}]\n${words}${detail}`.split('\n');
        return `${lines.map((line) => (line === '' ? '>' : `> ${line}`)).join('\n')}\n\n`;
      }
      case 'call': {
        const subject = this.#words(part.subject).trimStart();
        const missing = part.missing ? `*${this.#words(part.missing)}*\n\n` : '';
        const results = part.results.map((result) => this.#result(result)).join('');
        const head = `${toolName(part.tool)}${subject && ` ${subject}`}\n\n`;
        return head + this.#parts(part.blocks) + results + missing;
      }
      case 'lone-result':
        return `${toolName(part.tool)} (without its call)\n\n${this.#result(part.result)}`;
    }
  }

  #fold(title: Words, open: boolean, place: string, inside: string): string {
    const summary = anchor(place) + renderWords(title, SUMMARY_WORDS, this.#options.anchorOf);
    return `<details${open ? ' open' : ''}>\n<summary>${summary}</summary>\n\n${inside}</details>\n\n`;
  }

  #result(result: ResultView): string {
    const parts = this.#parts(result.parts);
    if (result.long) return this.#fold(result.title, false, result.anchor, parts);
    const mark = result.isError ? '**' : '*';
    return `${anchor(result.anchor)}${mark}${this.#words(result.title)}${mark}\n\n${parts}`;
  }

  #words(words: Words): string {
    return renderWords(words, MARKDOWN_WORDS, this.#options.anchorOf);
  }
}

function toolName(tool: string): string {
  return `**${tool === '' ? 'unnamed tool' : plainText(oneLine(tool, 80))}**`;
}

function labelWords(label: string): Words {
  return ['label ', { code: oneLine(label, 80) }];
}

/** Anchors hold letters, digits, dots, dashes and underscores only. */
function anchor(name: string): string {
  return name === '' ? '' : `<a id="${name}"></a>`;
}

/** What programs want to know of the session, as YAML. Every text is quoted, so no value means more than itself. */
function frontMatter(facts: SessionFacts, totals: Totals, turns: number, { time, zone }: ExporterOptions): string {
  const { usage, models, cost } = totals;
  const started = time(facts.started ?? totals.first);
  const first = time(totals.first);
  const values = {
    session: facts.id,
    title: facts.title,
    cwd: facts.cwd,
    parent: facts.parentSession,
    models: models.size > 1 ? [...models] : undefined,
    model: totals.lastModel,
    started,
    // A forked session holds entries that are older than itself.
    first_entry: first === started ? undefined : first,
    last_entry: time(totals.last),
    time_zone: zone,
    leaf: facts.leaf,
    entries: totals.entries,
    turns,
    tokens: [],
    '  input': usage.input,
    '  output': usage.output,
    '  cache_read': usage.cacheRead,
    '  cache_write': usage.cacheWrite,
    cost_usd: cost === undefined ? undefined : Math.round(cost * 1e6) / 1e6,
  };
  const lines = Object.entries(values).map(([key, value]) => {
    if (value === undefined || value === '') return '';
    if (Array.isArray(value)) return value.length === 0 ? `${key}:\n` : `${key}: [${value.map(yamlText).join(', ')}]\n`;
    return `${key}: ${typeof value === 'string' ? yamlText(value) : value}\n`;
  });
  return `---\n${lines.join('')}---\n`;
}

/** A double-quoted scalar: JSON's escapes are YAML's, and what YAML would not print is escaped too. */
export function yamlText(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
