import { ageOf, collectGarbage, planGc, searchAll } from '../blobs/gc.ts';
import { hashOfRef, refOf } from '../blobs/ref.ts';
import { HashSearch } from '../blobs/referenced-hashes.ts';
import { BlobStore, type RefError } from '../blobs/store.ts';
import { TRASH } from '../files/blob-files.ts';
import { realPath, requireRunning } from '../files/disk.ts';
import { isFolder } from '../files/input.ts';
import { ByteWriter } from '../lines/writer.ts';
import { BLOBS_OPTION, NO_STORE, storeFor } from '../shared/blob-options.ts';
import type { Command, Io, ParsedArgs } from '../shared/command.ts';
import { eachRef } from '../shared/each-ref.ts';
import { AppError, UsageError } from '../util/errors.ts';
import { printable } from '../util/printable.ts';
import { safeJson } from '../util/to-json.ts';
import { counted, grouped } from '../util/words.ts';

const VERBS = ['ls', 'verify', 'gc'] as const;

const MESSAGES: Readonly<Record<RefError, string>> = {
  'bad-blob-ref': 'is not blob:sha256: and 64 lowercase hexadecimal digits',
  'missing-blob': 'is not in the store',
  'damaged-blob': 'has bytes that do not match its hash',
};

export const command: Command = {
  name: 'blobs',
  summary: 'List and check the blobs that logs refer to, and delete unreferenced blobs',
  operands: 'ls|verify|gc [FILE|DIR]...',
  description: [
    'ls lists the refs in logs, with line and size. verify reads every blob that is referenced and every blob in the store: missing and damaged ones are errors, and those that no given log refers to are reported as orphaned. A folder means every *.jsonl below it.',
    'gc finds unreferenced blobs. By default it only lists them; with --apply it moves them to the folder .trash in the store, or with --delete removes them for good. To be safe, it reads every file below the given folders, whatever its name, and keeps a blob if its 64 digits occur anywhere in one of them. Hard links HASH.EXT, which omp creates, go with their blob, and the bytes reported are those that are freed. It needs --blobs and at least one folder, keeps blobs that are younger than --older-than, stops when a file cannot be read, and does not remove more than half of the store without --force. Pass every folder that has logs, backups or copies of them; gc cannot look inside archives.',
    'Without --blobs and the variable, ls and verify use the folder blobs next to a file, or ../../blobs, where omp keeps it.',
    'Memory: one line, and about 200 bytes per blob in the store.',
  ],
  options: [
    BLOBS_OPTION,
    { name: 'json', kind: 'flag', describe: 'Print one JSON record per line' },
    { name: 'apply', kind: 'flag', describe: 'gc: do it; otherwise nothing is changed' },
    {
      name: 'older-than',
      kind: 'text',
      value: 'AGE',
      describe: 'gc: keep blobs that are younger than this, such as 12h, 7d or 0',
      default: '1d',
    },
    { name: 'force', kind: 'flag', describe: 'gc: remove more than half of the store if necessary' },
    { name: 'delete', kind: 'flag', describe: 'gc: remove blobs instead of moving them to the trash folder' },
  ],
  examples: [
    { run: 'sessionctl blobs ls session.jsonl', shows: 'the refs in a log' },
    {
      run: 'sessionctl blobs verify --blobs ~/.omp/agent/blobs ~/.omp/agent/sessions',
      shows: 'check that every image is there',
    },
    { run: 'sessionctl blobs gc --blobs ~/.omp/agent/blobs ~/.omp/agent', shows: 'list what could be removed' },
    { run: 'sessionctl blobs gc --blobs ~/.omp/agent/blobs --apply ~/.omp/agent', shows: 'move it to the trash' },
  ],
  verbs: VERBS,
  readsInput: true,
  run: async (args, io) => {
    const [verb, ...names] = args.operands;
    const chosen = VERBS.find((one) => one === verb);
    if (!chosen)
      throw new UsageError(`the first argument must be ls, verify or gc${verb === undefined ? '' : `, not '${verb}'`}`);
    const stray = ['apply', 'older-than', 'force', 'delete'].find(
      (name) => args.flag(name) || args.text(name) !== undefined,
    );
    if (chosen !== 'gc' && stray) throw new UsageError(`--${stray} is only for gc`);
    if (chosen !== 'gc' && names.length === 0 && io.stdin.isTTY)
      throw new UsageError('no FILE given and standard input is a terminal');
    const out = new ByteWriter(io.stdout);
    const code =
      chosen === 'ls'
        ? await ls(names, args, io, out)
        : chosen === 'verify'
          ? await verify(names, args, io, out)
          : await gc(names, args, io, out);
    await out.flush();
    return code;
  },
};

async function ls(names: readonly string[], args: ParsedArgs, io: Io, out: ByteWriter): Promise<number> {
  return await eachRef(names, io, (file) => {
    const store = storeFor(file, args, io);
    return {
      ref: async (line, { ref, path }) => {
        const hash = hashOfRef(ref);
        const size = hash === undefined ? undefined : store?.folder.size(hash);
        const bytes = size === undefined || size < 0 ? undefined : size;
        const known =
          bytes !== undefined ? counted(bytes, 'byte') : size === undefined ? 'missing' : 'not a plain file';
        const told = hash === undefined ? 'bad ref' : store === undefined ? 'no store' : known;
        await write(io, out, args, `${file ?? '-'}:${line}: ${ref} ${told}`, {
          file: file ?? '-',
          line,
          path,
          ref,
          bytes: bytes ?? null,
        });
      },
    };
  });
}

