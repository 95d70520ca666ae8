/** How many bytes are free before the chunks that stand in this memory. */
const rooms = new WeakMap<ArrayBufferLike, number>();

/** A buffer of so many bytes for chunks that start at its start, with room before it for whoever has to put something there. */
export function withRoomBefore(bytes: number, room: number): Buffer {
  const chunk = Buffer.allocUnsafeSlow(room + bytes).subarray(room);
  rooms.set(chunk.buffer, room);
  return chunk;
}

/** The chunk with the pieces in front of it, put where it stands; undefined where there is no room. Do this once a chunk. */
export function joinedInRoom(pieces: readonly Buffer[], bytes: number, chunk: Buffer): Buffer | undefined {
  const room = rooms.get(chunk.buffer);
  if (room !== chunk.byteOffset || bytes > room) return undefined;
  const whole = Buffer.from(chunk.buffer, chunk.byteOffset - bytes, bytes + chunk.length);
  let at = 0;
  for (const piece of pieces) at += piece.copy(whole, at);
  return whole;
}
