import { plainText } from '../exporters/markdown/text.ts';
import { printable } from '../util/printable.ts';
import { counted } from '../util/words.ts';
import { type Reporter, SILENT, summaryLine } from './reporter.ts';

/** GitHub takes no summary of a step over 1 MiB. */
const MOST_BYTES = 900_000;

/** A page for the summary of a CI job: what was found, errors first, and what was not checked. */
export function markdownReporter(): Reporter {
  const rows: Readonly<Record<'error' | 'warning' | 'unchecked', string[]>> = { error: [], warning: [], unchecked: [] };
  let bytes = 0;
  let more = 0;
  const add = (kind: keyof typeof rows, cells: readonly string[]): string => {
    const row = `| ${cells.map(cellText).join(' | ')} |\n`;
    bytes += Buffer.byteLength(row);
    if (bytes > MOST_BYTES) more++;
    else rows[kind].push(row);
    return '';
  };
  return {
    ...SILENT,
    finding: ({ file, line, severity, rule, message }) => add(severity, [file, String(line), severity, rule, message]),
    failed: (name, reason) => add('unchecked', [name, reason]),
    skipped: (name, reason) => add('unchecked', [name, reason]),
    end: (summary) =>
      [
        `### sessionctl ${summary.command}\n\n${plainText(summaryLine(summary))}\n`,
        ...summary.objections.map((text) => `\n**Failed:** ${plainText(text)}\n`),
        table('| File | Line | Level | Rule | Finding |\n| --- | ---: | --- | --- | --- |\n', [
          ...rows.error,
          ...rows.warning,
        ]),
        table('| Not checked | Why |\n| --- | --- |\n', rows.unchecked),
        more > 0 ? `\n${counted(more, 'more line')} would not fit; the text format lists them all\n` : '',
      ].join(''),
  };
}

/** As it is: nothing in a log becomes a link, not even what looks like one. */
function cellText(text: string): string {
  return plainText(printable(text))
    .replaceAll('://', ':&#47;/')
    .replace(/www\./gi, (www) => `${www.slice(0, 3)}&#46;`);
}

function table(head: string, rows: readonly string[]): string {
  return rows.length === 0 ? '' : `\n${head}${rows.join('')}`;
}
