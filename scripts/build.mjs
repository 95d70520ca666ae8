// `npm run build`: compiles the scanner, bundles the program and the library into dist/, and links the program.
import { chmodSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { build } from 'esbuild';
import './build-scanner.mjs';

rmSync('dist', { recursive: true, force: true });
await build({
  entryPoints: ['src/main.ts', 'src/index.ts', 'src/validate/worker.ts'],
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  minifyWhitespace: true,
  minifySyntax: true,
  chunkNames: 'chunks/[name]-[hash]',
  alias: { 'string-width': './src/util/width.ts' },
  // split2 is CommonJS and requires node:stream.
  banner: {
    js: "import { createRequire as createBundleRequire } from 'node:module'; const require = createBundleRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
chmodSync('bin/sessionctl.js', 0o755);
// `npx sessionctl` inside a checkout installs the package into npx's cache first, and some npm versions leave
// that link dangling. A link of our own in node_modules/.bin is found whenever the cache's is not.
// On Windows npm writes command shims, which a link cannot stand in for.
if (process.platform !== 'win32' && existsSync('node_modules/.bin')) {
  rmSync('node_modules/.bin/sessionctl', { force: true });
  symlinkSync('../../bin/sessionctl.js', 'node_modules/.bin/sessionctl');
}
