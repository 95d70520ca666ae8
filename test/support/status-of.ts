import { isObject, type JsonObject } from '../../src/json/value.ts';
import { type ClassRule, classifier } from '../../src/status/classes.ts';
import { PathFacts } from '../../src/status/facts.ts';
import { judgeStatus } from '../../src/status/status.ts';
import type { FileState, Status } from '../../src/status/types.ts';

export interface Row {
  readonly line: number;
  readonly value: JsonObject;
}

/** The lines of a log as rows; what is no JSON object is left out and reported. */
export function rowsOf(text: string): { rows: Row[]; damage: { line: number; rule: string }[] } {
  const rows: Row[] = [];
  const damage: { line: number; rule: string }[] = [];
  text.split('\n').forEach((line, index) => {
    if (line.trim() === '') return;
    try {
      const value: unknown = JSON.parse(line);
      if (isObject(value)) rows.push({ line: index + 1, value });
    } catch {
      damage.push({ line: index + 1, rule: 'torn-line' });
    }
  });
  return { rows, damage };
}

interface StatusOfOptions {
  readonly leafId?: string | null;
  readonly rules?: readonly ClassRule[];
  readonly damage?: FileState['damage'];
}

/** The status of rows that have an id each, by a plain walk over a map: a second way to what the command does. */
export function statusOf(rows: readonly Row[], options: StatusOfOptions = {}): Status {
  const header = rows.find((row) => row.value['type'] === 'session')?.value;
  const entries = rows.filter((row) => row.value['type'] !== 'session');
  const byId = new Map(entries.map((row) => [row.value['id'], row]));
  const path: Row[] = [];
  const met = new Set<unknown>();
  let pathEnd: FileState['pathEnd'] = { kind: 'root' };
  let at =
    options.leafId === undefined ? entries.at(-1) : options.leafId === null ? undefined : byId.get(options.leafId);
  while (at) {
    if (met.has(at.value['id'])) {
      pathEnd = { kind: 'cycle', id: String(at.value['id']) };
      break;
    }
    met.add(at.value['id']);
    path.unshift(at);
    const parentId = at.value['parentId'];
    const parent = byId.get(parentId);
    if (!parent && typeof parentId === 'string') pathEnd = { kind: 'missing-parent', id: parentId };
    at = parent;
  }
  const facts = new PathFacts();
  for (const row of path) facts.add(row);
  for (const row of entries) if (!path.includes(row)) facts.addOther(row);
  const version = header?.['version'];
  return judgeStatus(
    facts,
    {
      sessionId: typeof header?.['id'] === 'string' ? header['id'] : null,
      hasHeader: header !== undefined,
      version: typeof version === 'number' ? version : header ? 1 : undefined,
      damage: options.damage ?? [],
      unit: 'line',
      lastEntryLine: entries.at(-1)?.line ?? 0,
      endsWithNewline: true,
      isRepairable: true,
      errors: [],
      pathEnd,
    },
    classifier(options.rules),
  );
}
