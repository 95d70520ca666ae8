import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { transform } from 'esbuild';

/**
 * Writes a program that esbuild has split into parts as CommonJS, in few files. esbuild splits ES modules alone, and
 * into many small parts; Node loads CommonJS in half the time, and a file takes as long to load as 8 KB of code.
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
    const all = inside.length > 1 ? ['const __parts = {};', ...code, 'module.exports.__parts = __parts;'] : code;
    writeFileSync(join(folder, file), (await transform(["'use strict';", ...all].join('\n'), options)).code);
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
  const fileOf = (part) => {
    const early = first.find(({ all }) => all.has(part));
    if (early) return early.lead;
    const isCommon = needed.filter((all) => all.has(part)).length >= needed.length / 2;
    return isCommon ? 'common.cjs' : part;
  };
  const order = new Set();
  for (const part of parts.keys()) needs(part, order);
  return new Map([...order].map((part) => [part, fileOf(part)]));
}

/** The text of one part, as esbuild writes modules: an import or export begins a line. */
function asCommonJs(text, part, fileOf) {
  const isAlone = fileOf.get(part) === part;
  const exportsOf = (name) => {
    const from = basename(name);
    const file = fileOf.get(from);
    if (file === undefined) return `require("${name}")`;
    if (file === fileOf.get(part)) return `__parts["${from}"]`;
    return file === from ? `require("./${file}")` : `require("./${file}").__parts["${from}"]`;
  };
  // Node takes long to load node:crypto, and few runs need it: its functions load it when they are called.
  const lazily = (_, names) =>
    names.replace(/(\w+)(?: as (\w+))?,?/g, (_, name, own = name) => {
      return `const ${own} = (...given) => require("node:crypto").${name}(...given);`;
    });
  return text
    .replace(/^import \{([^}]*)\} from "node:crypto";$/gm, lazily)
    .replace(/^import (?:(?:\* as )?([\w$]+|\{[^}]*\}) from )?"([^"]+)";$/gm, (_, names, from) => {
      return `${names ? `const ${names.replaceAll(' as ', ': ')} = ` : ''}${exportsOf(from)};`;
    })
    .replace(/^export \{([^}]*)\};$/m, (_, names) => {
      const values = `{${names.replace(/(\S+) as (\S+?)(?=,|$)/gm, '$2: $1')}, __esModule: true }`;
      return isAlone ? `module.exports = ${values};` : `return ${values};`;
    });
}
