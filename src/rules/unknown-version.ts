import { versionOf } from '../entries/envelope-check.ts';
import { shortJson } from '../util/to-json.ts';
import { defineRule, placeOf } from './rule.ts';

export const unknownVersion = defineRule('unknown-version', 'error', 'header', {
  summary: 'the header has an unknown version: other than 1, 2 or 3, or in Codex an unknown history_mode',
  why: 'Agents refuse the session or guess: some migrate such a file as if it were old and overwrite its ids.',
  arises: 'A newer agent wrote the file, or a script wrote the version as text.',
  advice:
    'No command fixes it, because only the program that wrote it knows what it means: use that agent, or correct the value by hand.',
  example: '{"type":"session","version":4,…}',
  looksAt: 'values',
  object: (object, _log, report) => {
    if (object.kind !== 'header' || versionOf(object.value).known) return;
    const message = `version ${shortJson(object.value['version'])} is unknown; the known versions are 1, 2 and 3`;
    report(placeOf(object, 'version'), message);
  },
});
