import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkShape } from '../../src/entries/schema/index.ts';
import { isObject } from '../../src/json/value.ts';
import { Line } from '../../src/lines/line.ts';
import { LineBlock, readBlocks } from '../../src/lines/reader.ts';
import { LogCheck, makeMemory } from '../../src/rules/check/check-log.ts';
import { readTime } from '../../src/rules/check/log-facts.ts';
import type { Finding } from '../../src/rules/rule.ts';
import {
  ABSENT,
  CALL_FIELDS,
  FIELD,
  FIELDS,
  MAY_HOLD_IMAGE,
  NULL,
  ROLE,
  type ScannerKind,
  STOPPED_TURN,
} from '../../src/scanner/layout.ts';
import { makeScanner, type Scanner } from '../../src/scanner/scanner.ts';
import { makeRandom } from '../bench/texts.ts';
import { settings } from '../support/properties.ts';
import { projectRoot } from '../support/run.ts';
import { assistant, entry, HEADER, user } from '../support/sessions.ts';
import { mutated, SEEDS } from './mutated-lines.ts';

/** Keys below which the scanner counts what is there by its kind alone: KEY_OPAQUE in src/scanner/assembly/keys.ts. */
const OPAQUE_KEYS = ['arguments', 'details', 'data', 'input'];

const SEED = new Uint8Array([1, 2, 3, 4, 5, 6, 7, 8]);

function scannerOf(kind: ScannerKind): Scanner {
  const scanner = makeScanner(kind, SEED);
  if (!scanner) throw new Error('no scanner');
  return scanner;
}

const compiled = scannerOf('compiled');

interface Scanned {
  accepted: boolean;
  shape: string;
  facts: Record<string, unknown>;
}

function scan(scanner: Scanner, lines: readonly Buffer[]): Scanned[] {
  const block = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
  expect(scanner.load(block)).toBe(true);
  const all: Scanned[] = [];
  for (let from = 0; from < block.length; ) {
    const count = scanner.scan(from);
    const { records, calls } = scanner;
    for (let line = 0; line < count; line++) {
      const field = (name: keyof typeof FIELD): number => records[line * FIELDS + FIELD[name]] as number;
      from = field('start') + field('length') + 1;
      if (field('accepted') === 0) {
        all.push({ accepted: false, shape: '', facts: {} });
        continue;
      }
      const text = (start: number, length: number): unknown =>
        length === ABSENT ? undefined : length === NULL ? null : block.toString('utf8', start, start + length);
      const found = Array.from({ length: field('calls') }, (_, at) => {
        const call = (field('firstCall') + at) * CALL_FIELDS;
        return [text(calls[call] as number, calls[call + 1] as number), calls[call + 2]];
      });
      all.push({
        accepted: true,
        shape: `${field('shapeA')}/${field('shapeB')}`,
        facts: {
          id: text(field('idStart'), field('idLength')),
          parentId: text(field('parentStart'), field('parentLength')),
          result: text(field('resultStart'), field('resultLength')),
          codes: field('codes'),
          time: field('day') * 86_400_000 + field('millisecond'),
          calls: found,
        },
      });
    }
  }
  expect(all.length).toBe(lines.length);
  return all;
}

function mayHoldImage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(
    ([key, member]) =>
      key === 'image_url' || (typeof member === 'string' && OPAQUE_KEYS.includes(key)) || mayHoldImage(member),
  );
}

/** What JSON.parse says about the same line; of a key that is twice, the scanner looks for images under both. */
function parsedFacts(value: Record<string, unknown>, scanned: Record<string, unknown>): Record<string, unknown> {
  const message = isObject(value['message']) ? value['message'] : {};
  const content = Array.isArray(message['content']) ? message['content'] : [];
  const type = ['', 'message', 'custom', 'model_change', 'thinking_level_change'].indexOf(String(value['type']));
  const known = ['', 'user', 'assistant', 'toolResult'].indexOf(String(message['role']));
  const role = !('role' in message) ? ROLE.none : known > 0 ? known : ROLE.unknown;
  const cut = message['stopReason'] === 'aborted' || message['stopReason'] === 'error' ? 256 : 0;
  const string = (one: unknown): unknown => (typeof one === 'string' ? one : undefined);
  return {
    id: string(value['id']),
    parentId: value['parentId'] === null ? null : string(value['parentId']),
    result: string(message['toolCallId']),
    codes:
      type | (role << 4) | cut | (mayHoldImage(value) ? MAY_HOLD_IMAGE : Number(scanned['codes']) & MAY_HOLD_IMAGE),
    time: readTime(value['timestamp']),
    calls: content.flatMap((block: unknown, at: number) =>
      isObject(block) && block['type'] === 'toolCall' && typeof block['id'] === 'string' ? [[block['id'], at]] : [],
    ),
  };
}

const VALUE_RULES = new Set(['duplicate-id', 'sibling-writers', 'duplicate-call-id']);

