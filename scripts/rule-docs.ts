import type { Group, RuleMeta } from '../src/rules/rule.ts';

const GROUPS: Readonly<Record<Group, string>> = {
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

/** The table of rules for the README. */
export function ruleTable(rules: readonly RuleMeta[]): string {
  const rows = rules.map(
    (rule) =>
      `| [\`${rule.id}\`](docs/what-can-go-wrong.md#${rule.id}) | ${rule.level} | ${cell(rule.summary)} | ${rule.fixable ? 'yes' : ''} |`,
  );
  return ['| rule | level | finds | fixed by `repair` |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

/** The page with every rule: how the damage arises, why it matters, how to fix it. */
export function rulePage(rules: readonly RuleMeta[]): string {
  const parts = [
    '<!-- Made by npm run docs from src/rules; edit the rules instead. -->',
    '# What can go wrong in a session log',
    'Every rule of `sessionctl validate`, how the damage arises, why it matters and how to fix it. `sessionctl validate --explain RULE` prints the same text.',
    'An **error** means that an agent loses, hides or overwrites data because of it, stops at it, or that the next append would do so. A **warning** means that agents can handle it. A rule that is **off** reports a fact that is not a fault; `--rule ID=warning` turns it on.',
  ];
  for (const group of Object.keys(GROUPS) as Group[]) {
    const members = rules.filter((rule) => rule.group === group);
    if (members.length > 0) parts.push(`## ${GROUPS[group]}`, ...members.flatMap(rulePart));
  }
  return `${parts.join('\n\n')}\n`;
}

function rulePart(rule: RuleMeta): string[] {
  return [
    `### ${rule.id}`,
    `${capital(rule.summary)}. Level: ${rule.level}${rule.fixable ? '; fixed by `sessionctl repair`' : ''}.`,
    `- **How it arises:** ${rule.arises}\n- **Why it matters:** ${rule.why}\n- **How to fix it:** ${rule.advice}`,
    ...(rule.example === '' ? [] : [fenced(rule.example)]),
  ];
}

function fenced(example: string): string {
  return `\`\`\`text\n${example}\n\`\`\``;
}

function capital(words: string): string {
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|');
}
