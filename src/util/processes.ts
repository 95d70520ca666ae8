/** What a lock needs to know of processes; handed in, for only the command line knows them. */
export interface Processes {
  readonly own: number;
  readonly isRunning: (pid: number) => boolean;
}
