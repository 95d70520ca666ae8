import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { projectRoot } from './run.ts';

/** A TypeScript program of the tests as one file that Node runs. */
export function bundleProgram(entry: string, folder: string): string {
  const outfile = join(mkdtempSync(join(folder, 'program-')), 'program.mjs');
  buildSync({
    entryPoints: [join(projectRoot, entry)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    outfile,
    logLevel: 'error',
    banner: {
      js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
    },
  });
  return outfile;
}
