import { createHash, hash } from 'node:crypto';

/** A version 4 UUID from 16 random bytes. */
export function randomUuid(random: Uint8Array): string {
  return withVersion(4, Buffer.from(random.subarray(0, 16)));
}

/** The id that a session has in its native form: a version 5 UUID made from the source's id, in a namespace of ours. */
export function sessionUuid(format: string, id: string): string {
  return withVersion(5, Buffer.from(hash('sha1', `sessionctl\0${format}\0${id}`, 'hex'), 'hex'));
}

function withVersion(version: number, bytes: Buffer): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4);
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return formatUuid(bytes.toString('hex'));
}

/** The first half of the SHA-256 of bytes (one character per byte), formatted as a UUID. */
export function hashUuid(bytes: string): string {
  return formatUuid(createHash('sha256').update(Buffer.from(bytes, 'latin1')).digest('hex'));
}

function formatUuid(hex: string): string {
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
