import { VERSION } from '../version.js';
import { COMMON_FLAGS, type Command, type Flags, type Host } from './command.js';
import { BESIDE_FILE, PHASE_FLAGS } from './phase-flags.js';

/** Width of the column with the names of options, in characters. */
const COLUMN = 27;

const USAGE = `Every answer is a bracket [lower, upper] that contains the exact value; its safe
end is printed, rounded to its side. Unless told otherwise adjacency is add/remove
of one record and batches are Poisson samples. Exit code 0: answered. 1: answered
no, or an internal error. 2: bad usage, input or output. 130: interrupted.`;

/** The options by subject. */
const OPTIONS: readonly (readonly [string, readonly string[]])[] = [
  [
    'What was run, without FILE',
    [...Object.keys(PHASE_FLAGS).filter((flag) => !BESIDE_FILE.includes(flag)), 'formula'],
  ],
  ['What was run, beside FILE or without', [...BESIDE_FILE, 'tries', 'group']],
  ['How it is computed', ['adjacency', 'method', 'max-time', 'effort', 'tolerance', 'engine', 'workers']],
  [
    'What is written',
    ['digits', 'brackets', 'json', 'format', 'in-format', 'out', 'svg', 'scale', 'title', 'help', 'version'],
  ],
];

/** The help of a command, or of `gdp`, at most 84 columns wide. `short` leaves out options that several commands have. */
export function helpText(tasks: Host['tasks'], command?: Command, short = false): string {
  if (command !== undefined) {
    const { name, usage, summary } = command;
    const examples = command.examples.map((example) => `  ${example}\n`).join('');
    const head = `gdp ${name} ${usage}\n${summary}\n\n${examples}\n`;
    if (short) return `${head}${ownFlags(command)}\ngdp ${name} --help tells every option.\n`;
    const operand = command.operand === undefined ? '' : `${entry('FILE', command.operand)}`;
    const more = command.more === undefined ? '' : `${command.more}\n`;
    return `${head}${more}${operand}${ownFlags(command)}${groupedFlags(command)}\n${USAGE}\n`;
  }
  const width = Math.max(...tasks.flatMap(([, commands]) => commands.map(({ name }) => name.length))) + 4;
  const listed = tasks.map(([task, commands]) => {
    const rows = commands.map(({ name, summary }) => `  gdp ${name.padEnd(width)}${summary}\n`);
    return `${task}\n${rows.join('')}`;
  });
  const foot = short ? '' : `\n${flagLines(COMMON_FLAGS)}\n${USAGE}\n`;
  return `gdp-kernel ${VERSION}: certified differential-privacy accounting

${listed.join('\n')}
gdp COMMAND -h tells what a command takes, --help every option of it.
${foot}`;
}

function ownFlags({ flags }: Command): string {
  return flagLines(flags, (name) => !OPTIONS.some(([, names]) => names.includes(name)));
}

function groupedFlags({ flags }: Command): string {
  return OPTIONS.map(([heading, names]) => {
    const lines = flagLines({ ...flags, ...COMMON_FLAGS }, (name) => names.includes(name));
    return lines === '' ? '' : `\n${heading}\n${lines}`;
  }).join('');
}

function flagLines(flags: Flags, which: (name: string) => boolean = () => true): string {
  return Object.entries(flags)
    .filter(([name]) => which(name))
    .map(([name, { value, help }]) => entry(`--${name}${value === undefined ? '' : ` ${value}`}`, help))
    .join('');
}

/** An option and its help, in two columns. */
function entry(name: string, help: string): string {
  const [first, ...rest] = help.split('\n');
  const head = `  ${name}`.padEnd(COLUMN);
  const start = head.length > COLUMN ? `${head}\n${' '.repeat(COLUMN)}${first}` : `${head}${first}`;
  return [start, ...rest.map((line) => ' '.repeat(COLUMN) + line)].map((line) => `${line}\n`).join('');
}
