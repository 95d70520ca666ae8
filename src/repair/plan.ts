import { Trouble } from '../base/trouble.ts';
import { BYTE_ORDER_MARK } from '../entries/damage.ts';
import { mendHeader } from './header-mends.ts';
import { mendInner } from './inner-mends.ts';
import { mendKeptIndexes } from './kept-index.ts';
import { Patient, type PlanOptions } from './patient.ts';
import type { Mend, NewLine, Region, Unit } from './region.ts';
import { settleLeaf } from './settle-leaf.ts';
import { settleTools } from './settle-tools.ts';
import { Flag, type Survey } from './survey.ts';
import { mendTree } from './tree-mends.ts';
import { mendVital } from './vital-mends.ts';

/** A stretch of the input that is changed, or a place where something is put in. */
export interface Job {
  readonly offset: number;
  readonly length: number;
  readonly region: Region | undefined;
  /** A line that is whole, but changes. */
  readonly unit: Unit | undefined;
  readonly line: number;
}

/** What the second pass does. */
export interface Plan {
  /** In the order of the input; none reaches into another. */
  readonly jobs: readonly Job[];
  readonly mendOf: (unit: Unit) => Mend | undefined;
  /** A header that is put in front of everything else, without its line end. */
  readonly front: NewLine | undefined;
  readonly hasMark: boolean;
  /** A byte order mark stays in front of everything. */
  readonly keepsMark: boolean;
  /** Bytes of the input. */
  readonly bytes: number;
  /** For a line that is put in. */
  readonly newline: string;
  /** For the last line. */
  readonly lastNewline: string;
  readonly endsLast: boolean;
  /** The input has no error, and nothing changes. */
  readonly isHealthy: boolean;
  /** Something has to go to the quarantine. */
  readonly quarantines: boolean;
}

/** For a log without an error, of so many bytes. */
export function unchanged(bytes: number): Plan {
  return {
    jobs: [],
    mendOf: () => undefined,
    front: undefined,
    hasMark: false,
    keepsMark: false,
    bytes,
    newline: '\n',
    lastNewline: '\n',
    endsLast: false,
    isHealthy: true,
    quarantines: false,
  };
}

/** Decides, with the whole log in view, what is done to it. */
export async function makePlan(survey: Survey, options: PlanOptions): Promise<Plan> {
  const patient = new Patient(survey, options);
  if ((options.settleTools || options.settleLeaf) && patient.version === 1) {
    const option = options.settleTools ? '--settle-tools' : '--settle-leaf';
    throw new Trouble(
      `${options.name}: a version 1 log has no tree for ${option} to add to; repair it without the option, then run 'sessionctl migrate'`,
    );
  }
  mendHeader(patient);
  mendVital(patient);
  mendInner(patient);
  const parents = await mendTree(patient);
  if (patient.version === 1) mendKeptIndexes(patient);
  if (options.settleTools) settleTools(patient, parents);
  if (options.settleLeaf) settleLeaf(patient, parents);
  return planOf(patient);
}

function planOf(patient: Patient): Plan {
  const { survey } = patient;
  const jobs: Job[] = [];
  for (const region of survey.regions) {
    jobs.push({ offset: region.offset, length: region.length, region, unit: undefined, line: region.line });
  }
  for (const { line, offset, length } of survey.blanks) {
    const pieces = [{ kind: 'blank', start: 0, end: length, mends: [], keepsOld: false, unit: undefined }] as const;
    jobs.push({ offset, length, region: { line, offset, length, rule: 'blank-line', pieces, lines: 1 }, unit: undefined, line });
  }
  const alone = new Set<Unit>();
  for (const entry of patient.mends.keys()) if (!patient.has(entry, Flag.inRegion)) alone.add(entry);
  for (const fixed of [...survey.headers, ...survey.titles]) if (fixed.mend && fixed.alone) alone.add(fixed);
  const { unended } = survey;
  const leaves = (unit: Unit): boolean => (patient.mendOf(unit)?.drop ?? patient.mendOf(unit)?.moved) !== undefined;
  const endsLast = unended !== undefined && !leaves(unended.unit) && patient.mayMend(unended.unit, 'missing-final-newline');
  if (unended && endsLast) alone.add(unended.unit);
  for (const unit of alone) {
    const place =
      typeof unit === 'number' ? { line: survey.lines.at(unit), offset: survey.offsets.at(unit), length: survey.lengths.at(unit) } : unit;
    jobs.push({ offset: place.offset, length: place.length, region: undefined, unit, line: place.line });
  }
  jobs.sort((a, b) => a.offset - b.offset);
  const [first, ...others] = jobs;
  // A byte order mark leaves with the line that it damages; else it would damage the next one.
  const takesMark = first !== undefined && survey.keepsMark && first.offset === BYTE_ORDER_MARK.length && leavesWhole(first, leaves);
  return {
    jobs: takesMark ? [withMark(first), ...others] : jobs,
    mendOf: (unit) => patient.mendOf(unit),
    front: patient.front,
    hasMark: survey.hasMark,
    keepsMark: survey.keepsMark && !takesMark,
    bytes: survey.bytes,
    newline: patient.newline,
    lastNewline: survey.lastNewline || '\n',
    endsLast,
    isHealthy: false,
    quarantines: quarantines(patient),
  };
}

function leavesWhole({ region, unit }: Job, leaves: (unit: Unit) => boolean): boolean {
  const units = region ? region.pieces.flatMap((piece) => (piece.unit === undefined ? [] : [piece.unit])) : [unit];
  return units.every((one) => one !== undefined && leaves(one));
}

function withMark({ region, unit, line, offset, length }: Job): Job {
  const by = BYTE_ORDER_MARK.length;
  const place = { offset: offset - by, length: length + by };
  const pieces = region?.pieces.map((piece) => ({ ...piece, start: piece.start + by, end: piece.end + by }));
  return { ...place, region: region && pieces && { ...region, ...place, pieces }, unit, line };
}

function quarantines(patient: Patient): boolean {
  const { survey, mends } = patient;
  if (survey.regions.some(({ pieces }) => pieces.some(({ kind, keepsOld }) => kind === 'junk' || keepsOld))) return true;
  if ([...survey.headers, ...survey.titles].some(({ mend }) => mend?.drop)) return true;
  for (const { drop } of mends.values()) if (drop) return true;
  return false;
}
