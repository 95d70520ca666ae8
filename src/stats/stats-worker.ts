import { randomFillSync } from 'node:crypto';
import { serveTasks } from '../files/worker-pool.ts';
import type { ScannerKind } from '../scanner/layout.ts';
import { LineFiles } from './read-lines.ts';

serveTasks((scanner: ScannerKind) => {
  const files = new LineFiles(scanner, (bytes) => randomFillSync(new Uint8Array(bytes)));
  return (path: string) => files.read(path);
});
