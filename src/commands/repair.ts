import { Trouble, UsageTrouble } from '../base/trouble.ts';
import { counted, nearest } from '../base/words.ts';
import { AppendOnlyFile, isPlainPlace, narrowMode, samePlace } from '../files/append-only.ts';
import { type Sink, toFile } from '../files/replace.ts';
import { Spool } from '../files/spool.ts';
import { Evidence, foreignError, foreignFormat, LINES_TO_LOOK_AT, type Origin, seeLine } from '../formats/index.ts';
import type { Line } from '../lines/line.ts';
import { Block, readBlocks } from '../lines/reader.ts';
import { ByteWriter } from '../lines/writer.ts';
import {
  applyChecked,
  type ChangeRecord,
  digestRanges,
  InputChanged,
  type Left,
  makePlan,
  type Plan,
  type QuarantineRecord,
  Survey,
  SurveyBlocks,
} from '../repair/index.ts';
import { makeScanner, scannerKind } from '../scanner/scanner.ts';
import type { Command, Given, Io } from './command.ts';
import { originOf, REWRITE_OPTIONS, type RewriteInput, rewrite } from './rewrite.ts';

export const command: Command = {
  name: 'repair',
  summary: 'Fix what can be fixed in a damaged log, and quarantine the rest',
  operands: '[FILE]...',
  description: [
    'Changes a byte only because of something that validate reports as an error; a log without errors is unchanged. Entries that share a line are split, pretty-printed objects rejoined, NULs and a byte order mark removed, missing newlines, ids and headers added, duplicate ids renamed, missing parents replaced. Every complete entry stays, in order; what is no longer an entry goes to quarantine.',
    "A file that may be another agent's is refused before anything is written: one that starts with a record of another kind, one of an unknown version, and one whose first 256 records are not mostly known entries. --from pi or --from omp says whose log it is.",
    'Nothing is lost: every byte of the input is in the output, the quarantine or the report. The quarantine is FILE.quarantine with -i and OUT.quarantine with -o OUT, next to the target if that is a link. With standard output, none is written unless you pass --quarantine, because FILE still has everything. Standard input needs --quarantine if something has to go there.',
    'Each change is reported on standard error, and the output is checked as validate would check it. Exit 0 if the output has no errors, 1 if an error is left (or with -n, if something would change), 2 if something went wrong.',
    'Memory: reads the log twice, a third time if ids repeat, and writes nothing before the first pass is done; in between it holds an index of about 80 bytes per entry (115 if something changes) plus the id, and about 400 bytes per damaged place. Standard input is copied to a private temporary file. Several FILEs need -i or -n.',
  ],
  options: [
    {
      name: 'quarantine',
      kind: 'text',
      value: 'FILE',
      describe: "Append what is removed from the log to FILE; its name must not end in '.jsonl', or agents would list it",
    },
    { name: 'report', kind: 'text', value: 'FILE', describe: 'Write every change to FILE, one JSON record per line' },
    {
      name: 'only',
      kind: 'text',
      value: 'RULE',
      many: true,
      describe: 'Fix only what this rule finds; also works for a warning such as blank-line',
    },
    {
      name: 'settle-tools',
      kind: 'flag',
      describe: 'Insert a result for every tool call without one that the conversation continued past',
    },
    { name: 'settle-leaf', kind: 'flag', describe: 'Append an entry below newer work that is hidden by the last entry of the file' },
    ...REWRITE_OPTIONS,
  ],
  examples: [
    { run: 'sessionctl repair broken.jsonl > fixed.jsonl', shows: 'the repaired log; changes are listed on standard error' },
    {
      run: 'sessionctl repair -i --backup --report changes.ndjson broken.jsonl',
      shows: 'in place; the old file stays as broken.jsonl.bak',
    },
    { run: 'sessionctl repair -n sessions/*.jsonl', shows: 'what would be mended; exit code 1 if anything' },
    { run: 'sessionctl repair old.jsonl | sessionctl migrate', shows: 'mend, then bring to version 3' },
  ],
  readsInput: true,
  run,
};

interface Wish {
  readonly quarantine: string | undefined;
  readonly report: string | undefined;
  readonly only: ReadonlySet<string>;
  readonly settleTools: boolean;
  readonly settleLeaf: boolean;
  readonly from: Origin | undefined;
}

