import type { ExporterOptions, SessionFacts } from '../exporter.ts';
import type { Totals } from '../view/totals.ts';

/** What programs want to know of the session, as YAML. Every text is quoted, so no value means more than itself. */
export function frontMatter(facts: SessionFacts, totals: Totals, turns: number, options: ExporterOptions): string {
  const lines = ['---'];
  const put = (key: string, value: string | number | undefined): void => {
    if (value !== undefined && value !== '')
      lines.push(`${key}: ${typeof value === 'string' ? yamlText(value) : value}`);
  };
  put('session', facts.id);
  put('title', facts.title);
  put('cwd', facts.cwd);
  put('parent', facts.parentSession);
  if (totals.models.size > 1) lines.push(`models: [${[...totals.models].map(yamlText).join(', ')}]`);
  put('model', totals.lastModel);
  const started = options.time(facts.started ?? totals.first);
  const first = options.time(totals.first);
  put('started', started);
  // A forked session holds entries that are older than itself.
  if (first !== started) put('first_entry', first);
  put('last_entry', options.time(totals.last));
  put('time_zone', options.zone);
  put('leaf', facts.leaf);
  put('entries', totals.entries);
  put('turns', turns);
  lines.push('tokens:');
  put('  input', totals.usage.input);
  put('  output', totals.usage.output);
  put('  cache_read', totals.usage.cacheRead);
  put('  cache_write', totals.usage.cacheWrite);
  put('cost_usd', totals.cost === undefined ? undefined : Math.round(totals.cost * 1e6) / 1e6);
  lines.push('---');
  return `${lines.join('\n')}\n`;
}

/** A double-quoted scalar: JSON's escapes are YAML's, and what YAML would not print is escaped too. */
export function yamlText(text: string): string {
  return JSON.stringify(text.replace(/\p{Surrogate}/gu, '\ufffd')).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
