// Compiles src/scanner/assembly to WebAssembly and writes it as modules, so that bundles and tests load it alike.
import { writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';

/** What is compiled, and what the module with the result is called. */
const MODULES = [['scan.ts', 'compiled.generated.ts']];

for (const [source, target] of MODULES) {
  let binary;
  const { error, stderr } = await asc.main(
    [
      `src/scanner/assembly/${source}`,
      '--outFile',
      'out.wasm',
      '-O3',
      '--runtime',
      'stub',
      '--noAssert',
      '--enable',
      'simd',
      '--initialMemory',
      '32',
    ],
    {
      readFile: (name, base) => readText(name, base),
      writeFile: (name, data) => {
        if (name.endsWith('.wasm')) binary = data;
      },
      listFiles: () => [],
    },
  );
  if (error) {
    process.stderr.write(`${stderr.toString()}${error.message}\n`);
    process.exit(1);
  }
  const base64 = Buffer.from(binary).toString('base64');
  writeFileSync(
    `src/scanner/${target}`,
    `// Made by scripts/build-scanner.mjs from src/scanner/assembly.\nexport const compiled =\n  '${base64}';\n`,
  );
}

async function readText(name, base) {
  const { readFile } = await import('node:fs/promises');
  const { join } = await import('node:path');
  try {
    return await readFile(join(base, name), 'utf8');
  } catch {
    return null;
  }
}
