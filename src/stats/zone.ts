import { UsageError } from '../util/errors.ts';
import type { StartOfDay } from '../util/parse-time.ts';
import { partitionPoint } from '../util/search.ts';

/** The offset of a zone changes at whole quarters of an hour. */
const QUARTER = 15 * 60_000;
const DAY = 86_400_000;

/** Gives the date of a time in a zone, such as 2026-11-01; in the user's zone where undefined. */
export function calendarIn(zone: string | undefined): (time: number) => string {
  const format = formatIn(zone);
  const days = new Map<number, string>();
  return (time) => {
    const quarter = Math.floor(time / QUARTER);
    const day = days.get(quarter) ?? format.format(quarter * QUARTER);
    days.set(quarter, day);
    return day;
  };
}

function formatIn(zone: string | undefined): Intl.DateTimeFormat {
  try {
    // Canada writes dates as ISO 8601 does.
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
    return new Intl.DateTimeFormat('en-CA', { ...parts, ...(zone === undefined ? {} : { timeZone: zone }) });
  } catch {
    throw new UsageError(`option '--tz' takes a time zone such as 'UTC' or 'Europe/Berlin', not '${zone}'`);
  }
}

/** The inverse: when a day starts. */
export function startIn(dayOf: (time: number) => string): StartOfDay {
  return (...date) => {
    const noon = Date.UTC(...date) + DAY / 2;
    const day = new Date(noon).toISOString().slice(0, 10);
    const quarter = noon / QUARTER;
    return (
      QUARTER * partitionPoint(quarter - DAY / QUARTER, quarter + DAY / QUARTER, (at) => dayOf(at * QUARTER) < day)
    );
  };
}

/** The week of a date as ISO 8601 counts them, such as 2026-W45: it belongs to the year that its Thursday is in. */
export function isoWeek(day: string): string {
  const time = Date.parse(`${day}T00:00:00Z`);
  const weekday = (new Date(time).getUTCDay() + 6) % 7;
  const thursday = new Date(time + (3 - weekday) * DAY);
  const year = thursday.getUTCFullYear();
  const week = 1 + Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / DAY / 7);
  return `${year}-W${String(week).padStart(2, '0')}`;
}
