import { blobCheck } from '../blob-check.ts';
import type { Rule } from '../rule.ts';

export const badBlobRef: Rule = {
  id: 'bad-blob-ref',
  level: 'error',
  group: 'blobs',
  summary: 'a blob reference is not a hash of 64 lower-case hex digits (only with --blobs)',
  why: 'Nothing can be found under such a name, and a name that is a path could lead anywhere; it is never opened.',
  arises: 'A script made the reference, or someone tries to reach other files.',
  mend: 'No command mends it; correct the reference by hand.',
  fixable: false,
  example: '{"type":"image","data":"blob:sha256:../../secret","mimeType":"image/png"}',
  object: blobCheck('bad-blob-ref'),
};
