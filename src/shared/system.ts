/** What the program asks of the system before a command runs, and when it has to end. */

export { standardOutput } from '../files/standard-output.ts';
export { isThreadWaiting } from '../files/thread-wait.ts';
