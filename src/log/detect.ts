import { Detection, type DetectionOptions, identifyDocument } from '../formats/index.ts';
import { readLineBatches } from '../lines/reader.ts';
import { type ByteStore, documentStart } from './byte-store.ts';

/** Reads a log until its start shows the format. Where all of it was read, the detection has to be ended. */
export async function detect(
  name: string,
  store: Pick<ByteStore, 'chunks' | 'size'>,
  options: DetectionOptions,
): Promise<Detection> {
  const detection = new Detection(name, { named: false, ...options });
  const start = await documentStart(store);
  detection.identity = start && identifyDocument(name, start, options.from);
  if (detection.foreign) return detection;
  for await (const lines of readLineBatches(store.chunks())) {
    detection.pass(lines);
    if (detection.open || detection.foreign) break;
  }
  return detection;
}
