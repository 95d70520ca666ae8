import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rawControls } from '../support/hostile.ts';
import { settings } from '../support/properties.ts';
import { finding, hostileFinding, report, reporter, summary } from './support.ts';

interface WorkflowCommand {
  readonly name: string;
  readonly properties: Readonly<Record<string, string>>;
  readonly message: string;
}

/** Reads a line as GitHub's runner does: name up to a space, properties up to the next '::', then the message. */
function parseCommand(line: string): WorkflowCommand | undefined {
  if (!line.trimStart().startsWith('::')) return undefined;
  const end = line.indexOf('::', 2);
  if (end < 0) return undefined;
  const head = line.slice(2, end);
  const space = head.indexOf(' ');
  const properties: Record<string, string> = {};
  for (const pair of space < 0 ? [] : head.slice(space + 1).split(',')) {
    const equals = pair.indexOf('=');
    properties[pair.slice(0, equals)] = unescaped(pair.slice(equals + 1));
  }
  return { name: space < 0 ? head : head.slice(0, space), properties, message: unescaped(line.slice(end + 2)) };
}

function unescaped(text: string): string {
  return text
    .replace(/%0D/g, '\r')
    .replace(/%0A/g, '\n')
    .replace(/%3A/g, ':')
    .replace(/%2C/g, ',')
    .replace(/%25/g, '%');
}

describe('github', () => {
  it('writes an annotation for a finding', () => {
    expect(reporter('github').finding(finding())).toBe(
      "::error file=a.jsonl,line=38,title=dangling-parent::parent 'x' is not in this file\n",
    );
  });

  it('escapes what would end a property or the line', () => {
    const output = reporter('github').finding(finding({ file: 'C:\\a,b%\r\n.jsonl', message: '100%: a,b\r\nnext' }));
    expect(output).toBe(
      '::error file=C%3A\\a%2Cb%25%0D%0A.jsonl,line=38,title=dangling-parent::100%25: a,b%0D%0Anext\n',
    );
  });

  it('puts errors before warnings, because ten of each are shown', () => {
    const warning = finding({ severity: 'warning', rule: 'stale-leaf', line: 1 });
    const lines = report(reporter('github'), [
      [warning, finding({ line: 2 })],
      [warning, finding({ line: 3 })],
    ]).split('\n');
    expect(lines.map((line) => line.slice(0, 9))).toEqual([
      '::error f',
      '::error f',
      '::warning',
      '::warning',
      '2 errors ',
      '',
    ]);
  });

  it('names the line in the message where the log came from stdin', () => {
    expect(reporter('github').finding(finding({ file: '-', message: 'm' }))).toBe(
      '::error title=dangling-parent::line 38: m\n',
    );
  });

  it('holds a bounded number of warnings and counts the rest', () => {
    const github = reporter('github');
    for (let at = 0; at < 1500; at++) expect(github.finding(finding({ severity: 'warning', line: at + 1 }))).toBe('');
    const lines = github
      .end(summary({ warnings: 1500 }))
      .trimEnd()
      .split('\n');
    expect(lines).toHaveLength(1002);
    expect(lines[1000]).toBe('::warning::500 more warnings; the text format lists them all');
  });

  it('has an error for each other reason why the run fails, before the warnings', () => {
    const github = reporter('github');
    github.finding(finding({ severity: 'warning', message: 'm' }));
    expect(github.end(summary({ warnings: 1, objections: ['100% a', 'b'] }))).toBe(
      [
        '::error::100%25 a',
        '::error::b',
        '::warning file=a.jsonl,line=38,title=dangling-parent::m',
        '1 warning in 1 session (40 entries)',
        '',
      ].join('\n'),
    );
  });

  it('annotates a file that could not be read', () => {
    expect(reporter('github').failed('a.jsonl', 'permission denied')).toBe('::error file=a.jsonl::permission denied\n');
    expect(reporter('github').failed('-', 'gone')).toBe('::error::gone\n');
  });

  it('cannot be made to start another command or to change a property', () => {
    const plain = (text: string): string => text.replace(/[^ -~]/gu, '');
    fc.assert(
      fc.property(hostileFinding, (one) => {
        const github = reporter('github');
        const output = github.finding(one) + github.end(summary());
        const commands = output.split(/\r\n|[\n\r\u0085\u2028\u2029]/).flatMap((line) => parseCommand(line) ?? []);
        expect(commands).toHaveLength(1);
        const [command] = commands;
        expect(command?.name).toBe(one.severity);
        expect(Object.keys(command?.properties ?? {})).toEqual(['file', 'line', 'title']);
        expect(command?.properties).toMatchObject({ line: String(one.line), title: one.rule });
        expect(command?.message.replace(/\\(?:x..|u\{.*?\}|u....|t)|[\u200d\ufe0f]/g, '')).toBe(
          expectedText(one.message),
        );
        expect(plain(command?.properties['file'] ?? '')).toContain('x.jsonl');
        expect(rawControls(output)).toEqual([]);
      }),
      settings(500),
    );
  });
});

/** The message without what is made visible, and without look-alikes of our own escapes. */
function expectedText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]|\p{Cs}/gu, (character) =>
      character === '\n' || character === '\r' ? character : '\\x00',
    )
    .replace(
      /[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb]|[\u{e0000}-\u{e0fff}]/gu,
      '\\x00',
    )
    .replace(/\\(?:x..|u\{.*?\}|u....|t)/g, '');
}
