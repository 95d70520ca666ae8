import { oneLine } from './words.ts';

/** A time of the log as people write it, in one time zone. */
export type TimeText = (timestamp: unknown) => string | undefined;

const ISO = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(Z|[+-]\d\d:?\d\d)?$/;
const ISO_MILLISECONDS = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const FURTHEST = 8.64e15;

/** Throws a RangeError where the zone is not known. The same zone gives the same text on every machine. */
export function timeTextIn(zone: string): TimeText {
  if (zone === 'UTC') return (timestamp) => isoInUtc(timestamp) ?? timeText(timestamp, utcText);
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });
  return (timestamp) =>
    timeText(timestamp, (milliseconds) => {
      const parts = new Map(format.formatToParts(milliseconds).map((part) => [part.type, part.value]));
      const get = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? '';
      return `${get('year').padStart(4, '0')}-${get('month')}-${get('day')} ${get('hour')}:${get('minute')}:${get('second')}`;
    });
}

function timeText(timestamp: unknown, text: (milliseconds: number) => string): string | undefined {
  if (typeof timestamp === 'number') return Math.abs(timestamp) <= FURTHEST ? text(timestamp) : undefined;
  if (typeof timestamp !== 'string' || timestamp === '') return undefined;
  const milliseconds = millisecondsOf(timestamp);
  // What we cannot read a person perhaps can.
  return milliseconds === undefined ? oneLine(timestamp, 40) : text(milliseconds);
}

/** Of a timestamp in ISO form; one without a zone is taken as UTC, for the machine's own zone must not matter. */
export function millisecondsOf(timestamp: unknown): number | undefined {
  if (typeof timestamp === 'number') return Math.abs(timestamp) <= FURTHEST ? timestamp : undefined;
  if (typeof timestamp !== 'string') return undefined;
  const match = ISO.exec(timestamp);
  if (!match) return undefined;
  const milliseconds = Date.parse(match[3] === undefined ? `${timestamp}Z` : timestamp);
  return Number.isNaN(milliseconds) ? undefined : milliseconds;
}

/** What agents write, and needs no arithmetic. */
function isoInUtc(timestamp: unknown): string | undefined {
  if (typeof timestamp !== 'string' || timestamp.length !== 24 || !ISO_MILLISECONDS.test(timestamp)) return undefined;
  return `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)}`;
}

function utcText(milliseconds: number): string {
  const iso = new Date(milliseconds).toISOString();
  const from = iso.indexOf('T');
  return `${iso.slice(0, from)} ${iso.slice(from + 1, from + 9)}`;
}
