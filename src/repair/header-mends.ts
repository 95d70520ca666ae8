import { createHash } from 'node:crypto';
import { fatalFaults } from '../entries/fatal-shapes.ts';
import { applySplices, findMember, setMember, skipSpace } from '../json/text.ts';
import { decodeUtf8, encodeUtf8 } from '../lines/line.ts';
import type { Patient } from './patient.ts';
import type { FixedLine } from './region.ts';

/** With its newline. */
const SLOT_BYTES = 256;
/** A log that holds nothing at all tells no time. */
const NO_TIME = '1970-01-01T00:00:00.000Z';

/** What is wrong with the lines that are no entries: headers and title slots. */
export function mendHeader(patient: Patient): void {
  const { headers, titles } = patient.survey;
  const slot = titles.find((title) => title.before === 0);
  for (const title of titles) {
    if (title !== slot && patient.mayMend(title, 'misplaced-title')) {
      patient.drop(title, 'misplaced-title', 'moved a title slot that is not the first line to quarantine');
    }
  }
  if (slot) mendSlot(patient, slot);
  const [header, ...others] = headers;
  for (const other of others) {
    if (patient.mayMend(other, 'second-header')) patient.drop(other, 'second-header', 'moved another header to quarantine');
  }
  if (header) mendOne(patient, header, slot);
  else rebuild(patient, slot);
}

function mendSlot(patient: Patient, slot: FixedLine): void {
  const missing = SLOT_BYTES - slot.newline.length - slot.raw.length;
  if (missing === 0) return;
  // A slot that only the fix of its bytes made longer or shorter is no finding; the fix pads it.
  const isResized = slot.raw.length !== slot.length && slot.damage !== undefined;
  const rule = isResized ? slot.damage : 'bad-title-slot';
  if (!isResized && !patient.mayMend(slot, rule)) return;
  const pad = findMember(slot.raw, skipSpace(slot.raw, 0), 'pad');
  const held = pad ? pad.valueEnd - pad.valueStart - 2 : -',"pad":""'.length;
  if ((pad && typeof slot.value['pad'] !== 'string') || held + missing < 0) {
    patient.drop(slot, rule, `moved a title slot that cannot be made ${SLOT_BYTES} bytes long to quarantine`);
    return;
  }
  const json = JSON.stringify(' '.repeat(held + missing));
  patient.setMember(slot, { key: 'pad', json, rule, words: `padded the title slot to ${SLOT_BYTES} bytes` });
}

function mendOne(patient: Patient, header: FixedLine, slot: FixedLine | undefined): void {
  const { value, raw } = header;
  let text = raw;
  let idBefore: string | undefined;
  if (typeof value['id'] === 'string') patient.headerId = value['id'];
  else if (patient.mayMend(header, 'bad-header')) {
    const open = skipSpace(raw, 0);
    const member = findMember(raw, open, 'id');
    idBefore = member ? decodeUtf8(raw.slice(member.valueStart, member.valueEnd)) : undefined;
    patient.headerId = idBefore ?? uuidOf(patient.survey.firstEntry?.bytes ?? raw);
    text = applySplices(raw, [setMember(raw, open, 'id', encodeUtf8(JSON.stringify(patient.headerId)))]);
  }
  const idAfter = text === raw ? undefined : patient.headerId;
  const hasBadCwd = fatalFaults(value).length > 0 && patient.mayMend(header, 'bad-cwd');
  const cwd = JSON.stringify(patient.survey.cwd ?? '');
  if (hasBadCwd) text = applySplices(text, [setMember(text, skipSpace(text, 0), 'cwd', encodeUtf8(cwd))]);
  const isLate = header.entry > 0;
  if (isLate && patient.mayMend(header, 'late-header')) {
    patient.move(header, {
      rule: 'late-header',
      words: `moved the header to the front${idAfter === undefined ? '' : ' and made its id a string'}`,
      idBefore,
      idAfter,
    });
    putInFront(patient, slot, { text: decodeUtf8(text), rule: 'late-header', words: '', source: header });
    return;
  }
  if (hasBadCwd) patient.setMember(header, { key: 'cwd', json: cwd, rule: 'bad-cwd', words: "made the header's cwd a string" });
  if (idAfter !== undefined) {
    const words = idBefore === undefined ? 'gave the header an id' : "made the header's id a string";
    patient.setMember(header, { key: 'id', json: JSON.stringify(idAfter), rule: 'bad-header', words, idBefore, idAfter });
  }
}

function rebuild(patient: Patient, slot: FixedLine | undefined): void {
  const { survey } = patient;
  if (!patient.options.wants('missing-header')) return;
  const { firstEntry } = survey;
  patient.headerId = uuidOf(firstEntry?.bytes ?? '');
  const header = {
    type: 'session',
    ...(patient.version === 1 ? {} : { version: 3 }),
    id: patient.headerId,
    timestamp: firstEntry?.timestamp ?? NO_TIME,
    cwd: survey.cwd ?? '',
    rebuiltBy: 'sessionctl',
  };
  putInFront(patient, slot, {
    text: JSON.stringify(header),
    rule: 'missing-header',
    words: 'wrote a new header',
    idAfter: patient.headerId,
  });
}

function putInFront(patient: Patient, slot: FixedLine | undefined, line: NonNullable<Patient['front']>): void {
  if (slot && !slot.mend?.drop) patient.insertAfter(slot, line);
  else patient.front = line;
}

/** The first half of the bytes' SHA-256, written as a UUID is. */
function uuidOf(bytes: string): string {
  const hex = createHash('sha256').update(Buffer.from(bytes, 'latin1')).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
