import { blobRule } from './rule.ts';

export const badBlobRef = blobRule('bad-blob-ref', {
  summary: 'a blob reference is not a hash of 64 lowercase hex digits (only with --blobs)',
  why: 'No blob can be found by such a name, and a name that is a path could point anywhere; it is never opened.',
  arises: 'A script wrote the reference, or someone is trying to reach other files.',
  advice: 'No command fixes it; correct the reference by hand.',
  example: '{"type":"message",…{"type":"image","data":"blob:sha256:../../x","mimeType":"image/png"}…}',
  message: (ref) => `'${ref}' is not a blob reference (blob:sha256: and 64 lowercase hex digits)`,
});
