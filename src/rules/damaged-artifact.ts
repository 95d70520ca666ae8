import { defineRule } from './rule.ts';

export const damagedArtifact = defineRule('damaged-artifact', 'error', 'references', {
  summary: "an artifact's bytes do not match the hash that the log has recorded",
  why: 'What is in the file is not what the tool gave or the model saw.',
  arises: 'The file was changed or overwritten later, or a write was cut short.',
  advice: 'Restore the file from a backup.',
  example: '{"id":"e7",…,"artifactRefs":[{"ref":"artifact://session/s1/stdout.txt","sha256":"0000…"}],…}',
  recordsEnd: (log, report) => {
    for (const { position, path, file, problem } of log.files)
      if (problem === 'damaged') report(log.placeOf(position, path), `the bytes of '${file}' do not match its hash`);
  },
});
