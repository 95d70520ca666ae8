/** Which tests know a part of a room; the first that fits a file's path counts. */
export interface Part {
  readonly files: RegExp;
  readonly tests: readonly string[];
}

export const ROOMS: Readonly<Record<string, readonly Part[]>> = {
  rules: [
    {
      files: /\/(?:fast-path|log-facts|id-texts|text-store)\.ts$/,
      tests: ['test/rules', 'test/commands/validate.test.ts', 'test/scanner'],
    },
    { files: /./, tests: ['test/rules', 'test/commands/validate.test.ts'] },
  ],
  projection: [
    { files: /\/status\//, tests: ['test/projection/status', 'test/commands/status.test.ts'] },
    { files: /\/diff\//, tests: ['test/projection/diff', 'test/commands/diff.test.ts'] },
    { files: /\/overview\//, tests: ['test/projection/overview', 'test/commands/tree.test.ts', 'test/commands/log.test.ts'] },
    { files: /\/fork\//, tests: ['test/projection/fork', 'test/commands/fork.test.ts'] },
    { files: /./, tests: ['test/projection/context', 'test/projection/messages', 'test/commands/context.test.ts'] },
  ],
};

/** Tests that sit out, by a piece of their names: they run the built program, which has no mutation, or take seconds each. */
const LEFT_OUT = [
  '100,000',
  '50,000',
  'long chain',
  'long branches',
  'on every fixture',
  'more lines and calls than there is room for',
  'call stack',
  'in proportion',
  'in time that grows',
  'process of its own',
  'as a program',
  'the built program',
  'as a process',
  'its reader',
  'jq',
  'a pipe',
  'thread',
  'small files behind a large one',
];

export const TEST_NAMES = `^(?!.*(?:${LEFT_OUT.join('|')}))`;
