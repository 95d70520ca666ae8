import { dirname, isAbsolute, join } from 'node:path';
import { attemptWrite, behindLinks, realPath } from '../files/disk.ts';
import { readSmallFile } from '../files/input.ts';
import { findUpwards } from '../files/upwards.ts';
import { parseJson } from '../json/value.ts';
import type { Level } from '../rules/rule.ts';
import { AppError } from '../util/errors.ts';
import { type ReportRequest, readRequest } from './reports.ts';

export const CONFIG_NAME = 'sessionctl.config.json';

/** What a project says about all its runs of `validate`, with paths from the working folder. */
export interface Config {
  readonly path: string;
  readonly levels: ReadonlyMap<string, Level>;
  /** Globs, from the folder of the file. */
  readonly ignore: readonly string[];
  readonly formats: readonly ReportRequest[];
  readonly blobs?: string;
  readonly maxWarnings?: number;
  readonly suppressions?: string;
}

/** The file that was named, or the nearest one from the working folder upwards; nothing more is loaded without one. */
export async function loadConfig(named: string | undefined): Promise<Config | undefined> {
  const path = named ?? findUpwards(CONFIG_NAME);
  if (path === undefined) return undefined;
  const { checkConfig } = await import('./config-schema.ts');
  const json = parseJson(await readSmallFile(path));
  if (json === undefined) throw new AppError(`${path}: is not JSON; check it for a missing quote or comma`);
  const { rules, ignore, formats, blobs, maxWarnings, suppressions } = checkConfig(path, json);
  return {
    path,
    levels: new Map(Object.entries(rules ?? {}).flatMap(([id, level]) => (level ? [[id, level]] : []))),
    ignore: ignore ?? [],
    formats: (formats ?? []).map((word) => requestIn(path, word)),
    ...(blobs !== undefined && { blobs: fromFolder(path, blobs) }),
    ...(maxWarnings !== undefined && { maxWarnings }),
    ...(suppressions !== undefined && { suppressions: fromFolder(path, suppressions) }),
  };
}

/** A path of the file, from the working folder. */
function fromFolder(config: string, path: string): string {
  return isAbsolute(path) ? path : join(dirname(config), path);
}

/** A file that comes with a project may be anybody's, so it lets nothing be written outside its own folder. */
function requestIn(config: string, word: string): ReportRequest {
  const { format, file } = readRequest(word);
  if (file === undefined) return { format };
  const path = fromFolder(config, file);
  const home = join(realPath(dirname(config)), '/');
  if (!attemptWrite(path, () => behindLinks(path)).startsWith(home))
    throw new AppError(`${config}: '${word}' is outside the folder of this file; pass it as --format instead`);
  return { format, file: path };
}
