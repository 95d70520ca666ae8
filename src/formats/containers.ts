import type { Format } from './format.ts';

export const sqlite: Format = {
  id: 'sqlite',
  title: 'an SQLite database (OpenCode and Goose store sessions in one)',
  noun: 'SQLite database',
  recognises: (start) => start.bytes.startsWith('SQLite format 3\0'),
};

export const zstd: Format = {
  id: 'zstd',
  title: 'a zstd archive, as Codex writes for old sessions; unpack it first',
  noun: 'zstd archive',
  recognises: (start) => start.bytes.startsWith('\u0028\u00b5\u002f\u00fd'),
};

export const gzip: Format = {
  id: 'gzip',
  title: 'a gzip archive; unpack it first',
  noun: 'gzip archive',
  recognises: (start) => start.bytes.startsWith('\u001f\u008b'),
};

export const zip: Format = {
  id: 'zip',
  title: 'a zip archive; unpack it first',
  noun: 'zip archive',
  recognises: (start) => start.bytes.startsWith('PK\u0003\u0004'),
};
