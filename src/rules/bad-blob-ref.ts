import { blobCheck } from './check/blob-check.ts';
import type { Rule } from './rule.ts';

export const badBlobRef: Rule = {
  id: 'bad-blob-ref',
  level: 'error',
  group: 'blobs',
  summary: 'a blob reference is not a hash of 64 lowercase hex digits (only with --blobs)',
  why: 'No blob can be found by such a name, and a name that is a path could point anywhere; it is never opened.',
  arises: 'A script wrote the reference, or someone is trying to reach other files.',
  advice: 'No command fixes it; correct the reference by hand.',
  fixable: false,
  example: '{"type":"image","data":"blob:sha256:../../secret","mimeType":"image/png"}',
  object: blobCheck('bad-blob-ref'),
};
