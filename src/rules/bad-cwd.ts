import { shapeRule } from './rule.ts';

export const badCwd = shapeRule('bad-cwd', 'error', 'header', {
  summary: 'the cwd of the header is not a string',
  why: 'omp resolves it as a path and throws an error, so the session does not open.',
  arises: 'A script wrote or changed the header.',
  advice: "'sessionctl repair' uses the folder of a session_init entry, or else an empty string.",
  example: '{"type":"session","version":3,…,"cwd":["/home/ada/shop"]}',
  fix: {
    object: (repair, { unit, rule }) => {
      if (unit !== repair.index.headers[0]) return;
      const json = JSON.stringify(repair.index.cwd ?? '');
      repair.setMember(unit, { key: 'cwd', json, rule, words: "made the header's cwd a string" });
    },
  },
});
