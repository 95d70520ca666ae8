import { mayHoldRef } from '../blobs/images.ts';
import { inlineLine } from '../blobs/inline.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import { counted } from '../util/words.ts';
import { namedStore, refStays } from './blob-options.ts';
import type { Io, ParsedArgs } from './command.ts';

const NOTES = 20;

/** Puts images in the place of their refs, for commands that show a log; only where the user named a store. */
export class BlobResolver {
  readonly #name: string;
  readonly #io: Io;
  readonly #store: ReturnType<typeof namedStore>;
  #kept = 0;

  constructor(name: string, args: ParsedArgs, io: Io) {
    this.#name = name;
    this.#io = io;
    this.#store = namedStore(args, io);
    this.#store?.folder.require();
  }

  /** Whether any text can be changed. */
  get resolves(): boolean {
    return this.#store !== undefined;
  }

  /** The JSON text with its images; the line is for notes about refs that have to stay. */
  resolve(text: string, line: number): string {
    const store = this.#store;
    if (!store || !mayHoldRef(text)) return text;
    const { raw, kept, moved } = inlineLine(encodeUtf8(text), 0, (ref) => store.get(ref));
    for (const { ref, why } of kept) {
      this.#kept++;
      if (this.#kept <= NOTES) this.#io.note(`${this.#name}:${line}: ${refStays(ref, why)}`);
    }
    return moved > 0 ? decodeUtf8(raw) : text;
  }

  /** The exit code that this has earned. */
  end(): number {
    if (this.#kept > NOTES) this.#io.note(`${this.#name}: ${counted(this.#kept - NOTES, 'more ref')} kept`);
    return this.#kept > 0 ? 1 : 0;
  }
}
