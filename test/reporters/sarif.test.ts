import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Summary } from '../../src/reporters/index.ts';
import { pathUri } from '../../src/reporters/sarif.ts';
import { rules } from '../../src/rules/index.ts';
import type { Finding } from '../../src/rules/rule.ts';
import { rawControls } from '../support/hostile.ts';
import { settings } from '../support/properties.ts';
import { projectRoot } from '../support/run.ts';
import { sarifErrors } from '../support/schemas.ts';
import { finding, hostileFinding, report, reporter, summary } from './support.ts';

interface Log {
  readonly runs: readonly [
    {
      readonly tool: {
        readonly driver: { readonly informationUri: string; readonly rules: readonly { readonly helpUri: string }[] };
      };
      readonly results: readonly {
        readonly level: string;
        readonly ruleIndex?: number;
        readonly message: { readonly text: string };
        readonly locations: readonly {
          readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } };
        }[];
        readonly properties: object;
        readonly partialFingerprints: { readonly primaryLocationLineHash: string };
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
        partialFingerprints: { primaryLocationLineHash: expect.stringMatching(/^[0-9a-f]{16}:1$/) as string },
      },
    ]);
    expect(run.tool.driver.rules[1]).toEqual({
      id: 'stale-leaf',
      name: 'StaleLeaf',
      shortDescription: { text: 'the leaf hides newer work' },
      fullDescription: { text: 'Agents resume there.' },
      help: { text: 'See [here] (x) {{0}}.' },
      helpUri: 'https://github.com/sessionctl/sessionctl/blob/main/docs/rules.md#stale-leaf',
      defaultConfiguration: { enabled: true, level: 'warning' },
    });
    expect(run.tool.driver.rules[2]).toMatchObject({ defaultConfiguration: { enabled: false, level: 'note' } });
  });

  it('says where the program and each rule are described', () => {
    const { homepage } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { homepage: string };
    const { driver } = parsed(report(reporter('sarif', { rules }), [])).runs[0].tool;
    expect(homepage.startsWith(`${driver.informationUri}#`)).toBe(true);
    for (const { helpUri } of driver.rules) {
      const [, path = '', anchor] = /\/blob\/main\/(.*)#(.*)$/.exec(helpUri) ?? [];
      expect(readFileSync(join(projectRoot, path), 'utf8'), helpUri).toMatch(new RegExp(`^#+ ${anchor}$`, 'm'));
    }
  });

  it('has the same fingerprint for a finding after its lines have moved, and another for each other one', () => {
    const marks = (...findings: Finding[]): (string | undefined)[] =>
      parsed(report(reporter('sarif'), [findings])).runs[0].results.map(
        (one) => one.partialFingerprints.primaryLocationLineHash,
      );
    const message = 'its call on line 6 is hidden by the compaction on line 7';
    const moved = message.replace('6', '16').replace('7', '117');
    const one = finding({ line: 9, offset: 900, message });
    expect(marks(one)).toEqual(marks(finding({ line: 19, offset: 1900, message: moved })));
    const others = [{ file: 'b' }, { rule: 'stale-leaf' }, { message: 'x' }, { entryId: 'e' }, { path: 'p' }, {}];
    const all = marks(one, ...others.map((other) => ({ ...one, ...other })));
    expect(new Set(all).size).toBe(all.length);
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

  it('says that the run failed where nothing was checked, or for a reason beside errors and files', () => {
    const invocations = (over: Partial<Summary>) => {
      const sarif = reporter('sarif');
      return parsed(sarif.begin() + sarif.end(summary(over))).runs[0].invocations;
    };
    const failed = (...texts: string[]) => [
      {
        executionSuccessful: false,
        toolExecutionNotifications: texts.map((text) => ({ level: 'error', message: { text } })),
      },
    ];
    expect(invocations({})).toEqual([{ executionSuccessful: true }]);
    expect(invocations({ objections: ['a', 'b'] })).toEqual(failed('a', 'b'));
    expect(invocations({ sessions: 0 })).toEqual(failed('no sessions checked'));
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
