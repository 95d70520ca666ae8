import { PassThrough } from 'node:stream';
import { ORIGINS, type Origin } from '../formats/index.ts';
import { ByteWriter } from '../lines/writer.ts';
import {
  applyRepair,
  type ChangeRecord,
  InputChanged,
  planRepair,
  type QuarantineRecord,
  type Remaining,
} from '../repair/index.ts';
import { rules } from '../rules/index.ts';
import { AppError } from '../util/errors.ts';
import {
  described,
  optionsOf,
  type Random,
  type RereadableBytes,
  requireKind,
  requireOneOf,
  rereader,
  systemRandom,
} from './arguments.ts';

export interface RepairOptions {
  /** What messages call the log; '-' by default. */
  readonly name?: string;
  /** Fix only what these rules find; a fixable warning may be named too. */
  readonly only?: readonly string[];
  /** Insert a result for every tool call that the conversation went on without. */
  readonly settleTools?: boolean;
  /** Append an entry below newer work that the last entry hides. */
  readonly settleLeaf?: boolean;
  /** Take the log for one of this agent, even if its version is unknown or few of its records are known entries. */
  readonly from?: Origin;
  readonly random?: Random;
  /** Hears each change, in the order of the input. */
  readonly onChange?: (change: ChangeRecord) => void | Promise<void>;
  /** Gets each piece that leaves the log. Without it the changes hold those bytes. */
  readonly onQuarantine?: (piece: QuarantineRecord) => void | Promise<void>;
}

export interface RepairResult {
  /** Errors that are left in the output, by the lines of the input. */
  readonly left: readonly Remaining[];
}

/**
 * A damaged log as repaired bytes, piece by piece; the generator returns what could not be fixed. A log without an error
 * leaves as it came. Such a log is read twice, any other three times, once more where ids repeat; nothing is handed out
 * before it is known what to do. Holds an index of about 60 bytes, 95 where something changes, and the id of each entry, and the plan.
 */
export function repair(
  source: RereadableBytes,
  options?: RepairOptions,
): AsyncGenerator<Uint8Array, RepairResult, void> {
  const known = ['name', 'only', 'settleTools', 'settleLeaf', 'from', 'random', 'onChange', 'onQuarantine'] as const;
  const given = optionsOf('repair', options, known);
  requireKind('repair', 'name', given.name, 'string');
  requireKind('repair', 'settleTools', given.settleTools, 'boolean');
  requireKind('repair', 'settleLeaf', given.settleLeaf, 'boolean');
  requireOneOf('repair', 'from', given.from, ORIGINS);
  requireKind('repair', 'random', given.random, 'function');
  requireKind('repair', 'onChange', given.onChange, 'function');
  requireKind('repair', 'onQuarantine', given.onQuarantine, 'function');
  return repaired(rereader('repair', source), onlyOf(given.only), given);
}

function onlyOf(only: RepairOptions['only']): ReadonlySet<string> | undefined {
  if (only === undefined) return undefined;
  if (!Array.isArray(only)) throw new TypeError(`repair: only must be an array of rules, not ${described(only)}`);
  for (const id of only) {
    if (!rules.some((rule) => rule.id === id && rule.fixable))
      throw new TypeError(`repair: only: ${described(id)} is not a rule that repair can fix`);
  }
  return new Set(only);
}

async function* repaired(
  read: () => AsyncIterable<Buffer>,
  only: ReadonlySet<string> | undefined,
  given: RepairOptions,
): AsyncGenerator<Uint8Array, RepairResult, void> {
  const {
    name = '-',
    random = systemRandom,
    settleTools = false,
    settleLeaf = false,
    from,
    onChange,
    onQuarantine,
  } = given;
  const request = {
    name,
    read,
    rereadable: true,
    only,
    settleTools,
    settleLeaf,
    from,
    random,
    scanner: 'off',
  } as const;
  const plan = await planRepair(request);
  const pipe = new PassThrough();
  const out = new ByteWriter(pipe);
  let left: readonly Remaining[] = [];
  const applying = (async () => {
    try {
      left = await applyRepair(plan, request, {
        out,
        onChange: async (record) => await onChange?.(record),
        onQuarantine,
      });
      await out.flush();
      pipe.end();
    } catch (error) {
      const isChanged = error instanceof InputChanged;
      pipe.destroy(
        isChanged
          ? new AppError(`${name}: was changed while it was being read; run again when no program is writing to it`)
          : (error as Error),
      );
    }
  })();
  try {
    for await (const piece of pipe) yield piece as Buffer;
    await applying;
  } finally {
    pipe.destroy();
  }
  return { left };
}
