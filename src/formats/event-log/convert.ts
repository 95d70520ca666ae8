import type { NumberedFormat } from '../convert-numbered.ts';
import { artifactText } from './artifacts.ts';
import { Conversion } from './conversion.ts';
import { seqOf, textOf } from './event.ts';

/** How an event log becomes a native one. Snapshots are not read: the events say what happened. */
export const numbered: NumberedFormat = {
  seqOf,
  idOf: ({ sessionId }) => textOf(sessionId),
  begin: (writer, options, id, source) => new Conversion(writer, options, id, (ref) => artifactText(source, ref, id)),
};