async function verify(names: readonly string[], args: ParsedArgs, io: Io, out: ByteWriter): Promise<number> {
  const stores = new Map<string, { readonly store: BlobStore; readonly search: HashSearch }>();
  const count = { refs: 0, bad: 0, missing: 0, damaged: 0, orphaned: 0 };
  const enter = (store: BlobStore): { readonly store: BlobStore; readonly search: HashSearch } => {
    const real = realPath(store.path);
    const known = stores.get(real) ?? { store, search: new HashSearch(store.list().blobs.map((blob) => blob.hash)) };
    stores.set(real, known);
    return known;
  };
  const told = new Set<string>();
  const code = await eachRef(names, io, (file) => {
    const found = storeFor(file, args, io);
    const entered = found ? enter(found) : undefined;
    return {
      ref: async (line, { ref, path }) => {
        count.refs++;
        if (!entered && hashOfRef(ref) !== undefined) throw new AppError(`${file ?? '-'}: ${NO_STORE}`);
        const rule = entered ? entered.store.check(ref) : 'bad-blob-ref';
        if (!rule) return;
        told.add(ref);
        count[rule === 'bad-blob-ref' ? 'bad' : rule === 'missing-blob' ? 'missing' : 'damaged']++;
        const message = `'${ref}' ${MESSAGES[rule]}`;
        const record = { file: file ?? '-', line, rule, severity: 'error', message, path, ref };
        await write(io, out, args, `${file ?? '-'}:${line}: error: ${rule}: ${message}`, record);
      },
      line: (line) => entered?.search.look(line.raw),
    };
  });
  for (const { store, search } of stores.values()) {
    for (const { hash, size } of store.list().blobs) {
      requireRunning(io.signal);
      const named = search.found.has(hash);
      const file = `${store.path}/${hash}`;
      if (store.verify(hash) === 'damaged-blob' && !told.has(refOf(hash))) {
        count.damaged++;
        const message = 'its bytes do not match its name';
        await write(io, out, args, `${file}: error: damaged-blob: ${message}`, {
          file,
          rule: 'damaged-blob',
          severity: 'error',
          message,
        });
      }
      if (!named) {
        count.orphaned++;
        const message = `no given log refers to it, ${counted(size, 'byte')}`;
        await write(io, out, args, `${file}: warning: orphaned-blob: ${message}`, {
          file,
          rule: 'orphaned-blob',
          severity: 'warning',
          message,
        });
      }
    }
  }
  const wrong = count.bad + count.missing + count.damaged;
  const parts = [
    `${grouped(count.missing)} missing`,
    `${grouped(count.damaged)} damaged`,
    `${grouped(count.orphaned)} orphaned`,
  ];
  if (count.bad > 0) parts.unshift(counted(count.bad, 'bad ref'));
  io.note(`${counted(count.refs, 'ref')}: ${parts.join(', ')}`);
  return Math.max(code, wrong > 0 ? 1 : 0);
}

async function gc(names: readonly string[], args: ParsedArgs, io: Io, out: ByteWriter): Promise<number> {
  const path = args.text('blobs');
  if (!path) throw new UsageError('gc needs --blobs DIR, the store to search');
  const youngest = io.now() - ageOf(args.text('older-than') ?? '1d');
  const folders: string[] = [];
  for (const name of names) if (name !== '-' && (await isFolder(name))) folders.push(name);
  if (folders.length === 0)
    throw new UsageError(
      'gc needs at least one folder with logs; it removes every blob that the logs below it do not refer to',
    );
  const store = new BlobStore(path);
  store.folder.require();
  const search = new HashSearch(store.list().blobs.map((blob) => blob.hash));
  const files = await searchAll(names, store, search, io);
  const plan = planGc(store, search.found, youngest);
  const total = `${counted(plan.dead.length, 'blob')} of ${grouped(plan.total)}`;
  if (plan.large && !args.flag('force')) {
    const refusal = `${total} are not referenced in any of ${counted(files, 'file')}; that is more than half of the store`;
    if (args.flag('apply'))
      throw new AppError(`${path}: ${refusal}, nothing was done; check the folders, then use --force`);
    io.note(`${path}: ${refusal}, so --apply will need --force`);
  }
  const destroy = args.flag('delete');
  const taken = args.flag('apply') ? collectGarbage(store, plan, destroy, io.signal) : plan.dead;
  let count = 0;
  let bytes = 0;
  for (const { hash, freed, modified } of taken) {
    count++;
    bytes += freed;
    const record = { file: `${path}/${hash}`, bytes: freed, modified: new Date(modified).toISOString() };
    await write(io, out, args, `${path}/${hash}: ${counted(freed, 'byte')}`, record);
  }
  const fate = destroy ? 'removed' : `moved to ${path}/${TRASH}`;
  const young =
    plan.young.length > 0
      ? `; ${counted(plan.young.length, 'blob')} more unreferenced ${plan.young.length === 1 ? 'is' : 'are'} too young`
      : '';
  const summary = `${counted(count, 'blob')} of ${grouped(plan.total)}, ${counted(bytes, 'byte')}`;
  io.note(args.flag('apply') ? `${summary}: ${fate}${young}` : `${summary}, would be ${fate}; --apply does it${young}`);
  return 0;
}

async function write(io: Io, out: ByteWriter, args: ParsedArgs, text: string, record: object): Promise<void> {
  out.text(`${args.flag('json') ? safeJson(record) : io.stdout.isTTY ? printable(text) : text}\n`);
  if (out.full) await out.flush();
}
