import { commands } from '../commands/index.ts';
import { COMMON_OPTIONS, type Style } from '../shared/command.ts';
import { optionRows, row, wrap } from './help.ts';

export function programHelp(style: Style): string {
  const longest = Math.max(...commands.map((command) => command.name.length));
  const rows = commands.flatMap((command) => row(command.name, command.summary, longest + 4, style));
  return [
    ...wrap('sessionctl: check, fix, migrate, read and export the session logs of coding agents', 0),
    '',
    `${style.bold('Usage:')} sessionctl COMMAND [OPTION]... [FILE]...`,
    '',
    style.bold('Commands:'),
    ...rows,
    '',
    ...wrap(
      "'sessionctl COMMAND --help' shows what a command does, its options and examples. No FILE, or '-', means standard input; '--' ends the options.",
      0,
    ),
    '',
    `${style.bold('Options:')}`,
    ...optionRows(
      [
        { name: 'version', kind: 'flag', describe: 'Print the version' },
        ...COMMON_OPTIONS.filter((option) => option.name === 'help'),
      ],
      style,
    ),
    '',
    style.bold('Exit codes:'),
    '  0 done, clean or the same   1 findings, differences or something left to do',
    '  2 usage error, unreadable input or a bug',
    '',
  ].join('\n');
}
