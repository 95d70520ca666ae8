import type { Patient } from './patient.ts';
import { ABSENT, FAULTS, Flag, NO_PARENT, WRONG } from './survey.ts';

/**
 * Entries without a usable type, id, parentId, message or role. What has a known type and its payload is kept: it gets an
 * id, and looks for a parent with the others that lost theirs. The rest leaves.
 */
export function mendVital(patient: Patient): void {
  const { survey } = patient;
  for (let entry = 0; entry < survey.size; entry++) {
    const flags = survey.flags.at(entry);
    const id = survey.ids.at(entry);
    const parent = survey.parents.at(entry);
    const noId = patient.version >= 2 && (id < 0 || (flags & Flag.emptyId) !== 0);
    const noParent = patient.version >= 2 && (parent === ABSENT || parent === WRONG);
    if ((flags & FAULTS) === 0 && !noId && !noParent) continue;
    const idRule = id === ABSENT ? 'missing-field' : 'wrong-type';
    const parentRule = parent === ABSENT ? 'missing-field' : 'wrong-type';
    if ((flags & FAULTS) !== 0) leave(patient, entry, faultRule(flags), faultWords(flags));
    else if ((flags & Flag.payload) === 0) {
      leave(patient, entry, noId ? idRule : parentRule, `moved an entry without a usable ${noId ? 'id' : 'parentId'} to quarantine`);
    } else {
      if (noId && patient.mayMend(entry, idRule)) patient.idless.add(entry);
      if (noParent && patient.mayMend(entry, parentRule)) patient.orphans.set(entry, parentRule);
    }
  }
}

function leave(patient: Patient, entry: number, rule: string, words: string): void {
  if (!patient.mayMend(entry, rule)) return;
  patient.drop(entry, rule, words);
  // Its children can still follow the chain that it was a part of.
  const { ids, parents, shown } = patient.survey;
  const id = ids.at(entry);
  const parent = parents.at(entry);
  if (id >= 0 && (parent >= 0 || parent === NO_PARENT) && !shown.has(id)) shown.set(id, parent);
}

function faultRule(flags: number): string {
  return (flags & (Flag.typeAbsent | Flag.messageAbsent | Flag.roleAbsent)) !== 0 ? 'missing-field' : 'wrong-type';
}

function faultWords(flags: number): string {
  if ((flags & (Flag.typeAbsent | Flag.typeWrong)) !== 0) return 'moved an entry without a usable type to quarantine';
  if ((flags & (Flag.messageAbsent | Flag.messageWrong)) !== 0) return 'moved a message entry without a message to quarantine';
  return 'moved a message without a role to quarantine';
}
