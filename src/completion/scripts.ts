import { allOptions, type NamedCommand, type Option, optionWords, plainText } from '../shared/command.ts';
import { shellQuoted } from '../util/words.ts';

/** What completion is made from: the declarations of the commands, and the rules that some options name. */
export interface Vocabulary {
  readonly commands: readonly NamedCommand[];
  readonly rules: readonly { readonly id: string; readonly summary: string }[];
}

const RULE_LEVELS = 'error warning off';

/** How the shells complete the value of an option, by what the help calls it. */
const VALUE_ACTIONS: Readonly<Record<string, readonly [bash: string, zsh: string, fish: string]>> = {
  FILE: ['_sessionctl_files -f', '_files', ' -r -F'],
  DIR: ['_sessionctl_files -d', '_files -/', " -x -a '(__fish_complete_directories)'"],
  RULE: ['_sessionctl_offer "$_sessionctl_rules" "$cur"', '_sessionctl_rules', " -x -a '(__sessionctl_rules)'"],
  'ID=LEVEL': ['_sessionctl_rule_levels "$cur"', '_sessionctl_rule_levels', " -x -a '(__sessionctl_rule_levels)'"],
};

function valueActions({ choices, value }: Option): readonly [bash: string, zsh: string, fish: string] {
  if (!choices) return VALUE_ACTIONS[value ?? ''] ?? ['', ' ', ' -x'];
  return [bashOffer(choices), `(${choices.join(' ')})`, ` -x -a ${fishWord(choices.join(' '))}`];
}

/** True where operands are files; a command without them, such as schema, gets none offered. */
function takesFiles(command: NamedCommand): boolean {
  return /FILE|DIR/.test(command.operands);
}

/**
 * The words are taken from the line and not from COMP_WORDS, because bash breaks those at '=' or does not, as the
 * user's settings have it. No helper of the bash-completion package is used: it is not everywhere.
 */
export function bashCompletion({ commands, rules }: Vocabulary): string {
  const valued = commands.flatMap((command) =>
    allOptions(command)
      .filter((option) => option.kind !== 'flag')
      .map((option) => ({
        pattern: optionWords(option)
          .map((word) => `${command.name}:${word}`)
          .join(' | '),
        action: valueActions(option)[0],
      })),
  );
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
    for level in ${RULE_LEVELS}; do
      [[ $level != "\${1#*=}"* ]] || COMPREPLY+=("\${1%%=*}=$level")
    done
  else
    _sessionctl_offer "\${_sessionctl_rules// /= }=" "$1"
    compopt -o nospace 2>/dev/null
  fi
}

_sessionctl_rules=${shellQuoted(rules.map((rule) => rule.id).join(' '))}
_sessionctl_commands=${shellQuoted([...commands.map((command) => command.name), 'help'].join(' '))}

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
        ${valued.map(({ pattern }) => pattern).join(' | ')}) value=\${words[at]} ;;
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
${valued.flatMap(({ pattern, action }) => (action ? [`      ${pattern}) ${action} ;;`] : [])).join('\n')}
    esac
  elif [ -z "$ended" ] && [[ $cur == -* ]]; then
    case $command in
${commands.map((command) => `      ${command.name}) ${bashOffer(allOptions(command).flatMap(optionWords))} ;;`).join('\n')}
    esac
  else
    case $command:$operands in
${commands.flatMap(bashOperandCases).join('\n')}
      help:0) _sessionctl_offer "$_sessionctl_commands" "$cur" ;;
    esac
  fi
  # What is before an '=' is not replaced where bash breaks words there, and has to be repeated where it does not.
  if [ -n "$keep" ]; then
    [[ $COMP_WORDBREAKS == *=* ]] || COMPREPLY=("\${COMPREPLY[@]/#/$keep}")
  fi
  if [[ $cur == *=* && $COMP_WORDBREAKS == *=* ]]; then COMPREPLY=("\${COMPREPLY[@]#"\${cur%=*}="}"); fi
}

