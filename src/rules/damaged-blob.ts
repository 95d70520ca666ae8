import { blobRule } from './rule.ts';

export const damagedBlob = blobRule('damaged-blob', {
  summary: "a blob's bytes do not match its hash (only with --blobs)",
  why: 'The image is not what was stored; sessionctl never inlines it.',
  arises: 'The disk is damaged, a write was cut short, or someone changed the file.',
  advice: 'Restore the blob from a backup.',
  example: '{"type":"message",…{"type":"image","data":"blob:sha256:0c0c…","mimeType":"image/png"}…}',
  message: (ref) => `the bytes of ${ref} do not match its hash`,
});
