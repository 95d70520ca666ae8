import { blobRule } from './rule.ts';

export const missingBlob = blobRule('missing-blob', {
  summary: 'a blob that the log refers to is not in the store (only with --blobs)',
  why: 'The agent cannot load the image: it shows nothing, or the request fails.',
  arises: 'The session was copied without its blobs, or the store was cleaned up.',
  advice: 'Copy the blob into the store, or pass the right store with --blobs.',
  example: '{"type":"message",…{"type":"image","data":"blob:sha256:0b0b…","mimeType":"image/png"}…}',
  message: (ref) => `${ref} is not in the store`,
});
