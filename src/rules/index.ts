import { badArtifactRef } from './bad-artifact-ref.ts';
import { badBlobRef } from './bad-blob-ref.ts';
import { badCwd } from './bad-cwd.ts';
import { badHeader } from './bad-header.ts';
import { badInjectedRules } from './bad-injected-rules.ts';
import { badTimestamp } from './bad-timestamp.ts';
import { badTitleSlot } from './bad-title-slot.ts';
import { blankLine } from './blank-line.ts';
import { byteOrderMark } from './byte-order-mark.ts';
import { damagedArtifact } from './damaged-artifact.ts';
import { damagedBlob } from './damaged-blob.ts';
import { danglingFrom } from './dangling-from.ts';
import { danglingKeptEntry } from './dangling-kept-entry.ts';
import { danglingLabel } from './dangling-label.ts';
import { danglingLink } from './dangling-link.ts';
import { danglingParent } from './dangling-parent.ts';
import { deepNesting } from './deep-nesting.ts';
import { duplicateCallId } from './duplicate-call-id.ts';
import { duplicateId } from './duplicate-id.ts';
import { duplicateMessageId } from './duplicate-message-id.ts';
import { duplicateRecord } from './duplicate-record.ts';
import { duplicateResult } from './duplicate-result.ts';
import { emptyBlock } from './empty-block.ts';
import { extraRoot } from './extra-root.ts';
import { forwardParent } from './forward-parent.ts';
import { gluedEntries } from './glued-entries.ts';
import { halfCompaction } from './half-compaction.ts';
import { headerAsParent } from './header-as-parent.ts';
import { inlineImage } from './inline-image.ts';
import { invalidUtf8 } from './invalid-utf8.ts';
import { keptEntryOffPath } from './kept-entry-off-path.ts';
import { lateHeader } from './late-header.ts';
import { loneSurrogate } from './lone-surrogate.ts';
import { misplacedTitle } from './misplaced-title.ts';
import { missingArtifact } from './missing-artifact.ts';
import { missingBase } from './missing-base.ts';
import { missingBlob } from './missing-blob.ts';
import { missingField } from './missing-field.ts';
import { missingFinalNewline } from './missing-final-newline.ts';
import { missingHeader } from './missing-header.ts';
import { missingOrdinal } from './missing-ordinal.ts';
import { noConversation } from './no-conversation.ts';
import { notAnObject } from './not-an-object.ts';
import { notJson } from './not-json.ts';
import { nulBytes } from './nul-bytes.ts';
import { nullBlock } from './null-block.ts';
import { nullContent } from './null-content.ts';
import { oddShape } from './odd-shape.ts';
import { ordinalOrder } from './ordinal-order.ts';
import { orphanResult } from './orphan-result.ts';
import { oversizeImage } from './oversize-image.ts';
import { oversizeLine } from './oversize-line.ts';
import { oversizeString } from './oversize-string.ts';
import { parentCycle } from './parent-cycle.ts';
import { resultBeforeCall } from './result-before-call.ts';
import type { Rule } from './rule.ts';
import { secondHeader } from './second-header.ts';
import { siblingWriters } from './sibling-writers.ts';
import { snapshotMismatch } from './snapshot-mismatch.ts';
import { splitToolPair } from './split-tool-pair.ts';
import { staleLeaf } from './stale-leaf.ts';
import { timeBackwards } from './time-backwards.ts';
import { tornLine } from './torn-line.ts';
import { transientField } from './transient-field.ts';
import { unansweredCall } from './unanswered-call.ts';
import { unknownBlock } from './unknown-block.ts';
import { unknownEntryType } from './unknown-entry-type.ts';
import { unknownRole } from './unknown-role.ts';
import { unknownVersion } from './unknown-version.ts';
import { unsignedThinking } from './unsigned-thinking.ts';
import { usageWithoutCost } from './usage-without-cost.ts';
import { wrongType } from './wrong-type.ts';

/** Every rule. Findings of one line come in this order. */
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
  emptyBlock,
  unsignedThinking,
  oversizeImage,
  badTimestamp,
  transientField,
  oversizeString,
  loneSurrogate,
  deepNesting,
  missingOrdinal,
  ordinalOrder,
  missingBase,
  duplicateRecord,
  duplicateId,
  duplicateMessageId,
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
  danglingLink,
  badArtifactRef,
  missingArtifact,
  damagedArtifact,
  snapshotMismatch,
  halfCompaction,
  duplicateCallId,
  unansweredCall,
  orphanResult,
  duplicateResult,
  resultBeforeCall,
  splitToolPair,
  badBlobRef,
  missingBlob,
  damagedBlob,
  extraRoot,
  inlineImage,
  noConversation,
];
