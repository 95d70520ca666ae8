import type { ShapeIssue } from '../../entries/schema/index.ts';
import { placeOf, type Rule } from '../rule.ts';

/** The check of a rule that passes on what the schemas say. */
export function shapeCheck(kind: ShapeIssue['kind']): NonNullable<Rule['object']> {
  return (object, _log, report) => {
    for (const issue of object.shape) if (issue.kind === kind) report(placeOf(object, issue.path), issue.message);
  };
}
