/**
 * The lines that an edit takes away and puts in their place, in the form of a diff. Equal lines at both ends are kept
 * as context; between them the longest common part is found while that is cheap, else all old lines come before all new ones.
 */
const MOST_CELLS = 250_000;
const CONTEXT = 3;

export function diffOf(before: string, after: string): string {
  const old = linesOf(before);
  const now = linesOf(after);
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (
    end < old.length - start &&
    end < now.length - start &&
    old[old.length - 1 - end] === now[now.length - 1 - end]
  )
    end++;
  const out: string[] = [];
  for (const line of old.slice(Math.max(0, start - CONTEXT), start)) out.push(` ${line}`);
  compare(old.slice(start, old.length - end), now.slice(start, now.length - end), out);
  for (const line of old.slice(old.length - end, old.length - end + CONTEXT)) out.push(` ${line}`);
  return out.join('\n');
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

function compare(old: readonly string[], now: readonly string[], out: string[]): void {
  const width = now.length + 1;
  if (old.length * width > MOST_CELLS) {
    for (const line of old) out.push(`-${line}`);
    for (const line of now) out.push(`+${line}`);
    return;
  }
  // common[i][j]: how many lines the rest of old from i and the rest of now from j have in common, in order.
  const common = new Uint32Array((old.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      common[i * width + j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  let i = 0;
  let j = 0;
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      out.push(` ${old[i]}`);
      i++;
      j++;
    } else if (i < old.length && (j >= now.length || at(i + 1, j) >= at(i, j + 1))) {
      out.push(`-${old[i]}`);
      i++;
    } else {
      out.push(`+${now[j]}`);
      j++;
    }
  }
}
