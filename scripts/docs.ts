import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refreshBlocks } from './console-examples.ts';
import { generatedFiles, pages } from './generated.ts';

/** `npm run docs`: writes what is made from the sources, and the output of every example in the pages. */
const root = process.cwd();
for (const { path, make } of generatedFiles) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  const made = await make(root);
  const text = pages.includes(path) ? refreshBlocks(made, root) : made;
  if (existsSync(file) && readFileSync(file, 'utf8') === text) continue;
  writeFileSync(file, text);
  console.log(`changed ${path}`);
}
