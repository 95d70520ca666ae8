import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { versionByEntry, versionOf } from '../../src/entries/envelope-check.ts';
import { checkShape, type KnownVersion } from '../../src/entries/schema/index.ts';
import { entrySchema, lineSchema, schemaTypes } from '../../src/entries/schema/json-schema.ts';
import { isObject, type JsonObject } from '../../src/json/value.ts';
import { DAMAGE_RULES } from '../support/damage-rules.ts';
import { settings } from '../support/properties.ts';
import { projectRoot, run, spawnProgram } from '../support/run.ts';

const fixtures = join(projectRoot, 'fixtures');
/** Logs; what other agents wrote is not checked. */
const files = readdirSync(fixtures, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl') && !name.startsWith('foreign'))
  .filter((name) => !/^rules.[\w-]+.[\w-]+.[\w-]+\.jsonl$/.test(name))
  // Of the logs of other agents only their native form.
  .filter((name) => !name.startsWith('formats') || name.endsWith('.native.jsonl'));

/** What a schema can see of what validate finds. */
const SHAPE_RULES: ReadonlySet<string> = new Set([
  'missing-field',
  'wrong-type',
  'odd-shape',
  'bad-header',
  'unknown-version',
  'null-content',
  'null-block',
  'usage-without-cost',
  'bad-injected-rules',
  'bad-cwd',
]);

const ajv = new Ajv2020({ allErrors: true });
ajv.addSchema(lineSchema(), 'line');

function schemaOf(version: KnownVersion): ValidateFunction {
  const found = ajv.getSchema(version === 3 ? 'line' : `line#/$defs/line-v${version}`);
  if (!found) throw new Error(`no schema for version ${version}`);
  return found;
}

interface Finding {
  readonly line: number;
  readonly rule: string;
}

async function findingsOf(path: string): Promise<Finding[]> {
  const ran = await run(['validate', '--format', 'json', path]);
  return ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Finding)
    .filter((finding) => typeof finding.rule === 'string');
}

function versionOfLog(values: readonly unknown[]): KnownVersion {
  const objects = values.filter(isObject);
  const header = objects.find((value) => value['type'] === 'session');
  if (header) return versionOf(header).version;
  const entry = objects.find((value) => typeof value['type'] === 'string');
  return entry ? versionByEntry(entry) : 3;
}

describe('schema', () => {
  it('prints one JSON Schema 2020-12 document', async () => {
    const ran = await run(['schema']);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    const schema = JSON.parse(ran.stdout) as JsonObject;
    expect(schema).toEqual(lineSchema());
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema');
    expect(ran.stdout.endsWith('}\n')).toBe(true);
  });

  it.each(schemaTypes().map((type) => [type]))(
    'prints the schema of %s alone, with what it refers to',
    async (type) => {
      const ran = await run(['schema', '--entry', type]);
      expect(ran.code).toBe(0);
      const schema = JSON.parse(ran.stdout) as JsonObject;
      expect(schema).toEqual(entrySchema(type));
      expect(() => new Ajv2020().compile(schema)).not.toThrow();
      expect((schema['properties'] as Record<string, unknown>)['type']).toMatchObject({ const: type });
    },
  );

  it('refuses what it does not know', async () => {
    expect(await run(['schema', '--entry', 'mesage'])).toMatchObject({ code: 2, stdout: '' });
    expect((await run(['schema', '--entry', 'mesage'])).stderr).toContain("did you mean 'message'?");
    expect(await run(['schema', 'file.jsonl'])).toMatchObject({ code: 2, stdout: '' });
  });

  it('needs no input, also in the built program', async () => {
    const ran = await spawnProgram(['schema', '--entry', 'label']);
    expect(ran.code).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual(entrySchema('label'));
    expect((await run(['schema'], { stdinIsTerminal: true })).code).toBe(0);
  });

  it('has fixtures to be tried on', () => {
    expect(files.length).toBeGreaterThan(60);
  });

  it.each(files.map((name) => [name]))('agrees with validate on every line of %s', async (name) => {
    const path = join(fixtures, name);
    const text = readFileSync(path, 'utf8');
    const values = text.split('\n').map((line) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        return undefined;
      }
    });
    const findings = await findingsOf(path);
    const linesWith = (rules: ReadonlySet<string>): Set<number> =>
      new Set(findings.filter((finding) => rules.has(finding.rule)).map((finding) => finding.line));
    const damaged = linesWith(DAMAGE_RULES);
    const odd = linesWith(SHAPE_RULES);
    const validate = schemaOf(versionOfLog(values));
    for (const [index, value] of values.entries()) {
      if (!isObject(value) || damaged.has(index + 1)) continue;
      expect({ line: index + 1, valid: validate(value) }).toEqual({ line: index + 1, valid: !odd.has(index + 1) });
    }
  });

  it('agrees with the shapes on objects of any kind', () => {
    const anyValue = fc.jsonValue({ maxDepth: 2 });
    const block = fc.oneof(
      anyValue,
      fc.record(
        {
          type: fc.constantFrom('text', 'image', 'toolCall', 'video'),
          text: anyValue,
          id: anyValue,
          name: anyValue,
          input: anyValue,
        },
        { requiredKeys: [] },
      ),
    );
    const content = fc.oneof(fc.string(), fc.array(block, { maxLength: 3 }), anyValue);
    const message = fc.oneof(
      anyValue,
      fc.record(
        {
          role: fc.oneof(
            fc.constantFrom('user', 'assistant', 'toolResult', 'hookMessage', 'system', 'weird'),
            anyValue,
          ),
          content,
          toolCallId: anyValue,
          usage: anyValue,
        },
        { requiredKeys: [] },
      ),
    );
    const line = fc.record(
      {
        type: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...schemaTypes()) }, anyValue),
        id: fc.oneof(fc.constantFrom('a', ''), anyValue),
        parentId: fc.oneof(fc.constant(null), fc.string(), anyValue),
        message,
        content,
        model: anyValue,
        summary: fc.oneof(fc.string(), anyValue),
        firstKeptEntryId: fc.oneof(fc.string(), anyValue),
        firstKeptEntryIndex: anyValue,
        replacement: fc.oneof(anyValue, fc.record({ content })),
        version: fc.oneof(fc.constantFrom(1, 2, 3, 4, '3'), anyValue),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(line, fc.constantFrom<KnownVersion>(1, 2, 3), (value, version) => {
        const issues = checkShape(value, version).filter((issue) => SHAPE_RULES.has(issue.kind));
        const isHeader = value.type === 'session';
        const badHeader = isHeader && (typeof value.id !== 'string' || !versionOf(value).known);
        expect(schemaOf(version)(value)).toBe(issues.length === 0 && !badHeader);
      }),
      settings(400),
    );
  });
});
