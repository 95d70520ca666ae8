import { ageOf, HashSearch, planGc, searchAll } from '../blobs/gc.ts';
import { BlobStore } from '../blobs/store.ts';
import { hashOfRef, refOf } from '../entries/blob-ref.ts';
import { TRASH } from '../files/blob-files.ts';
import { realPath, requireRunning } from '../files/disk.ts';
import { isFolder } from '../files/input.ts';
import { ByteWriter } from '../lines/writer.ts';
import { BLOBS_OPTION, NO_STORE, REF_ERRORS, storeFor } from '../shared/blob-options.ts';
import { type Command, flag, type Io, option, type ParsedArgs } from '../shared/command.ts';
import { eachRef } from '../shared/each-ref.ts';
import { FORMAT_OPTION } from '../shared/open-session.ts';
import { AppError, UsageError } from '../util/errors.ts';
import { printable } from '../util/printable.ts';
import { safeJson } from '../util/to-json.ts';
import { counted, grouped } from '../util/words.ts';

const WORK = new Map(Object.entries({ ls, verify, gc }));

export const command: Command = {
  operands: 'ls|verify|gc [FILE|DIR]...',
  description: [
    'A folder means every log of pi and omp below it. Without `--blobs` and the variable, `blobs ls` and `blobs verify` use the folder `blobs/` next to a file, or `../../blobs/`, where omp keeps it.',
    '- `blobs ls` lists the refs in logs, with line and size.',
    '- `blobs verify` reads every blob that is referenced and every blob in the store. A missing or damaged blob and a bad ref mean exit code 1; blobs that no given log refers to are only reported as orphaned, because other logs may.',
    '- `blobs gc` lists unreferenced blobs; with `--apply` it moves them to the folder `.trash` in the store. To be safe, it reads every file below the given folders, whatever its name, and keeps a blob if its 64 digits occur anywhere in one of them. It needs `--blobs` and at least one folder, stops when a file cannot be read, and does not remove more than half of the store without `--force`. Hard links `HASH.EXT`, which omp creates, go with their blob, and the bytes reported are those that are freed.',
    'Pass `gc` every folder that has logs, backups or copies of them; it cannot look inside archives.',
  ],
  memory: 'one line, and about 200 bytes per blob in the store.',
  options: [
    BLOBS_OPTION,
    flag('json', 'Print one JSON record per line'),
    flag('apply', 'gc: do it; otherwise nothing is changed'),
    option('older-than', 'AGE', 'gc: keep blobs that are younger than this, such as `12h`, `7d` or `0`', {
      default: '1d',
    }),
    flag('force', 'gc: remove more than half of the store if necessary'),
    flag('delete', 'gc: remove blobs instead of moving them to the trash folder'),
    FORMAT_OPTION,
  ],
  examples: {
    'sessionctl blobs ls session.jsonl': 'the refs in a log',
    'sessionctl blobs verify --blobs ~/.omp/agent/blobs ~/.omp/agent/sessions': 'check that every image is there',
    'sessionctl blobs gc --blobs ~/.omp/agent/blobs ~/.omp/agent': 'list what could be removed',
    'sessionctl blobs gc --blobs ~/.omp/agent/blobs --apply ~/.omp/agent': 'move it to the trash',
  },
  verbs: [...WORK.keys()],
  run: async (args, io) => {
    const [verb = '', ...names] = args.operands;
    const work = WORK.get(verb);
    if (!work) {
      const unexpected = args.operands.length === 0 ? '' : `, not '${verb}'`;
      throw new UsageError(`the first argument must be ls, verify or gc${unexpected}`);
    }
    const onlyGc = ['apply', 'older-than', 'force', 'delete'];
    const stray = onlyGc.find((name) => args.flag(name) || args.text(name) !== undefined);
    if (verb === 'gc' && args.text('from') !== undefined)
      throw new UsageError('--from is not for gc, which reads all files');
    if (verb !== 'gc' && stray) throw new UsageError(`--${stray} is only for gc`);
    if (verb !== 'gc' && names.length === 0 && io.stdin.isTTY)
      throw new UsageError('no FILE given and standard input is a terminal');
    const out = new ByteWriter(io.stdout);
    const code = await work(names, args, io, (text, record) =>
      out.put(`${args.flag('json') ? safeJson(record) : io.stdout.isTTY ? printable(text) : text}\n`),
    );
    await out.flush();
    return code;
  },
};

/** Prints a line, or its record with --json. */
type Print = (text: string, record: object) => Promise<void>;

async function ls(names: readonly string[], args: ParsedArgs, io: Io, print: Print): Promise<number> {
  return await eachRef(names, args.text('from'), io, (path) => {
    const store = storeFor(path, args, io);
    const file = path ?? '-';
    return async ({ number: line }, refs) => {
      for (const { ref, path } of refs) {
        const hash = hashOfRef(ref);
        const size = hash === undefined ? undefined : store?.folder.size(hash);
        const bytes = size === undefined || size < 0 ? null : size;
        const found = bytes !== null ? counted(bytes, 'byte') : size === undefined ? 'missing' : 'not a plain file';
        const state = hash === undefined ? 'bad ref' : store ? found : 'no store';
        await print(`${file}:${line}: ${ref} ${state}`, { file, line, path, ref, bytes });
      }
    };
  });
}

