import { UsageError } from '../args.js';
import { COMMON_FLAGS, type Command, type Flag, type Flags } from '../command.js';

/** The commands, each with all its options. */
type Offered = readonly { readonly command: Command; readonly flags: Flags }[];

/** The completion script of each shell, made from the commands and their options. */
const SCRIPTS: Readonly<Record<string, (commands: Offered) => string>> = { bash, zsh, fish };
const SHELLS = Object.keys(SCRIPTS);

export const completion: Command = {
  name: 'completion',
  usage: SHELLS.join('|'),
  summary: 'a script that completes commands and options in a shell',
  examples: ['gdp completion bash > ~/.local/share/bash-completion/completions/gdp'],
  flags: {},
  async run(args, _, all) {
    const [name, extra] = args.operands;
    if (!Object.hasOwn(SCRIPTS, name) || extra !== undefined)
      throw new UsageError(
        `gdp completion takes one of ${SHELLS.join(', ')}, got "${args.operands.join(' ')}"`,
      );
    return SCRIPTS[name](all.map((command) => ({ command, flags: { ...command.flags, ...COMMON_FLAGS } })));
  },
};

const firstLine = (flag: Flag): string => flag.help.split('\n').join(' ');
const names = (flags: Flags): string =>
  Object.keys(flags)
    .map((name) => `--${name}`)
    .join(' ');

function bash(commands: Offered): string {
  const cases = commands.map(({ command, flags }) => `    ${command.name}) words="${names(flags)}" ;;`);
  return `# gdp completion bash: source it, or save it as bash-completion/completions/gdp
_gdp() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" command="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  COMPREPLY=()
  case "$command" in
    "") words="help ${commands.map(({ command }) => command.name).join(' ')} --help --version" ;;
    help) words="${commands.map(({ command }) => command.name).join(' ')}" ;;
    completion) words="${SHELLS.join(' ')}" ;;
${cases.filter((line) => !line.startsWith('    completion)')).join('\n')}
  esac
  if [[ "$cur" == -* || -z "$command" || "$command" == help || "$command" == completion ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -o default -o bashdefault -F _gdp gdp
`;
}

function zsh(commands: Offered): string {
  const quoted = (text: string): string => text.replace(/['\\[\]:`$"]/g, ' ');
  const list = commands.map(({ command }) => `    '${command.name}:${quoted(command.summary)}'`);
  const cases = commands.map(({ command, flags }) => {
    const options = Object.entries(flags).map(
      ([name, flag]) =>
        `'--${name}${flag.type === 'string' ? '=' : ''}[${quoted(firstLine(flag))}]${flag.type === 'string' ? `:${quoted(flag.value ?? 'VALUE')}:_files` : ''}'`,
    );
    return `    ${command.name}) _arguments ${options.join(' ')} '*:file:_files' ;;`;
  });
  return `#compdef gdp
# gdp completion zsh: save it as _gdp in a folder of $fpath
_gdp() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
    help) (( CURRENT == 3 )) && _describe command commands ;;
${cases.join('\n')}
  esac
}
_gdp "$@"
`;
}

function fish(commands: Offered): string {
  const quoted = (text: string): string => `'${text.replace(/[\\']/g, ' ')}'`;
  const lines = commands.flatMap(({ command, flags }) => [
    `complete -c gdp -n __fish_use_subcommand -f -a ${command.name} -d ${quoted(command.summary)}`,
    ...Object.entries(flags).map(([name, flag]) => {
      const takes = flag.type === 'string' ? ' -r' : '';
      return `complete -c gdp -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${takes} -d ${quoted(firstLine(flag))}`;
    }),
  ]);
  return `# gdp completion fish: save it as ~/.config/fish/completions/gdp.fish
complete -c gdp -n '__fish_seen_subcommand_from completion' -f -a '${SHELLS.join(' ')}'
${lines.join('\n')}
`;
}
