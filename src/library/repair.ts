import { checkedFormats } from '../formats/index.ts';
import { produce } from '../lines/produce.ts';
import { applyRepair, type ChangeRecord, planRepair, type QuarantineRecord, type Remaining } from '../repair/index.ts';
import { rules } from '../rules/index.ts';
import { isFixable } from '../rules/rule.ts';
import { described, optionsOf, type Random, type RereadableBytes, rereader, systemRandom } from './arguments.ts';

export interface RepairOptions {
  /** What messages call the log; without it they start with none. */
  readonly name?: string;
  /** Fix only what these rules find; a fixable warning may be named too. */
  readonly only?: readonly string[];
  /** Insert a result for every tool call that the conversation went on without. */
  readonly settleTools?: boolean;
  /** Append an entry below newer work that the last entry hides. */
  readonly settleLeaf?: boolean;
  /** Take the log for one of this agent, whatever its records look like. */
  readonly from?: string;
  readonly random?: Random;
  /** Called with each change, in the order of the input. */
  readonly onChange?: (change: ChangeRecord) => void | Promise<void>;
  /** Gets each piece that leaves the log. Without it the changes hold those bytes. */
  readonly onQuarantine?: (piece: QuarantineRecord) => void | Promise<void>;
}

export interface RepairResult {
  /** Errors that are left in the output, by the lines of the input. */
  readonly left: readonly Remaining[];
}

/**
 * A damaged log as repaired bytes, piece by piece; the generator returns what could not be fixed. A log without an
 * error leaves as it came. Such a log is read twice, any other three times; nothing is handed out before it is known
 * what to do. Holds an index, as the command does, and the plan.
 */
export function repair(
  source: RereadableBytes,
  options?: RepairOptions,
): AsyncGenerator<Uint8Array, RepairResult, void> {
  const given = optionsOf('repair', options, {
    name: 'string',
    only: 'checked later',
    settleTools: 'boolean',
    settleLeaf: 'boolean',
    from: checkedFormats(),
    random: 'function',
    onChange: 'function',
    onQuarantine: 'function',
  });
  return repaired(rereader('repair', source), onlyOf(given.only), given);
}

function onlyOf(only: RepairOptions['only']): ReadonlySet<string> | undefined {
  if (only === undefined) return undefined;
  if (!Array.isArray(only)) throw new TypeError(`repair: only must be an array of rules, not ${described(only)}`);
  for (const id of only)
    if (!rules.some((rule) => rule.id === id && isFixable(rule)))
      throw new TypeError(`repair: only: ${described(id)} is not a rule that repair can fix`);
  return new Set(only);
}

async function* repaired(
  read: () => AsyncIterable<Buffer>,
  only: ReadonlySet<string> | undefined,
  given: RepairOptions,
): AsyncGenerator<Uint8Array, RepairResult, void> {
  const { name = '', random = systemRandom, settleTools = false, settleLeaf = false, from } = given;
  const settings = { only, named: only, settleTools, settleLeaf, from, random, scanner: 'off' } as const;
  const request = { name, read, rereadable: true, ...settings };
  const plan = await planRepair(request);
  return yield* produce(async (out) => ({
    left: await applyRepair(plan, request, {
      write: (bytes) => out.put(bytes),
      onChange: async (record) => await given.onChange?.(record),
      onQuarantine: given.onQuarantine,
    }),
  }));
}
