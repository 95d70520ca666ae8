import type { NearLog } from '../formats/format.ts';
import {
  FormatEvidence,
  foreignError,
  foreignFormats,
  type Identity,
  identify,
  LINES_TO_LOOK_AT,
  ORIGINS,
  type Origin,
  seeLine,
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
import { AppError, UnsupportedLog } from '../util/errors.ts';
import { type RepairCallbacks, RepairPass } from './apply.ts';
import { RepairIndexBuilder } from './build-index.ts';
import { makePlan, type Plan, type PlanOptions, requireFix } from './plan.ts';
import { planRecords, recordCheck } from './records.ts';

export { type ChangeRecord, InputChanged, type QuarantineRecord, type RepairCallbacks } from './apply.ts';
export { RepairIndexBuilder } from './build-index.ts';
export { makePlan, type Plan } from './plan.ts';
export { planRecords } from './records.ts';

/** An error that is not fixed. */
export interface Remaining {
  readonly line: number;
  readonly rule: string;
}

export interface RepairRequest extends Omit<PlanOptions, 'shouldFix'> {
  /** The bytes from the start, once per pass. */
  readonly read: () => AsyncIterable<Buffer>;
  /** A pass may stop early, and the next one still gets everything. */
  readonly rereadable: boolean;
  /** Only these rules are fixed; else all that are errors. */
  readonly only: ReadonlySet<string> | undefined;
  /** Those of them that were named one by one, and not as a group. */
  readonly named?: ReadonlySet<string> | undefined;
  /** Whose log it is, where that is not to be detected: pi, omp or a format. */
  readonly from: string | undefined;
  /** What is beside the log; absent where nothing is. */
  readonly near?: (() => Promise<NearLog>) | undefined;
  /** Gets the base64 text of each image that leaves a log of another agent, and its bytes, when it is written. */
  readonly keepImage?: ((data: string, bytes: Buffer) => void) | undefined;
  readonly random: (bytes: number) => Uint8Array;
  readonly scanner: ScannerKind;
}

type CheckRequest = Pick<RepairRequest, 'read' | 'random' | 'scanner'>;

/** Decides what is done to a log. A file that is no session log is refused before anything else is requested about it. */
export async function planRepair(request: RepairRequest): Promise<Plan> {
  const { only, settleTools, settleLeaf, from, name } = request;
  const requested = foreignFormats.find(({ id }) => id === from);
  const shouldFix = (rule: string): boolean => (only ? only.has(rule) : isError(rule));
  const asksForMore = settleTools || settleLeaf || [...(only ?? [])].some((rule) => !isError(rule));
  const bytes = request.rereadable && !asksForMore && !requested ? await bytesOfHealthy(request) : undefined;
  if (bytes !== undefined)
    return { regions: [], bytes, newline: '\n', lastNewline: '\n', isHealthy: true, quarantines: false };
  const index = await readIndex(request, shouldFix);
  if (index instanceof RepairIndex) {
    requireFix(name, request.named, rules);
    // A log of any agent may have been cut to nothing.
    const isAnyone = index.bytes === 0 && !originIn(request);
    const own = (rule: string): boolean => shouldFix(rule) && !(isAnyone && rule === missingHeader.id);
    return await makePlan(index, { ...request, shouldFix: own });
  }
  const { format, certainty } = index;
  if (originIn(request)) throw foreignError(name, format);
  const checks = await format.checks?.();
  if (!checks && !format.toNative && format.id !== 'sqlite')
    throw new UnsupportedLog(`${name}: ${unsupportedMessage(format)}`);
  if (!checks?.edit || index.isDocument) {
    const what = index.isDocument ? 'documents' : 'logs of this format';
    throw new UnsupportedLog(
      `${name}: repair does not write ${what} (looks like ${format.title}); nothing was written`,
    );
  }
  if (certainty !== 'certain' && !requested) {
    const hint = `nothing was written; if it is one, pass '--from ${format.id}'`;
    throw new AppError(`${name}: probably ${format.title}; ${hint}`);
  }
  return await planRecords(request, checks);
}

/** Writes the repaired log and gives the errors still in it; a log known to be healthy is only copied. */
export async function applyRepair(
  plan: Plan,
  request: CheckRequest,
  callbacks: RepairCallbacks,
  limit?: ReadLinesOptions,
): Promise<readonly Remaining[]> {
  const pass = new RepairPass(plan, callbacks);
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

/** The check of validate, for errors alone. */
function errorCheck({ random, scanner }: CheckRequest, onError: (error: Finding) => void): LogCheck {
  return new LogCheck({
    file: '',
    hashKey: random(8),
    memory: makeMemory(scanner, random(8), undefined, false),
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

/** The bytes of a log that is surely ours and has no error; undefined for any other. Most need no closer look. */
async function bytesOfHealthy(request: RepairRequest): Promise<number | undefined> {
  let bytes = 0;
  let hasError = false;
  const evidence = new FormatEvidence(originIn(request));
  const check = errorCheck(request, () => {
    hasError = true;
  });
  for await (const piece of readBlocks(request.read())) {
    if (piece instanceof LineBlock && evidence.settled) check.block(piece);
    else {
      for (const line of piece instanceof LineBlock ? piece.split() : [piece]) {
        seeLine(evidence, line);
        check.line(line);
      }
    }
    bytes =
      piece.offset + (piece instanceof LineBlock ? piece.bytes.length : piece.length + (piece.terminated ? 1 : 0));
    if (hasError || evidence.ours === false) return undefined;
  }
  check.end();
  if (hasError || !evidence.end() || evidence.refusal({ anyVersion: false }) !== undefined) return undefined;
  return bytes;
}

/** What has to be known of a log of ours; or what the file is, where it is none. */
async function readIndex(
  request: RepairRequest,
  shouldFix: (rule: string) => boolean,
): Promise<RepairIndex | Identity> {
  const { name, read, from, settleTools, rereadable } = request;
  const evidence = new FormatEvidence(originIn(request));
  const requested = foreignFormats.find(({ id }) => id === from);
  const builder = new RepairIndexBuilder({
    shouldFix,
    onObject: (value, hasOwnLine) => evidence.see(value, hasOwnLine),
    tools: settleTools,
  });
  const { index } = builder;
  const first: Line[] = [];
  // A printed array of entries is a JSON document: taken for a log it would fall to pieces at its commas.
  let array: FormatEvidence | undefined;
  const decide = (): Identity | undefined => {
    if (array || (index.written > 0 && !evidence.end()) || (requested && index.written === 0))
      return identify(name, first, from);
    if (requested) throw unfitError(name, requested, 'a pi or omp session log');
    const refusal = evidence.refusal({ anyVersion: false });
    if (refusal !== undefined) throw new AppError(`${name}: ${refusal}`, 'NOT_A_SESSION');
    return undefined;
  };
  let identity: Identity | undefined;
  let decided = false;
  for await (const batch of readLineBatches(read())) {
    // A pipe has to be read to its end to be read again.
    if (identity && rereadable) break;
    for (const line of identity ? [] : batch) {
      if (line.number === 1 && isContainer(line.raw)) {
        identity = identify(name, [line], from);
        break;
      }
      builder.take(line);
      if (decided) continue;
      if (index.written <= 1 && /^\ufeff?\s*\[\s*$/u.test(line.text)) array = new FormatEvidence();
      if (array) seeLine(array, line);
      if (array?.ours) array = undefined;
      const isOurs = !array && evidence.ours === true;
      // Only what may have to be named is kept.
      if (!isOurs && !line.blank) first.push(line);
      if (isOurs ? !evidence.settled : index.written < LINES_TO_LOOK_AT) continue;
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

function originIn({ from }: RepairRequest): Origin | undefined {
  return ORIGINS.find((one) => one === from);
}
