import type { NearLog } from '../formats/format.ts';
import {
  DETECTION_LINES,
  FormatEvidence,
  foreignError,
  foreignFormats,
  type Identity,
  identify,
  originOf,
  unfitError,
  unsupportedMessage,
} from '../formats/index.ts';
import { isContainer } from '../formats/recognized.ts';
import type { Line } from '../lines/line.ts';
import { LineBlock, type ReadLinesOptions, readBlocks, readLineBatches } from '../lines/reader.ts';
import { LogCheck, makeMemory } from '../rules/check/check-log.ts';
import { RepairIndex } from '../rules/fix/repair-state.ts';
import { rules } from '../rules/index.ts';
import { missingHeader } from '../rules/missing-header.ts';
import type { Finding } from '../rules/rule.ts';
import type { ScannerKind } from '../scanner/layout.ts';
import { LogError, UnsupportedLog } from '../util/errors.ts';
import { type RepairCallbacks, RepairPass } from './apply.ts';
import { RepairIndexBuilder } from './build-index.ts';
import { endOf, healthyPlan, makePlan, type Plan, type PlanOptions, requireFix } from './plan.ts';
import { planRecords, recordCheck } from './records.ts';

export type { ChangeRecord, QuarantineRecord, RepairCallbacks } from './apply.ts';
export { RepairIndexBuilder } from './build-index.ts';
export { makePlan, type Plan } from './plan.ts';
export { planRecords } from './records.ts';

/** An error that was not fixed. */
export interface Remaining {
  readonly line: number;
  readonly rule: string;
}

export interface RepairRequest extends Omit<PlanOptions, 'shouldFix'> {
  /** The bytes from the start, once per pass. */
  readonly read: () => AsyncIterable<Buffer>;
  /** Whether the input can be read again after a pass that stopped early. */
  readonly rereadable: boolean;
  /** Fix only what these rules find; default: all errors. */
  readonly only: ReadonlySet<string> | undefined;
  /** The rules in `only` that were named individually, not by group. */
  readonly named?: ReadonlySet<string> | undefined;
  /** The agent or format given by the user: pi, omp or a format id. */
  readonly from: string | undefined;
  /** Gives access to files next to the log. */
  readonly near?: (() => Promise<NearLog>) | undefined;
  /** Receives each image removed from another agent's log: its base64 text and its bytes. */
  readonly keepImage?: ((data: string, bytes: Buffer) => void) | undefined;
  readonly random: (bytes: number) => Uint8Array;
  readonly scanner: ScannerKind;
}

type CheckRequest = Pick<RepairRequest, 'name' | 'read' | 'random' | 'scanner'>;

/** Decides what to change. A file that is not a session log is refused first. */
export async function planRepair(request: RepairRequest): Promise<Plan> {
  const { only, settleTools, settleLeaf, from, name } = request;
  const requested = foreignFormats.find(({ id }) => id === from);
  const shouldFix = (rule: string): boolean => (only ? only.has(rule) : isError(rule));
  const asksForMore = settleTools || settleLeaf || [...(only ?? [])].some((rule) => !isError(rule));
  const bytes = request.rereadable && !asksForMore && !requested ? await bytesOfHealthy(request) : undefined;
  if (bytes !== undefined) return healthyPlan(bytes);
  const index = await readIndex(request, shouldFix);
  if (index instanceof RepairIndex) {
    requireFix(name, request.named, rules);
    // An empty file may have been a log of any agent.
    const isAnyone = index.bytes === 0 && !originOf(request.from);
    const own = (rule: string): boolean => shouldFix(rule) && !(isAnyone && rule === missingHeader.id);
    return await makePlan(index, { ...request, shouldFix: own });
  }
  const { format, certainty } = index;
  const origin = originOf(request.from);
  if (origin) throw foreignError(name, format, origin);
  const checks = await format.checks?.();
  if (!checks && !format.toNative && !format.mayHaveSessions)
    throw new UnsupportedLog(name, unsupportedMessage(format));
  if (!checks?.edit || index.isDocument) {
    const what = index.isDocument ? 'documents' : 'logs of this format';
    throw new UnsupportedLog(name, `repair does not write ${what} (looks like ${format.title}); nothing was written`);
  }
  if (certainty !== 'certain' && !requested) {
    const hint = `nothing was written; if it is one, pass '--from ${format.id}'`;
    throw new LogError(name, `probably ${format.title}; ${hint}`);
  }
  return await planRecords(request, checks);
}

