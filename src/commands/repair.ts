import { requireRunning } from '../files/disk.ts';
import { counting } from '../files/input.ts';
import { checkedFormats } from '../formats/index.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { applyRepair, planRepair, type RepairRequest } from '../repair/index.ts';
import { scannerKind } from '../scanner/layout.ts';
import { type Command, flag, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { isFolderName } from '../shared/each-log.ts';
import { keptImages, openSideFiles } from '../shared/repair-files.ts';
import { FROM_OPTION, REWRITE_OPTIONS, type RewriteInput, rewrite } from '../shared/rewrite.ts';
import { UsageError } from '../util/errors.ts';
import { counted, didYouMean } from '../util/words.ts';

/** Logs of other agents too, in their own format. */
const AGENT_OPTION = option('from', 'AGENT', 'Treat FILE as a log of this agent, whatever its records look like', {
  choices: checkedFormats(),
});

export const command: Command = {
  operands: '[FILE|DIR]...',
  description: [
    'Changes a byte only because of something that `validate` reports as an error, so a log without errors is unchanged. Every complete entry stays, in order. Each change is reported on standard error.',
    '- Bytes: entries that share a line are split, objects that were pretty-printed over several lines rejoined, a byte order mark and NULs between entries or tokens removed, invalid UTF-8 replaced with U+FFFD, a missing last newline added. Truncated pieces and garbage go to quarantine.',
    '- Ids: an exact copy of an entry goes to quarantine; any other entry with a duplicate id gets a new one, and later entries that refer to it are updated. Entries without an id get one.',
    '- The tree: an entry whose parent is missing is reattached to the nearest entry that survived along the chain that damaged lines still show, or else to the entry before it; a compaction that kept the lost entry then keeps from the one behind it. A cycle is broken at its earliest entry.',
    '- The header: a late one moves to the front, a missing one is rebuilt from the first entry (`"rebuiltBy":"sessionctl"`), additional ones go to quarantine.',
    '- Version 1: every `firstKeptEntryIndex` still points to the entry that its writer meant.',
    'Logs of other agents are repaired in their own format, if `sessionctl formats` says so. Beyond the above, in those of Claude Code and Codex:',
    '- Tools: in Claude Code a call that the conversation continued without gets a result (in Codex only with `--settle-tools`); a result without a call leaves, in Codex also a second one; a call id that is used again is replaced, with that of its result.',
    '- What makes providers reject every later request: empty and unknown blocks leave, in Claude Code also thinking without a signature or without its text, and an image that is too large becomes a text that says what it was. The quarantine has the line as it was.',
    '- Claude Code: ids and parents of records, message ids used again in a later turn, timestamps, compactions without their summary. Codex: the header, the last ordinal, records that it cannot read.',
    '- A paginated Codex rollout, of which forks name byte offsets, never becomes shorter: blanks take the place of what leaves.',
    'Nothing is lost: every byte of the input is in the output, the quarantine or the report. The quarantine is FILE.quarantine with `-i` and OUT.quarantine with `-o OUT`, next to the target if that is a link. With standard output none is written unless you pass `--quarantine`, because FILE still has everything; with standard input you have to if something must be quarantined. It is only ever appended to, one record per piece: `{"file", "line", "offset", "length", "rule", "raw"}`, or `rawBase64` for what is not text.',
    "Several FILEs, and a folder, which stands for every log in it that can be repaired, need `-i` or `-n`. An empty file stays empty (exit 1), for it may be anyone's; with `--from pi` or `--from omp` it gets a header.",
    'The output is checked as `validate` would check it. Exit 0 if it has no errors, 1 if an error is left (with `--from` an unknown version, a line over 256 MiB, or what `--only` left out) or `-n` would change something, 2 if something went wrong.',
  ],
  memory:
    'of a log without errors as `validate`. Any other log is read three times, and nothing is written before all changes are planned: about 600 bytes per entry and 400 per damaged place (of a log of Claude Code or Codex about 2 KB per record, and up to 5 KB if much has to be changed). Standard input is copied to a private temporary file.',
  topics: ['changing'],
  options: [
    option(
      'quarantine',
      'FILE',
      'Append what is removed from the log to FILE; its name must not end in `.jsonl`, or agents would list it',
    ),
    option(
      'blobs',
      'DIR',
      'Store images that are too large in this folder, each named by its sha256; the quarantine then has `blob:sha256:HASH` in its place; default: the variable `SESSIONCTL_BLOBS`',
    ),
    option(
      'report',
      'FILE',
      'Write every change to FILE, one JSON record per line; it has `line`, `offset` and `length` in the input, `rule`, `action` (`split`, `removed`, `rewritten`, `inserted`, `moved`), `out` (its place in the output, or null), `raw` (bytes that are stored nowhere else), `idBefore`, `idAfter` and `assumed`',
    ),
    option(
      'only',
      'RULE',
      'Fix only what these rules find, by their ids or groups, separated by commas; groups are bytes, header, shape, content, tree, references, tools, thinking, images; this also fixes warnings, which stay otherwise: `--only blank-line` removes blank lines',
      {
        many: true,
      },
    ),
    flag(
      'settle-tools',
      'Insert a result for every tool call that the conversation continued without; it is an error that says that none was recorded; not in version 1',
    ),
    flag(
      'settle-leaf',
      'Append an entry below newer work that is hidden by the last entry of the file; not in version 1, nor in logs of other agents',
    ),
    ...REWRITE_OPTIONS.map((one) => (one === FROM_OPTION ? AGENT_OPTION : one)),
  ],
  examples: {
    'sessionctl repair broken.jsonl > fixed.jsonl': 'the repaired log; changes are listed on standard error',
    'sessionctl repair -i --backup --report changes.ndjson broken.jsonl':
      'in place; the old file stays as broken.jsonl.bak',
    'sessionctl repair -n sessions/*.jsonl': 'what would be fixed; exit code 1 if anything',
    'sessionctl repair old.jsonl | sessionctl migrate': 'repair, then migrate to version 3',
  },
  run,
};

async function run(args: ParsedArgs, io: Io): Promise<number> {
  const rules = await namedRules(args.texts('only'));
  const quarantine = args.text('quarantine');
  if (quarantine?.toLowerCase().endsWith('.jsonl'))
    throw new UsageError(
      `'${quarantine}': a quarantine must not end in '.jsonl', for agents would list it as a session`,
    );
  const isOne = args.operands.length < 2 && !(await isFolderName(args.operands[0] ?? '-'));
  if (args.text('report') !== undefined && !isOne)
    throw new UsageError('--report is about one FILE; give one at a time');
  return await rewrite(
    args,
    io,
    async (input, out) => await repairOne(input, out, args, io, { ...rules, isOne }),
    PASSES,
  );
}

/** How often a log is read where something has to be fixed. */
const PASSES = 3;

type Rules = Pick<RepairRequest, 'only' | 'named'>;

/** The rules that --only names, by their ids or groups, all of which repair can fix. */
async function namedRules(words: readonly string[]): Promise<Rules> {
  if (words.length === 0) return { only: undefined };
  const { rules } = await import('../rules/index.ts');
  const { isFixable } = await import('../rules/rule.ts');
  const names = words.flatMap((word) => word.split(','));
  const fixable = rules.filter(isFixable);
  const known = [...new Set(fixable.flatMap(({ id, group }) => [id, group as string]))];
  for (const name of names) {
    if (known.includes(name)) continue;
    const rule = rules.find((one) => one.id === name);
    if (rule) throw new UsageError(`--only: repair does not fix '${name}': ${rule.advice}`);
    const groups = [...new Set(fixable.map(({ group }) => group))].join(', ');
    const hint = didYouMean(name, known) || `; 'sessionctl validate --list-rules' lists them, and groups are ${groups}`;
    throw new UsageError(`--only: unknown rule or group '${name}'${hint}`);
  }
  const only = fixable.filter(({ id, group }) => names.includes(id) || names.includes(group)).map(({ id }) => id);
  return { only: new Set(only), named: new Set(names) };
}

/** Writes everything, and says what was done and what remains. Gives the exit code. */
async function repairOne(
  input: RewriteInput,
  out: ByteWriter,
  args: ParsedArgs,
  io: Io,
  task: Rules & { isOne: boolean },
) {
  const { name, rereadable, dryRun } = input;
  const { isOne, ...rules } = task;
  const passes = countPasses(input, io);
  const [settleTools, settleLeaf] = [args.flag('settle-tools'), args.flag('settle-leaf')];
  const near = async () => ({ name, ...(await import('../files/near.ts')).filesNear(name, io) });
  const checked = { name, read: passes.read, rereadable, random: io.random, scanner: scannerKind(io.env) };
  const images = keptImages(input, args, io);
  const plan = await planRepair({
    ...checked,
    ...rules,
    keepImage: images?.keep,
    settleTools,
    settleLeaf,
    from: args.text('from'),
    near: input.path === undefined ? undefined : near,
    pause: async () => {
      // Signals are only handled when the event loop is idle.
      await new Promise((done) => setImmediate(done));
      requireRunning(io.signal);
    },
  });
  passes.isPlanned = true;
  const { quarantine, report, finish, discard } = openSideFiles(input, plan, args, io);
  let changes = 0;
  let quarantined = 0;
  try {
    const remaining = await applyRepair(plan, checked, {
      write: (bytes) => out.put(bytes),
      onChange: async (record, words) => {
        changes++;
        const would = dryRun ? 'would have ' : '';
        if (words !== undefined) io.note(`${name}:${record.line}: ${record.rule}: ${would}${words}`);
        await report?.put(`${JSON.stringify(record)}\n`);
      },
      onQuarantine:
        quarantine &&
        ((record) => {
          quarantined++;
          const kept = images ? images.withRefs(record) : record;
          quarantine.append(`${JSON.stringify({ file: name, ...kept })}\n`);
        }),
    });
    // Before the quarantine names them.
    images?.settle();
    await finish();
    for (const { line, rule } of remaining) io.note(`${name}:${line}: ${rule}: not fixed`);
    if (plan.bytes === 0 && remaining.length > 0 && args.text('from') === undefined)
      io.note(`${name}: is empty, so its agent is unknown; --from pi or omp writes a header`);
    const parts: string[] = [];
    if (changes > 0) parts.push(`${counted(changes, 'change')}${dryRun ? ', not made' : ''}`);
    if (quarantine && quarantined > 0) parts.push(`${counted(quarantined, 'piece')} in '${quarantine.path}'`);
    if (remaining.length > 0) parts.push(`${counted(remaining.length, 'error')} not fixed`);
    if (parts.length === 0 && isOne && io.stderr.isTTY) parts.push('no errors, nothing to fix');
    if (parts.length > 0) io.note(`${name}: ${parts.join(', ')}`);
    return remaining.length > 0 ? 1 : 0;
  } finally {
    discard();
    images?.abandon();
  }
}

/** How often a log is still read from each phase on. It is only planned if the check finds something. */
const PASSES_LEFT = { checking: PASSES, planning: 2, writing: 1 };

/** The passes over a log, counted for the progress. */
function countPasses(input: RewriteInput, io: Io) {
  let [passCount, done, expected] = [0, 0, PASSES * input.size];
  const passes = {
    isPlanned: false,
    read: (): AsyncIterable<Buffer> => {
      const phase = passes.isPlanned ? 'writing' : passCount++ === 0 ? 'checking' : 'planning';
      io.progress.phase(phase);
      // A pass that has seen enough ends early.
      const total = done + PASSES_LEFT[phase] * input.size;
      io.progress.expect(total - expected);
      expected = total;
      return counting(input.read(), (bytes) => {
        done += bytes;
      });
    },
  };
  return passes;
}
