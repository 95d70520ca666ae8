export type Environment = Readonly<Record<string, string | undefined>>;

/** The name of a log in JSON Lines, also of one that OpenClaw has archived. */
export const LOG_NAME = /\.jsonl(?:\.zst|\.(?:deleted|reset)\.[^/]+|\.imported-[^/]+)?$/;

export function homeFolder(env: Environment): string | undefined {
  return env['HOME'] || env['USERPROFILE'];
}

/** Folders below another one, where that is known. */
export function below(folder: string | undefined, ...paths: readonly string[]): string[] {
  return folder ? paths.map((path) => `${folder}/${path}`) : [];
}

/** Where programs keep their data, by the XDG base directory specification. */
export function dataFolder(env: Environment): string | undefined {
  const home = homeFolder(env);
  return env['XDG_DATA_HOME'] || (home && `${home}/.local/share`);
}
