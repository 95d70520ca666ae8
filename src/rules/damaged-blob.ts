import { blobCheck } from './check/blob-check.ts';
import type { Rule } from './rule.ts';

export const damagedBlob: Rule = {
  id: 'damaged-blob',
  level: 'error',
  group: 'blobs',
  summary: "a blob's bytes do not match its hash (only with --blobs)",
  why: 'The image is not what was stored; sessionctl never inlines it.',
  arises: 'The disk is damaged, a write was cut short, or someone changed the file.',
  advice: 'Restore the blob from a backup.',
  fixable: false,
  example: '{"type":"image","data":"blob:sha256:0b6e…","mimeType":"image/png"}',
  object: blobCheck('damaged-blob'),
};
