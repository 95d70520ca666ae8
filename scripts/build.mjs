// `npm run build`: compiles the scanner, bundles the program and the library into dist/, and links the program.
import { chmodSync, copyFileSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import './build-scanner.mjs';
import { writeCommonJs } from './common-js.mjs';
import { writeLicenses } from './licenses.mjs';

/** split2 is CommonJS, and a bundle of modules has no `require` for it. */
const split2AsModule = {
  name: 'split2 as a module',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]split2[\\/]index\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8')
        .replace(/const (\{ \w+ \}) = require\('(\w+)'\)/g, "import $1 from 'node:$2'")
        .replace('module.exports =', 'export default'),
    })),
};

/** node-sqlite3-wasm too is CommonJS. It looks for its other half in the folder of its code, which is in dist. */
const sqliteAsModule = (dist) => ({
  name: 'node-sqlite3-wasm as a module',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]node-sqlite3-wasm\.js$/ }, ({ path }) => {
      const code = readFileSync(path, 'utf8');
      const modules = [...code.matchAll(/require\("(node:\w+)"\)/g)].map(([, name]) => name);
      const names = new Map(modules.map((name, at) => [name, `node_${at}`]));
      const imports = [...names].map(([name, own]) => `import * as ${own} from '${name}';\n`).join('');
      const body = code
        .replace(/require\("(node:\w+)"\)/g, (_, name) => names.get(name))
        .replaceAll('__dirname', `(import.meta.dirname+"${dist}")`);
      return { contents: `${imports}${body}\nexport { Database };` };
    }),
});

/** All that the program says of its package is the version. */
const versionAlone = {
  name: 'the version alone',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]package\.json$/ }, ({ path, with: { type } }) => {
      if (type !== 'json') return undefined;
      const { version } = JSON.parse(readFileSync(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    }),
};

/** The parser of yargs comes with all that draws its help, which ours does not need. */
const yargsParserAlone = {
  name: 'the parser of yargs alone',
  setup: ({ onResolve }) =>
    onResolve({ filter: /platform-shims/ }, ({ path, resolveDir }) => ({
      path: join(resolveDir, path),
      sideEffects: false,
    })),
};

/** zod's files get its core without what few runs need; our own files that name it get all, and are loaded apart. */
const zodInParts = {
  name: 'zod in parts',
  setup: ({ onLoad, onResolve }) => {
    onResolve({ filter: /^zod\/v4\/core$/ }, () => ({
      path: resolve('node_modules/zod/v4/core/index.js'),
      suffix: '?all',
    }));
    onLoad({ filter: /[\\/]zod[\\/]v4[\\/](core[\\/]index|mini[\\/]external)\.js$/ }, ({ path, suffix }) => {
      const all = readFileSync(path, 'utf8');
      const rest = all
        .replace(/^export .* from ".*\/(compile|[\w-]*json-schema[\w-]*)\.js";$/gm, '')
        .replace(/\b(INVALID|compile|withParser|ZodCompile\w+), /g, '');
      return { contents: suffix ? all : rest };
    });
  },
};

const target = { platform: 'node', target: 'node20' };
const small = { minifyWhitespace: true, minifySyntax: true };
const modules = {
  ...target,
  bundle: true,
  splitting: true,
  format: 'esm',
  logLevel: 'warning',
};

const plugins = [split2AsModule, yargsParserAlone, zodInParts, versionAlone];

rmSync('dist', { recursive: true, force: true });
// Each file of the library is a part of its own, so that whoever bundles one function does not get all.
const library = await build({
  ...modules,
  ...small,
  metafile: true,
  plugins: [...plugins, sqliteAsModule('/..')],
  entryPoints: ['src/index.ts', 'src/library/*.ts'],
  outdir: 'dist',
  chunkNames: 'library/[name]-[hash]',
});
// For browsers: no module of Node is left in it.
const shim = (name) => resolve(`scripts/browser/${name}.mjs`);
const core = await build({
  ...modules,
  ...small,
  platform: 'browser',
  target: 'es2023',
  metafile: true,
  plugins: [versionAlone, zodInParts],
  entryPoints: ['src/core.ts'],
  outdir: 'dist',
  chunkNames: 'core/[name]-[hash]',
  alias: { 'node:buffer': shim('buffer'), 'node:crypto': shim('crypto'), split2: shim('split2') },
  inject: [shim('buffer')],
});
const program = await build({
  ...modules,
  plugins: [...plugins, sqliteAsModule('')],
  entryPoints: [
    'src/main.ts',
    'src/files/read-ahead-worker.ts',
    'src/sessions/grep-worker.ts',
    'src/sessions/ls-worker.ts',
    'src/stats/stats-worker.ts',
    'src/validate/worker.ts',
  ],
  outdir: 'dist',
  entryNames: '[name]',
  outExtension: { '.js': '.cjs' },
  metafile: true,
  write: false,
});
await writeCommonJs(program, {
  ...target,
  minify: true,
  format: 'cjs',
  supported: { 'dynamic-import': false },
  define: { 'import.meta.dirname': '__dirname', 'import.meta.url': '__filename' },
});
writeLicenses('dist/LICENSES.txt', [library, core, program]);
// It looks for it beside its own code.
copyFileSync('node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm', 'dist/node-sqlite3-wasm.wasm');
chmodSync('dist/node-sqlite3-wasm.wasm', 0o644);
chmodSync('bin/sessionctl.js', 0o755);
// `npx sessionctl` inside a checkout installs the package into npx's cache first, and some npm versions leave
// that link dangling. A link of our own in node_modules/.bin is found whenever the cache's is not.
// On Windows npm writes command shims, which a link cannot stand in for.
if (process.platform !== 'win32' && existsSync('node_modules/.bin')) {
  rmSync('node_modules/.bin/sessionctl', { force: true });
  symlinkSync('../../bin/sessionctl.js', 'node_modules/.bin/sessionctl');
}
