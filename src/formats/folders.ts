export type Environment = Readonly<Record<string, string | undefined>>;

export function homeFolder(env: Environment): string | undefined {
  return env['HOME'] || env['USERPROFILE'];
}

/** Where programs keep their data, by the XDG base directory specification. */
export function dataFolder(env: Environment): string | undefined {
  const home = homeFolder(env);
  return env['XDG_DATA_HOME'] || (home && `${home}/.local/share`);
}
