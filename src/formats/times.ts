/** No Date is later. */
export const LATEST = 8.64e15;
const MINUTE = 60_000;

/** Milliseconds since 1970; undefined for an invalid time. */
export function millisecondsOf(time: string | number | undefined): number | undefined {
  const value = typeof time === 'string' ? Date.parse(time) : time;
  return value !== undefined && Math.abs(value) <= LATEST ? Math.trunc(value) : undefined;
}

/** The last minute: most times of a log are in the same minute as the one before. */
let lastMinute = { minute: Number.NaN, text: '' };
/** The last time: an entry has it more than once, and so have its neighbors. */
let last = { time: Number.NaN, text: '' };

/** As toISOString gives it. */
export function isoTime(time: number): string {
  if (time !== last.time) last = { time, text: textOf(time) };
  return last.text;
}

function textOf(time: number): string {
  const minute = Math.floor(time / MINUTE);
  if (minute !== lastMinute.minute)
    lastMinute = { minute, text: new Date(minute * MINUTE).toISOString().slice(0, -'00.000Z'.length) };
  const rest = String(100_000 + time - minute * MINUTE);
  return `${lastMinute.text}${rest.slice(1, 3)}.${rest.slice(3)}Z`;
}
