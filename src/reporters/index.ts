import { githubReporter } from './github.ts';
import { jsonReporter } from './json.ts';
import { junitReporter } from './junit.ts';
import { markdownReporter } from './markdown.ts';
import type { Reporter, ReporterOptions } from './reporter.ts';
import { sarifReporter } from './sarif.ts';
import { textReporter } from './text.ts';

export * from './reporter.ts';

export const reporters = {
  text: textReporter,
  json: jsonReporter,
  github: githubReporter,
  sarif: sarifReporter,
  junit: junitReporter,
  markdown: markdownReporter,
} as const satisfies Readonly<Record<string, (options: ReporterOptions) => Reporter>>;

export type ReporterName = keyof typeof reporters;

export const REPORTER_NAMES: readonly ReporterName[] = Object.keys(reporters) as ReporterName[];

export function makeReporter(name: ReporterName, options: ReporterOptions): Reporter {
  return reporters[name](options);
}
