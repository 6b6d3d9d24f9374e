// The manual page of gdp, and the scripts that complete its words in a shell: both from the table of its commands and their options.

/** `gdp.1`. @param common Options of every command. */
export function manPage(commands, common, version) {
  return `${[
    `.TH GDP 1 "" "gdp-kernel ${version}" "User Commands"`,
    '.SH NAME',
    'gdp \\- certified differential-privacy accounting',
    '.SH SYNOPSIS',
    '.B gdp',
    '.I COMMAND',
    '[FILE] [OPTIONS]',
    '.SH DESCRIPTION',
    'Every answer is a bracket [lower, upper] that contains the exact value; upper is the end to publish.',
    'Unless told otherwise adjacency is add/remove of one record and batches are Poisson samples.',
    '.SH COMMANDS',
    ...commands.flatMap(({ name, usage, summary, examples, operand, flags }) => [
      `.SS gdp ${name} ${roff(usage)}`,
      roff(summary),
      ...examples.flatMap((example) => ['.PP', '.EX', `    ${roff(example)}`, '.EE']),
      ...(operand === undefined ? [] : entry('FILE', operand)),
      ...entries(flags),
    ]),
    '.SH OPTIONS OF EVERY COMMAND',
    ...entries(common),
    '.SH EXIT STATUS',
    ...entry('0', 'answered'),
    ...entry('1', 'answered no (a finding, a claim refuted, a budget refused), or an internal error'),
    ...entry('2', 'bad usage, input or output, with one sentence that says what was wrong'),
    ...entry('130', 'interrupted'),
    '.SH ENVIRONMENT',
    ...entry('NO_COLOR', 'set to anything: no bold on a terminal'),
  ].join('\n')}\n`;
}

const entries = (flags) =>
  Object.entries(flags).flatMap(([name, { value, help }]) =>
    entry(`--${name}${value === undefined ? '' : ` ${value}`}`, help),
  );

const entry = (name, help) => ['.TP', `.B ${roff(name)}`, roff(inOneLine(help))];

const inOneLine = (help) => help.split('\n').join(' ');

/** A text escaped for roff, with no line that roff would take as a request. */
function roff(plain) {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}

/** The completion script of each shell that `gdp completion` offers. */
export function completions(commands, common) {
  const shells = commands.find(({ name }) => name === 'completion').usage.split('|');
  const offered = commands.map((command) => ({ ...command, flags: { ...command.flags, ...common } }));
  return Object.fromEntries(shells.map((shell) => [shell, { bash, zsh, fish }[shell](offered, shells)]));
}

function bash(commands, shells) {
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands
    .filter(({ name }) => name !== 'completion')
    .map(({ name, flags }) => {
      const words = Object.keys(flags).map((flag) => `--${flag}`);
      return `    ${name}) words="${words.join(' ')}" ;;`;
    });
  return `# gdp completion bash: source it, or save it as bash-completion/completions/gdp
_gdp() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" command="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) ;; *) command="$word"; break ;; esac
  done
  COMPREPLY=()
  case "$command" in
    "") words="help ${names} --help --version" ;;
    help) words="${names}" ;;
    completion) words="${shells.join(' ')}" ;;
${cases.join('\n')}
  esac
  if [[ "$cur" == -* || -z "$command" || "$command" == help || "$command" == completion ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -o default -o bashdefault -F _gdp gdp
`;
}

function zsh(commands) {
  const quoted = (text) => text.replace(/['\\[\]:`$"]/g, ' ');
  const list = commands.map(({ name, summary }) => `    '${name}:${quoted(summary)}'`);
  const optionOf = ([name, { type, help, value = 'VALUE' }]) =>
    type === 'string'
      ? `'--${name}=[${quoted(inOneLine(help))}]:${quoted(value)}:_files'`
      : `'--${name}[${quoted(inOneLine(help))}]'`;
  const cases = commands.map(({ name, flags }) => {
    const options = Object.entries(flags).map(optionOf);
    return `    ${name}) _arguments ${options.join(' ')} '*:file:_files' ;;`;
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

function fish(commands, shells) {
  const quoted = (text) => `'${text.replace(/[\\']/g, ' ')}'`;
  const lines = commands.flatMap(({ name: command, summary, flags }) => [
    `complete -c gdp -n __fish_use_subcommand -f -a ${command} -d ${quoted(summary)}`,
    ...Object.entries(flags).map(([name, { type, help }]) => {
      const takes = type === 'string' ? ' -r' : '';
      return `complete -c gdp -n '__fish_seen_subcommand_from ${command}' -l ${name}${takes} -d ${quoted(inOneLine(help))}`;
    }),
  ]);
  return `# gdp completion fish: save it as ~/.config/fish/completions/gdp.fish
complete -c gdp -n '__fish_seen_subcommand_from completion' -f -a '${shells.join(' ')}'
${lines.join('\n')}
`;
}
