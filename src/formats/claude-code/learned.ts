import type { Places, RecordSpan } from './places.ts';

/** What one pass finds too late: records that change what is before them. */
export class Learned {
  /** By uuid: the last of several records that have it, and differ. It counts, at the place of the first. */
  readonly replaced = new Map<string, RecordSpan>();
  /** By the first uuid of an answer: records that belong to it although others spoke in between. */
  readonly late = new Map<string, RecordSpan[]>();
  /** By uuid: records above it that are further on in the file, from the top. */
  readonly above = new Map<string, readonly RecordSpan[]>();
  grew = false;

  replace(uuid: string, span: RecordSpan): void {
    this.replaced.set(uuid, span);
    this.grew = true;
  }

  /** A parent may be further on in the file than its child: the next pass reads it, and what is above it, first. */
  learnParents(orphans: ReadonlyMap<string, string>, places: Places): void {
    // What is read for one child is there for those that follow.
    const met = new Set<string>();
    for (const [uuid, parent] of orphans) {
      if (met.has(uuid)) continue;
      const { offset } = places.spanOf(uuid) as RecordSpan;
      const above: RecordSpan[] = [];
      for (let at: string | undefined = parent; at !== undefined && !met.has(at); at = places.parentOf(at)) {
        const span = places.spanOf(at);
        if (!span || span.offset <= offset) break;
        met.add(at);
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
