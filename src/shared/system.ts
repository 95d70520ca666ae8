/** What the program asks of the system before a command runs, and when it has to end. */
export { isThreadWaiting } from '../files/open-file.ts';
export { standardOutput } from '../files/standard-output.ts';
