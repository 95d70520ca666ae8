import { counted } from '../../util/words.ts';
import type { Exporter, ExporterOptions, ExportFormat, MessagePart, RichText } from '../exporter.ts';
import { branchStart, oneLine, renderWords } from '../text.ts';
import { sanitizeMarkdown } from './sanitize-markdown.ts';
import { fenced, MARKDOWN_WORDS, plainText, SUMMARY_WORDS } from './text.ts';

export const markdownFormat: ExportFormat = { name: 'md', endings: ['.md', '.markdown'], make: markdownExporter };

/** How a line is written: as Markdown, or inside the summary of a fold. */
type Write = (words: RichText) => string;

/** Every piece ends with a blank line, and our blocks start at the left edge: so nothing before one can hold it. */
export function markdownExporter(options: ExporterOptions): Exporter {
  const line: Write = (words) => renderWords(words, MARKDOWN_WORDS, options.anchorOf);
  const summary: Write = (words) => renderWords(words, SUMMARY_WORDS, options.anchorOf);
  const small = (facts: readonly RichText[]): string => `<sub>${facts.map(line).join(' · ')}</sub>\n\n`;
  const labelWords = (label: string): RichText => ['label ', { code: oneLine(label, 80) }];
  return {
    head: (facts, totals, turns, branches) => {
      const title = plainText(oneLine(facts.title || facts.opening || 'Session', 200));
      const list = branches.map(({ number, entries, label }) => {
        const words = label === undefined ? '' : `, ${line(labelWords(label))}`;
        return `- [Branch ${number}](#branch-${number}): ${counted(entries, 'entry', 'entries')}${words}\n`;
      });
      if (list.length > 0) list.push('\n');
      return `${frontMatter(options, facts, totals, turns, branches)}\n# ${title}\n\n${list.join('')}`;
    },
    branch: (branch) => {
      const { number, entries, leaf, label } = branch;
      const facts: RichText[] = [
        branchStart(branch),
        [counted(entries, 'entry', 'entries')],
        ['leaf ', { entry: leaf }],
      ];
      if (label !== undefined) facts.push(labelWords(label));
      return `# ${anchor(`branch-${number}`)}Branch ${number}\n\n${small(facts)}`;
    },
    item: (item) => {
      const place = anchor(item.anchor);
      if (item.kind === 'note') {
        const [first, ...more] = item.details;
        if (!first) return `> ${place}${line(item.words)}\n\n`;
        return foldText(place + summary(item.words), partsText([...first.parts, ...more], line, summary));
      }
      const { heading, facts } = item;
      const parts = partsText(item.parts, line, summary);
      if (!heading) return place + small(facts) + parts;
      const preview = heading.preview === '' ? '' : `: ${plainText(oneLine(heading.preview, 60))}`;
      const title = `## ${place}${heading.number} · ${line(heading.title)}${preview}`;
      return `${title}\n\n` + (facts.length > 0 ? small(facts) : '') + parts;
    },
    fork: (place, branches) => {
      const links = branches.map(({ number }) => `[branch ${number}](#branch-${number})`).join(', ');
      return `> ${anchor(place)}**Fork:** ${links} ${branches.length === 1 ? 'continues' : 'continue'} from here\n\n`;
    },
    tail: () => '',
  };
}

function partsText(parts: readonly MessagePart[], line: Write, summary: Write): string {
  let text = '';
  for (const part of parts) text += partText(part, line, summary);
  return text;
}

function partText(part: MessagePart, line: Write, summary: Write): string {
  switch (part.kind) {
    case 'text':
      return `${sanitizeMarkdown(part.text)}\n\n`;
    case 'block':
      return `${fenced(part.language, part.text)}\n\n`;
    case 'image':
      return part.url === undefined ? `*${line(part.about)}*\n\n` : `![${line(part.about)}](${part.url})\n\n`;
    case 'fold':
      return foldText(summary(part.title), partsText(part.parts, line, summary), part.open);
    case 'remark': {
      if (part.tone === 'note') return `*${line(part.words)}*\n\n`;
      const alert = part.tone === 'error' ? 'CAUTION' : 'WARNING';
      const text = `[!${alert}]\n${line(part.words)}\n\n${partsText(part.detail, line, summary)}`.trimEnd();
      const quoted = text.split('\n').map((one) => (one === '' ? '>' : `> ${one}`));
      return `${quoted.join('\n')}\n\n`;
    }
    case 'call': {
      const name = part.tool === '' ? 'unnamed tool' : plainText(oneLine(part.tool, 80));
      const head = `**${name}** ${line(part.subject).trimStart()}`.trimEnd();
      const missing = part.missing ? `*${line(part.missing)}*\n\n` : '';
      return `${head}\n\n${partsText([...part.blocks, ...part.results], line, summary)}${missing}`;
    }
    case 'result': {
      const inside = partsText(part.parts, line, summary);
      const place = anchor(part.anchor);
      if (part.long) return foldText(place + summary(part.title), inside);
      const mark = part.isError ? '**' : '*';
      return `${place}${mark}${line(part.title)}${mark}\n\n${inside}`;
    }
  }
}

function foldText(title: string, inside: string, isOpen = false): string {
  return `<details${isOpen ? ' open' : ''}>\n<summary>${title}</summary>\n\n${inside}</details>\n\n`;
}

/** Anchors hold letters, digits, dots, dashes and underscores only. */
function anchor(name: string): string {
  return name === '' ? '' : `<a id="${name}"></a>`;
}

/** What programs want to know of the session, as YAML. Every text is quoted, so no value means more than itself. */
function frontMatter({ time, zone }: ExporterOptions, ...[facts, totals, turns]: Parameters<Exporter['head']>): string {
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
