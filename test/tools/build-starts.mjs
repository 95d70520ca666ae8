// A start for each command: all that the command needs in one CommonJS file, and beside it what V8 made of the file when
// the command was run on a small log. The launcher takes it where Node is the same as here; dist/main.js can do without.
import { spawnSync } from 'node:child_process';
import crypto from 'node:crypto';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Script } from 'node:vm';
import { Worker } from 'node:worker_threads';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = join(root, 'dist/starts');
const sample = join(root, 'fixtures/sessions/pi-branches.jsonl');

/** What is typed behind a command's name, where it is not the name of a log. */
const CALLS = {
  diff: [sample, sample],
  blobs: ['ls', '--blobs', '.', sample],
  schema: [],
};

async function build() {
  const { build } = await import('esbuild');
  // Completion asks all other commands for their options: it has no start of its own.
  const names = (await commandNames(build)).filter((name) => name !== 'completion');
  await build({
    absWorkingDir: root,
    entryPoints: [
      ...names.map((name) => ({ in: `start:${name}`, out: name })),
      { in: 'src/commands/check-worker.ts', out: 'check-worker' },
    ],
    outdir: folder,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    alias: { 'string-width': './src/base/width.ts' },
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'start.url' },
    banner: { js: "const start = { get url() { return require('node:url').pathToFileURL(__filename).href; } };" },
    logLevel: 'warning',
    plugins: [starts, onFirstUse],
  });
  const scratch = mkdtempSync(join(tmpdir(), 'sessionctl-build-'));
  try {
    for (const name of names) {
      const log = join(scratch, basename(sample));
      cpSync(sample, log);
      const argv = [fileURLToPath(import.meta.url), name, ...(CALLS[name] ?? [log])];
      const { error } = spawnSync(process.execPath, argv, { cwd: scratch, stdio: ['ignore', 'ignore', 'ignore'] });
      if (error) throw error;
    }
    await keepWorkerCode();
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function commandNames(build) {
  const { outputFiles } = await build({ absWorkingDir: root, entryPoints: ['src/commands/index.ts'], format: 'esm', write: false });
  const { commands } = await import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
  return commands.map(({ name }) => name);
}

const starts = {
  name: 'starts',
  setup(build) {
    build.onResolve({ filter: /^start:/ }, ({ path }) => ({ path: path.slice('start:'.length), namespace: 'start' }));
    build.onLoad({ filter: /.*/, namespace: 'start' }, ({ path }) => ({
      resolveDir: join(root, 'src'),
      contents: `
        import { launch } from './cli/launch.ts';
        import { command } from './commands/${path}.ts';
        export const start = () => launch(async () => command);
      `,
    }));
  },
};

/** These take longer to load than a small log takes to be read: each of their functions loads them when it is called. */
const onFirstUse = {
  name: 'on-first-use',
  setup(build) {
    build.onResolve({ filter: /^(node:crypto|split2)$/ }, ({ path, namespace }) =>
      namespace === 'late' ? undefined : { path, namespace: 'late' },
    );
    build.onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => {
      if (path === 'split2') {
        return { resolveDir: root, contents: `let loaded; export default (...given) => (loaded ??= require('split2'))(...given);` };
      }
      const names = Object.keys(crypto).filter((name) => typeof crypto[name] === 'function');
      const functions = names.map((name) => `export const ${name} = (...given) => late().${name}(...given);`);
      return { contents: `let loaded; const late = () => (loaded ??= require('${path}')); ${functions.join('\n')}` };
    });
  },
};

/** Runs a command as the launcher does, and writes down what V8 has compiled by then. */
function keepCode(name) {
  const file = join(folder, `${name}.cjs`);
  const source = readFileSync(file, 'utf8');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, { filename: file });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, createRequire(file), module, file, dirname(file));
  process.on('exit', () => writeFileSync(join(folder, `${name}-${process.version}-${process.arch}.code`), script.createCachedData()));
  module.exports.start();
}

async function keepWorkerCode() {
  const settings = { maxLineBytes: 2 ** 20, levels: [], blobs: undefined, scanner: 'compiled' };
  const workerData = { settings, names: [sample, sample], counters: new SharedArrayBuffer(8) };
  const worker = new Worker(new URL(import.meta.url), { argv: ['check-worker'], workerData });
  await new Promise((done, fail) => worker.on('error', fail).on('exit', done));
}

const [kept] = process.argv.slice(2);
if (kept === undefined) await build();
else keepCode(kept);
