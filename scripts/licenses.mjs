import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes the licenses of all packages that have code in these bundles to one file. */
export function writeLicenses(file, bundles) {
  const outputs = bundles.flatMap(({ metafile }) => Object.values(metafile.outputs));
  const inputs = outputs.flatMap((output) =>
    Object.keys(output.inputs).filter((path) => output.inputs[path].bytesInOutput > 0),
  );
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  const parts = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const found = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!found) throw new Error(`${name} has no license file`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(folder, found), 'utf8').trim()}\n`;
  });
  writeFileSync(file, parts.join(`\n${'-'.repeat(80)}\n\n`));
}
