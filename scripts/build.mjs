// `npm run build`: compiles the scanner, bundles the program and the library into dist/, and links the program.
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { build } from 'esbuild';
import './build-scanner.mjs';

/** split2 is CommonJS: as a module it needs no createRequire, which takes longer to load than a small log. */
const split2AsModule = {
  name: 'split2 as a module',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]split2[\\/]index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace(/const (\{ \w+ \}) = require\('(\w+)'\)/g, "import $1 from 'node:$2'")
        .replace('module.exports =', 'export default'),
    })),
};

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
  plugins: [split2AsModule],
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
