import type { RecordChecks } from '../../src/formats/format.ts';
import { readLines } from '../../src/lines/reader.ts';
import {
  applyRepair,
  type ChangeRecord,
  planRecords,
  type QuarantineRecord,
  type RepairRequest,
} from '../../src/repair/index.ts';
import { RecordCheck } from '../../src/rules/check/check-records.ts';
import type { Finding } from '../../src/rules/rule.ts';
import { inChunks, KEY, type Repaired } from './repairing.ts';

export interface RecordRepairOptions {
  readonly only?: readonly string[];
  readonly settleTools?: boolean;
  readonly withQuarantine?: boolean;
  readonly chunkBytes?: number;
}

/** The repair of a log of another agent, without the program around it. */
export async function repairRecords(
  input: Buffer | string,
  checks: RecordChecks,
  { only, settleTools = false, withQuarantine = true, chunkBytes = 65_536 }: RecordRepairOptions = {},
): Promise<Repaired> {
  const bytes = Buffer.from(input);
  const request: RepairRequest = {
    name: 'log',
    read: () => inChunks(bytes, chunkBytes),
    rereadable: true,
    only: only && new Set(only),
    from: undefined,
    settleTools,
    settleLeaf: false,
    random: (length) => KEY.slice(0, length),
    scanner: 'off',
  };
  const parts: Buffer[] = [];
  const changes: ChangeRecord[] = [];
  const quarantine: QuarantineRecord[] = [];
  const words: string[] = [];
  const left = await applyRepair(await planRecords(request, checks), request, {
    write: (piece) => void parts.push(piece),
    onChange: (record, said) => {
      changes.push(JSON.parse(JSON.stringify(record)) as ChangeRecord);
      if (said !== undefined) words.push(`${record.line}: ${record.rule}: ${said}`);
    },
    onQuarantine: withQuarantine
      ? (record) => void quarantine.push(JSON.parse(JSON.stringify(record)) as QuarantineRecord)
      : undefined,
  });
  return { output: Buffer.concat(parts), changes, quarantine, left, words };
}

/** Every finding of a log, as validate has it. */
export async function recordFindings(input: Buffer | string, checks: RecordChecks): Promise<Finding[]> {
  const findings: Finding[] = [];
  const check = new RecordCheck({ file: 'log', checks, hashKey: KEY, onFinding: (one) => findings.push(one) });
  for await (const line of readLines(inChunks(Buffer.from(input), 65_536))) check.line(line);
  check.end();
  return findings;
}

export async function recordErrors(input: Buffer | string, checks: RecordChecks): Promise<string[]> {
  const findings = await recordFindings(input, checks);
  return findings
    .filter(({ severity }) => severity === 'error')
    .map(({ line, rule, message }) => `${line}: ${rule}: ${message}`);
}
