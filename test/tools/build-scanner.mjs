// Compiles src/scanner/assembly to WebAssembly and writes it as a module, so that bundles and tests load it alike.
import { writeFileSync } from 'node:fs';
import asc from 'assemblyscript/asc';

let binary;
const { error, stderr } = await asc.main(
  [
    'src/scanner/assembly/scan.ts',
    '--outFile',
    'scan.wasm',
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
  'src/scanner/compiled.generated.ts',
  `// Made by test/tools/build-scanner.mjs from src/scanner/assembly.\nexport const compiled =\n  '${base64}';\n`,
);

async function readText(name, base) {
  const { readFile } = await import('node:fs/promises');
  const { join } = await import('node:path');
  try {
    return await readFile(join(base, name), 'utf8');
  } catch {
    return null;
  }
}
