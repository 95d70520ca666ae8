import { serveTasks } from '../files/worker-pool.ts';
import { workerIo } from './ahead.ts';
import { summarizeAhead } from './file-summary.ts';

serveTasks(() => {
  const io = workerIo();
  return (path: string) => summarizeAhead(path, io);
});
