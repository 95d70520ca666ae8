import { UsageError } from './errors.ts';

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** The start of a day in milliseconds since 1970; months count from 0, and days may overflow. */
export type StartOfDay = (year: number, month: number, date: number) => number;

const localStart: StartOfDay = (...day) => new Date(...day).getTime();

/**
 * Parses a time given by the user, in milliseconds since 1970: an age ('90m', '12h', '7d', '2w'), a day in the local
 * time zone ('2026-11-01'), or ISO 8601. With `isEnd` a day means its end.
 */
export function parseTime(
  option: string,
  text: string | undefined,
  now: number,
  isEnd = false,
  startOf: StartOfDay = localStart,
): number | undefined {
  if (text === undefined) return undefined;
  const ago = /^(\d+)([mhdw])$/.exec(text);
  if (ago) return now - Number(ago[1]) * (UNITS[ago[2] as string] as number);
  const day = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text);
  if (day) {
    const [year, month, date] = day.slice(1).map(Number) as [number, number, number];
    // Reject days that do not exist.
    if (new Date(Date.UTC(year, month - 1, date)).getUTCMonth() === month - 1)
      return isEnd ? startOf(year, month - 1, date + 1) - 1 : startOf(year, month - 1, date);
  } else if (/^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text))) return Date.parse(text);
  throw new UsageError(`option '--${option}' takes a time such as '7d', '12h', '2026-11-01' or '2026-11-01T09:30'`);
}