async function verify(names: readonly string[], args: ParsedArgs, io: Io, print: Print): Promise<number> {
  const stores = new Map<string, { readonly store: BlobStore; readonly search: HashSearch }>();
  const count = { refs: 0, 'bad-blob-ref': 0, 'missing-blob': 0, 'damaged-blob': 0, 'orphaned-blob': 0 };
  const reported = new Set<string>();
  const code = await eachRef(names, args.text('from'), io, (path) => {
    const store = storeFor(path, args, io);
    const real = store ? realPath(store.folder.path) : '';
    if (store && !stores.has(real)) stores.set(real, { store, search: searchFor(store) });
    const entered = stores.get(real);
    const file = path ?? '-';
    return async (line, refs) => {
      entered?.search.look(line.raw);
      for (const { ref, path } of refs) {
        count.refs++;
        if (!entered && hashOfRef(ref) !== undefined) throw new AppError(`${file}: ${NO_STORE}`);
        const rule = entered ? entered.store.check(ref) : 'bad-blob-ref';
        if (!rule) continue;
        reported.add(ref);
        count[rule]++;
        const message = `'${ref}' ${REF_ERRORS[rule]}`;
        const record = { file, line: line.number, rule, severity: 'error', message, path, ref };
        await print(`${file}:${line.number}: error: ${rule}: ${message}`, record);
      }
    };
  });
  for (const { store, search } of stores.values()) {
    for (const { hash, size } of store.folder.list().blobs) {
      requireRunning(io.signal);
      const file = `${store.folder.path}/${hash}`;
      const report = async (rule: 'damaged-blob' | 'orphaned-blob', message: string): Promise<void> => {
        const severity = rule === 'damaged-blob' ? 'error' : 'warning';
        count[rule]++;
        await print(`${file}: ${severity}: ${rule}: ${message}`, { file, rule, severity, message });
      };
      if (store.verify(hash) === 'damaged-blob' && !reported.has(refOf(hash)))
        await report('damaged-blob', 'its bytes do not match its name');
      if (!search.found.has(hash)) await report('orphaned-blob', `no given log refers to it, ${counted(size, 'byte')}`);
    }
  }
  const { 'bad-blob-ref': bad, 'missing-blob': missing, 'damaged-blob': damaged, 'orphaned-blob': orphaned } = count;
  const badRefs = bad > 0 ? `${counted(bad, 'bad ref')}, ` : '';
  const others = `${grouped(missing)} missing, ${grouped(damaged)} damaged, ${grouped(orphaned)} orphaned`;
  io.note(`${counted(count.refs, 'ref')}: ${badRefs}${others}`);
  return Math.max(code, bad + missing + damaged > 0 ? 1 : 0);
}

function searchFor({ folder }: BlobStore): HashSearch {
  return new HashSearch(folder.list().blobs.map((blob) => blob.hash));
}

async function gc(names: readonly string[], args: ParsedArgs, io: Io, print: Print): Promise<number> {
  const path = args.text('blobs');
  if (!path) throw new UsageError('gc needs --blobs DIR, the store to search');
  const youngest = io.now() - ageOf(args.text('older-than') ?? '1d');
  const [applies, destroys] = [args.flag('apply'), args.flag('delete')];
  const folders: string[] = [];
  for (const name of names) if (name !== '-' && (await isFolder(name))) folders.push(name);
  if (folders.length === 0)
    throw new UsageError(
      'gc needs at least one folder with logs; it removes every blob that the logs below it do not refer to',
    );
  const store = new BlobStore(path);
  store.folder.require();
  const search = searchFor(store);
  const files = await searchAll(names, store, search, io);
  const plan = planGc(store, search.found, youngest);
  // More than half of the store: rather a mistake than a collection.
  if (plan.dead.length * 2 > plan.total && !args.flag('force')) {
    const refusal = `nothing in ${counted(files, 'file')} refers to ${grouped(plan.dead.length)} of ${counted(plan.total, 'blob')}; that is more than half of the store`;
    if (applies) throw new AppError(`${path}: ${refusal}, nothing was done; check the folders, then use --force`);
    io.note(`${path}: ${refusal}, so --apply will need --force`);
  }
  let count = 0;
  let bytes = 0;
  for (const blob of applies ? plan.collect(destroys, io.signal) : plan.dead) {
    count++;
    bytes += blob.freed;
    const record = { file: `${path}/${blob.hash}`, bytes: blob.freed, modified: new Date(blob.modified).toISOString() };
    await print(`${record.file}: ${counted(blob.freed, 'byte')}`, record);
  }
  const fate = destroys ? 'removed' : `moved to ${path}/${TRASH}`;
  const young = `${counted(plan.young, 'blob')} more unreferenced ${plan.young === 1 ? 'is' : 'are'} too young`;
  const summary = `${counted(count, 'blob')} of ${grouped(plan.total)}, ${counted(bytes, 'byte')}`;
  const outcome = applies ? `: ${fate}` : `, would be ${fate}; --apply does it`;
  io.note(`${summary}${outcome}${plan.young > 0 ? `; ${young}` : ''}`);
  return 0;
}
