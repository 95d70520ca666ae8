import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refreshBlocks } from './console-examples.ts';
import { generatedFiles, pages } from './generated.ts';

/** `npm run docs`: writes what is made from the sources, and the output of every example in the pages. */
const root = process.cwd();
for (const { path, make } of generatedFiles) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  const text = await make(root);
  writeFileSync(file, pages.includes(path) ? refreshBlocks(text, root) : text);
  console.log(path);
}
