import type { NearLog } from './format.ts';

/** The bytes of a file beside a log; undefined where there is none, or where it has more than `most`. */
export async function readNear(
  log: Pick<NearLog, 'open'>,
  path: string,
  most: number,
  within?: string,
): Promise<Buffer | undefined> {
  const file = await log.open(path, within);
  if (!file) return undefined;
  try {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of file.chunks()) {
      bytes += chunk.length;
      if (bytes > most) return undefined;
      parts.push(Buffer.from(chunk));
    }
    return Buffer.concat(parts);
  } finally {
    await file.close();
  }
}
