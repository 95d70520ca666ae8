import { isObject, type JsonObject } from '../../json/value.ts';

/** The history that a provider keeps for a compaction of its own, where the compaction entry carries a usable one. */
export function remoteHistory(compaction: JsonObject): { readonly provider: string } | undefined {
  const preserved = compaction['preserveData'];
  const remote = isObject(preserved) ? preserved['openaiRemoteCompaction'] : undefined;
  if (!isObject(remote)) return undefined;
  const { provider, replacementHistory } = remote;
  if (typeof provider !== 'string' || provider === '') return undefined;
  return Array.isArray(replacementHistory) && replacementHistory.every(isObject) ? { provider } : undefined;
}
