/** How many bytes are free before a chunk, by the memory that it stands in and by where it starts there. */
const rooms = new WeakMap<ArrayBufferLike, Map<number, number>>();

/** A buffer of so many bytes for chunks that start at its start, with room before it for whoever has to put something there. */
export function withRoomBefore(bytes: number, room: number): Buffer {
  return behindRoom(Buffer.allocUnsafeSlow(room + bytes), room);
}

/** The same out of memory that is there already: what is left of it behind the room. */
export function behindRoom(memory: Buffer, room: number): Buffer {
  const chunk = memory.subarray(room);
  const known = rooms.get(chunk.buffer) ?? new Map<number, number>();
  rooms.set(chunk.buffer, known.set(chunk.byteOffset, room));
  return chunk;
}

/** The chunk with the pieces in front of it, put where it stands; undefined where there is no room. Do this once a chunk. */
export function joinedInRoom(pieces: readonly Buffer[], bytes: number, chunk: Buffer): Buffer | undefined {
  const room = rooms.get(chunk.buffer)?.get(chunk.byteOffset) ?? 0;
  if (bytes > room) return undefined;
  const whole = Buffer.from(chunk.buffer, chunk.byteOffset - bytes, bytes + chunk.length);
  let at = 0;
  for (const piece of pieces) at += piece.copy(whole, at);
  return whole;
}