async function run(given: Given, io: Io): Promise<number> {
  const wish: Wish = {
    quarantine: given.text('quarantine'),
    report: given.text('report'),
    only: await namedRules(given.texts('only')),
    settleTools: given.flag('settle-tools'),
    settleLeaf: given.flag('settle-leaf'),
    from: originOf(given),
  };
  if (wish.quarantine?.toLowerCase().endsWith('.jsonl')) {
    throw new UsageTrouble(`'${wish.quarantine}': a quarantine must not end in '.jsonl', for agents would list it as a session`);
  }
  if (wish.report !== undefined && given.operands.length > 1) throw new UsageTrouble('--report is about one FILE; give one at a time');
  return await rewrite(given, io, async (input, out) => await repairOne(input, out, wish, io), 2);
}

/** The rules that --only names, all of which repair can mend. */
async function namedRules(names: readonly string[]): Promise<ReadonlySet<string>> {
  if (names.length === 0) return new Set();
  const { rules } = await import('../rules/index.ts');
  const mendable = rules.filter((rule) => rule.fixable).map((rule) => rule.id);
  for (const name of names) {
    if (mendable.includes(name)) continue;
    const rule = rules.find((one) => one.id === name);
    if (rule) throw new UsageTrouble(`--only: repair does not fix '${name}': ${rule.mend}`);
    const meant = nearest(name, mendable)[0];
    throw new UsageTrouble(
      `--only: unknown rule '${name}'${meant ? `; did you mean '${meant}'?` : "; 'sessionctl validate --list-rules' lists them"}`,
    );
  }
  return new Set(names);
}

async function repairOne(input: RewriteInput, out: ByteWriter, wish: Wish, io: Io): Promise<number> {
  const spool = input.rereadable ? undefined : new Spool(io.random, io.signal);
  try {
    const wants = (rule: string): boolean => (wish.only.size === 0 ? rule !== 'blank-line' : wish.only.has(rule));
    const survey = await look(input, spool ? spooling(input.read(), spool) : input.read(), wants, wish, io);
    const again = (): AsyncIterable<Buffer> => spool?.chunks() ?? input.read();
    const plan = await makePlan(survey, {
      name: input.name,
      wants,
      digests: async (ranges) => {
        io.progress.expect(input.size);
        return await digestRanges(again(), ranges);
      },
      settleTools: wish.settleTools,
      settleLeaf: wish.settleLeaf,
    });
    const keeping = keepers(input, plan, wish, io);
    try {
      const tally = await operate(input, plan, again(), out, keeping, io);
      await keeping.finish();
      return tell(input, tally, keeping.quarantine, io);
    } finally {
      keeping.discard();
    }
  } finally {
    spool?.close();
  }
}

/** Whether a line starts an array that goes on in the next lines. */
function opensArray(line: Line): boolean {
  return line.oversize === 0 && /^\ufeff?\s*\[\s*$/u.test(line.text);
}

/** The first pass. A file that is no session log is refused before anything else is said about it. */
async function look(
  input: RewriteInput,
  chunks: AsyncIterable<Buffer>,
  wants: (rule: string) => boolean,
  wish: Wish,
  io: Io,
): Promise<Survey> {
  const evidence = new Evidence(wish.from);
  const survey = new Survey({ wants, key: io.random(8), evidence, tools: wish.settleTools });
  const first: Line[] = [];
  // A printed array of entries is a JSON document: taken for a log it would fall to pieces, for commas stand behind its entries.
  let array: Evidence | undefined;
  const decide = (): void => {
    if (array || (survey.written > 0 && !evidence.end())) throw foreignError(input.name, foreignFormat(first));
    const refusal = evidence.refusal({ anyVersion: false });
    if (refusal !== undefined) throw new Trouble(`${input.name}: ${refusal}`);
  };
  // What is known of tool calls and times comes from lines that are read in full.
  const scanner = wish.settleTools || wish.settleLeaf ? undefined : makeScanner(scannerKind(io.env), io.random(8));
  const blocks = new SurveyBlocks(survey, scanner);
  let decided = false;
  for await (const piece of readBlocks(chunks)) {
    if (piece instanceof Block && decided) {
      blocks.take(piece);
      continue;
    }
    for (const line of piece instanceof Block ? piece.split() : [piece]) {
      survey.take(line);
      if (decided) continue;
      if (survey.written <= 1 && opensArray(line)) array = new Evidence();
      if (array) seeLine(array, line);
      if (array?.ours) array = undefined;
      const isOurs = !array && evidence.ours === true;
      // Only what may have to be named is kept.
      if (!isOurs && !line.blank) first.push(line);
      if (isOurs ? !evidence.settled : survey.written < LINES_TO_LOOK_AT) continue;
      decide();
      decided = true;
      first.length = 0;
    }
  }
  survey.end();
  if (!decided) decide();
  return survey;
}

async function* spooling(chunks: AsyncIterable<Buffer>, spool: Spool): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    spool.write(chunk);
    yield chunk;
  }
}

