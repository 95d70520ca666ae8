import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pathUri } from '../../src/reporters/sarif.ts';
import { rawControls } from '../support/hostile.ts';
import { settings } from '../support/properties.ts';
import { sarifErrors } from '../support/schemas.ts';
import { finding, hostileFinding, report, reporter, summary } from './support.ts';

interface Log {
  readonly runs: readonly [
    {
      readonly tool: { readonly driver: { readonly rules: readonly object[] } };
      readonly results: readonly {
        readonly level: string;
        readonly ruleIndex?: number;
        readonly message: { readonly text: string };
        readonly locations: readonly {
          readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
        }[];
        readonly properties: object;
      }[];
      readonly invocations: readonly object[];
    },
  ];
}

function parsed(output: string): Log {
  const log: unknown = JSON.parse(output);
  expect(sarifErrors(log)).toEqual([]);
  return log as Log;
}

describe('sarif', () => {
  it('writes a log that fits the SARIF 2.1.0 schema', () => {
    const [run] = parsed(report(reporter('sarif'), [[finding({ entryId: 'e1', path: 'parentId' })], []])).runs;
    expect(run.results).toEqual([
      {
        ruleId: 'dangling-parent',
        ruleIndex: 0,
        level: 'error',
        message: { text: "parent 'x' is not in this file" },
        locations: [{ physicalLocation: { artifactLocation: { uri: 'a.jsonl' }, region: { startLine: 38 } } }],
        properties: { offset: 1204, entryId: 'e1', path: 'parentId', fixable: true },
      },
    ]);
    expect(run.tool.driver.rules[1]).toEqual({
      id: 'stale-leaf',
      name: 'StaleLeaf',
      shortDescription: { text: 'the leaf hides newer work' },
      fullDescription: { text: 'Agents resume there.' },
      help: { text: 'See [here] (x) {{0}}.' },
      defaultConfiguration: { enabled: true, level: 'warning' },
    });
    expect(run.tool.driver.rules[2]).toMatchObject({ defaultConfiguration: { enabled: false, level: 'note' } });
  });

  it('is a whole log without a finding', () => {
    expect(parsed(report(reporter('sarif'), [[]])).runs[0].results).toEqual([]);
  });

  it('is written as the findings come, not held until the end', () => {
    const sarif = reporter('sarif');
    sarif.begin();
    expect(sarif.finding(finding())).toContain('"startLine":38');
    expect(sarif.finding(finding({ line: 39 }))).toContain('"startLine":39');
  });

  it('says that the run failed where a file could not be read', () => {
    const sarif = reporter('sarif');
    const output = sarif.begin() + sarif.failed('gone.jsonl', 'no such file') + sarif.end(summary({ failed: 1 }));
    expect(parsed(output).runs[0].invocations).toEqual([
      {
        executionSuccessful: false,
        toolExecutionNotifications: [
          {
            level: 'error',
            message: { text: 'no such file' },
            locations: [{ physicalLocation: { artifactLocation: { uri: 'gone.jsonl' } } }],
          },
        ],
      },
    ]);
  });

  it('spells paths as URIs', () => {
    expect(pathUri('/var/log/a b.jsonl')).toBe('file:///var/log/a%20b.jsonl');
    expect(pathUri('C:\\logs\\a.jsonl')).toBe('file:///C:/logs/a.jsonl');
    expect(pathUri('javascript:alert(1)#x?y.jsonl')).toBe('javascript%3Aalert(1)%23x%3Fy.jsonl');
    expect(pathUri('-')).toBe('-');
  });

  it('fits the schema and holds no link and no raw control, whatever the log says', () => {
    fc.assert(
      fc.property(fc.array(hostileFinding, { maxLength: 4 }), (findings) => {
        const output = report(reporter('sarif'), [findings]);
        const { results } = parsed(output).runs[0];
        expect(results).toHaveLength(findings.length);
        for (const [at, one] of findings.entries()) {
          const text = results[at]?.message.text ?? '';
          expect(text).not.toContain('](');
          expect(text.replace(/\] \(/g, '](').replace(/([{}])\1/g, '$1')).toBe(one.message.replace(/\] \(/g, ']('));
          const uri = results[at]?.locations[0]?.physicalLocation.artifactLocation.uri ?? '';
          expect(uri).toMatch(/^[!-~]+$/);
        }
        expect(rawControls(output)).toEqual([]);
      }),
      settings(300),
    );
  });
});
