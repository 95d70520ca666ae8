import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from './support/run.ts';

/** A copy of the program to which a throw-away one of each kind is added: one file, and one line in the index of its kind. */
const copy = mkdtempSync(join(tmpdir(), 'sessionctl-seams-'));

const RULE = `import { placeOf, type Rule } from './rule.ts';
export const shouting: Rule = {
  id: 'shouting', level: 'warning', group: 'content', summary: 's', why: 'w', arises: 'a', advice: 'f', fixable: true, example: '{}',
  object: (object, _log, report) => {
    if (object.text.includes('HELLO')) report(placeOf(object), 'somebody shouts');
  },
  fix: {
    object: (repair, { unit, rule }) => {
      const splices = (text: string) => [...text.matchAll(/HELLO/g)].map(({ index }) => ({ start: index, end: index + 5, text: 'hello' }));
      repair.editInside(unit, { rule, words: 'lowered the voice', splices });
    },
  },
};
`;

/** The model sees it, it names another entry, and it says how it is shown. */
const ENTRY_TYPE = `import { type EntryType, stringOf } from '../entry-type.ts';
export const remark: EntryType = {
  name: 'remark', fields: 'content: string, about: string', toModel: 'message', payload: [['content']],
  references: { about: 'other' },
  text: (entry) => ['remarked', stringOf(entry['content'])],
  note: (entry) => ({ words: ['A remark: ', { code: entry['content'] }] }),
};
`;

/** A summary to the model, and nothing more: how it is shown follows from that. */
const SUMMARY_TYPE = `import { type EntryType, stringOf } from '../entry-type.ts';
export const chapterSummary: EntryType = {
  name: 'chapter_summary', fields: 'summary: string', toModel: 'summary', text: (entry) => [stringOf(entry['summary'])],
};
`;

const COMMAND = `import type { Command } from '../shared/command.ts';
export const command: Command = {
  operands: '', description: ['Says hello.'], memory: 'none.', options: [], examples: {}, readsInput: false,
  run: async (_args, io) => (io.stdout.write('hello\\n'), 0),
};
`;

const FORMAT = `import { readLines } from '../lines/reader.ts';
import type { LogFormat } from './format.ts';
export const toy: LogFormat = {
  id: 'toy', title: 'a toy log', noun: 'toy log',
  detect: ({ first }) => (first?.['toy'] === 1 ? 'certain' : first?.['toy'] === 2 ? 'probable' : undefined),
  toNative: async ({ chunks }, sink) => {
    sink.line('{"type":"session","version":3,"id":"t","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}', 1);
    let parent = null;
    for await (const line of readLines(chunks())) {
      const { say, sum } = JSON.parse(line.text || '{}');
      if (say === undefined) continue;
      const add = (type, id, more) => {
        sink.line(JSON.stringify({ type, id, parentId: parent, timestamp: '2026-01-01T00:00:01.000Z', ...more }), line.number);
        parent = id;
      };
      add('message', 'toy' + line.number, { message: { role: 'user', content: say } });
      if (sum) add('chapter_summary', 'sum' + line.number, { summary: sum });
    }
  },
};
`;

/** One that is checked and repaired in its own form: what its records mean, and where, is all that it says. */
const CHECKED_FORMAT = `import type { LogFormat, RecordChecks } from './format.ts';
const checks: RecordChecks = {
  levels: { 'torn-line': 'error', 'dangling-parent': 'error', 'unanswered-call': 'error', 'unknown-block': 'error' },
  isRecord: ({ n }) => typeof n === 'string',
  describe: ({ n, up, asks, answers, odd }) => ({
    isInConversation: n !== undefined, conversation: '', id: n as string, parentId: up as string | null,
    role: answers ? 'result' : asks ? 'assistant' : 'user',
    blocks: asks ? [{ kind: 'call', path: 'asks', callId: String(asks) }] : answers ? [{ kind: 'result', path: 'answers', callId: String(answers) }] : [],
    issues: (Array.isArray(odd) ? odd : []).flatMap((one, at) => one === null ? [{ rule: 'unknown-block', path: 'odd[' + at + ']', message: 'odd' }] : []),
  }),
  edit: {
    paths: { id: 'n', parentId: 'up' },
    callIdPath: ({ path }) => path,
    newId: (seed) => 'new' + seed.slice(-1),
    result: (_call, { callId, parentId, id }) => ({ n: id, up: parentId, answers: callId }),
    imageData: () => undefined,
    textBlock: (text) => ({ text }),
  },
};
export const chain: LogFormat = {
  id: 'chain', title: 'a chain', noun: 'chain', detect: ({ first }) => (typeof first?.['n'] === 'string' ? 'certain' : undefined),
  checks: async () => checks,
};
`;

