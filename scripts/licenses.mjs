import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that are bundled in others, and so not installed, with their licenses in scripts/licenses. */
const INNER = {
  'lodash.sortby': 'lodash',
  'lodash.uniq': 'lodash',
  'lodash.uniqwith': 'lodash',
  'escape-string-regexp': 'escape-string-regexp',
  '@textlint/regexp-string-matcher': 'regexp-string-matcher',
};

/** The compiled scanner has code of the compiler's standard library in it. */
const COMPILED = { 'src/scanner/compiled.generated.ts': 'node_modules/assemblyscript' };

/** Writes the licenses of all packages that have code in these bundles to one file. */
export function writeLicenses(file, bundles) {
  const outputs = bundles.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const inputs = outputs.flatMap((output) =>
    Object.keys(output.inputs).filter((path) => output.inputs[path].bytesInOutput > 0),
  );
  const folders = inputs.flatMap(
    (path) => COMPILED[path] ?? /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? [],
  );
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const textOf = (pattern) => {
      const found = readdirSync(folder).find((entry) => pattern.test(entry));
      return found ? `\n${readFileSync(join(folder, found), 'utf8').trim()}\n` : '';
    };
    const text = textOf(/^licen[cs]e/i);
    if (text === '') throw new Error(`${name} has no license file`);
    return `${name} ${version} (${license})\n${text}${textOf(/^notice/i)}`;
  });
  const inner = new Set(inputs.flatMap(packagesInside));
  for (const one of [...inner].sort()) {
    const text = INNER[one.split(' ')[0]];
    if (!text) throw new Error(`no license of ${one}, which is bundled in another package`);
    parts.push(`${one} (MIT)\n\n${readFileSync(`scripts/licenses/${text}.txt`, 'utf8').trim()}\n`);
  }
  writeFileSync(file, parts.join(`\n${'-'.repeat(80)}\n\n`));
}

/** The packages that a file was bundled from before, as its source map names them. */
function packagesInside(path) {
  if (!path.includes('node_modules/') || !existsSync(`${path}.map`)) return [];
  const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8'));
  // Such as .pnpm/lodash.uniq@4.5.0/node_modules/lodash.uniq/index.js.
  return sources.flatMap((source) => {
    const [, version = '', name] = /^.*?(?:@([\d.]+)\/)?node_modules\/((?:@[^/]+\/)?[^./][^/]*)/.exec(source) ?? [];
    return name === undefined ? [] : `${name} ${version}`.trim();
  });
}
