export type Severity = 'error' | 'warning';

/** One thing that a rule has to say about one place of one file. */
export interface Finding {
  /** The path as the user gave it, '-' for stdin. */
  readonly file: string;
  /** Counted from 1; what concerns the whole file is line 1, offset 0. */
  readonly line: number;
  /** The byte at which the line starts. */
  readonly offset: number;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly entryId?: string;
  /** Where inside the entry, such as message.content[0].text. */
  readonly path?: string;
  /** Whether `repair` fixes it. */
  readonly fixable: boolean;
}
