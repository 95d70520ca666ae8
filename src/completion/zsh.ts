import { allOptions, type Command, type Option } from '../shared/command.ts';
import { shellQuoted } from '../util/words.ts';
import { RULE_LEVELS, takesFiles, type ValueKind, type Vocabulary, valueKind } from './shell-words.ts';

export function zshCompletion({ commands, rules }: Vocabulary): string {
  return `#compdef sessionctl
# zsh completion for sessionctl
# Use it now: source <(sessionctl completion zsh)
# Keep it:    sessionctl completion zsh > a folder of $fpath/_sessionctl

_sessionctl_rules() {
  local -a rules=(
${rules.map((rule) => `    ${shellQuoted(`${colons(rule.id)}:${rule.summary}`)}`).join('\n')}
  )
  _describe -t rules rule rules "$@"
}

_sessionctl_rule_levels() {
  if compset -P '*='; then compadd -- ${RULE_LEVELS.join(' ')}
  else _sessionctl_rules -qS=
  fi
}

_sessionctl_logs() {
  _files -g '*.jsonl(-.)'
}

_sessionctl_commands() {
  local -a commands=(
${commands.map((command) => `    ${shellQuoted(`${command.name}:${command.summary}`)}`).join('\n')}
    'help:Show the help of a command'
  )
  _describe -t commands command commands
}

_sessionctl() {
  local curcontext=$curcontext state line
  local -A opt_args
  _arguments -C '(- *)--help[Show the help]' '(- *)--version[Print the version]' '1: :_sessionctl_commands' '*::argument:->rest'
  [[ $state == rest ]] || return
  case $words[1] in
${commands.map(commandCase).join('\n')}
    help) _arguments '1: :_sessionctl_commands' ;;
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _sessionctl "$@"
else compdef _sessionctl sessionctl
fi
`;
}

function commandCase(command: Command): string {
  const specs = [...allOptions(command).flatMap(optionSpecs), ...operandSpecs(command)];
  return `    ${command.name})\n      _arguments -s -S ${specs.map((spec) => `\\\n        ${spec}`).join(' ')} ;;`;
}

/** One specification for each spelling; once one was given the others are not offered. */
function optionSpecs(option: Option): string[] {
  const longs = [`--${option.name}`, ...(option.alias ? [`--${option.alias}`] : [])];
  const all = [...(option.short ? [`-${option.short}`] : []), ...longs];
  const others = option.many ? '*' : `(${all.join(' ')})`;
  const text = `[${brackets(option.describe)}]`;
  const value = option.kind === 'flag' ? '' : `:${colons(option.value ?? 'VALUE')}:${valueAction(option)}`;
  return all.map((spelling) => {
    const glue = option.kind === 'flag' ? '' : spelling.startsWith('--') ? '=' : '+';
    return shellQuoted(`${others}${spelling}${glue}${text}${value}`);
  });
}

function valueAction(option: Option): string {
  const actions: Readonly<Record<ValueKind, string>> = {
    choices: `(${(option.choices ?? []).join(' ')})`,
    file: '_files',
    folder: '_files -/',
    rule: '_sessionctl_rules',
    'rule-level': '_sessionctl_rule_levels',
    anything: ' ',
  };
  return actions[valueKind(option)];
}

function operandSpecs(command: Command): string[] {
  const specs: string[] = [];
  if (command.verbs) specs.push(shellQuoted(`1:action:(${command.verbs.join(' ')})`));
  if (takesFiles(command)) specs.push(shellQuoted('*:session log:_sessionctl_logs'));
  return specs;
}

function brackets(text: string): string {
  return text.replace(/[[\]\\]/g, '\\$&').replaceAll(':', '\\:');
}

function colons(text: string): string {
  return text.replaceAll(':', '\\:');
}
