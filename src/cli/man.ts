import { VERSION } from '../version.js';
import { COMMON_FLAGS, type Flags } from './command.js';
import { COMMANDS } from './commands/index.js';

export function manPage(): string {
  const commands = COMMANDS.flatMap(({ name, usage, summary, examples, operand, flags }) => [
    `.SS gdp ${name} ${text(usage)}`,
    text(summary),
    ...examples.flatMap((example) => ['.PP', '.EX', `    ${text(example)}`, '.EE']),
    ...(operand === undefined ? [] : entry('FILE', operand)),
    ...entries(flags),
  ]);
  return `${[
    `.TH GDP 1 "" "gdp-kernel ${VERSION}" "User Commands"`,
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
    ...commands,
    '.SH OPTIONS OF EVERY COMMAND',
    ...entries(COMMON_FLAGS),
    '.SH EXIT STATUS',
    ...entry('0', 'answered'),
    ...entry('1', 'answered no (a finding, a claim refuted, a budget refused), or an internal error'),
    ...entry('2', 'bad usage, input or output, with one sentence that says what was wrong'),
    ...entry('130', 'interrupted'),
    '.SH ENVIRONMENT',
    ...entry('NO_COLOR', 'set to anything: no bold on a terminal'),
  ].join('\n')}\n`;
}

function entries(flags: Flags): string[] {
  return Object.entries(flags).flatMap(([name, { value, help }]) =>
    entry(`--${name}${value === undefined ? '' : ` ${value}`}`, help),
  );
}

function entry(name: string, help: string): string[] {
  return ['.TP', `.B ${text(name)}`, text(help.split('\n').join(' '))];
}

/** A text escaped for roff, with no line that roff would take as a request. */
function text(plain: string): string {
  return plain
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/, '\\&$1');
}
