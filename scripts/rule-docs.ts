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

/** What an agent is called, the levels that the rules have in its logs, and what it does with what they find. */
export interface AgentLevels {
  readonly agent: string;
  readonly levels: Readonly<Record<string, Level>>;
  readonly evidence?: Readonly<Record<string, string>>;
}

/** The level of a rule for each kind of log, '' where it has nothing to say. */
function levelsOf(rule: Rule, agents: readonly AgentLevels[]): string[] {
  return [isNative(rule) ? rule.level : '', ...agents.map(({ levels }) => levels[rule.id] ?? '')];
}

const FIXED = {
  yes: '; fixed by `sessionctl repair`',
  'not in pi, omp': '; fixed by `sessionctl repair`, but not in logs of pi and omp',
  '': '',
};

/** Whether repair fixes what a rule finds. */
function fixed(rule: Rule): keyof typeof FIXED {
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
  const names = ['pi and omp', ...agents.map(({ agent }) => agent)];
  const levels = levelsOf(rule, agents).flatMap((level, at) => (level === '' ? [] : [`${level} (${names[at]})`]));
  return [
    `### ${rule.id}`,
    `${capital(rule.summary)}. Level: ${levels.join(', ')}${FIXED[fixed(rule)]}.`,
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

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

function capital(words: string): string {
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|');
}
