import { stringOf } from '../../entries/entry-type.ts';
import type { NumberedSource } from '../convert-numbered.ts';
import { artifactText } from './artifacts.ts';
import { EventConversion } from './conversion.ts';
import { seqOf } from './event.ts';

/** Snapshots are not read: the events have all that they say. */
export const numbered: NumberedSource = {
  seqOf,
  idOf: ({ sessionId }) => stringOf(sessionId),
  begin: (writer, options, id, source) =>
    new EventConversion(writer, options, id, (ref) => artifactText(source, ref, id)),
};
