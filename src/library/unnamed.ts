import { AppError } from '../util/errors.ts';

/** What messages call a log without a name; it is the name of standard input, and a caller did not choose it. */
export const UNNAMED = '-';

/** A message about a log without a name, which does not start with one. */
export function plainMessage(message: string): string {
  return message.replace(/^-:(?:(\d+):)? /, (_, line) => (line === undefined ? '' : `line ${line}: `));
}

/** Waits for work on a log; what it throws does not start with a name that the log does not have. */
export async function plainly<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw plainError(error);
  }
}

/** The same for work that gives one thing after the other. */
export async function* eachPlainly<Item, Result>(
  items: AsyncGenerator<Item, Result, void>,
): AsyncGenerator<Item, Result, void> {
  try {
    return yield* items;
  } catch (error) {
    throw plainError(error);
  }
}

function plainError(error: unknown): unknown {
  if (!(error instanceof AppError)) return error;
  const message = plainMessage(error.message);
  // The stack, which is what is printed, starts with the message.
  error.stack = String(error.stack).replace(error.message, () => message);
  error.message = message;
  return error;
}
