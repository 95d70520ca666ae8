import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArgv } from '../../src/cli/parse.ts';
import type { Option } from '../../src/shared/command.ts';
import { UsageError } from '../../src/util/errors.ts';
import { settings } from '../support/properties.ts';

const options: readonly Option[] = [
  { name: 'help', short: 'h', kind: 'flag', describe: 'Show this help' },
  { name: 'in-place', short: 'i', kind: 'flag', describe: 'Write to the file' },
  { name: 'dry-run', short: 'n', alias: 'check', kind: 'flag', describe: 'Change nothing' },
  { name: 'leaf', kind: 'text', value: 'REV', describe: 'The entry' },
  { name: 'output', short: 'o', kind: 'text', value: 'FILE', describe: 'Where to' },
  { name: 'rule', kind: 'text', many: true, describe: 'A rule' },
  { name: 'lines', short: 'l', kind: 'number', value: 'N', describe: 'How many' },
  { name: 'format', kind: 'text', choices: ['text', 'json'], describe: 'How' },
];

function given(...argv: string[]): object {
  const parsed = parseArgv(options, argv).checked();
  return {
    operands: parsed.operands,
    inPlace: parsed.flag('in-place'),
    dryRun: parsed.flag('dry-run'),
    leaf: parsed.text('leaf'),
    output: parsed.text('output'),
    rules: parsed.texts('rule'),
    lines: parsed.number('lines'),
    format: parsed.text('format'),
  };
}

const nothing = {
  operands: [],
  inPlace: false,
  dryRun: false,
  leaf: undefined,
  output: undefined,
  rules: [],
  lines: undefined,
  format: undefined,
};

function refusal(...argv: string[]): string {
  try {
    parseArgv(options, argv).checked();
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as UsageError).message;
  }
  throw new Error(`accepted: ${argv.join(' ')}`);
}

describe('the words of a call', () => {
  it('refuses an empty name of a file, which would mean the folder that the user is in', () => {
    expect(refusal('-o', '')).toBe("option '--output' needs the name of a file");
    expect(refusal('--output=')).toBe("option '--output' needs the name of a file");
    expect(given('--leaf=')).toEqual({ ...nothing, leaf: '' });
  });

  it('takes options anywhere and operands in their order', () => {
    expect(given('a', '-i', 'b', '--leaf', '@~2', 'c')).toEqual({
      ...nothing,
      operands: ['a', 'b', 'c'],
      inPlace: true,
      leaf: '@~2',
    });
  });

  it('takes a lone dash as an operand and as a value', () => {
    expect(given('-', '-o', '-')).toEqual({ ...nothing, operands: ['-'], output: '-' });
  });

  it('takes everything behind -- as operands', () => {
    expect(given('-i', '--', '--leaf', '-i', '--', '-')).toEqual({
      ...nothing,
      inPlace: true,
      operands: ['--leaf', '-i', '--', '-'],
    });
  });

  it('keeps operands that look like numbers and truth values as they are', () => {
    expect(given('-i', 'true', '12', '1e3', '0x10', 'false', '__proto__')).toEqual({
      ...nothing,
      inPlace: true,
      operands: ['true', '12', '1e3', '0x10', 'false', '__proto__'],
    });
  });

  it('joins short options and takes their values glued, behind an equals sign or as the next word', () => {
    const same = { ...nothing, inPlace: true, dryRun: true, lines: 5 };
    expect(given('-inl5')).toEqual(same);
    expect(given('-in', '-l', '5')).toEqual(same);
    expect(given('-in', '-l=5')).toEqual(same);
    expect(given('-inofile')).toEqual({ ...nothing, inPlace: true, dryRun: true, output: 'file' });
    expect(given('-in', '--lines=5')).toEqual(same);
  });

  it('knows the other spelling of an option', () => {
    expect(given('--check')).toEqual({ ...nothing, dryRun: true });
    expect(given('--check', '-n')).toEqual({ ...nothing, dryRun: true });
  });

  it('collects an option that may be given several times', () => {
    expect(given('--rule', 'a=off', '--rule=b=error')).toEqual({ ...nothing, rules: ['a=off', 'b=error'] });
  });

  it('hands every value on exactly as it was typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(given(`--leaf=${value}`)).toEqual({ ...nothing, leaf: value });
        fc.pre(!value.startsWith('-'));
        expect(given('--leaf', value)).toEqual({ ...nothing, leaf: value });
        expect(given('--', value)).toEqual({ ...nothing, operands: [value] });
      }),
      settings(100),
    );
  });
});

describe('a wrong call', () => {
  it('names the unknown option and what was probably meant', () => {
    expect(refusal('--in-plcae')).toBe("unknown option '--in-plcae'; did you mean '--in-place'?");
    expect(refusal('--xyzzy=1')).toBe("unknown option '--xyzzy'");
    expect(refusal('-ix')).toBe("unknown option '-x'; a file whose name starts with a dash comes after '--'");
    expect(refusal('-5')).toBe("unknown option '-5'; a file whose name starts with a dash comes after '--'");
    expect(refusal('--no-in-place')).toContain("unknown option '--no-in-place'");
  });

  it('never takes what is glued to a flag for a value', () => {
    expect(refusal('-n5')).toBe("option '--dry-run' does not take a value");
    expect(refusal('-i-')).toBe("option '--in-place' does not take a value");
    expect(refusal('-i.bak')).toContain("unknown option '-i.bak'");
  });

  it('says that a value is missing, and how a value with a dash is written', () => {
    expect(refusal('--leaf')).toBe("option '--leaf' needs a value: --leaf REV");
    expect(refusal('-o')).toBe("option '-o' needs a value: -o FILE");
    expect(refusal('--leaf', '-abc')).toBe(
      "option '--leaf' needs a value; write one that starts with a dash as --leaf=-abc",
    );
    expect(given('--leaf=-abc')).toEqual({ ...nothing, leaf: '-abc' });
  });

  it('refuses a value where none belongs, a second value, and what is no choice or number', () => {
    expect(refusal('--in-place=yes')).toBe("option '--in-place' does not take a value");
    expect(refusal('--leaf=a', '--leaf=b')).toBe("option '--leaf' was given 2 times; use it once");
    expect(refusal('--format', 'jsno')).toBe(
      "option '--format' must be one of text, json, not 'jsno'; did you mean 'json'?",
    );
    expect(refusal('--format', '4')).toBe("option '--format' must be one of text, json, not '4'");
    for (const word of ['x', '1.5', '1e3', '', '0x1', '9'.repeat(16)]) {
      expect(refusal(`--lines=${word}`)).toBe(`option '--lines' needs an integer, not '${word}'`);
    }
  });
});

describe('asking for help', () => {
  it('works beside whatever else is wrong with the call', () => {
    expect(parseArgv(options, ['--nonsense', '-h']).unchecked.flag('help')).toBe(true);
    expect(parseArgv(options, ['--leaf', '--help']).unchecked.flag('help')).toBe(true);
  });

  it('is not done by a value or an operand', () => {
    expect(parseArgv(options, ['--leaf=--help']).unchecked.flag('help')).toBe(false);
    expect(parseArgv(options, ['--leaf', 'x', '--', '--help']).unchecked.flag('help')).toBe(false);
    expect(parseArgv(options, ['help']).unchecked.flag('help')).toBe(false);
  });
});
