import { counting, fileChunks } from '../files/input.ts';
import { NoLines } from '../redact/log-lines.ts';
import { redactLog, type SearchedLog, unsearched } from '../redact/redact-log.ts';
import type { Redactor } from '../redact/redactor.ts';
import { AppError, OutputError } from '../util/errors.ts';
import { commandPage } from '../util/version.ts';
import type { CheckHooks, CheckResult } from './log-checker.ts';

const page = commandPage('redact');

/** What reporters say of a secret. */
export const SECRET_RULE = {
  id: 'secret',
  level: 'error',
  summary: 'a secret, such as a key, a token or a password',
  why: 'Whoever is given the log is given the secret.',
  advice: "'sessionctl redact' replaces it. Revoke it too if the log has left the machine.",
  page,
} as const;

/** What reporters say of a line that could not be read as the log's format has it. */
export const DAMAGED_RULE = {
  id: 'damaged-line',
  level: 'warning',
  summary: 'a line that is no JSON object, and was searched as text',
  why: 'What is a secret by the name of its member may go unseen in such a line.',
  advice: "'sessionctl repair' fixes what can be fixed; check again then.",
  page,
} as const;

/** Finds secrets in logs, one after the other. */
export class SecretChecker {
  readonly #redactor: Redactor;
  readonly #options: Pick<SearchedLog, 'from' | 'scanner'>;

  constructor(redactor: Redactor, options: Pick<SearchedLog, 'from' | 'scanner'>) {
    this.#redactor = redactor;
    this.#options = options;
  }

  /** Without chunks, the file of that name. */
  async *check(
    name: string,
    chunks: AsyncIterable<Buffer> | undefined,
    { onFinding, onBytes }: CheckHooks,
  ): AsyncGenerator<void, CheckResult, void> {
    const read = (): AsyncGenerator<Buffer> => counting(chunks ?? fileChunks(name), onBytes);
    /** The same kind several times in one text is one finding. */
    let last = '';
    try {
      const log = { name, read, rereadable: chunks === undefined, ...this.#options };
      const { lines, refs, damaged } = await redactLog(log, this.#redactor, {
        onLine: () => {},
        onFound: ({ number: line, offset }, { kind, pointer }) => {
          const message = pointer === '' ? kind : `${kind} at ${pointer}`;
          if (last === `${line} ${message}`) return;
          last = `${line} ${message}`;
          const { id: rule, level: severity } = SECRET_RULE;
          onFinding({ file: name, line, offset, rule, severity, message, path: pointer, fixable: false });
        },
      });
      for (const { line, offset, rule: damage } of damaged) {
        const { id: rule, level: severity } = DAMAGED_RULE;
        const message = `${damage}, searched as text`;
        onFinding({ file: name, line, offset, rule, severity, message, fixable: false });
      }
      return refs > 0 ? { entries: lines, note: unsearched(refs) } : { entries: lines };
    } catch (error) {
      if (error instanceof NoLines) return { foreign: { noun: error.noun, reason: error.reason } };
      if (!(error instanceof AppError) || error instanceof OutputError) throw error;
      return { error };
    }
  }
}
