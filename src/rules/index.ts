import { badBlobRef } from './all/bad-blob-ref.ts';
import { badCwd } from './all/bad-cwd.ts';
import { badHeader } from './all/bad-header.ts';
import { badInjectedRules } from './all/bad-injected-rules.ts';
import { badTimestamp } from './all/bad-timestamp.ts';
import { badTitleSlot } from './all/bad-title-slot.ts';
import { blankLine } from './all/blank-line.ts';
import { byteOrderMark } from './all/byte-order-mark.ts';
import { damagedBlob } from './all/damaged-blob.ts';
import { danglingFrom } from './all/dangling-from.ts';
import { danglingKeptEntry } from './all/dangling-kept-entry.ts';
import { danglingLabel } from './all/dangling-label.ts';
import { danglingParent } from './all/dangling-parent.ts';
import { deepNesting } from './all/deep-nesting.ts';
import { duplicateCallId } from './all/duplicate-call-id.ts';
import { duplicateId } from './all/duplicate-id.ts';
import { duplicateResult } from './all/duplicate-result.ts';
import { extraRoot } from './all/extra-root.ts';
import { forwardParent } from './all/forward-parent.ts';
import { gluedEntries } from './all/glued-entries.ts';
import { headerAsParent } from './all/header-as-parent.ts';
import { inlineImage } from './all/inline-image.ts';
import { invalidUtf8 } from './all/invalid-utf8.ts';
import { keptEntryOffPath } from './all/kept-entry-off-path.ts';
import { lateHeader } from './all/late-header.ts';
import { loneSurrogate } from './all/lone-surrogate.ts';
import { misplacedTitle } from './all/misplaced-title.ts';
import { missingBlob } from './all/missing-blob.ts';
import { missingField } from './all/missing-field.ts';
import { missingFinalNewline } from './all/missing-final-newline.ts';
import { missingHeader } from './all/missing-header.ts';
import { notAnObject } from './all/not-an-object.ts';
import { notJson } from './all/not-json.ts';
import { nulBytes } from './all/nul-bytes.ts';
import { nullBlock } from './all/null-block.ts';
import { nullContent } from './all/null-content.ts';
import { oddShape } from './all/odd-shape.ts';
import { orphanResult } from './all/orphan-result.ts';
import { oversizeLine } from './all/oversize-line.ts';
import { oversizeString } from './all/oversize-string.ts';
import { parentCycle } from './all/parent-cycle.ts';
import { resultBeforeCall } from './all/result-before-call.ts';
import { secondHeader } from './all/second-header.ts';
import { siblingWriters } from './all/sibling-writers.ts';
import { splitToolPair } from './all/split-tool-pair.ts';
import { staleLeaf } from './all/stale-leaf.ts';
import { timeBackwards } from './all/time-backwards.ts';
import { tornLine } from './all/torn-line.ts';
import { transientField } from './all/transient-field.ts';
import { unansweredCall } from './all/unanswered-call.ts';
import { unknownBlock } from './all/unknown-block.ts';
import { unknownEntryType } from './all/unknown-entry-type.ts';
import { unknownRole } from './all/unknown-role.ts';
import { unknownVersion } from './all/unknown-version.ts';
import { usageWithoutCost } from './all/usage-without-cost.ts';
import { wrongType } from './all/wrong-type.ts';
import type { Rule } from './rule.ts';

/** Every rule; a line's findings come in this order. */
export const rules: readonly Rule[] = [
  tornLine,
  gluedEntries,
  nulBytes,
  invalidUtf8,
  byteOrderMark,
  notJson,
  notAnObject,
  missingFinalNewline,
  oversizeLine,
  blankLine,
  missingHeader,
  lateHeader,
  secondHeader,
  badHeader,
  badCwd,
  unknownVersion,
  misplacedTitle,
  badTitleSlot,
  missingField,
  wrongType,
  nullContent,
  nullBlock,
  usageWithoutCost,
  badInjectedRules,
  oddShape,
  unknownEntryType,
  unknownRole,
  unknownBlock,
  badTimestamp,
  transientField,
  oversizeString,
  loneSurrogate,
  deepNesting,
  duplicateId,
  danglingParent,
  parentCycle,
  forwardParent,
  headerAsParent,
  staleLeaf,
  siblingWriters,
  timeBackwards,
  danglingLabel,
  danglingKeptEntry,
  keptEntryOffPath,
  danglingFrom,
  unansweredCall,
  orphanResult,
  duplicateResult,
  resultBeforeCall,
  duplicateCallId,
  splitToolPair,
  badBlobRef,
  missingBlob,
  damagedBlob,
  extraRoot,
  inlineImage,
];

export type { Level, Rule, RuleMeta } from './rule.ts';
