/** File extensions that are the names of their languages too. */
const SAME_NAME =
  'tsx jsx jsonc json5 go java swift scala php lua r dart zig nix sh bash zsh fish bat sql graphql css ' +
  'scss less vue svelte mdx rst tex toml ini vim cmake';

/** What highlighters call a language, and the extensions of its files. */
const LANGUAGES = [
  'ts:ts mts cts',
  'js:js mjs cjs',
  'json:json jsonl',
  'python:py pyi',
  'ruby:rb',
  'rust:rs',
  'kotlin:kt kts',
  'c:c h',
  'cpp:cc cpp cxx hh hpp',
  'csharp:cs',
  'fsharp:fs',
  'perl:pl',
  'julia:jl',
  'elixir:ex exs',
  'erlang:erl',
  'haskell:hs',
  'ocaml:ml',
  'clojure:clj',
  'powershell:ps1',
  'protobuf:proto',
  'html:html htm',
  'xml:xml svg',
  'markdown:md',
  'yaml:yaml yml',
  'hcl:tf hcl',
  'diff:diff patch',
];

const BY_EXTENSION: ReadonlyMap<string, string> = new Map([
  ...SAME_NAME.split(' ').map((name) => [name, name] as const),
  ...LANGUAGES.flatMap((line) => {
    const [name = '', extensions = ''] = line.split(':');
    return extensions.split(' ').map((extension) => [extension, name] as const);
  }),
]);

const BY_NAME: ReadonlyMap<string, string> = new Map([
  ['dockerfile', 'dockerfile'],
  ['makefile', 'makefile'],
  ['cmakelists.txt', 'cmake'],
  ['gemfile', 'ruby'],
  ['rakefile', 'ruby'],
  ['.bashrc', 'bash'],
  ['.zshrc', 'zsh'],
]);

export function languageOf(path: string): string {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1).toLowerCase();
  const byName = BY_NAME.get(name);
  if (byName !== undefined) return byName;
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : (BY_EXTENSION.get(name.slice(dot + 1)) ?? '');
}
