import { VERSION } from '../version.js';
import type { Command } from './command.js';
import { COMMANDS } from './commands/index.js';
import { COMMON_FLAGS } from './common-flags.js';
import { EXAMPLES } from './examples.js';
import type { Flags } from './flags.js';

const COLUMN = 27;

const USAGE = `Every answer is a bracket [lower, upper] that contains the exact value; its safe
end is printed, rounded to its side. Unless told otherwise adjacency is add/remove
of one record and batches are Poisson samples. Exit code 0: answered. 1: answered
no, or an internal error. 2: bad usage, input or output. 130: interrupted.`;

/** Help of one command, or of `gdp` itself. At most 84 columns wide. */
export function helpText(command?: Command): string {
  if (command !== undefined) {
    const operand = command.operand === undefined ? '' : entry('FILE', command.operand);
    const own = operand + flagLines(command.flags);
    const examples = (EXAMPLES[command.name] ?? []).map((example) => `  ${example}\n`).join('');
    return `gdp ${command.name} ${command.usage}\n${command.summary}\n\n${examples}\n${own}${flagLines(COMMON_FLAGS)}\n${USAGE}\n`;
  }
  const width = Math.max(...COMMANDS.map(({ name }) => name.length)) + 4;
  const list = COMMANDS.map(({ name, summary }) => `  gdp ${name.padEnd(width)}${summary}\n`).join('');
  return `gdp-kernel ${VERSION}: certified differential-privacy accounting

${list}
${flagLines(COMMON_FLAGS)}
gdp COMMAND --help tells the options of a command.
${USAGE}
`;
}

function flagLines(flags: Flags): string {
  return Object.entries(flags)
    .map(([name, { value, help }]) => entry(`--${name}${value === undefined ? '' : ` ${value}`}`, help))
    .join('');
}

/** An option and what it does, the text in a column of its own. */
function entry(name: string, help: string): string {
  const [first, ...rest] = help.split('\n');
  const head = `  ${name}`.padEnd(COLUMN);
  const start = head.length > COLUMN ? `${head}\n${' '.repeat(COLUMN)}${first}` : `${head}${first}`;
  return [start, ...rest.map((line) => ' '.repeat(COLUMN) + line)].map((line) => `${line}\n`).join('');
}
