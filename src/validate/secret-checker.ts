import { fileChunks } from '../files/input.ts';
import { NoLines } from '../redact/log-lines.ts';
import { redactLog } from '../redact/redact-log.ts';
import type { Redactor } from '../redact/redactor.ts';
import { AppError, OutputError } from '../util/errors.ts';
import type { CheckHooks, CheckResult } from './log-checker.ts';

/** What reporters say of a secret. */
export const SECRET_RULE = {
  id: 'secret',
  level: 'error',
  summary: 'a secret, such as a key, a token or a password',
  why: 'Whoever is given the log is given the secret.',
  advice: "'sessionctl redact' replaces it. Revoke it too if the log has left the machine.",
} as const;

/** Finds secrets in logs, one after the other. */
export class SecretChecker {
  readonly #redactor: Redactor;
  readonly #from: string | undefined;

  constructor(redactor: Redactor, from: string | undefined) {
    this.#redactor = redactor;
    this.#from = from;
  }

  /** Without chunks, the file of that name. */
  async *check(
    name: string,
    chunks: AsyncIterable<Buffer> | undefined,
    { onFinding, onBytes }: CheckHooks,
  ): AsyncGenerator<void, CheckResult, void> {
    async function* read(): AsyncGenerator<Buffer> {
      for await (const chunk of chunks ?? fileChunks(name)) {
        onBytes?.(chunk.length);
        yield chunk;
      }
    }
    /** The same kind several times in one text is one finding. */
    let last = '';
    try {
      const log = { name, read, rereadable: chunks === undefined, from: this.#from };
      const { lines } = await redactLog(log, this.#redactor, {
        onLine: () => {},
        onFound: ({ number: line, offset }, { kind, pointer }) => {
          const message = pointer === '' ? kind : `${kind} at ${pointer}`;
          if (last === `${line} ${message}`) return;
          last = `${line} ${message}`;
          onFinding({
            file: name,
            line,
            offset,
            rule: SECRET_RULE.id,
            severity: 'error',
            message,
            path: pointer,
            fixable: false,
          });
        },
      });
      return { entries: lines };
    } catch (error) {
      if (error instanceof NoLines)
        return { foreign: { noun: error.noun, reason: error.message.slice(name.length + 2) } };
      if (!(error instanceof AppError) || error instanceof OutputError) throw error;
      return { error };
    }
  }
}
