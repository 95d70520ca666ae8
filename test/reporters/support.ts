import fc from 'fast-check';
import {
  REPORTER_NAMES,
  type Reporter,
  type ReporterName,
  type ReporterOptions,
  type RuleText,
  reporters,
  type Summary,
} from '../../src/reporters/index.ts';
import type { Finding } from '../../src/rules/rule.ts';
import { PLAIN } from '../../src/util/io.ts';
import { hostileText } from '../support/hostile.ts';

export const RULES: readonly RuleText[] = [
  {
    id: 'dangling-parent',
    level: 'error',
    summary: 'a parent is not there',
    why: 'The branch is cut off.',
    advice: 'Repair it.',
  },
  {
    id: 'stale-leaf',
    level: 'warning',
    summary: 'the leaf hides newer work',
    why: 'Agents resume there.',
    advice: 'See [here](x) {0}.',
  },
  { id: 'extra-root', level: 'off', summary: 'a second root', why: 'A fact.', advice: 'Nothing.' },
];

const MAKERS = Object.fromEntries(
  await Promise.all(REPORTER_NAMES.map(async (name) => [name, await reporters[name]()] as const)),
) as Record<ReporterName, (options: ReporterOptions) => Reporter>;

export function reporter(name: ReporterName, options: Partial<ReporterOptions> = {}): Reporter {
  const now = (): number => Date.UTC(2026, 2, 11, 10);
  return MAKERS[name]({
    style: PLAIN,
    isTerminal: false,
    rules: RULES,
    version: '1.2.3',
    now,
    listsAll: false,
    ...options,
  });
}

export function finding(over: Partial<Finding> = {}): Finding {
  return {
    file: 'a.jsonl',
    line: 38,
    offset: 1204,
    rule: 'dangling-parent',
    severity: 'error',
    message: "parent 'x' is not in this file",
    fixable: true,
    ...over,
  };
}

export function summary(over: Partial<Summary> = {}): Summary {
  return {
    command: 'validate',
    sessions: 1,
    skipped: 0,
    skippedKinds: {},
    failed: 0,
    entries: 40,
    errors: 0,
    warnings: 0,
    fixable: 0,
    fixableWarnings: {},
    hidden: 0,
    hiddenErrors: 0,
    suppressed: 0,
    objections: [],
    ...over,
  };
}

/** Everything that a reporter says about one file after the other. */
export function report(to: Reporter, files: readonly (readonly Finding[])[], totals: Partial<Summary> = {}): string {
  let output = to.begin();
  for (const findings of files) {
    const name = findings[0]?.file ?? 'empty.jsonl';
    output += to.file(name);
    for (const one of findings) output += to.finding(one);
    output += to.fileEnd(name, { entries: 40, ...counts(findings) });
  }
  return output + to.end(summary({ sessions: files.length, ...counts(files.flat()), ...totals }));
}

export function counts(findings: readonly Finding[]): { errors: number; warnings: number; fixable: number } {
  return {
    errors: findings.filter((one) => one.severity === 'error').length,
    warnings: findings.filter((one) => one.severity === 'warning').length,
    fixable: findings.filter((one) => one.fixable).length,
  };
}

const path = hostileText.map((text) => `${text}x.jsonl`);

export const hostileFinding: fc.Arbitrary<Finding> = fc
  .record({
    file: path,
    line: fc.integer({ min: 1, max: 1e9 }),
    offset: fc.nat(),
    rule: fc.constantFrom('dangling-parent', 'stale-leaf', 'not-in-the-table'),
    severity: fc.constantFrom('error' as const, 'warning' as const),
    message: hostileText,
    fixable: fc.boolean(),
    extra: fc.option(fc.record({ entryId: hostileText, path: hostileText }), { nil: undefined }),
  })
  .map(({ extra, ...rest }) => ({ ...rest, ...(extra ?? {}) }));
