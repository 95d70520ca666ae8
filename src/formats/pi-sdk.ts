import type { JsonObject } from '../json/value.ts';
import type { LogFormat } from './format.ts';

/** Another format under the same name: its first line is {"v":4,"kind":"header"}, in older versions "version" for "v". */
export const piSdk: LogFormat = {
  id: 'pi-sdk',
  title: "a log of pi's SDK (format 4), which is a different format",
  noun: 'pi SDK log',
  detect: ({ first }) => first !== undefined && isSdkHeader(first),
};

export function isSdkHeader(value: JsonObject): boolean {
  return value['kind'] === 'header' && (typeof value['v'] === 'number' || typeof value['version'] === 'number');
}
