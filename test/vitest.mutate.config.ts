import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.ts';

/** Left out by a piece of their names: they run the built program, which has no mutation, or take seconds each. */
const LEFT_OUT = [
  ...[
    '100,000',
    '50,000',
    'long chain',
    'long branches',
    'on every fixture',
    'more lines and calls than there is room for',
  ],
  ...[
    'call stack',
    'in proportion',
    'in time that grows',
    'process of its own',
    'as a program',
    'the built program',
    'as a process',
  ],
  ...['its reader', 'jq', 'a pipe', 'thread', 'small files behind a large one'],
];

/** The tests that `npm run mutate` runs against each change. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [] } },
  defineConfig({
    test: {
      include: ['rules', 'repair', 'formats', 'log', 'tree', 'context', 'status', 'diff', 'entries', 'commands'].map(
        (folder) => `test/${folder}/**/*.test.ts`,
      ),
      testNamePattern: new RegExp(`^(?!.*(?:${LEFT_OUT.join('|')}))`),
    },
  }),
);
