import { stringOf } from '../../entries/entry-type.ts';
import type { NumberedSource } from '../convert-numbered.ts';
import { RecordConversion, seqOf } from './conversion.ts';

export const numbered: NumberedSource = {
  seqOf,
  idOf: ({ session_id: id }) => stringOf(id),
  begin: (writer, options, id) => new RecordConversion(writer, options, id),
};
