import packageJson from '../../package.json' with { type: 'json' };

export const version: string = packageJson.version;

export const HOMEPAGE = 'https://github.com/sessionctl/sessionctl';

/** The documentation of a rule. */
export function rulePage(id: string): string {
  return `${HOMEPAGE}/blob/main/docs/rules.md#${id}`;
}

export function commandPage(name: string): string {
  return `${HOMEPAGE}/blob/main/docs/commands.md#${name}`;
}