/** By line of the batch: whether a full reading has something to say that its shape decides. */
function shapeFindings(batch: readonly Buffer[]): boolean[] {
  const found = batch.map(() => false);
  const check = new LogCheck({
    file: 'f',
    hashKey: SEED,
    onFinding: ({ rule, line }) => {
      if (!VALUE_RULES.has(rule)) found[line - 2] = true;
    },
  });
  for (const [at, bytes] of [Buffer.from(HEADER.trimEnd()), ...batch].entries()) {
    check.line(new Line(at + 1, at, bytes.toString('latin1'), true, 'utf8'));
  }
  return found;
}

/** Looks for a line on which the scanner and JSON.parse, or the schemas, do not agree. Undefined where there is none. */
function findDisagreement(scanner: Scanner, lines: number, seed: number): string | undefined {
  const random = makeRandom(seed);
  const shapes = new Map<string, { findings: string; line: string }>();
  for (let done = 0; done < lines; done += 1000) {
    const batch = Array.from({ length: 1000 }, () => mutated(random));
    const scanned = scan(scanner, batch);
    const reported = shapeFindings(batch);
    for (const [at, bytes] of batch.entries()) {
      const one = scanned[at] as Scanned;
      const line = bytes.toString('utf8');
      if (!one.accepted) continue;
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch {
        return `accepted, but no JSON: ${line}`;
      }
      if (!isObject(value)) return `accepted, but no object: ${line}`;
      if (JSON.stringify(parsedFacts(value, one.facts)) !== JSON.stringify(one.facts))
        return `other facts: ${line} ${JSON.stringify(one.facts)}`;
      const zod = checkShape(value, 3).length > 0;
      const findings = `${zod} ${reported[at]}`;
      const known = shapes.get(one.shape);
      if (!known) shapes.set(one.shape, { findings, line });
      else if (known.findings !== findings) return `one shape, two verdicts:\n${known.line}\n${line}`;
    }
  }
  return undefined;
}

describe('the scanner', () => {
  it('agrees with JSON.parse and with the schemas on 100,000 mutated lines', () => {
    expect(findDisagreement(compiled, 100_000, 7)).toBeUndefined();
  }, 300_000);

  it('accepts every healthy message', () => {
    const lines = SEEDS.slice(0, 10).map((line) => Buffer.from(line));
    expect(scan(compiled, lines).every((one) => one.accepted)).toBe(true);
  });

  it('reads times as Date.parse does, on any day', () => {
    const date = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (time) => {
        const line = Buffer.from(
          entry('custom', 'a', null, { customType: 'x', timestamp: time.toISOString() }).trimEnd(),
        );
        expect(scan(compiled, [line])[0]?.facts['time']).toBe(time.getTime());
      }),
      settings(500),
    );
  });

  it('accepts no string that JSON.parse rejects, around 16 bytes, the width of its look', () => {
    const lines: Buffer[] = [];
    for (let length = 0; length < 70; length++) {
      for (const end of ['', '"', '\\"', '\\\\', '\\', '\u0001', 'é', '\\u0041', '\\ud800', '\\u12', '\t']) {
        lines.push(
          Buffer.from(
            `{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","x":"${'y'.repeat(length)}${end}"}`,
          ),
        );
      }
    }
    const accepted = scan(compiled, lines).map((one) => one.accepted);
    lines.forEach((line, at) => {
      if (accepted[at]) expect(() => JSON.parse(line.toString())).not.toThrow();
    });
    expect(accepted.filter(Boolean).length).toBeGreaterThan(70 * 4);
  });

  it('leaves a known key with zeros behind it to a full reading, however many', () => {
    const line = (key: string): string =>
      `{"type":"custom","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:00.000Z","customType":"c","${key}":"d"}`;
    for (const key of ['', 'k', 'customType', 'fifteen letters']) {
      const lines = Array.from({ length: 33 }, (_, zeros) => Buffer.from(line(key + '\0'.repeat(zeros))));
      expect(scan(compiled, lines).map((one) => one.accepted)).toEqual(lines.map((_, zeros) => zeros === 0));
    }
  });

  it('leaves lines with long strings to a full reading, unless it is image data', () => {
    const long = 'x'.repeat(500_001);
    const image = entry('message', 'a', null, {
      message: { role: 'user', content: [{ type: 'image', data: long, mimeType: 'image/png' }], timestamp: 1 },
    });
    const lines = [user('a', null, long), image, entry('custom', 'a', null, { customType: 'x', data: { long } })];
    const accepted = scan(
      compiled,
      lines.map((line) => Buffer.from(line.trimEnd())),
    ).map((one) => one.accepted);
    expect(accepted).toEqual([false, true, false]);
  });

  it('scans more lines and calls than there is room for at once', () => {
    const many = Array.from({ length: 20_000 }, (_, at) =>
      Buffer.from(assistant(`e${at}`, null, ['a', 'b', 'c']).trimEnd()),
    );
    const scanned = scan(compiled, many);
    expect(scanned.every((one) => one.accepted && (one.facts['calls'] as unknown[]).length === 3)).toBe(true);
  });
});

