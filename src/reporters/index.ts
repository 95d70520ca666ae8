import type { Reporter, ReporterOptions } from './reporter.ts';
import { textReporter } from './text.ts';

export * from './reporter.ts';

/** Loaded on demand: a run needs one or two of them. */
export const reporters = {
  text: async () => textReporter,
  json: async () => (await import('./json.ts')).jsonReporter,
  github: async () => (await import('./github.ts')).githubReporter,
  sarif: async () => (await import('./sarif.ts')).sarifReporter,
  junit: async () => (await import('./junit.ts')).junitReporter,
  'junit-ant': async () => (await import('./junit.ts')).junitAntReporter,
  markdown: async () => (await import('./markdown.ts')).markdownReporter,
} as const satisfies Readonly<Record<string, () => Promise<(options: ReporterOptions) => Reporter>>>;

export type ReporterName = keyof typeof reporters;

export const REPORTER_NAMES: readonly ReporterName[] = Object.keys(reporters) as ReporterName[];

export async function makeReporter(name: ReporterName, options: ReporterOptions): Promise<Reporter> {
  return (await reporters[name]())(options);
}
