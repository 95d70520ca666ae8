import { Block, readBlocks } from '../lines/reader.ts';
import type { ByteWriter } from '../lines/writer.ts';
import { LogCheck, makeMemory } from '../rules/check/check-log.ts';
import type { Finding } from '../rules/finding.ts';
import type { ScannerKind } from '../scanner/layout.ts';
import { applyPlan, LineMap, type RepairCallbacks } from './apply.ts';
import type { Plan } from './plan.ts';

/** An error that is not fixed. */
export interface Remaining {
  readonly line: number;
  readonly rule: string;
}

export interface CheckOptions {
  readonly random: (bytes: number) => Uint8Array;
  readonly scanner: ScannerKind;
  /** As in the first pass. */
  readonly maxLineBytes?: number;
}

/** The check of validate, for errors alone. */
export function errorCheck(
  { random, scanner }: Pick<CheckOptions, 'random' | 'scanner'>,
  onError: (error: Finding) => void,
): LogCheck {
  return new LogCheck({
    file: '',
    hashKey: random(8),
    memory: makeMemory(scanner, random(8), undefined, false),
    onFinding: (finding) => {
      if (finding.severity === 'error') onError(finding);
    },
  });
}

/**
 * Carries the plan out and checks what is written, by the rules of validate: gives the errors that are in the output, by
 * the lines of the input. A log that is known to be healthy is only copied.
 */
export async function applyChecked(
  plan: Plan,
  chunks: AsyncIterable<Buffer>,
  callbacks: RepairCallbacks,
  { random, scanner, ...limit }: CheckOptions,
): Promise<readonly Remaining[]> {
  const errors: { readonly line: number; readonly offset: number; readonly rule: string }[] = [];
  const check = errorCheck({ random, scanner }, (error) => errors.push(error));
  const lines = new LineMap();
  const repaired = written(applyPlan(plan, chunks, callbacks, lines), callbacks.out);
  if (plan.isHealthy) {
    for await (const _ of repaired);
    return [];
  }
  for await (const piece of readBlocks(repaired, limit)) {
    if (piece instanceof Block) check.block(piece);
    else check.line(piece);
  }
  check.end();
  return errors
    .map(({ line, offset, rule }) => ({ line: lines.inputLine(line, offset), rule }))
    .sort((a, b) => a.line - b.line);
}

async function* written(chunks: AsyncIterable<Buffer>, out: ByteWriter): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    out.bytes(chunk);
    if (out.full) await out.flush();
    yield chunk;
  }
}
