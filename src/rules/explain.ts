import type { Style } from '../util/io.ts';
import type { RuleMeta } from './rule.ts';

const WIDTH = 80;

/** A rule for a person: why it matters, how it arises, how to fix it, with an example. */
export function explainRule(rule: RuleMeta, style: Style): string {
  const part = (title: string, text: string): string => `${style.bold(title)}\n${wrap(text)}\n`;
  return [
    `${style.bold(rule.id)} (${paintLevel(rule.level, style)}${rule.fixable ? ', fixed by repair' : ''}): ${rule.summary}\n`,
    part('Why it matters', rule.why),
    part('How it arises', rule.arises),
    part('What to do', rule.advice),
    `${style.bold('Example')}\n${rule.example
      .split('\n')
      .map((line) => `  ${line}\n`)
      .join('')}`,
  ].join('\n');
}

/** One line a rule: id, level, what it finds. */
export function listRules(rules: readonly RuleMeta[], style: Style): string {
  const longest = Math.max(...rules.map((rule) => rule.id.length));
  return rules
    .map(
      (rule) =>
        `${style.bold(rule.id.padEnd(longest))}  ${paintLevel(rule.level, style)}${' '.repeat(7 - rule.level.length)}  ${rule.summary}\n`,
    )
    .join('');
}

function paintLevel(level: RuleMeta['level'], style: Style): string {
  if (level === 'error') return style.red(level);
  return level === 'warning' ? style.yellow(level) : style.dim(level);
}

function wrap(text: string): string {
  let out = '';
  let line = ' ';
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + 1 + word.length > WIDTH) {
      out += `${line}\n`;
      line = ' ';
    }
    line += ` ${word}`;
  }
  return out + line;
}
