#!/usr/bin/env node
// CommonJS, because Node loads it sooner; what takes time here is time that every call takes.
const fs = require('node:fs');
const path = require('node:path');

const dist = path.join(__dirname, '../dist');
const program = path.join(dist, 'main.js');
const [major, minor] = process.versions.node.split('.').map(Number);
const word = process.argv[2];

if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Node ${process.versions.node} is too old; install Node 20.19, 22.12 or newer`);
} else if (!fs.existsSync(program)) {
  fail("the program is not built; run 'npm ci' in its folder");
} else if (!((word === '--version' || word === '-V') && printVersion())) {
  const start = /^[a-z][a-z-]*$/.test(word) ? loadStart(word) : undefined;
  if (start) start();
  else {
    require('node:module').enableCompileCache?.();
    import('../dist/main.js').then(({ launch }) => launch());
  }
}

function fail(reason) {
  console.error(`sessionctl: ${reason}`);
  process.exitCode = 2;
}

/** False where it could not be written: the program itself knows what to say then. */
function printVersion() {
  try {
    fs.writeSync(1, `${require('../package.json').version}\n`);
    return true;
  } catch {
    return false;
  }
}

/** The command by itself, if it is one; with the code that V8 made of it at the build where this is the same Node. */
function loadStart(name) {
  const file = path.join(dist, 'starts', `${name}.cjs`);
  if (!fs.existsSync(file)) return undefined;
  const cachedData = read(path.join(dist, 'starts', `${name}-${process.version}-${process.arch}.code`));
  if (!cachedData) {
    require('node:module').enableCompileCache?.();
    return require(file).start;
  }
  const source = fs.readFileSync(file, 'utf8');
  const { Script } = require('node:vm');
  // What V8 does not take, because it runs with other flags, it compiles anew.
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, { filename: file, cachedData });
  const module = { exports: {} };
  script.runInThisContext()(module.exports, require, module, file, path.dirname(file));
  return module.exports.start;
}

function read(file) {
  try {
    return fs.readFileSync(file);
  } catch {
    return undefined;
  }
}
