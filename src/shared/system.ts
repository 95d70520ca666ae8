/** What the program asks of the system before a command runs, and when it has to end. */

export { isThreadWaiting, standardOutput } from '../files/system.ts';
