import type { Places, RecordSpan } from './places.ts';

/** What one pass finds too late: records that change earlier ones. */
export class Learned {
  /** By uuid: the last of several different records with it, which counts at the place of the first. */
  readonly replaced = new Map<string, RecordSpan>();
  /** By the first uuid of an answer: records of it that come after other messages. */
  readonly late = new Map<string, RecordSpan[]>();
  /** By uuid: ancestors that are later in the file, from the top. */
  readonly above = new Map<string, readonly RecordSpan[]>();
  grew = false;

  replace(uuid: string, span: RecordSpan): void {
    this.replaced.set(uuid, span);
    this.grew = true;
  }

  /** A parent may be later in the file than its child: the next pass reads it, and its ancestors, first. */
  learnParents(orphans: ReadonlyMap<string, string>, places: Places): void {
    // Ancestors that are read for one child are available to the next ones.
    const visited = new Set<string>();
    for (const [uuid, parent] of orphans) {
      if (visited.has(uuid)) continue;
      const { offset } = places.spanOf(uuid) as RecordSpan;
      const above: RecordSpan[] = [];
      for (let at: string | undefined = parent; at !== undefined && !visited.has(at); at = places.parentOf(at)) {
        const span = places.spanOf(at);
        if (!span || span.offset <= offset) break;
        visited.add(at);
        above.push(span);
      }
      if (above.length === 0 || this.above.has(uuid)) continue;
      this.above.set(uuid, above.reverse());
      this.grew = true;
    }
  }

  addLate(answer: string, span: RecordSpan): void {
    this.late.set(answer, [...(this.late.get(answer) ?? []), span]);
    this.grew = true;
  }
}
