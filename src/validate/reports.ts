import { samePlace } from '../files/disk.ts';
import type { Sink } from '../files/sink.ts';
import { ByteWriter } from '../lines/writer.ts';
import {
  makeReporter,
  REPORTER_NAMES,
  type Reporter,
  type ReporterName,
  type ReporterOptions,
} from '../reporters/index.ts';
import { AppError, ClosedPipe, UsageError } from '../util/errors.ts';
import { type Io, PLAIN, type TerminalOutput } from '../util/io.ts';
import { didYouMean } from '../util/words.ts';

/** A report that the user wants; without a file it goes to standard output. */
export interface ReportRequest {
  readonly format: ReporterName;
  readonly file?: string;
}

/** FORMAT or FORMAT=FILE. */
export function readRequest(word: string): ReportRequest {
  const [name = '', ...rest] = word.split('=');
  const format = REPORTER_NAMES.find((one) => one === name);
  if (format === undefined) {
    const names = REPORTER_NAMES.join(', ');
    throw new UsageError(`a format is one of ${names}, not '${name}'${didYouMean(name, REPORTER_NAMES)}`);
  }
  if (rest.length === 0) return { format };
  const file = rest.join('=');
  if (file === '' || file === '-') throw new UsageError(`'${word}' needs the name of a file: ${format}=FILE`);
  return { format, file };
}

interface Destination {
  readonly reporter: Reporter;
  readonly writer: ByteWriter;
  readonly sink?: Sink;
}

interface ReportsOptions extends Omit<ReporterOptions, 'isTerminal'> {
  /** Where the report goes that has no file. */
  readonly out: TerminalOutput;
  /** Only files are written. */
  readonly quiet: boolean;
}

export async function openReports(
  requests: readonly ReportRequest[],
  options: ReportsOptions,
  io: Pick<Io, 'random' | 'signal'>,
): Promise<Reports> {
  const { out, quiet, ...common } = options;
  requireApart(requests);
  const destinations: Destination[] = [];
  const reports = new Reports(destinations, requests, out.isTTY === true);
  try {
    for (const { format, file } of requests) {
      if (file !== undefined) {
        const { toFile } = await import('../files/sink.ts');
        const sink = toFile(file, { mode: 0o666, random: io.random, signal: io.signal });
        const reporter = await makeReporter(format, { ...common, style: PLAIN, isTerminal: false });
        destinations.push({ reporter, writer: new ByteWriter(sink.stream), sink });
      } else if (!quiet) {
        const reporter = await makeReporter(format, { ...common, isTerminal: out.isTTY === true });
        destinations.push({ reporter, writer: new ByteWriter(out) });
      }
    }
  } catch (error) {
    reports.discard();
    throw error;
  }
  return reports;
}

/** The reports of one run: each event goes to every reporter. */
export class Reports {
  /** Whether the summary is printed as well: a report in a pipe or in a file does not show it. */
  readonly needsSummary: boolean;
  /** Whether what is printed is for people, if anything is. */
  readonly isForPeople: boolean;
  readonly #files: readonly string[];
  #destinations: readonly Destination[];

  constructor(destinations: readonly Destination[], requests: readonly ReportRequest[], isTerminal: boolean) {
    const shown = requests.find(({ file }) => file === undefined)?.format;
    this.needsSummary = shown === undefined || (shown === 'text' && !isTerminal);
    this.isForPeople = shown === undefined || shown === 'text';
    this.#files = requests.flatMap(({ file }) => file ?? []);
    this.#destinations = destinations;
  }

  /** No log is replaced by a report about it. */
  requireOther(inputs: readonly string[]): void {
    for (const file of this.#files) {
      const input = inputs.find((one) => one !== '-' && samePlace(file, one));
      if (input !== undefined) throw new AppError(`${file}: is one of the logs to check; choose another file`);
    }
  }

  notify(event: (reporter: Reporter) => string): void {
    for (const { reporter, writer } of this.#destinations) {
      const text = event(reporter);
      if (text !== '') writer.text(text);
    }
  }

  get full(): boolean {
    return this.#destinations.some(({ writer }) => writer.full);
  }

  async flush(): Promise<void> {
    for (const one of this.#destinations) {
      try {
        await one.writer.flush();
      } catch (error) {
        // The reader of the output has seen enough, but the files are still wanted.
        const others = this.#destinations.filter((other) => other !== one);
        if (!(error instanceof ClosedPipe) || others.length === 0) throw error;
        this.#destinations = others;
      }
    }
  }

  /** The files get their names. */
  async commit(): Promise<void> {
    await this.flush();
    for (const { sink } of this.#destinations) await sink?.commit();
  }

  /** Leaves no trace of files that were not committed. */
  discard(): void {
    for (const { sink } of this.#destinations) sink?.discard();
  }
}

function requireApart(requests: readonly ReportRequest[]): void {
  const [, second] = requests.filter(({ file }) => file === undefined);
  if (second) {
    const { format } = second;
    throw new UsageError(`only one format can be printed; give the other a file: --format ${format}=FILE`);
  }
  const files = requests.flatMap(({ file }) => file ?? []);
  const twice = files.find((file, at) => files.slice(0, at).some((other) => samePlace(other, file)));
  if (twice !== undefined) throw new UsageError(`two formats cannot be written to the same file '${twice}'`);
}
