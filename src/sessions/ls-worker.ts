import { serveTasks } from '../files/worker-pool.ts';
import { workerIo } from './ahead.ts';
import { glanceAhead } from './glance.ts';

serveTasks(() => {
  const io = workerIo();
  return (path: string) => glanceAhead(path, io);
});
