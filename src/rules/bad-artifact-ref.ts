import { defineRule } from './rule.ts';

export const badArtifactRef = defineRule('bad-artifact-ref', 'error', 'references', {
  summary: 'a reference to an artifact is malformed, or leads out of the folder of artifacts',
  why: 'It is never opened: whoever wrote it could have any file of the machine shown as evidence.',
  arises: 'The log was made or changed by hand, or the program that wrote it took a name from the model.',
  advice: 'Do not follow the reference; find out who wrote it.',
  example: '{"id":"e7",…,"artifactRefs":["artifact://session/s1/../bad.jsonl",…],…}',
});