/** Scanners that look a little less closely: each must be caught by the comparison. */
const WEAKENINGS: Readonly<Record<string, (scanner: Scanner, block: Uint8Array) => void>> = {
  'accepts everything': ({ records }) => eachRecord((at) => (records[at + FIELD.accepted] = 1)),
  'ignores the second half of the shape and most of the first': ({ records }) =>
    eachRecord((at) => {
      records[at + FIELD.shapeA] = (records[at + FIELD.shapeA] as number) & 3;
      records[at + FIELD.shapeB] = 0;
    }),
  'gives an id that is a byte short': ({ records }) =>
    eachRecord((at) => {
      if ((records[at + FIELD.idLength] as number) > 0)
        records[at + FIELD.idLength] = (records[at + FIELD.idLength] as number) - 1;
    }),
  'takes a null parent for none': ({ records }) =>
    eachRecord((at) => {
      if (records[at + FIELD.parentLength] === NULL) records[at + FIELD.parentLength] = ABSENT;
    }),
  'forgets that a turn was cut': ({ records }) =>
    eachRecord((at) => (records[at + FIELD.codes] = (records[at + FIELD.codes] as number) & ~STOPPED_TURN)),
  'loses a millisecond': ({ records }) =>
    eachRecord((at) => (records[at + FIELD.millisecond] = (records[at + FIELD.millisecond] as number) ^ 1)),
  'loses the last call': ({ records }) =>
    eachRecord((at) => (records[at + FIELD.calls] = Math.max(0, (records[at + FIELD.calls] as number) - 1))),
};

function eachRecord(change: (at: number) => void): void {
  for (let at = 0; at < 1000 * FIELDS; at += FIELDS) change(at);
}

describe('the comparison itself', () => {
  it.each(Object.keys(WEAKENINGS))('catches a scanner that %s', (name) => {
    const inner = scannerOf('compiled');
    let block: Uint8Array = new Uint8Array();
    const weak: Scanner = {
      load: (bytes) => {
        block = bytes;
        return inner.load(bytes);
      },
      scan: (from) => {
        const lines = inner.scan(from);
        WEAKENINGS[name]?.(inner, block);
        return lines;
      },
      scanEnvelopes: (from) => inner.scanEnvelopes(from),
      scanTexts: (from) => inner.scanTexts(from),
      outline: (from, names) => inner.outline(from, names),
      outlineText: (...about) => inner.outlineText(...about),
      get records() {
        return inner.records;
      },
      get calls() {
        return inner.calls;
      },
    };
    expect(findDisagreement(weak, 10_000, 7)).toBeTypeOf('string');
  });
});

async function findingsOf(bytes: Buffer, scanner: ScannerKind): Promise<Finding[]> {
  const found: Finding[] = [];
  const check = new LogCheck({
    file: 'f',
    hashKey: SEED,
    memory: makeMemory(scanner, SEED),
    onFinding: (finding) => found.push(finding),
  });
  async function* source(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += 4096) yield bytes.subarray(at, at + 4096);
  }
  for await (const piece of readBlocks(source())) {
    if (piece instanceof LineBlock) check.block(piece);
    else check.line(piece);
  }
  check.end();
  return found;
}

describe('findings', () => {
  it('are the same with the scanner and without, on every fixture', async () => {
    const names = readdirSync(join(projectRoot, 'fixtures'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.jsonl'),
    );
    expect(names.length).toBeGreaterThan(100);
    for (const name of names) {
      const bytes = readFileSync(join(projectRoot, 'fixtures', name));
      const plain = await findingsOf(bytes, 'off');
      expect({ name, found: await findingsOf(bytes, 'compiled') }).toEqual({ name, found: plain });
    }
  });

  it('are the same on logs made of mutated lines', async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const random = makeRandom(seed);
      const lines = Array.from({ length: 200 }, () => mutated(random).toString('utf8'));
      const bytes = Buffer.from(`${HEADER}${lines.join('\n')}\n`);
      expect(await findingsOf(bytes, 'compiled')).toEqual(await findingsOf(bytes, 'off'));
    }
  });
});

describe('the keys below which the scanner does not look', () => {
  it('are keys below which no schema looks either', () => {
    // A schema that looked below would tell these two apart.
    for (const key of OPAQUE_KEYS) {
      for (const base of SEEDS) {
        const value = JSON.parse(base) as Record<string, unknown>;
        const withInside = (inside: unknown): string => {
          const put = (one: unknown): unknown => {
            if (Array.isArray(one)) return one.map(put);
            if (!isObject(one)) return one;
            return Object.fromEntries(
              Object.entries(one).map(([name, inner]) => [name, name === key && isObject(inner) ? inside : put(inner)]),
            );
          };
          return JSON.stringify(checkShape(put(value) as Record<string, unknown>, 3));
        };
        expect(withInside({})).toBe(withInside({ type: 5, content: [{ type: 7 }], text: null, role: [] }));
      }
    }
  });
});
