/** '1 entry', '1,003 entries'. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** 2408582 as '2,408,582', the same in every locale. */
export function grouped(value: number): string {
  if (value >= 0 && value < 1000) return String(value);
  if (value < 1_000_000 && Number.isInteger(value) && value > 0) {
    return `${Math.floor(value / 1000)},${String(value % 1000).padStart(3, '0')}`;
  }
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** The candidates that a mistyped word most likely meant, nearest first. */
export function nearest(word: string, candidates: Iterable<string>, most = 3): string[] {
  // At least one character has to be right: otherwise every short word is near to every other.
  const limit = Math.max(0, Math.min(word.length - 1, Math.max(2, Math.floor(word.length / 3))));
  const scored: { candidate: string; distance: number }[] = [];
  const lower = word.toLowerCase();
  for (const candidate of candidates) {
    const inLower = candidate.toLowerCase();
    const distance =
      inLower === lower ? 0 : inLower.startsWith(lower) && word.length > 1 ? 0.5 : editDistance(word, candidate, limit);
    if (distance <= limit) scored.push({ candidate, distance });
  }
  scored.sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1));
  return scored.slice(0, most).map((one) => one.candidate);
}

/** Insertions, deletions, substitutions and swaps of neighbours; anything above the limit is told as limit + 1. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + 1);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? limit + 1;
}
