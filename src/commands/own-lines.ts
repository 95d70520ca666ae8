import { identify, isNativeLine, LINES_TO_LOOK_AT, strangerTrouble } from '../formats/index.ts';
import type { Line } from '../lines/line.ts';
import { type ReadLinesOptions, readLineBatches } from '../lines/reader.ts';

/**
 * The lines of a log, one block's lines at a time. A file that is not a session log of ours is refused before its first
 * line is handed out, with what it seems to be; only then more than the first block is held.
 */
export async function* ownLineBatches(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
  options: ReadLinesOptions = {},
): AsyncGenerator<Line[], void, void> {
  let held: Line[] | undefined = [];
  let filled = 0;
  for await (const batch of readLineBatches(chunks, options)) {
    if (held === undefined) {
      yield batch;
      continue;
    }
    held.push(...batch);
    let isOurs = false;
    for (const line of batch) {
      if (line.blank) continue;
      filled++;
      if (filled > LINES_TO_LOOK_AT) break;
      isOurs = isNativeLine(line);
      if (isOurs) break;
    }
    if (!isOurs && filled < LINES_TO_LOOK_AT) continue;
    if (!isOurs) requireOurs(name, held);
    yield held;
    held = undefined;
  }
  if (held === undefined) return;
  requireOurs(name, held);
  yield held;
}

function requireOurs(name: string, lines: readonly Line[]): void {
  const identity = identify(lines);
  if (!identity.ours) throw strangerTrouble(name, identity);
}
