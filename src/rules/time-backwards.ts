import type { LogFacts } from './check/log-facts.ts';
import { defineRule } from './rule.ts';

const ALLOWED_MS = 60_000;

export const timeBackwards = defineRule('time-backwards', 'warning', 'tree', {
  summary: 'an entry is more than 60 s older than its parent',
  why: 'The order of the log and the order of its timestamps differ, so tools that sort by time show it in the wrong place.',
  arises: 'The clock was set back, or entries were copied or moved to another parent.',
  advice: 'Nothing is lost; repair does not change it.',
  example:
    '{"type":"message","id":"a1b2c3d4",…,"timestamp":"2026-03-02T09:05:00.000Z",…}\n{"type":"message","id":"b2c3d4e5","parentId":"a1b2c3d4","timestamp":"2026-03-02T09:00:09.000Z",…}',
  end: (log, report) => {
    for (const [position, parent, ms] of backwards(log, log.index.size))
      report(log.placeOf(position, 'timestamp'), message(ms, log.index.lineOf(parent)));
  },
  recordsEnd: (log, report) => {
    for (const [position, parent, ms] of backwards(log, log.size))
      report(log.placeOf(position), message(ms, log.lineOf(parent)));
  },
});

function* backwards(log: Pick<LogFacts, 'parentOf' | 'timeOf'>, size: number) {
  for (let position = 0; position < size; position++) {
    const parent = log.parentOf(position);
    const ms = parent < 0 ? 0 : log.timeOf(parent) - log.timeOf(position);
    if (ms > ALLOWED_MS) yield [position, parent, ms] as const;
  }
}

function message(ms: number, parentLine: number): string {
  return `${span(ms)} older than its parent on line ${parentLine}`;
}

function span(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
