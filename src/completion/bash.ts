import { allOptions, type Command, type Option } from '../shared/command.ts';
import { shellQuoted } from '../util/words.ts';
import { RULE_LEVELS, takesFiles, type ValueKind, type Vocabulary, valueKind } from './shell-words.ts';

/**
 * The words are taken from the line and not from COMP_WORDS, because bash breaks those at '=' or does not, as the user's
 * settings have it. No helper of the bash-completion package is used: it is not everywhere.
 */
export function bashCompletion({ commands, rules }: Vocabulary): string {
  return `# bash completion for sessionctl
# Use it now: source <(sessionctl completion bash)
# Keep it:    sessionctl completion bash > ~/.local/share/bash-completion/completions/sessionctl

_sessionctl_offer() { # CANDIDATES CURRENT: what goes on as the current word; nothing that was typed is ever evaluated
  local word
  for word in $1; do
    [[ $word != "$2"* ]] || COMPREPLY+=("$word")
  done
}

_sessionctl_files() { # what compgen's options name, behind a filter also folders; bash itself quotes them where it must
  local IFS=$'\\n' cur=\${COMP_WORDS[COMP_CWORD]}
  [[ $cur != = ]] || cur=''
  [[ $cur != --*=* ]] || cur=\${cur#*=}
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen "$@" -- "$cur"))
  [[ $2 != -X ]] || COMPREPLY+=($(compgen -d -- "$cur"))
  [ \${#COMPREPLY[@]} -gt 0 ] || compopt -o default 2>/dev/null
}

_sessionctl_rule_levels() { # CURRENT
  local level
  if [[ $1 == *=* ]]; then
    for level in ${RULE_LEVELS.join(' ')}; do
      [[ $level != "\${1#*=}"* ]] || COMPREPLY+=("\${1%%=*}=$level")
    done
  else
    _sessionctl_offer "\${_sessionctl_rules// /= }=" "$1"
    compopt -o nospace 2>/dev/null
  fi
}

_sessionctl_rules=${shellQuoted(rules.map((rule) => rule.id).join(' '))}
_sessionctl_commands=${shellQuoted(words([...commands.map((command) => command.name), 'help']))}

_sessionctl() {
  COMPREPLY=()
  local IFS=$' \\t\\n' line=\${COMP_LINE:0:COMP_POINT} words cur command='' operands=0 ended='' value='' at
  read -ra words <<< "$line"
  [[ $line == *[[:space:]] ]] && words+=('')
  cur=\${words[\${#words[@]}-1]}
  for ((at = 1; at < \${#words[@]} - 1; at++)); do
    if [ -n "$value" ]; then value=''
    elif [ -z "$command" ]; then command=\${words[at]}
    elif [ -n "$ended" ]; then operands=$((operands + 1))
    elif [ "\${words[at]}" = -- ]; then ended=yes
    elif [[ \${words[at]} != -* || \${words[at]} = - ]]; then operands=$((operands + 1))
    else
      case $command:\${words[at]} in
        ${valued(commands).join(' | ')}) value=\${words[at]} ;;
      esac
    fi
  done
  local keep=''
  if [ -z "$ended$value" ] && [[ $cur == --*=* ]]; then
    value=\${cur%%=*}
    keep=$value=
    cur=\${cur#*=}
  fi
  if [ -z "$command" ]; then
    if [[ $cur == -* ]]; then _sessionctl_offer '--help --version' "$cur"
    else _sessionctl_offer "$_sessionctl_commands" "$cur"; fi
  elif [ -n "$value" ]; then
    case $command:$value in
${commands.flatMap(valueCases).join('\n')}
    esac
  elif [ -z "$ended" ] && [[ $cur == -* ]]; then
    case $command in
${commands.map((command) => `      ${command.name}) _sessionctl_offer ${shellQuoted(words(allOptions(command).flatMap(spellings)))} "$cur" ;;`).join('\n')}
    esac
  else
    case $command:$operands in
${commands.flatMap(operandCases).join('\n')}
      help:0) _sessionctl_offer "$_sessionctl_commands" "$cur" ;;
    esac
  fi
  # What stands before an '=' is not replaced where bash breaks words there, and has to be repeated where it does not.
  if [ -n "$keep" ]; then
    [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("\${COMPREPLY[@]/#/$keep}")
  fi
  if [[ $cur == *=* && $COMP_WORDBREAKS == *=* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${cur%=*}="}"); fi
}

complete -F _sessionctl sessionctl
`;
}

function words(all: readonly string[]): string {
  return all.join(' ');
}

function spellings(option: Option): string[] {
  return [
    ...(option.short ? [`-${option.short}`] : []),
    `--${option.name}`,
    ...(option.alias ? [`--${option.alias}`] : []),
  ];
}

/** The options that take the next word, as patterns 'command:--option'. */
function valued(commands: readonly Command[]): string[] {
  return commands.flatMap((command) =>
    allOptions(command)
      .filter((option) => option.kind !== 'flag')
      .flatMap((option) => spellings(option).map((spelling) => `${command.name}:${spelling}`)),
  );
}

function valueCases(command: Command): string[] {
  return allOptions(command)
    .filter((option) => option.kind !== 'flag')
    .flatMap((option) => {
      const pattern = spellings(option)
        .map((spelling) => `${command.name}:${spelling}`)
        .join(' | ');
      const action = valueAction(option);
      return action === '' ? [] : [`      ${pattern}) ${action} ;;`];
    });
}

function valueAction(option: Option): string {
  const actions: Readonly<Record<ValueKind, string>> = {
    choices: `_sessionctl_offer ${shellQuoted(words(option.choices ?? []))} "$cur"`,
    file: '_sessionctl_files -f',
    folder: '_sessionctl_files -d',
    rule: '_sessionctl_offer "$_sessionctl_rules" "$cur"',
    'rule-level': '_sessionctl_rule_levels "$cur"',
    anything: '',
  };
  return actions[valueKind(option)];
}

function operandCases(command: Command): string[] {
  const cases: string[] = [];
  if (command.verbs)
    cases.push(`      ${command.name}:0) _sessionctl_offer ${shellQuoted(words(command.verbs))} "$cur" ;;`);
  if (takesFiles(command)) cases.push(`      ${command.name}:*) _sessionctl_files -f -X '!*.jsonl' ;;`);
  return cases;
}
