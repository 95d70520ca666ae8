import { allOptions, type Command, type Option } from '../shared/command.ts';
import { RULE_LEVELS, takesFiles, type ValueKind, type Vocabulary, valueKind } from './shell-words.ts';

export function fishCompletion({ commands, rules }: Vocabulary): string {
  return `# fish completion for sessionctl
# Use it now: sessionctl completion fish | source
# Keep it:    sessionctl completion fish > ~/.config/fish/completions/sessionctl.fish

function __sessionctl_words
    commandline -opc
    return 0
end

function __sessionctl_no_command
    test (count (__sessionctl_words)) -eq 1
end

function __sessionctl_command_is
    set -l words (__sessionctl_words)
    test (count $words) -gt 1; and test $words[2] = $argv[1]
end

function __sessionctl_first_operand
    set -l words (__sessionctl_words)
    test (count $words) -eq 2; and test $words[2] = $argv[1]
end

function __sessionctl_logs
    __fish_complete_suffix .jsonl
end

function __sessionctl_rules
${rules.map((rule) => `    printf '%s\\t%s\\n' ${word(rule.id)} ${word(rule.summary)}`).join('\n')}
    return 0
end

function __sessionctl_rule_levels
    for rule in (__sessionctl_rules | string split -f 1 \\t)
        for level in ${RULE_LEVELS.join(' ')}
            echo $rule=$level
        end
    end
end

complete -c sessionctl -f
complete -c sessionctl -n __sessionctl_no_command -l help -s h -d 'Show the help'
complete -c sessionctl -n __sessionctl_no_command -l version -s V -d 'Print the version'
${commands.map((command) => `complete -c sessionctl -n __sessionctl_no_command -a ${command.name} -d ${word(command.summary)}`).join('\n')}
complete -c sessionctl -n __sessionctl_no_command -a help -d 'Show the help of a command'
complete -c sessionctl -n '__sessionctl_first_operand help' -a ${word(commands.map((command) => command.name).join(' '))}

${commands.flatMap(commandLines).join('\n')}
`;
}

function commandLines(command: Command): string[] {
  const start = `complete -c sessionctl -n '__sessionctl_command_is ${command.name}'`;
  const lines = allOptions(command).flatMap((option) => optionLines(start, option));
  if (command.verbs) {
    lines.push(
      `complete -c sessionctl -n '__sessionctl_first_operand ${command.name}' -a ${word(command.verbs.join(' '))}`,
    );
  }
  if (takesFiles(command)) {
    const files = command.verbs ? start.replace(/'$/, `; and not __sessionctl_first_operand ${command.name}'`) : start;
    lines.push(`${files} -k -a '(__sessionctl_logs)'`);
  }
  return lines;
}

function optionLines(start: string, option: Option): string[] {
  const short = option.short ? ` -s ${option.short}` : '';
  const rest = `${valueAction(option)} -d ${word(option.describe)}`;
  return [`${start} -l ${option.name}${short}${rest}`, ...(option.alias ? [`${start} -l ${option.alias}${rest}`] : [])];
}

function valueAction(option: Option): string {
  if (option.kind === 'flag') return '';
  const actions: Readonly<Record<ValueKind, string>> = {
    choices: ` -x -a ${word((option.choices ?? []).join(' '))}`,
    file: ' -r -F',
    folder: " -x -a '(__fish_complete_directories)'",
    rule: " -x -a '(__sessionctl_rules)'",
    'rule-level': " -x -a '(__sessionctl_rule_levels)'",
    anything: ' -x',
  };
  return actions[valueKind(option)];
}

/** A text as one word of fish, which knows only two escapes between single quotes. */
function word(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
