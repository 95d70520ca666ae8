import { readLines } from '../../src/lines/reader.ts';
import {
  applyRepair,
  type ChangeRecord,
  makePlan,
  type QuarantineRecord,
  type RepairCallbacks,
  RepairIndexBuilder,
} from '../../src/repair/index.ts';
import { LogCheck } from '../../src/rules/check/check-log.ts';
import { rules } from '../../src/rules/index.ts';
import type { Finding } from '../../src/rules/rule.ts';
import type { ScannerKind } from '../../src/scanner/layout.ts';

export const KEY = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);

/** What is fixed only where it is asked for. */
const WARNINGS = new Set(rules.flatMap(({ id, level }) => (level === 'error' ? [] : [id])));

export interface Repaired {
  readonly output: Buffer;
  readonly changes: readonly ChangeRecord[];
  readonly quarantine: readonly QuarantineRecord[];
  readonly left: readonly { readonly line: number; readonly rule: string }[];
  readonly words: readonly string[];
}

export interface RepairOptions {
  readonly only?: readonly string[];
  readonly settleTools?: boolean;
  readonly settleLeaf?: boolean;
  /** Without one the report has to tell what leaves. */
  readonly withQuarantine?: boolean;
  readonly chunkBytes?: number;
  readonly maxLineBytes?: number;
  /** What the second pass finds where somebody wrote to the log meanwhile. */
  readonly meanwhile?: string;
  /** Lets it look at lines without reading them in full. */
  readonly scanner?: ScannerKind;
}

/** The repair without the program around it. */
export async function repair(input: Buffer | string, options: RepairOptions = {}): Promise<Repaired> {
  const bytes = Buffer.from(input);
  const chunks = (): AsyncGenerator<Buffer> => inChunks(bytes, options.chunkBytes ?? 65_536);
  const shouldFix = (rule: string): boolean => (options.only ? options.only.includes(rule) : !WARNINGS.has(rule));
  const builder = new RepairIndexBuilder({ shouldFix, onObject: () => {}, tools: options.settleTools === true });
  const limit = options.maxLineBytes === undefined ? {} : { maxLineBytes: options.maxLineBytes };
  for await (const line of readLines(chunks(), limit)) builder.take(line);
  builder.end();
  const plan = await makePlan(builder.index, {
    name: 'log',
    shouldFix,
    settleTools: options.settleTools === true,
    settleLeaf: options.settleLeaf === true,
  });
  const parts: Buffer[] = [];
  const changes: ChangeRecord[] = [];
  const quarantine: QuarantineRecord[] = [];
  const words: string[] = [];
  const again = options.meanwhile === undefined ? chunks() : inChunks(Buffer.from(options.meanwhile), 65_536);
  const callbacks: RepairCallbacks = {
    write: (bytes) => void parts.push(bytes),
    onChange: (record, said) => {
      // As it comes back from a file.
      changes.push(JSON.parse(JSON.stringify(record)) as ChangeRecord);
      if (said !== undefined) words.push(`${record.line}: ${record.rule}: ${said}`);
    },
    onQuarantine:
      options.withQuarantine === false
        ? undefined
        : (record) => void quarantine.push(JSON.parse(JSON.stringify(record)) as QuarantineRecord),
  };
  const random = (bytes: number): Uint8Array => KEY.slice(0, bytes);
  const source = { name: 'log', read: () => again, random, scanner: options.scanner ?? 'off' };
  const left = await applyRepair(plan, source, callbacks, limit);
  return { output: Buffer.concat(parts), changes, quarantine, left, words };
}

/** Every finding of a log, as validate has it. */
export async function findingsOf(input: Buffer | string): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = new LogCheck({ file: 'log', hashKey: KEY, onFinding: (finding) => findings.push(finding) });
  for await (const line of readLines(inChunks(Buffer.from(input), 65_536))) check.line(line);
  check.end();
  return findings;
}

export async function errorsOf(input: Buffer | string): Promise<string[]> {
  const findings = await findingsOf(input);
  return findings
    .filter(({ severity }) => severity === 'error')
    .map(({ line, rule, message }) => `${line}: ${rule}: ${message}`);
}

export async function* inChunks(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  // One piece of memory for all chunks, as a file reader has it.
  const memory = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    const length = bytes.copy(memory, 0, at, at + size);
    yield memory.subarray(0, length);
  }
}
