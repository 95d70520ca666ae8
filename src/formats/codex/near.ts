import type { LogSource, NearLog } from '../format.ts';
import { readRecords } from '../records.ts';

export type FindSession = (id: string) => Promise<string | undefined>;

/** In folders with more files only the names are searched. */
const MOST_OPENED = 200;
const FIRST_BYTES = 4096;
const IS_ROLLOUT = /\.jsonl(?:\.zst)?$/;

/** Finds a rollout by its name, or beside the log by its first record. */
export async function findRollout(source: NearLog, id: string): Promise<string | undefined> {
  if (id === '') return undefined;
  const isNamed = (path: string) => IS_ROLLOUT.test(path) && path.includes(id);
  const beside = (await source.list('.', false)).filter((path) => IS_ROLLOUT.test(path));
  const named = beside.find(isNamed);
  if (named !== undefined) return named;
  for (const path of beside.length <= MOST_OPENED ? beside : []) if (await startsSession(source, path, id)) return path;
  // Codex has a folder for each day.
  const isDated = /[\\/]\d{4}[\\/]\d\d[\\/]\d\d[\\/][^\\/]*$/.test(source.name);
  return isDated ? (await source.list('../../..')).find(isNamed) : undefined;
}

async function startsSession(source: NearLog, path: string, id: string): Promise<boolean> {
  const file = await source.open(path);
  if (!file) return false;
  try {
    for await (const chunk of file.chunks()) {
      const text = Buffer.from(chunk.subarray(0, FIRST_BYTES)).toString('latin1');
      return text.includes('"session_meta"') && text.includes(`"id":"${id}"`);
    }
    return false;
  } finally {
    await file.close();
  }
}

/** The name that the user gave to a session, from the index above the folders of logs. */
export async function titleFromIndex(source: LogSource, id: string): Promise<string | undefined> {
  for (let up = ''; up.length <= '../../../../'.length; up += '../') {
    const index = await source.open(`${up}session_index.jsonl`);
    if (!index) continue;
    let title: string | undefined;
    try {
      for await (const records of readRecords(index.chunks(), () => {})) {
        for (const { value } of records)
          if (value['id'] === id && typeof value['thread_name'] === 'string') title = value['thread_name'];
      }
    } finally {
      await index.close();
    }
    return title;
  }
  return undefined;
}
