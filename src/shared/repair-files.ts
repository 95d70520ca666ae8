import { refOf } from '../entries/blob-ref.ts';
import { AppendOnlyFile, narrowMode } from '../files/append-file.ts';
import { isPlainPlace, requireOtherPlace } from '../files/disk.ts';
import { type Sink, toFile } from '../files/sink.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { Plan, QuarantineRecord } from '../repair/index.ts';
import { AppError } from '../util/errors.ts';
import { namedStore } from './blob-options.ts';
import type { Io, ParsedArgs } from './command.ts';
import type { RewriteInput } from './rewrite.ts';

/** The blob store that images leave for, where one is named. */
export function keptImages({ mode, dryRun }: RewriteInput, args: ParsedArgs, io: Io) {
  const store = namedStore(args, io);
  if (!store) return undefined;
  /** Refs by the base64 texts of the current line. */
  const refs = new Map<string, string>();
  return {
    keep: (data: string, bytes: Buffer): void => {
      // Other texts could not be made from the bytes again.
      if (data === '' || bytes.toString('base64') !== data) return;
      if (!dryRun) store.folder.create();
      const { random, signal, now } = io;
      const hash = store.put(bytes, { random, signal, now, mode, dryRun });
      if (hash !== undefined) refs.set(data, refOf(hash));
    },
    withRefs: (record: QuarantineRecord): QuarantineRecord => {
      let { raw } = record;
      for (const [data, ref] of raw === undefined ? [] : refs) raw = raw?.replaceAll(data, ref);
      refs.clear();
      return raw === undefined ? record : { ...record, raw };
    },
    settle: () => store.settle(),
    abandon: () => store.folder.abandon(),
  };
}

/** The files beside the log that a repair writes to. */
export function openSideFiles(input: RewriteInput, plan: Plan, args: ParsedArgs, io: Io) {
  const { target, dryRun, mode } = input;
  const reportPath = args.text('report');
  const isFile = target !== undefined && target !== '-' && isPlainPlace(target);
  const path = args.text('quarantine') ?? (isFile ? `${target}.quarantine` : undefined);
  // Standard input may be a file too, and would be gone.
  const held = [input.path ?? '/dev/stdin', target].filter((name) => name !== undefined);
  for (const [option, name] of Object.entries({ '--quarantine': path, '--report': reportPath })) {
    if (name === undefined) continue;
    requireOtherPlace(name, held, option);
    held.push(name);
  }
  if (path === undefined && plan.quarantines && !input.rereadable && !dryRun) {
    throw new AppError(
      `${input.name}: something has to be quarantined and is not stored anywhere else; pass a file with --quarantine FILE`,
    );
  }
  const quarantine = path === undefined || dryRun ? undefined : new AppendOnlyFile(path, mode);
  let sink: Sink | undefined;
  if (reportPath !== undefined) {
    narrowMode(reportPath, mode);
    sink = toFile(reportPath, { random: io.random, signal: io.signal, mode });
  }
  const report = sink && new ByteWriter(sink.stream);
  return {
    quarantine,
    report,
    finish: async () => {
      quarantine?.finish();
      await report?.flush();
      await sink?.commit();
    },
    discard: () => {
      quarantine?.finish();
      sink?.discard();
    },
  };
}