/** The files beside the log that a repair writes to. */
interface Keepers {
  readonly quarantine: AppendOnlyFile | undefined;
  readonly report: { readonly sink: Sink; readonly out: ByteWriter } | undefined;
  finish(): Promise<void>;
  discard(): void;
}

function keepers(input: RewriteInput, plan: Plan, wish: Wish, io: Io): Keepers {
  const path = quarantinePath(input, wish);
  // Standard input may be a file too, and would be gone.
  const held = [input.path ?? '/dev/stdin', input.target].filter((name) => name !== undefined);
  for (const [option, name] of [
    ['--quarantine', path],
    ['--report', wish.report],
  ] as const) {
    const other = name === undefined || !isPlainPlace(name) ? undefined : held.find((one) => samePlace(one, name));
    if (other !== undefined) throw new Trouble(`${name}: is '${other}' itself; choose another file with ${option}`);
    if (name !== undefined) held.push(name);
  }
  if (path === undefined && plan.quarantines && !input.rereadable && !input.dryRun) {
    throw new Trouble(`${input.name}: something has to be quarantined and is not stored anywhere else; pass a file with --quarantine FILE`);
  }
  const quarantine = path === undefined || input.dryRun ? undefined : new AppendOnlyFile(path, input.mode);
  let sink: Sink | undefined;
  if (wish.report !== undefined) {
    narrowMode(wish.report, input.mode);
    sink = toFile(wish.report, { random: io.random, signal: io.signal, mode: input.mode });
  }
  const report = sink ? { sink, out: new ByteWriter(sink.stream) } : undefined;
  return {
    quarantine,
    report,
    finish: async () => {
      quarantine?.finish();
      await report?.out.flush();
      await report?.sink.commit();
    },
    discard: () => {
      quarantine?.finish();
      report?.sink.discard();
    },
  };
}

function quarantinePath(input: RewriteInput, wish: Wish): string | undefined {
  if (wish.quarantine !== undefined) return wish.quarantine;
  const { target } = input;
  return target === undefined || target === '-' || !isPlainPlace(target) ? undefined : `${target}.quarantine`;
}

interface Tally {
  left: readonly Left[];
  changes: number;
  quarantined: number;
}

/** The second pass. */
async function operate(
  input: RewriteInput,
  plan: Plan,
  chunks: AsyncIterable<Buffer>,
  out: ByteWriter,
  keeping: Keepers,
  io: Io,
): Promise<Tally> {
  const tally: Tally = { left: [], changes: 0, quarantined: 0 };
  const { quarantine, report } = keeping;
  const keep = (record: QuarantineRecord): void => {
    tally.quarantined++;
    quarantine?.append(`${JSON.stringify({ file: input.name, ...record })}\n`);
  };
  const change = async (record: ChangeRecord, words: string | undefined): Promise<void> => {
    tally.changes++;
    if (words !== undefined) io.note(`${input.name}:${record.line}: ${record.rule}: ${input.dryRun ? 'dry run: ' : ''}${words}`);
    report?.out.text(`${JSON.stringify(record)}\n`);
    if (report?.out.full) await report.out.flush();
  };
  try {
    const hands = { out, change, quarantine: quarantine ? keep : undefined };
    tally.left = await applyChecked(plan, chunks, hands, { random: io.random, scanner: scannerKind(io.env) });
  } catch (error) {
    if (!(error instanceof InputChanged)) throw error;
    throw new Trouble(`${input.name}: was changed by another program while it was being read; run again when no program is writing to it`);
  }
  return tally;
}

/** What is left, and the sum of it all. Gives the exit code. */
function tell(input: RewriteInput, tally: Tally, quarantine: AppendOnlyFile | undefined, io: Io): number {
  for (const { line, rule } of tally.left) io.note(`${input.name}:${line}: ${rule}: not fixed`);
  const parts: string[] = [];
  if (tally.changes > 0) parts.push(`${counted(tally.changes, 'change')}${input.dryRun ? ', not made' : ''}`);
  if (quarantine && tally.quarantined > 0) parts.push(`${counted(tally.quarantined, 'piece')} in '${quarantine.path}'`);
  if (tally.left.length > 0) parts.push(`${counted(tally.left.length, 'error')} not fixed`);
  if (parts.length > 0) io.note(`${input.name}: ${parts.join(', ')}`);
  return tally.left.length > 0 ? 1 : 0;
}
