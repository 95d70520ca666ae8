import { commands } from '../../src/commands/index.ts';
import type { Command, Option } from '../../src/shared/command.ts';
import { type Draw, pick } from './mutate.ts';

/** The log in the folder of a case. */
export const LOG = 'log.jsonl';
/** A log that is well, beside it. */
export const HEALTHY = 'healthy.jsonl';

/** One call of the program on a log. */
export interface Call {
  readonly command: string;
  readonly argv: readonly string[];
  /** Names of the options in argv, without their dashes. */
  readonly given: ReadonlySet<string>;
  /** What is sent to standard input; the log itself where `readsLog` says so. */
  readonly stdin: string;
  /** The log comes from standard input. */
  readonly readsLog: boolean;
}

const REVS = [
  ...[
    '@',
    '@~1',
    '@~3',
    'root',
    'line:2',
    'line:4',
    'leaf:1',
    'leaf:2',
    'null',
    'id:',
    'label:root',
    '-x',
    'a1',
    '~',
    '~1',
  ],
  ...[
    '@~99999999',
    'line:0',
    '',
    'label:',
    'id:null',
    'leaf:0',
    '\u001b[31m',
    '__proto__',
    'constructor',
    'a1b2',
    'line:99999999999999',
  ],
];
const BODIES = [
  '{"type":"message","message":{"role":"user","content":"hi"}}\n',
  '{"type":"custom","customType":"x","data":{"a":1.0}}\n{"type":"label","targetId":"x"}\n',
  '{"type":"message"}\n',
  'not json\n',
  '[]\n',
  '{"type":"session"}\n',
  '{"type":"message","id":"mine","message":{"role":"user","content":[]}}',
  '\ufeff{"type":"custom","customType":"x"}\n',
  '{"type":"custom","customType":"x","data":"\\ud800"}\r\n\r\n',
  '',
];

/** Values for the options that have no choices. A test sees to it that none is missing. */
export const VALUES: Readonly<Record<string, readonly string[]>> = {
  rule: [
    'inline-image=error',
    'extra-root=warning',
    'not-json=off',
    'blank-line=error',
    'unknown-role=off',
    'no-such-rule=off',
    'x',
    '',
  ],
  'max-findings': ['0', '1', '3', '100000'],
  'max-line-bytes': ['1', '64', '700', '100000', '268435456'],
  jobs: ['1', '2', '0'],
  ignore: ['**/x', 'log*', 'password', '['],
  config: ['none', LOG, 'classes.json'],
  'max-warnings': ['0', '1', '99'],
  suppressions: ['suppressions.json', 'none/s', LOG],
  allow: ['classes.json', 'none', LOG],
  map: ['map', 'none/map', LOG],
  explain: ['torn-line', 'stale-leaf', 'no-such-rule'],
  blobs: ['blobs', 'blobs', 'blobs', 'none', LOG, 'blobs/'],
  'backup-suffix': ['.old', '', '/../x'],
  output: ['out.jsonl', 'out.md', 'out.html', 'none/out', 'blobs', HEALTHY, ''],
  quarantine: ['q', 'q', 'q.jsonl', 'none/q', LOG, 'blobs'],
  report: ['report', 'report', 'none/report', LOG],
  only: [
    'blank-line',
    'torn-line',
    'glued-entries',
    'byte-order-mark',
    'duplicate-id',
    'dangling-parent',
    'unanswered-call',
    'x',
  ],
  leaf: REVS,
  at: REVS,
  'max-count': ['0', '1', '3', '99999999'],
  type: ['message', 'compaction', 'label', 'x', ''],
  role: ['user', 'assistant', 'toolResult', 'x', ''],
  grep: ['(a|b)+.', '.', '^$', '[', '(?=x)', 'a{2}', '\\', 'the'],
  against: [HEALTHY, HEALTHY, LOG, 'none', 'blobs'],
  session: ['x', ''],
  root: ['x', '.'],
  in: ['user', 'call,result', 'x'],
  context: ['0', '2'],
  tool: ['bash', ''],
  since: ['7d', '2026-01-02', 'x'],
  until: ['1h', '2026-01-02T03:04:05Z', 'x'],
  id: ['new', '', '-x', 'id with spaces \u202e'],
  timestamp: ['2026-01-01T00:00:00.000Z', 'yesterday', '2026-02-30', ''],
  'lock-timeout': ['0', '1'],
  cwd: ['/', '.', ''],
  title: ['t', '\u001b[31m', ''],
  'min-chars': ['0', '1', '4', '1024'],
  'older-than': ['0', '0s', '1d', '12h', 'x'],
  assets: ['assets', 'assets', 'blobs', LOG, 'none/assets'],
  tz: ['Asia/Tokyo', 'UTC', 'America/St_Johns', 'Nowhere/None', ''],
  workspace: ['.', '.', 'none', LOG],
  classes: ['classes.json', 'none', LOG, HEALTHY],
};

