import { serveTasks } from '../files/worker-pool.ts';
import { LineFiles } from './read-lines.ts';

serveTasks(() => {
  const files = new LineFiles();
  return (path: string) => files.read(path);
});
