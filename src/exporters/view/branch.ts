import type { Branch } from '../exporter.ts';
import { oneLine, type Words } from './words.ts';

/** Where a branch comes from. */
export function branchStart({ fromEntry, isCut }: Branch): Words {
  if (fromEntry !== undefined) return ['continues from ', { entry: fromEntry }];
  return [isCut ? 'starts at an entry whose parent is not in the log' : 'starts at a root'];
}

/** Before an entry whose parent is not in the log. */
export function lostParentWords(parentId: string): Words {
  return ['What came before is not in the log: the parent of the next entry is ', { code: oneLine(parentId, 80) }];
}

/** Behind an entry whose label was given elsewhere, for whoever reads this branch alone would not know of it. */
export function labelElsewhereWords(label: string, entryId: string): Words {
  return ['Label ', { code: oneLine(label) }, ' on ', { entry: entryId }, ', set on another branch'];
}
