/** Memory in which the bytes before a chunk are free. */
const roomy = new WeakSet<ArrayBufferLike>();

/** A buffer of so many bytes for chunks that start at its start, with room before it for whoever has to put something there. */
export function withRoomBefore(bytes: number, room: number): Buffer {
  const memory = Buffer.allocUnsafeSlow(room + bytes);
  roomy.add(memory.buffer);
  return memory.subarray(room);
}

/** The chunk with the pieces in front of it, put where it stands; undefined where there is no room. Do this once a chunk. */
export function joinedInRoom(pieces: readonly Buffer[], bytes: number, chunk: Buffer): Buffer | undefined {
  if (bytes > chunk.byteOffset || !roomy.has(chunk.buffer)) return undefined;
  const whole = Buffer.from(chunk.buffer, chunk.byteOffset - bytes, bytes + chunk.length);
  let at = 0;
  for (const piece of pieces) at += piece.copy(whole, at);
  return whole;
}