/** Commands that add to FILE and take no log from standard input, or need a REV behind FILE. */
const OPERANDS: Readonly<Record<string, (draw: Draw) => readonly string[]>> = {
  validate: (draw) => pick(draw, [[LOG], [LOG], ['-'], [], ['.'], [LOG, HEALTHY, 'none'], ['blobs']]),
  migrate: (draw) => pick(draw, [[LOG], [LOG], [LOG], ['-'], [], [LOG, HEALTHY]]),
  repair: (draw) => pick(draw, [[LOG], [LOG], [LOG], ['-'], [], [LOG, HEALTHY]]),
  externalize: (draw) => pick(draw, [[LOG], [LOG], [LOG], ['-'], [], [LOG, HEALTHY]]),
  inline: (draw) => pick(draw, [[LOG], [LOG], [LOG], ['-'], [], [LOG, HEALTHY]]),
  diff: (draw) =>
    pick(draw, [
      [LOG],
      [LOG, pick(draw, REVS)],
      [LOG, pick(draw, REVS), pick(draw, REVS)],
      ['-', 'root', '@'],
      [HEALTHY, '@', 'root'],
    ]),
  fork: (draw) => pick(draw, [[LOG, '@'], [LOG, 'root'], [LOG, pick(draw, REVS)], ['-', '@'], [LOG]]),
  append: () => [LOG],
  blobs: (draw) => [
    pick(draw, ['ls', 'verify', 'gc', 'gc', 'x']),
    ...pick(draw, [[LOG], ['.'], [LOG, '.'], ['-'], []]),
  ],
  schema: () => [],
  completion: (draw) => [pick(draw, ['bash', 'zsh', 'fish', 'x'])],
};
const READER = (draw: Draw): readonly string[] => pick(draw, [[LOG], [LOG], [LOG], ['-'], []]);

const loaded = new Map<string, Command>();

/** Any command with any of its options, all by the declarations that the program itself goes by. */
export async function drawCall(draw: Draw): Promise<Call> {
  const entry = pick(draw, commands);
  const command = loaded.get(entry.name) ?? (await entry.load());
  loaded.set(entry.name, command);
  const given = new Set<string>();
  const words: string[] = [];
  // Many calls with few options reach deep; a few with many see how they go together.
  const share = pick(draw, [0.08, 0.2, 0.5]);
  for (const option of command.options) {
    for (let times = option.many ? 2 : 1; times > 0 && draw() < share; times--) {
      given.add(option.name);
      words.push(...written(draw, option));
    }
  }
  if (draw() < 0.1) words.push('--color', pick(draw, ['always', 'never', 'auto']));
  if (draw() < 0.01) words.push('--help');
  const operands = (OPERANDS[entry.name] ?? READER)(draw);
  const readsLog =
    command.readsInput !== false && entry.name !== 'append' && (operands.length === 0 || operands.includes('-'));
  const argv = draw() < 0.9 ? [entry.name, ...words, ...operands] : [entry.name, ...words, '--', ...operands];
  return { command: entry.name, argv, given, stdin: entry.name === 'append' ? pick(draw, BODIES) : '', readsLog };
}

function written(draw: Draw, option: Option): string[] {
  const name =
    draw() < 0.3 && option.short !== undefined
      ? `-${option.short}`
      : `--${option.alias !== undefined && draw() < 0.5 ? option.alias : option.name}`;
  if (option.kind === 'flag') return [name];
  const values = option.choices ?? VALUES[option.name] ?? [''];
  const value = draw() < 0.97 ? pick(draw, values) : pick(draw, ['', 'x', '-1', '1e9']);
  return name.startsWith('--') ? [`${name}=${value}`] : [name, value];
}
