import { createHash } from 'node:crypto';
import type { Finding } from '../rules/rule.ts';
import { safeJson } from '../util/to-json.ts';
import { HOMEPAGE, rulePage } from '../util/version.ts';
import { summaryRecord } from './json.ts';
import { allObjections, hiddenErrors, type Reporter, type ReporterOptions, type RuleText, SILENT } from './reporter.ts';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';

/** A SARIF 2.1.0 log with one run, written as the findings come. */
export function sarifReporter({ rules, version }: ReporterOptions): Reporter {
  const places = new Map(rules.map((rule, at) => [rule.id, at]));
  const failures: string[] = [];
  const skipped: string[] = [];
  const fingerprintOf = fingerprints();
  let results = 0;
  return {
    ...SILENT,
    begin: () => {
      const about = { name: 'sessionctl', version, semanticVersion: version, informationUri: HOMEPAGE };
      const driver = { ...about, rules: rules.map(reportingDescriptor) };
      return `{"$schema":${safeJson(SCHEMA)},"version":"2.1.0","runs":[{"tool":{"driver":${safeJson(driver)}},\n"columnKind":"utf16CodeUnits","results":[`;
    },
    finding: (finding) => {
      const record = { ...result(finding, places.get(finding.rule)), partialFingerprints: fingerprintOf(finding) };
      return `${results++ === 0 ? '\n' : ',\n'}${safeJson(record)}`;
    },
    failed: (name, message) => {
      if (failures.length < MOST_FILES) failures.push(notification('error', message, name));
      return '';
    },
    skipped: (name, reason) => {
      if (skipped.length < MOST_FILES) skipped.push(notification('note', reason, name));
      return '';
    },
    end: (summary) => {
      const objections = allObjections(summary).map((text) => notification('error', text));
      const successful = summary.failed === 0 && objections.length === 0;
      const hidden = hiddenErrors(summary).map((text) => notification('error', text));
      const all = [...hidden, ...objections, ...failures, ...skipped];
      const notifications = all.length === 0 ? '' : `,"toolExecutionNotifications":[\n${all.join(',\n')}]`;
      const properties = safeJson({ summary: summaryRecord(summary) });
      return `\n],"invocations":[{"executionSuccessful":${successful}${notifications}}],"properties":${properties}}]}\n`;
    },
  };
}

/** Of those that failed and of those that were skipped; the summary counts them all. */
const MOST_FILES = 1_000;

function notification(level: 'error' | 'note', message: string, name?: string): string {
  const place = name === undefined ? {} : { locations: [{ physicalLocation: artifact(name) }] };
  return safeJson({ level, message: { text: plainText(message) }, ...place });
}

function reportingDescriptor(rule: RuleText): object {
  const off = rule.level === 'off';
  return {
    id: rule.id,
    name: rule.id.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase()),
    shortDescription: { text: plainText(rule.summary) },
    fullDescription: { text: plainText(rule.why) },
    help: { text: plainText(rule.advice) },
    helpUri: rule.page ?? rulePage(rule.id),
    defaultConfiguration: { enabled: !off, level: off ? 'note' : rule.level },
  };
}

function result(finding: Finding, ruleIndex: number | undefined): object {
  const { rule, severity, message, file, line, offset, entryId, path, fixable } = finding;
  return {
    ruleId: rule,
    ruleIndex,
    level: severity,
    message: { text: plainText(message) },
    locations: [{ physicalLocation: { ...artifact(file), region: { startLine: line } } }],
    properties: { offset, entryId, path, fixable },
  };
}

/** How many equal findings are numbered; services take far fewer from one run. */
const MOST_COUNTED = 100_000;

/**
 * How GitHub recognizes a finding after lines have moved: a hash of its content, and its number among equal ones. Line
 * numbers inside a message do not count.
 */
function fingerprints(): (finding: Finding) => { readonly primaryLocationLineHash: string } {
  const seen = new Map<string, number>();
  return ({ file, rule, entryId, path, message }) => {
    const stableMessage = message.replace(/\blines? \d+/g, 'line');
    const identity = JSON.stringify([file, rule, entryId, path, stableMessage]);
    const hash = createHash('sha256').update(identity).digest('hex').slice(0, 16);
    const count = (seen.get(hash) ?? 0) + 1;
    if (count > 1 || seen.size < MOST_COUNTED) seen.set(hash, count);
    return { primaryLocationLineHash: `${hash}:${count}` };
  };
}

function artifact(path: string): { artifactLocation: { uri: string } } {
  return { artifactLocation: { uri: pathUri(path) } };
}

/** A path as a URI reference: nothing in a file name can act as a scheme, a query or a fragment. */
export function pathUri(path: string): string {
  const whole = path.replace(/\p{Cs}/gu, '\ufffd');
  const drive = /^([A-Za-z]):[\\/]/.exec(whole);
  if (drive) return `file:///${drive[1]}:/${encoded(whole.slice(3).replace(/\\/g, '/'))}`;
  return whole.startsWith('/') ? `file://${encoded(whole)}` : encoded(whole);
}

function encoded(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

/** A SARIF message spells braces twice (3.11.5); words of a log must not become a link, [words](target) (3.11.6). */
function plainText(text: string): string {
  return text.replace(/[{}]/g, '$&$&').replace(/\]\(/g, '] (');
}
