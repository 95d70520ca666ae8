const SECOND = 1000;
const UNITS: readonly (readonly [name: string, milliseconds: number])[] = [
  ['year', 365 * 86_400 * SECOND],
  ['month', 30 * 86_400 * SECOND],
  ['week', 7 * 86_400 * SECOND],
  ['day', 86_400 * SECOND],
  ['hour', 3600 * SECOND],
  ['minute', 60 * SECOND],
];

/** '3 hours ago', in the largest unit of which there are at least two, as git does. */
export function ago(milliseconds: number): string {
  if (milliseconds < 0) return 'in the future';
  for (const [name, length] of UNITS) {
    const count = Math.floor(milliseconds / length);
    if (count >= 2) return `${count} ${name}s ago`;
  }
  const seconds = Math.floor(milliseconds / SECOND);
  return seconds === 1 ? '1 second ago' : `${seconds} seconds ago`;
}
