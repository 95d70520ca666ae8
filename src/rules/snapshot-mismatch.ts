import { defineRule, type FindingPlace, WHOLE_FILE } from './rule.ts';

export const snapshotMismatch = defineRule('snapshot-mismatch', 'warning', 'references', {
  summary: 'a snapshot beside the log disagrees with its records',
  why: 'The records are right. A program that resumes from the snapshot goes on from a state that never existed.',
  arises: 'Records were lost after the snapshot was made, or it belongs to another session or was changed.',
  advice: 'Delete the snapshot: the state can be rebuilt from the records.',
  example: '{"id":"e10",…,"type":"session.completed"}\n{"id":"e11",…}',
  recordsEnd: (log, report) => {
    for (const snapshot of log.snapshots) {
      const { file, ordinal, position, problem, lastId, state, stateThen, wrongCalls = [] } = snapshot;
      const place: FindingPlace = position < 0 ? WHOLE_FILE : log.placeOf(position);
      const found = (what: string): void => report(place, `the snapshot '${file}' ${what}`);
      if (problem !== undefined) found(problem);
      else if (position < 0) found(`was made after the record ${ordinal}, which is not in the log`);
      else {
        if (lastId !== undefined && lastId !== log.idOf(position)) found(`names '${lastId}' as the last record`);
        if (state !== undefined && stateThen !== undefined && state !== stateThen)
          found(`says that the session is ${state}; it is ${stateThen}`);
        for (const id of wrongCalls) found(`has '${id}' as an open call, which it is not`);
      }
    }
  },
});
