import { defineRule } from './rule.ts';

const ALLOWED_MS = 60_000;

export const timeBackwards = defineRule('time-backwards', 'warning', 'tree', {
  summary: 'an entry is more than 60 s older than its parent',
  why: 'The order of the log and the order of its timestamps differ, so tools that sort by time show it in the wrong place.',
  arises: 'The clock was set back, or entries were copied or moved to another parent.',
  advice: 'Nothing is lost; repair does not change it.',
  example:
    '{…"id":"a",…"timestamp":"2026-01-02T00:00:00.000Z"}\n{…"id":"b","parentId":"a",…"timestamp":"2026-01-01T00:00:00.000Z"}',
  end: (log, report) => {
    for (let position = 0; position < log.index.size; position++) {
      const parent = log.parentOf(position);
      const behind = parent < 0 ? 0 : log.timeOf(parent) - log.timeOf(position);
      if (behind <= ALLOWED_MS || Number.isNaN(behind)) continue;
      const line = log.index.lineOf(parent);
      report(log.placeOf(position, 'timestamp'), `${span(behind)} older than its parent on line ${line}`);
    }
  },
  recordsEnd: (log, report) => {
    for (let position = 0; position < log.size; position++) {
      const parent = log.parentOf(position);
      const behind = parent < 0 ? 0 : log.timeOf(parent) - log.timeOf(position);
      if (behind <= ALLOWED_MS || Number.isNaN(behind)) continue;
      report(log.placeOf(position), `${span(behind)} older than its parent on line ${log.lineOf(parent)}`);
    }
  },
});

function span(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`;
}