/** The same as one JSON document. */
const DOCUMENT_FORMAT = `import { chain } from './chain.ts';
import { readDocument } from './document.ts';
import type { LogFormat } from './format.ts';
export const chainDocument: LogFormat = {
  id: 'chain-document', title: 'a chain document', noun: 'chain document',
  detect: (head) => (head.documentHas('chain', 'links') ? 'certain' : undefined),
  isDocument: () => true,
  records: (source, chunks, onDamage) => readDocument(source, chunks, 'links', onDamage),
  checks: chain.checks,
};
`;

const REPORTER = `import { type Reporter, SILENT } from './reporter.ts';
export const shortReporter = (): Reporter => ({ ...SILENT, finding: ({ rule, line }) => rule + '@' + line + '\\n' });
`;

const EXPORTER = `import type { ExportFormat } from './exporter.ts';
export const countFormat: ExportFormat = {
  name: 'count', endings: ['.count'], describe: 'c',
  make: () => {
    let items = 0;
    return {
      head: () => '', branch: () => '', fork: () => '',
      item: () => { items++; return ''; },
      tail: () => items > 0 ? 'some items\\n' : 'no items\\n',
    };
  },
};
`;

const HELLO = "() => import('./hello.ts')";

function add(file: string, source: string, index: string, line: string, after: RegExp, entry: string): void {
  writeFileSync(join(copy, 'src', file), source);
  const path = join(copy, 'src', index);
  const before = readFileSync(path, 'utf8');
  expect(before).toMatch(after);
  writeFileSync(path, `${line}\n${before.replace(after, (found) => `${found}\n  ${entry},`)}`);
}

function sessionctl(argv: readonly string[], stdin: string) {
  const env = { PATH: process.env['PATH'] ?? '', NO_COLOR: '1', TERM: 'dumb', SESSIONCTL_SCANNER: 'always' };
  return spawnSync(process.execPath, [join(copy, 'run.mjs'), ...argv], { input: stdin, encoding: 'utf8', env });
}

const HEADER = '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/"}\n';
const entry = (id: string, parentId: string | null, content: string): string =>
  `${JSON.stringify({ type: 'message', id, parentId, timestamp: '2026-01-01T00:00:01.000Z', message: { role: 'user', content, timestamp: 1 } })}\n`;
/** Many lines of one shape, so that the scanner would take them in without a full reading. */
const quiet = Array.from({ length: 50 }, (_, at) => entry(`e${at}`, at === 0 ? null : `e${at - 1}`, 'hello')).join('');

