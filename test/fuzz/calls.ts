import { type Draw, pick } from './mutate.ts';

/** One call of the program on a log. */
export interface Call {
  readonly argv: readonly string[];
  readonly stdin?: string;
  /** The log may come from standard input instead. */
  readonly takesStdin?: boolean;
  /** What is written on standard output is a log made from the input. */
  readonly rewrites?: boolean;
  /** The file may be another one afterwards. */
  readonly inPlace?: boolean;
  /** Text for people: nothing raw may reach a terminal. */
  readonly forPeople?: boolean;
}

const REVS = [
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
  '@~99999999',
  'line:0',
  '',
];
const BODIES = [
  '{"type":"message","message":{"role":"user","content":"hi"}}\n',
  '{"type":"custom","customType":"x","data":{"a":1.0}}\n{"type":"label","targetId":"x"}\n',
  '{"type":"message"}\n',
  'not json\n',
  '[]\n',
  '{"type":"session"}\n',
  '{"type":"message","id":"mine","message":{"role":"user","content":[]}}',
  '',
];

type Maker = (file: string, draw: Draw) => Call;

/** Ways to call each command, by its name: a test sees to it that no command is missing. */
export const CALLS: Readonly<Record<string, readonly Maker[]>> = {
  validate: [
    (file) => ({ argv: ['validate', file], takesStdin: true, forPeople: true }),
    (file, draw) => ({ argv: ['validate', '--format', pick(draw, ['json', 'github', 'sarif', 'junit']), file], takesStdin: true }),
    (file) => ({
      argv: ['validate', '--strict', '--rule', 'inline-image=error', '--rule', 'extra-root=warning', '--max-findings', '3', file],
    }),
    (file) => ({ argv: ['validate', '--pass', '--max-line-bytes', '700', file], takesStdin: true }),
    (file) => ({ argv: ['validate', '--blobs', 'blobs', '-q', file] }),
    () => ({ argv: ['validate', '--jobs', '1', '.'], forPeople: true }),
  ],
  migrate: [
    (file, draw) => ({ argv: ['migrate', '--ids', pick(draw, ['stable', 'random', 'sequence']), file], takesStdin: true, rewrites: true }),
    (file) => ({ argv: ['migrate', '--to', '2', file], takesStdin: true, rewrites: true }),
    (file) => ({ argv: ['migrate', '-i', '--backup', file], inPlace: true }),
    (file) => ({ argv: ['migrate', '--check', file] }),
  ],
  repair: [
    (file) => ({ argv: ['repair', file], rewrites: true }),
    (file) => ({ argv: ['repair', '--quarantine', 'q', file], takesStdin: true, rewrites: true }),
    (file) => ({ argv: ['repair', '--settle-tools', '--settle-leaf', '--report', 'report', file], rewrites: true }),
    (file) => ({ argv: ['repair', '--only', 'blank-line', '--only', 'torn-line', file], rewrites: true }),
    (file) => ({ argv: ['repair', '-i', '--backup', file], inPlace: true }),
    (file) => ({ argv: ['repair', '-n', file], forPeople: true }),
  ],
  context: [
    (file, draw) => ({
      argv: ['context', '--profile', pick(draw, ['spec', 'pi', 'omp']), '--as', pick(draw, ['native', 'llm', 'anthropic', 'openai']), file],
      takesStdin: true,
    }),
    (file, draw) => ({ argv: ['context', '--profile', pick(draw, ['spec', 'pi', 'omp']), '--state', file] }),
    (file, draw) => ({ argv: ['context', '--profile', pick(draw, ['spec', 'pi', 'omp']), '--explain', file], forPeople: true }),
    (file, draw) => ({ argv: ['context', `--leaf=${pick(draw, REVS)}`, '--as', 'anthropic', '--blobs', 'blobs', file], takesStdin: true }),
  ],
  tree: [
    (file) => ({ argv: ['tree', file], takesStdin: true, forPeople: true }),
    (file) => ({ argv: ['tree', '--leaves', file], forPeople: true }),
    (file, draw) => ({ argv: ['tree', '--json', `--leaf=${pick(draw, REVS)}`, file] }),
  ],
  log: [
    (file) => ({ argv: ['log', file], takesStdin: true, forPeople: true }),
    (file, draw) => ({ argv: ['log', '-r', '-n', '3', `--leaf=${pick(draw, REVS)}`, file], forPeople: true }),
    (file) => ({ argv: ['log', '--json', '--type', 'message', '--role', 'user', file] }),
    (file) => ({ argv: ['log', '--grep', '(a|b)+.', '--ignore-case', file], forPeople: true }),
  ],
  diff: [
    (file) => ({ argv: ['diff', file], forPeople: true }),
    (file, draw) => ({ argv: ['diff', file, pick(draw, REVS.slice(0, 8)), pick(draw, REVS.slice(0, 8))], forPeople: true }),
    (file, draw) => ({ argv: ['diff', '--context', '--profile', pick(draw, ['spec', 'pi', 'omp']), '--json', file, 'root', '@'] }),
    (file) => ({ argv: ['diff', '--against', 'healthy.jsonl', file], forPeople: true }),
  ],
  fork: [
    (file, draw) => ({ argv: ['fork', file, pick(draw, REVS.slice(0, 8))], rewrites: true }),
    (file) => ({ argv: ['fork', '--new-ids', '--id', 'new', '--timestamp', '2026-01-01T00:00:00.000Z', file, '@'], rewrites: true }),
    (file) => ({ argv: ['fork', '-o', 'forked', file, '@'] }),
  ],
  append: [
    (file, draw) => ({ argv: ['append', file], stdin: pick(draw, BODIES), inPlace: true }),
    (file, draw) => ({ argv: ['append', '--at', pick(draw, REVS.slice(0, 8)), '--fsync', file], stdin: pick(draw, BODIES), inPlace: true }),
  ],
  externalize: [
    (file) => ({ argv: ['externalize', '--blobs', 'blobs', file], takesStdin: true, rewrites: true }),
    (file) => ({ argv: ['externalize', '--blobs', 'blobs', '--min-chars', '1', file], rewrites: true }),
    (file) => ({ argv: ['externalize', '--blobs', 'blobs', '--truncate', '--strip-transient', file], rewrites: true }),
    (file) => ({ argv: ['externalize', '--blobs', 'blobs', '-i', file], inPlace: true }),
  ],
  inline: [
    (file) => ({ argv: ['inline', '--blobs', 'blobs', file], takesStdin: true, rewrites: true }),
    (file) => ({ argv: ['inline', file], rewrites: true }),
  ],
  blobs: [
    (file) => ({ argv: ['blobs', 'ls', '--blobs', 'blobs', file], forPeople: true }),
    (file) => ({ argv: ['blobs', 'verify', '--blobs', 'blobs', '--json', file] }),
    () => ({ argv: ['blobs', 'gc', '--blobs', 'blobs', '--older-than', '0s', '.'], forPeople: true }),
  ],
  export: [
    (file, draw) => ({ argv: ['export', '--tools', pick(draw, ['full', 'summary', 'none']), file], takesStdin: true }),
    (file) => ({ argv: ['export', '--format', 'html', '--all', '--thinking', 'full', file] }),
    (file) => ({ argv: ['export', '--all', '--assets', 'assets', '--blobs', 'blobs', '-o', 'out.md', file] }),
    (file, draw) => ({ argv: ['export', `--leaf=${pick(draw, REVS)}`, '--tz', 'Asia/Tokyo', '--format', 'html', file] }),
  ],
  status: [
    (file) => ({ argv: ['status', file], takesStdin: true, forPeople: true }),
    (file, draw) => ({ argv: ['status', '--json', '--workspace', '.', `--leaf=${pick(draw, REVS)}`, file] }),
  ],
};

/** Commands that read no log. */
export const WITHOUT_LOG: readonly string[] = ['schema', 'completion'];
