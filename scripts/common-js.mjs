import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { transform } from 'esbuild';

/** A file takes as long to load as so much code. */
const FILE_BYTES = 8192;

/** What is needed again and again is asked of Node once. */
const FROM = 'const __files = {}, __from = (file) => (__files[file] ??= require(file));';

/**
 * Writes a program that esbuild has split into parts as CommonJS, in few files. esbuild splits ES modules alone, and
 * into many small parts; Node loads CommonJS in half the time, and fewer files faster.
 */
export async function writeCommonJs({ outputFiles, metafile }, options) {
  const folder = dirname(outputFiles[0].path);
  const parts = new Map(Object.entries(metafile.outputs).map(([path, part]) => [basename(path), part]));
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const fileOf = filesOfParts(parts);
  mkdirSync(folder, { recursive: true });
  for (const file of new Set(fileOf.values())) {
    const inside = [...fileOf.keys()].filter((part) => fileOf.get(part) === file);
    const code = inside.map((part) => {
      const body = asCommonJs(texts.get(part), part, fileOf);
      return part === file ? body : `__parts["${part}"] = (() => {\n${body}\n})();`;
    });
    const isShared = inside.some((part) => part !== file);
    const all = isShared ? ['const __parts = {};', ...code, 'module.exports.__parts = __parts;'] : code;
    writeFileSync(join(folder, file), (await transform(["'use strict';", FROM, ...all].join('\n'), options)).code);
  }
}

/** The file for each part, in the order in which they need each other. */
function filesOfParts(parts) {
  const needs = (part, found = new Set()) => {
    if (found.has(part)) return found;
    for (const { path, kind } of parts.get(part).imports) {
      if (kind === 'import-statement' && parts.has(basename(path))) needs(basename(path), found);
    }
    return found.add(part);
  };
  const entries = [...parts].filter(([, { entryPoint }]) => entryPoint !== undefined);
  const first = ['src/main.ts', 'src/cli/run.ts'].map((entry) => {
    const [lead] = entries.find(([, { entryPoint }]) => entryPoint === entry);
    return { lead, all: needs(lead) };
  });
  const commands = entries.filter(([, { entryPoint }]) => entryPoint.startsWith('src/commands/'));
  const needed = commands.map(([part]) => needs(part));
  const order = new Set();
  for (const part of parts.keys()) needs(part, order);
  const fileOf = new Map();
  // What most commands need is in the file that all of them load.
  const common = first[1].lead;
  const always = new Set(first.map(({ lead }) => lead));
  // What the same commands need is in one file.
  const shared = new Map();
  const sharedFile = (users) => {
    const key = users.join();
    if (!shared.has(key)) shared.set(key, `shared-${shared.size + 1}.cjs`);
    return shared.get(key);
  };
  for (const part of order) {
    const users = commands.filter((_, at) => needed[at].has(part));
    const others = commands.length - users.length;
    // Loading it in vain costs the others less than one more file costs its users.
    const isSmall = parts.get(part).bytes * others < FILE_BYTES * users.length;
    const needsNoFile = [...needs(part)].every((other) => other === part || always.has(fileOf.get(other)));
    const early = first.find(({ all }) => all.has(part));
    if (early) fileOf.set(part, early.lead);
    else if (users.length === 1) fileOf.set(part, users[0][0]);
    else if (needsNoFile && (isSmall || users.length >= others)) fileOf.set(part, common);
    else fileOf.set(part, users.length > 0 ? sharedFile(users.map(([name]) => name)) : part);
  }
  return fileOf;
}

/** The text of one part, as esbuild writes modules: an import or export begins a line. */
function asCommonJs(text, part, fileOf) {
  const isAlone = fileOf.get(part) === part;
  const exportsOf = (name) => {
    const from = basename(name);
    const file = fileOf.get(from);
    if (file === undefined) return `require("${name}")`;
    if (file === fileOf.get(part)) return `__parts["${from}"]`;
    return file === from ? `__from("./${file}")` : `__from("./${file}").__parts["${from}"]`;
  };
  // Node takes long to load node:crypto, and few runs need it or node:os: their functions load them when called.
  const lazily = (_, names, from) =>
    names.replace(/(\w+)(?: as (\w+))?,?/g, (_, name, own = name) => {
      return `let ${own}__; const ${own} = (...given) => (${own}__ ??= require("${from}").${name})(...given);`;
    });
  return text
    .replace(/^import \{([^}]*)\} from "(node:crypto|node:os)";$/gm, lazily)
    .replace(/^import (?:(?:\* as )?([\w$]+|\{[^}]*\}) from )?"([^"]+)";$/gm, (_, names, from) => {
      return `${names ? `const ${names.replaceAll(' as ', ': ')} = ` : ''}${exportsOf(from)};`;
    })
    .replace(/^export \{([^}]*)\};$/m, (_, names) => {
      const values = `{${names.replace(/(\S+) as (\S+?)(?=,|$)/gm, '$2: $1')}, __esModule: true }`;
      return isAlone ? `module.exports = ${values};` : `return ${values};`;
    });
}