/** Writes the repaired log and returns the errors that remain; a healthy log is only copied. */
export async function applyRepair(
  plan: Plan,
  request: CheckRequest,
  callbacks: RepairCallbacks,
  limit?: ReadLinesOptions,
): Promise<readonly Remaining[]> {
  const pass = new RepairPass(request.name, plan, callbacks);
  const repaired = pass.run(request.read());
  if (plan.isHealthy) {
    for await (const _ of repaired);
    return [];
  }
  const errors: Finding[] = [];
  const { checks } = plan;
  const onError = (error: Finding): void => void errors.push(error);
  const check = checks ? recordCheck(checks, request, errorsOnly(onError), plan.near) : errorCheck(request, onError);
  for await (const piece of readBlocks(repaired, limit)) {
    if (piece instanceof LineBlock) check.block(piece);
    else check.line(piece);
  }
  check.end();
  return errors
    .map(({ line, offset, rule }) => ({ line: pass.inputLine(line, offset), rule }))
    .sort((a, b) => a.line - b.line);
}

/** The check of `validate`, reporting errors only. */
function errorCheck({ random, scanner }: CheckRequest, onError: (error: Finding) => void): LogCheck {
  return new LogCheck({
    file: '',
    hashKey: random(8),
    memory: makeMemory(scanner, random(8)),
    onFinding: errorsOnly(onError),
  });
}

function errorsOnly(onError: (error: Finding) => void): (finding: Finding) => void {
  return (finding) => {
    if (finding.severity === 'error') onError(finding);
  };
}

function isError(id: string): boolean {
  return rules.find((rule) => rule.id === id)?.level === 'error';
}

/** The size of a native log without errors; undefined for any other. Most logs need nothing more. */
async function bytesOfHealthy(request: RepairRequest): Promise<number | undefined> {
  let bytes = 0;
  let hasError = false;
  const evidence = new FormatEvidence(originOf(request.from));
  const check = errorCheck(request, () => {
    hasError = true;
  });
  for await (const piece of readBlocks(request.read())) {
    if (piece instanceof LineBlock && evidence.settled) check.block(piece);
    else {
      for (const line of piece instanceof LineBlock ? piece.split() : [piece]) {
        evidence.addLine(line);
        check.line(line);
      }
    }
    bytes = endOf(piece);
    if (hasError || evidence.isNative === false) return undefined;
  }
  check.end();
  if (hasError || !evidence.end() || evidence.refusal({ anyVersion: false }) !== undefined) return undefined;
  return bytes;
}

/** The index of a native log, or the format of any other file. */
async function readIndex(
  request: RepairRequest,
  shouldFix: (rule: string) => boolean,
): Promise<RepairIndex | Identity> {
  const { name, read, from, settleTools, rereadable } = request;
  const evidence = new FormatEvidence(originOf(request.from));
  const requested = foreignFormats.find(({ id }) => id === from);
  const builder = new RepairIndexBuilder({
    shouldFix,
    onObject: (value, hasOwnLine) => evidence.add(value, hasOwnLine),
    tools: settleTools,
  });
  const { index } = builder;
  const first: Line[] = [];
  // A pretty-printed array of entries is a JSON document, not a log.
  let array: FormatEvidence | undefined;
  const decide = (): Identity | undefined => {
    if (array || (index.written > 0 && !evidence.end()) || (requested && index.written === 0))
      return identify(name, first, from);
    if (requested) throw unfitError(name, requested, 'a pi or omp session log');
    const refusal = evidence.refusal({ anyVersion: false });
    if (refusal !== undefined) throw new LogError(name, refusal, 'NOT_A_SESSION');
    return undefined;
  };
  let identity: Identity | undefined;
  let decided = false;
  for await (const batch of readLineBatches(read())) {
    // A pipe must be read to its end before it can be read again.
    if (identity && rereadable) break;
    for (const line of identity ? [] : batch) {
      if (line.number === 1 && isContainer(line.raw)) {
        identity = identify(name, [line], from);
        break;
      }
      builder.take(line);
      if (decided) continue;
      if (line.number === 1) evidence.addStart(line.text);
      if (index.written <= 1 && /^\ufeff?\s*\[\s*$/u.test(line.text)) array = new FormatEvidence();
      array?.addLine(line);
      if (array?.isNative) array = undefined;
      const isOurs = !array && evidence.isNative === true;
      // Lines are kept only while they may be needed to identify the format.
      if (!isOurs && !line.blank) first.push(line);
      if (isOurs ? !evidence.settled : index.written < DETECTION_LINES) continue;
      identity = decide();
      decided = true;
      first.length = 0;
      if (identity) break;
    }
  }
  if (identity) return identity;
  builder.end();
  return (decided ? undefined : decide()) ?? index;
}