beforeAll(async () => {
  for (const name of ['src', 'package.json']) cpSync(join(projectRoot, name), join(copy, name), { recursive: true });
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'));
  const rules = /export const rules[^=]*= \[/;
  add('rules/shouting.ts', RULE, 'rules/index.ts', "import { shouting } from './shouting.ts';", rules, 'shouting');
  add(
    'formats/toy.ts',
    FORMAT,
    'formats/index.ts',
    "import { toy } from './toy.ts';",
    /export const foreignFormats[^=]*= \[/,
    'toy',
  );
  add(
    'formats/chain.ts',
    CHECKED_FORMAT,
    'formats/index.ts',
    "import { chain } from './chain.ts';",
    /export const foreignFormats[^=]*= \[/,
    'chain',
  );
  add(
    'formats/chain-document.ts',
    DOCUMENT_FORMAT,
    'formats/index.ts',
    "import { chainDocument } from './chain-document.ts';",
    /export const foreignFormats[^=]*= \[/,
    'chainDocument',
  );
  const reporters = /export const reporters = \{/;
  add(
    'reporters/short.ts',
    REPORTER,
    'reporters/index.ts',
    "import { shortReporter } from './short.ts';",
    reporters,
    'short: async () => shortReporter',
  );
  const exporters = /export const exportFormats[^=]*= \[/;
  add(
    'exporters/count.ts',
    EXPORTER,
    'exporters/index.ts',
    "import { countFormat } from './count.ts';",
    exporters,
    'countFormat',
  );
  add(
    'entries/types/remark.ts',
    ENTRY_TYPE,
    'entries/types/index.ts',
    "import { remark } from './remark.ts';",
    /export const entryTypes[^=]*= \[/,
    'remark',
  );
  add(
    'entries/types/chapter-summary.ts',
    SUMMARY_TYPE,
    'entries/types/index.ts',
    "import { chapterSummary } from './chapter-summary.ts';",
    /export const entryTypes[^=]*= \[/,
    'chapterSummary',
  );
  add(
    'commands/hello.ts',
    COMMAND,
    'commands/index.ts',
    '',
    /const TABLE[^=]*= \[/,
    `['hello', 'Say hello', ${HELLO}]`,
  );
  await build({
    entryPoints: [join(copy, 'src/main.ts')],
    outdir: join(copy, 'dist'),
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    banner: {
      js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  writeFileSync(join(copy, 'run.mjs'), "const { launch } = await import('./dist/main.js'); await launch();\n");
}, 120_000);

afterAll(() => rmSync(copy, { recursive: true, force: true }));

describe('the seams', () => {
  it('take a rule that looks at objects and does not say at what', () => {
    const ran = sessionctl(['validate'], HEADER + quiet + entry('z', 'e49', 'HELLO'));
    expect(ran.stdout).toBe('-:52: warning: shouting: somebody shouts\n');
    expect(ran.status).toBe(0);
  });

  it('take the fix that a rule carries', () => {
    const ran = sessionctl(['repair', '--only', 'shouting'], HEADER + quiet + entry('z', 'e49', 'HELLO'));
    expect(ran.stdout).toBe(HEADER + quiet + entry('z', 'e49', 'hello'));
    expect(ran.stderr).toContain(':52: shouting: lowered the voice\n');
  });

  it('take an entry type, which is checked, shown, given to the model and exported by its declaration', () => {
    const remark = (more: object): string =>
      `${JSON.stringify({ type: 'remark', id: 'z', parentId: 'e49', timestamp: '2026-01-01T00:00:01.000Z', ...more })}\n`;
    const log = HEADER + quiet + remark({ content: 'well done', about: 'e7' });
    expect(sessionctl(['validate'], log)).toMatchObject({ stdout: '', status: 0 });
    const bad = sessionctl(['validate'], HEADER + quiet + remark({ content: 7, about: 'e7' }));
    expect(bad.stdout).toBe('-:52: warning: odd-shape: expected a string at content, found a number\n');
    expect(sessionctl(['log', '--type', 'remark'], log).stdout).toContain('remarked well done');
    expect(sessionctl(['context'], log).stdout).toContain('"content":"well done"');
    expect(sessionctl(['convert', '--to', 'sts'], log).stdout).toContain('well done');
    expect(sessionctl(['export', '--format', 'md'], log).stdout).toContain('A remark: `well done`');
    expect(JSON.parse(sessionctl(['schema', '--entry', 'remark'], '').stdout).required).toContain('about');
    const forked = sessionctl(['fork', '--new-ids', '-', 'z'], log).stdout.trim().split('\n');
    const [, ...entries] = forked.map((line) => JSON.parse(line));
    expect(entries.at(-1).about).toBe(entries[7].id);
    expect(entries[7].id).not.toBe('e7');
  });

  it('take a type of summaries, which is exported, compared and found as the others', () => {
    const log = (sum: string): string => `{"toy":1}\n{"say":"first","sum":"${sum}"}\n{"say":"second"}\n`;
    const exported = sessionctl(['export', '--format', 'md'], log('so far')).stdout;
    expect(exported).toMatch(/^#+ .*Chapter summary/m);
    expect(exported).toMatch(/^so far$/m);
    const [a, b] = ['so far', 'so good'].map((sum, at) => {
      const file = join(copy, `${at}.toy`);
      writeFileSync(file, log(sum));
      return file;
    });
    const differs = sessionctl(['diff', a as string, b as string], '').stdout;
    expect(differs).toContain('chapter summary');
    expect(differs).not.toContain('{"summary"');
    const found = sessionctl(['log', '--json', '--leaf', 'line:2'], log('so far')).stdout.trim().split('\n');
    expect(JSON.parse(found.at(-1) as string)).toMatchObject({ id: 'sum2', type: 'chapter_summary' });
  });

  it('take a subcommand', () => {
    expect(sessionctl(['hello'], '')).toMatchObject({ stdout: 'hello\n', status: 0 });
    expect(sessionctl(['--help'], '').stdout).toContain('Say hello');
  });

  it('take a reporter', () => {
    const ran = sessionctl(['validate', '--format', 'short'], HEADER + quiet + entry('z', 'e49', 'HELLO'));
    expect(ran.stdout).toBe('shouting@52\n');
  });

  it('take an exporter, also by the ending of a file name', () => {
    expect(sessionctl(['export', '--format', 'count'], HEADER + quiet).stdout).toBe('some items\n');
    const out = join(copy, 'x.count');
    expect(sessionctl(['export', '-o', out], HEADER + quiet).status).toBe(0);
    expect(readFileSync(out, 'utf8')).toBe('some items\n');
  });

  it('take a format of documents, which are checked by the lines of their records, from a file and a pipe', () => {
    const cases = [
      { long: '', blank: 0 },
      // One line of any length, or many lines.
      { long: 'x'.repeat(2_000_000), blank: 0 },
      { long: '', blank: 20_000 },
    ];
    for (const { long, blank } of cases) {
      const head = `{"chain":"${long}",${'\n'.repeat(blank)}"links":[\n`;
      const text = `${head}{"n":"a","up":null},\n{"n":"b","up":"lost"},\n{"n":"c","up`;
      for (const name of ['-', join(copy, 'chain.json')]) {
        if (name !== '-') writeFileSync(name, text);
        const ran = sessionctl(['validate', name], text);
        expect(ran).toMatchObject({ stderr: 'sessionctl: 2 errors in 1 session (3 entries)\n', status: 1 });
        expect(ran.stdout.trim().split('\n').sort()).toEqual([
          `${name}:${blank + 3}: error: dangling-parent: parent 'lost' is not in this file`,
          `${name}:${blank + 4}: error: torn-line: the document ends here, though it is not complete`,
        ]);
      }
    }
  });

  it('take a log format, which every reader then reads by the lines of the file', () => {
    const log = '{"toy":1}\n\n{"say":"first"}\n{"say":"second"}\n';
    const ran = sessionctl(['log', '--json'], log);
    expect(ran.status).toBe(0);
    expect(
      ran.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).line),
    ).toEqual([3, 4]);
    expect(sessionctl(['context'], log).stdout).toContain('"second"');
    expect(sessionctl(['export', '--format', 'md'], log).stdout).toContain('first');
    expect(sessionctl(['tree', '--leaf', 'line:3'], log).status).toBe(0);
    expect(sessionctl(['validate'], log).stderr).toContain('looks like a toy log');
  });

  it('take what a log format says of its records, by which it is checked and repaired in its own form', () => {
    const log = [
      '{"n":"a", "up":null}',
      '{"n":"b","up":"a","asks":"t1"}',
      '{"n":"torn","up":',
      '{ "up" : "torn" , "n":"c","odd":[ 1, null, 2.0 ]}',
      '',
    ].join('\n');
    const found = sessionctl(['validate', '--format', 'short'], log);
    expect(found.stdout.trim().split('\n').sort()).toEqual(
      ['dangling-parent@4', 'torn-line@3', 'unanswered-call@2', 'unknown-block@4'].sort(),
    );
    const ran = sessionctl(['repair', '--quarantine', join(copy, 'q')], log);
    expect(ran.stdout).toBe(
      [
        '{"n":"a", "up":null}',
        '{"n":"b","up":"a","asks":"t1"}',
        '{"n":"new0","up":"b","answers":"t1"}',
        '{ "up" : "new0" , "n":"c","odd":[ 1, 2.0 ]}',
        '',
      ].join('\n'),
    );
    expect(ran.status).toBe(0);
    expect(readFileSync(join(copy, 'q'), 'utf8').split('\n')).toHaveLength(3);
  });
});
