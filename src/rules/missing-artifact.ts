import { defineRule } from './rule.ts';

export const missingArtifact = defineRule('missing-artifact', 'warning', 'references', {
  summary: 'a file that a record refers to is not in the folder of artifacts',
  why: 'What a tool gave, or what the model saw of it, cannot be read or checked any more.',
  arises: 'The log was moved or copied without its folder, or the file was deleted.',
  advice: 'Restore the file beside the log from a backup.',
  example: '{"id":"e7",…,"artifactRefs":["artifact://session/s1/stderr.txt"],…}',
  recordsEnd: (log, report) => {
    for (const { position, path, file, folder, problem } of log.files)
      if (problem === 'missing')
        report(log.placeOf(position, path), `'${file}' is not there, or no plain file in '${folder}'`);
  },
});
