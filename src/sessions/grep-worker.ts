import { serveTasks } from '../files/worker-pool.ts';
import { workerIo } from './ahead.ts';
import { Grep, type GrepSettings } from './grep-files.ts';

serveTasks((settings: GrepSettings) => {
  const grep = Grep.start(settings, workerIo());
  return async (path: string) => (await grep).ahead(path);
});
