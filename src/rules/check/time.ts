const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/;

/** A timestamp as ms since 1970; undefined where it is not ISO 8601 with a time zone. */
export function readTime(timestamp: unknown): number | undefined {
  // What Date.parse makes of other spellings differs between machines.
  if (typeof timestamp !== 'string' || !ISO.test(timestamp)) return undefined;
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? undefined : time;
}
