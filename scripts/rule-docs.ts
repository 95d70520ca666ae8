import type { RecordChecks } from '../src/formats/format.ts';
import { fixedBy } from '../src/reporters/text.ts';
import { fixedWhereFound, fixesRecords, isNative, type Level, type Rule, type RuleGroup } from '../src/rules/rule.ts';
import { CONVENTION } from './rule-examples.ts';

const GROUPS: Readonly<Record<RuleGroup, string>> = {
  bytes: 'Bytes and lines',
  header: 'Header and title',
  shape: 'Shapes',
  content: 'Content',
  tree: 'The tree',
  references: 'References between entries',
  thinking: 'Thinking',
  images: 'Images',
  tools: 'Tool calls and results',
  blobs: 'Blobs',
};

/** What an agent is called, and how its logs are checked. */
export interface AgentLevels extends Pick<RecordChecks, 'levels' | 'evidence' | 'edit'> {
  readonly agent: string;
}

/** The level of a rule for each kind of log, '' where it has nothing to say. */
function levelsOf(rule: Rule, agents: readonly AgentLevels[]): (Level | '')[] {
  return [isNative(rule) ? rule.level : '', ...agents.map(({ levels }) => levels[rule.id] ?? '')];
}

/** Whether repair fixes what a rule finds. */
function fixed(rule: Rule): string {
  if (fixedWhereFound(rule)) return 'yes';
  return fixesRecords(rule) ? 'not in pi, omp' : '';
}

/** All rules at a glance. */
function ruleTable(rules: readonly Rule[], agents: readonly AgentLevels[]): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const rows = rules.map((rule) =>
    row([`[\`${rule.id}\`](#${rule.id})`, ...levelsOf(rule, agents), cell(rule.summary), fixed(rule)]),
  );
  const titles = ['rule', 'pi, omp', ...agents.map(({ agent }) => agent), 'finds', 'fixed by `repair`'];
  return [row(titles), row(titles.map(() => '---')), ...rows].join('\n');
}

/**
 * The page with every rule: how the damage arises, why it matters, how to fix it. `shown` is the console with the check of
 * the log that a rule's example is from.
 */
export async function rulePage(
  rules: readonly Rule[],
  agents: readonly AgentLevels[],
  shown: (rule: Rule) => Promise<string>,
): Promise<string> {
  const parts = [
    '<!-- Made by npm run docs from src/rules; edit the rules instead. -->',
    '# What can go wrong in a session log',
    'Every rule of `sessionctl validate`, how the damage arises, why it matters and how to fix it. `sessionctl validate --explain RULE` prints the same text.',
    'Where a rule has no level, it does not apply to the logs of that agent; for other formats, `sessionctl validate --list-rules --from FORMAT` lists the levels. [Formats](formats.md) says which logs `repair` can write. It fixes errors, and a warning only if `--only` names it.',
    'An **error** means that an agent loses, hides or overwrites data because of it, stops at it, or that the next append would do so. A **warning** means that agents can handle it. A rule that is **off** reports a fact that is not a fault; `--rule ID=warning` turns it on.',
    CONVENTION,
    ruleTable(rules, agents),
  ];
  for (const group of Object.keys(GROUPS) as RuleGroup[]) {
    const members = rules.filter((rule) => rule.group === group);
    if (members.length > 0) parts.push(`## ${GROUPS[group]}`);
    for (const rule of members)
      parts.push(...rulePart(rule, agents), fenced('text', rule.example), fenced('console', await shown(rule)));
  }
  return `${parts.join('\n\n')}\n`;
}

function rulePart(rule: Rule, agents: readonly AgentLevels[]): string[] {
  return [
    `### ${rule.id}`,
    `${capital(rule.summary)}. Level: ${levelText(rule, agents)}.`,
    [
      `- **How it arises:** ${rule.arises}`,
      `- **Why it matters:** ${rule.why}`,
      ...agents.flatMap(({ agent, evidence = {} }) =>
        evidence[rule.id] ? [`- **In ${agent}:** ${evidence[rule.id]}`] : [],
      ),
      `- **How to fix it:** ${rule.advice}`,
    ].join('\n'),
  ];
}

/** The levels of a rule, each with what fixes it, as `--explain` says it, and for whose logs. */
function levelText(rule: Rule, agents: readonly AgentLevels[]): string {
  const logs = [
    { agent: 'pi and omp', fixable: rule.fixable },
    ...agents.map((one) => ({ agent: one.agent, fixable: fixesRecords(rule, one) })),
  ];
  const levels = levelsOf(rule, agents);
  const names = new Map<string, string[]>();
  for (const [at, { agent, fixable }] of logs.entries()) {
    const level = levels[at];
    if (!level) continue;
    const words = `${level}${fixedBy({ level, fixable }).replace(/repair.*/, '`$&`')}`;
    names.set(words, [...(names.get(words) ?? []), agent]);
  }
  return [...names].map(([words, agents]) => `${words} (${agents.join(', ')})`).join('; ');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function capital(words: string): string {
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|');
}
