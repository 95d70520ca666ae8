const LATEST = 8.64e15;
const MINUTE = 60_000;

/** Milliseconds since 1970; undefined for what is no time. */
export function millisecondsOf(time: string | number | undefined): number | undefined {
  const value = typeof time === 'string' ? Date.parse(time) : time;
  return value !== undefined && Math.abs(value) <= LATEST ? Math.trunc(value) : undefined;
}

/** The minute that was asked for last: most times of a log are of the same one as the time before. */
let known = { minute: Number.NaN, text: '' };
/** The time that was asked for last: an entry has it more than once, and so have those beside it. */
let last = { time: Number.NaN, text: '' };

/** As toISOString gives it. */
export function isoTime(time: number): string {
  if (time !== last.time) last = { time, text: textOf(time) };
  return last.text;
}

function textOf(time: number): string {
  const minute = Math.floor(time / MINUTE);
  if (minute !== known.minute)
    known = { minute, text: new Date(minute * MINUTE).toISOString().slice(0, -'00.000Z'.length) };
  const rest = String(100_000 + time - minute * MINUTE);
  return `${known.text}${rest.slice(1, 3)}.${rest.slice(3)}Z`;
}