complete -F _sessionctl sessionctl
`;
}

function bashOffer(words: readonly string[]): string {
  return `_sessionctl_offer ${shellQuoted(words.join(' '))} "$cur"`;
}

function bashOperandCases(command: NamedCommand): string[] {
  const verbs = command.verbs ? [`      ${command.name}:0) ${bashOffer(command.verbs)} ;;`] : [];
  return takesFiles(command) ? [...verbs, `      ${command.name}:*) _sessionctl_files -f -X '!*.jsonl' ;;`] : verbs;
}

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
  if compset -P '*='; then compadd -- ${RULE_LEVELS}
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
${commands.map(zshCase).join('\n')}
    help) _arguments '1: :_sessionctl_commands' ;;
  esac
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _sessionctl "$@"
else compdef _sessionctl sessionctl
fi
`;
}

function zshCase(command: NamedCommand): string {
  const specs = allOptions(command).flatMap(zshSpecs);
  if (command.verbs) specs.push(`1:action:(${command.verbs.join(' ')})`);
  if (takesFiles(command)) specs.push('*:session log:_sessionctl_logs');
  const lines = specs.map((spec) => `\\\n        ${shellQuoted(spec)}`);
  return `    ${command.name})\n      _arguments -s -S ${lines.join(' ')} ;;`;
}

/** One specification for each spelling; once one was given the others are not offered. */
function zshSpecs(option: Option): string[] {
  const all = optionWords(option);
  const others = option.many ? '*' : `(${all.join(' ')})`;
  const text = `[${colons(plainText(option.describe).replace(/[[\]\\]/g, '\\$&'))}]`;
  if (option.kind === 'flag') return all.map((spelling) => `${others}${spelling}${text}`);
  const value = `:${colons(option.value ?? 'VALUE')}:${valueActions(option)[1]}`;
  return all.map((spelling) => `${others}${spelling}${spelling.startsWith('--') ? '=' : '+'}${text}${value}`);
}

function colons(text: string): string {
  return text.replaceAll(':', '\\:');
}

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
${rules.map((rule) => `    printf '%s\\t%s\\n' ${fishWord(rule.id)} ${fishWord(rule.summary)}`).join('\n')}
    return 0
end

function __sessionctl_rule_levels
    for rule in (__sessionctl_rules | string split -f 1 \\t)
        for level in ${RULE_LEVELS}
            echo $rule=$level
        end
    end
end

complete -c sessionctl -f
complete -c sessionctl -n __sessionctl_no_command -l help -s h -d 'Show the help'
complete -c sessionctl -n __sessionctl_no_command -l version -s v -d 'Print the version'
${commands.map((command) => `complete -c sessionctl -n __sessionctl_no_command -a ${command.name} -d ${fishWord(command.summary)}`).join('\n')}
complete -c sessionctl -n __sessionctl_no_command -a help -d 'Show the help of a command'
complete -c sessionctl -n '__sessionctl_first_operand help' -a ${fishWord(commands.map((command) => command.name).join(' '))}

${commands.flatMap(fishLines).join('\n')}
`;
}

function fishLines(command: NamedCommand): string[] {
  const when = `__sessionctl_command_is ${command.name}`;
  const first = `__sessionctl_first_operand ${command.name}`;
  const lines = allOptions(command).flatMap((option) => {
    const rest = `${option.kind === 'flag' ? '' : valueActions(option)[2]} -d ${fishWord(plainText(option.describe))}`;
    const names = [
      `${option.name}${option.short ? ` -s ${option.short}` : ''}`,
      ...(option.alias ? [option.alias] : []),
    ];
    return names.map((name) => `complete -c sessionctl -n '${when}' -l ${name}${rest}`);
  });
  if (command.verbs) lines.push(`complete -c sessionctl -n '${first}' -a ${fishWord(command.verbs.join(' '))}`);
  const files = command.verbs ? `${when}; and not ${first}` : when;
  if (takesFiles(command)) lines.push(`complete -c sessionctl -n '${files}' -k -a '(__sessionctl_logs)'`);
  return lines;
}

/** A text as one word of fish, which knows only two escapes between single quotes. */
function fishWord(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
