import { diffArrays } from 'diff';

/** File extensions that are the names of their languages too. */
const SAME_NAME =
  'tsx jsx jsonc json5 go java swift scala php lua r dart zig nix sh bash zsh fish bat sql graphql css ' +
  'scss less vue svelte mdx rst tex toml ini vim cmake';

/** What highlighters call a language, and the extensions of its files. */
const LANGUAGES =
  'ts:ts mts cts,js:js mjs cjs,json:json jsonl,python:py pyi,ruby:rb,rust:rs,kotlin:kt kts,c:c h,' +
  'cpp:cc cpp cxx hh hpp,csharp:cs,fsharp:fs,perl:pl,julia:jl,elixir:ex exs,erlang:erl,haskell:hs,ocaml:ml,' +
  'clojure:clj,powershell:ps1,protobuf:proto,html:html htm,xml:xml svg,markdown:md,yaml:yaml yml,hcl:tf hcl,' +
  'diff:diff patch';

const FILE_NAMES =
  'dockerfile:dockerfile,makefile:makefile,cmake:cmakelists.txt,ruby:gemfile rakefile,bash:.bashrc,zsh:.zshrc';

function byEnding(list: string): ReadonlyMap<string, string> {
  const named = list.split(',').map((line) => line.split(':'));
  return new Map(named.flatMap(([name = '', endings = '']) => endings.split(' ').map((ending) => [ending, name])));
}

const BY_NAME = byEnding(FILE_NAMES);
const BY_EXTENSION = byEnding(`${SAME_NAME.replace(/\w+/g, '$&:$&').replaceAll(' ', ',')},${LANGUAGES}`);

/** The name that highlighters have for the language of a file, empty where it is not known. */
export function languageOf(path: string): string {
  const name = /[^/\\]*$/.exec(path)?.[0].toLowerCase() ?? '';
  const dot = name.lastIndexOf('.');
  return BY_NAME.get(name) ?? (dot < 0 ? '' : (BY_EXTENSION.get(name.slice(dot + 1)) ?? ''));
}

/** Looking further for equal lines would take long. */
const MOST_EDITS = 500;
const CONTEXT = 3;

/**
 * The lines that an edit takes away and puts in their place, in the form of a diff. Equal lines at both ends are kept
 * as context; between them the longest common part is found while that is cheap, else all old lines come before all new
 * ones.
 */
export function diffOf(before: string, after: string): string {
  const old = linesOf(before);
  const now = linesOf(after);
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const oldEnd = old.length - end;
  return [
    ...old.slice(Math.max(0, start - CONTEXT), start).map((line) => ` ${line}`),
    ...changes(old.slice(start, oldEnd), now.slice(start, now.length - end)),
    ...old.slice(oldEnd, oldEnd + CONTEXT).map((line) => ` ${line}`),
  ].join('\n');
}

function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function changes(old: readonly string[], now: readonly string[]): string[] {
  const parts = diffArrays([...old], [...now], { maxEditLength: MOST_EDITS });
  if (!parts) return [...old.map((line) => `-${line}`), ...now.map((line) => `+${line}`)];
  return parts.flatMap(({ value, added, removed }) =>
    value.map((line) => `${added ? '+' : removed ? '-' : ' '}${line}`),
  );
}
