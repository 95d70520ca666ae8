import { stringOf } from '../../entries/entry-type.ts';
import type { JsonObject } from '../../json/value.ts';

/** The id of a trajectory: that of the session may be shared with those of subagents. */
export function idOf({ trajectory_id: own, session_id: session }: JsonObject): string {
  return stringOf(own) || stringOf(session);
}

/** A path that stays in the folder of the log. */
export function isInside(path: string): boolean {
  return path !== '' && !/^[/\\]|^\w+:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path);
}
