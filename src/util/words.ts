/** '1 entry', '1,003 entries'. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

/** 2408582 as '2,408,582', the same in every locale. */
export function grouped(value: number): string {
  let text = String(value);
  if (!Number.isSafeInteger(value)) return text.replace(/(?<!\.\d*)\B(?=(\d{3})+(?!\d))/g, ',');
  for (let at = text.length - 3; at > (value < 0 ? 1 : 0); at -= 3) text = `${text.slice(0, at)},${text.slice(at)}`;
  return text;
}

/** Quotes a text for sh, bash and zsh. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same, with quotes only if needed. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : shellQuoted(text);
}

/** The candidates most similar to a mistyped word, nearest first. */
export function nearest(word: string, candidates: Iterable<string>, most = 3): string[] {
  // At least one character must match, else every short word is near to every other.
  const limit = Math.max(0, Math.min(word.length - 1, Math.max(2, Math.floor(word.length / 3))));
  const lower = word.toLowerCase();
  const distanceTo = (candidate: string): number => {
    const inLower = candidate.toLowerCase();
    if (inLower === lower) return 0;
    if (word.length > 1 && inLower.startsWith(lower)) return 0.5;
    // Candidates of very different length are not compared: a log may have millions of ids.
    return Math.abs(word.length - candidate.length) > limit ? Infinity : editDistance(word, candidate);
  };
  return [...candidates]
    .map((candidate) => ({ candidate, distance: distanceTo(candidate) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance || (a.candidate < b.candidate ? -1 : 1))
    .slice(0, most)
    .map(({ candidate }) => candidate);
}

/** "; did you mean 'validate'?" for the end of a message about an unknown word; '' if no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>, prefix = ''): string {
  const [meant] = nearest(word, candidates, 1);
  return meant === undefined ? '' : `; did you mean '${prefix}${meant}'?`;
}

/** Counts insertions, deletions, substitutions and swaps of neighbors. */
function editDistance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const substituted = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity;
      row.push(Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, substituted, swapped));
    }
  }
  return at(a.length, b.length);
}

/** Wraps words into lines of at most this many columns. */
export function fill(
  words: readonly string[],
  first: string,
  indent: string,
  columns: number,
  widthOf = (line: string): number => line.length,
): string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined) lines.push(first + word);
    else if (widthOf(last) + 1 + widthOf(word) > columns) lines.push(indent + word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}
