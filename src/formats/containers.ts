import type { LogFormat } from './format.ts';

export const sqlite: LogFormat = {
  id: 'sqlite',
  title: 'an SQLite database (OpenCode and Goose store sessions in one)',
  noun: 'SQLite database',
  detect: (head) => head.bytes.startsWith('SQLite format 3\0'),
};

export const zstd: LogFormat = {
  id: 'zstd',
  title: 'a zstd archive, as Codex writes for old sessions; unpack it first',
  noun: 'zstd archive',
  detect: (head) => head.bytes.startsWith('\u0028\u00b5\u002f\u00fd'),
};

export const gzip: LogFormat = {
  id: 'gzip',
  title: 'a gzip archive; unpack it first',
  noun: 'gzip archive',
  detect: (head) => head.bytes.startsWith('\u001f\u008b'),
};

export const zip: LogFormat = {
  id: 'zip',
  title: 'a zip archive; unpack it first',
  noun: 'zip archive',
  detect: (head) => head.bytes.startsWith('PK\u0003\u0004'),
};
