import { stringOf } from '../../entries/entry-type.ts';
import type { NumberedFormat } from '../convert-numbered.ts';
import { Conversion, seqOf } from './conversion.ts';

/** How a record log becomes a native one. */
export const numbered: NumberedFormat = {
  seqOf,
  idOf: ({ session_id: id }) => stringOf(id),
  begin: (writer, options, id) => new Conversion(writer, options, id),
};
