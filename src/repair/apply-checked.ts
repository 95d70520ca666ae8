import { PassThrough } from 'node:stream';
import { Block, readBlocks } from '../lines/reader.ts';
import { ByteWriter } from '../lines/writer.ts';
import type { ScannerKind } from '../scanner/scanner.ts';
import { type ApplyHands, applyPlan, type LineMap } from './apply.ts';
import type { Plan } from './plan.ts';
import type { Left } from './survey.ts';

export interface CheckOptions {
  readonly random: (bytes: number) => Uint8Array;
  readonly scanner: ScannerKind;
  /** As in the first pass. */
  readonly maxLineBytes?: number;
}

/**
 * Carries the plan out and checks what is written, by the rules of validate: gives the errors that are in the output, by
 * the lines of the input. Where nothing was wrong and nothing changes there is nothing to check.
 */
export async function applyChecked(
  plan: Plan,
  chunks: AsyncIterable<Buffer>,
  hands: ApplyHands,
  { random, scanner, ...limit }: CheckOptions,
): Promise<readonly Left[]> {
  if (plan.left.length === 0 && !plan.changes) {
    await applyPlan(plan, chunks, hands);
    return [];
  }
  const { LogCheck, makeMemory } = await import('../rules/check-log.ts');
  const errors: { readonly line: number; readonly offset: number; readonly rule: string }[] = [];
  const check = new LogCheck({
    file: '',
    hashKey: random(8),
    memory: makeMemory(scanner, random(8), undefined, false),
    onFinding: (finding) => {
      if (finding.severity === 'error') errors.push(finding);
    },
  });
  const pipe = new PassThrough();
  const applying = applyInto(pipe, plan, chunks, hands);
  try {
    for await (const piece of readBlocks(handingOn(pipe, hands.out), limit)) {
      if (piece instanceof Block) check.block(piece);
      else check.line(piece);
    }
  } finally {
    pipe.destroy();
    await Promise.allSettled([applying]);
  }
  const lines = await applying;
  check.end();
  return errors.map(({ line, offset, rule }) => ({ line: lines.inputLine(line, offset), rule })).sort((a, b) => a.line - b.line);
}

async function applyInto(pipe: PassThrough, plan: Plan, chunks: AsyncIterable<Buffer>, hands: ApplyHands): Promise<LineMap> {
  const out = new ByteWriter(pipe);
  try {
    const lines = await applyPlan(plan, chunks, { ...hands, out });
    await out.flush();
    return lines;
  } finally {
    pipe.end();
  }
}

async function* handingOn(chunks: AsyncIterable<Buffer>, out: ByteWriter): AsyncGenerator<Buffer, void, void> {
  for await (const chunk of chunks) {
    out.bytes(chunk);
    if (out.full) await out.flush();
    yield chunk;
  }
}
