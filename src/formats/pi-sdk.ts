import type { Format } from './format.ts';

/** Another format under the same name: its first line is {"v":4,"kind":"header"}. */
export const piSdk: Format = {
  id: 'pi-sdk',
  title: "a log of pi's SDK harness (format 4), which is another format",
  noun: 'pi SDK log',
  recognises: (start) => start.first?.['kind'] === 'header' && typeof start.first['v'] === 'number',
};
