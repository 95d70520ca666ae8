// AssemblyScript, not TypeScript: the time of an entry.

/** Days since 1970, and milliseconds of the day. */
export let day: i32 = 0;
export let millisecond: i32 = 0;

@inline function digit(at: usize): i32 {
  return <i32>load<u8>(at) - 0x30;
}

@inline function twoDigits(at: usize): i32 {
  const tens = digit(at);
  const ones = digit(at + 1);
  return <u32>tens < 10 && <u32>ones < 10 ? tens * 10 + ones : -1;
}

/** The one spelling that agents write, 2026-01-31T23:59:59.999Z; any other is left to who reads the line in full. */
export function readTime(start: usize, end: usize): bool {
  if (end - start != 24) return false;
  const century = twoDigits(start);
  const yearOfCentury = twoDigits(start + 2);
  const month = twoDigits(start + 5);
  const dayOfMonth = twoDigits(start + 8);
  const hour = twoDigits(start + 11);
  const minute = twoDigits(start + 14);
  const second = twoDigits(start + 17);
  const hundreds = digit(start + 20);
  const rest = twoDigits(start + 21);
  if (century < 0 || yearOfCentury < 0 || rest < 0 || <u32>hundreds > 9) return false;
  if (load<u8>(start + 4) != 0x2d || load<u8>(start + 7) != 0x2d || load<u8>(start + 10) != 0x54) return false;
  if (load<u8>(start + 13) != 0x3a || load<u8>(start + 16) != 0x3a) return false;
  if (load<u8>(start + 19) != 0x2e || load<u8>(start + 23) != 0x5a) return false;
  if (month < 1 || month > 12 || dayOfMonth < 1 || hour < 0 || hour > 23) return false;
  if (minute < 0 || minute > 59 || second < 0 || second > 59) return false;
  const year = century * 100 + yearOfCentury;
  const leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  const longest = month == 2 ? (leap ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
  if (dayOfMonth > longest) return false;
  // Days since 1970 by counting years from March.
  const shifted = month > 2 ? year : year - 1;
  const era = (shifted >= 0 ? shifted : shifted - 399) / 400;
  const yearOfEra = shifted - era * 400;
  const dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1;
  day = era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468;
  millisecond = ((hour * 60 + minute) * 60 + second) * 1000 + hundreds * 100 + rest;
  return true;
}
