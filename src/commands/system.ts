/** What the program asks of the system before a command runs. */
export { deviceRandom, mayBeTerminal } from '../files/system.ts';
