import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));
// Tests name fixtures as a user in the project's folder would.
process.chdir(root);

/** Each folder in which a log is read, checked and fixed needs tests for nearly all of its branches. */
const branches = ['log', 'tree', 'context', 'rules', 'formats'].flatMap((name) => {
  const below = readdirSync(`src/${name}`, { recursive: true, withFileTypes: true });
  const folders = below
    .filter((one) => one.isDirectory())
    .map((one) => relative(root, `${one.parentPath}/${one.name}`));
  return [`src/${name}`, ...folders].map((folder) => [`${folder}/*.ts`, { branches: 95 }]);
});

export default defineConfig({
  test: {
    root,
    include: ['test/**/*.test.ts'],
    exclude: ['test/heavy/**'],
    env: { TZ: 'UTC', LC_ALL: 'C', NO_COLOR: '1', TERM: 'dumb' },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    // A browser on a busy machine takes its time.
    expect: { poll: { timeout: 20_000 } },
    // The scanner's own source is no TypeScript: it is compiled by another compiler.
    coverage: {
      include: ['src/**/*.ts'],
      exclude: ['src/scanner/assembly/**', 'src/**/*.generated.ts'],
      reporter: ['text', 'json-summary'],
      reportOnFailure: true,
      thresholds: Object.fromEntries(branches),
    },
  },
});
