import { stringOf } from '../../entries/entry-type.ts';
import { isObject, type JsonObject } from '../../json/value.ts';

/** The id of a trajectory: that of the session may be shared with those of subagents. */
export function idOf({ trajectory_id: own, session_id: session }: JsonObject): string {
  return stringOf(own) || stringOf(session);
}

/** The objects of a list. */
export function listOf(object: JsonObject, key: string): JsonObject[] {
  const list = object[key];
  return Array.isArray(list) ? list.filter(isObject) : [];
}

/** The text of a content, without its images. */
export function textIn(content: unknown): string {
  if (!Array.isArray(content)) return stringOf(content);
  return content
    .filter(isObject)
    .map(({ text }) => stringOf(text))
    .join('\n');
}

/** A path that stays in the folder of the log. */
export function isInside(path: string): boolean {
  return path !== '' && !/^[/\\]|^\w+:|(?:^|[/\\])\.\.(?:[/\\]|$)/.test(path);
}
