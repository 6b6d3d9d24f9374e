import { visible } from '../text/escape.js';
import { VERSION } from '../version.js';
import { Args } from './args.js';
import type { Command, Context } from './command.js';
import { COMMANDS } from './commands/index.js';
import { COMMON_FLAGS } from './common-flags.js';
import { describeFailure, UsageError } from './errors.js';
import { helpText } from './help.js';
import { outputOf } from './output-path.js';
import { suggestion } from './suggest.js';

/** What the command line touches of the world. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** `gdp`: runs `argv` and resolves to the exit code, 0, 1 or 2. Never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const note = (message: string) => io.stderr(`gdp: ${visible(message)}\n`);
  const context: Context = {
    get stdin() {
      return io.stdin;
    },
    note,
  };
  try {
    const output = await execute(argv, context);
    const { text, exitCode } = typeof output === 'string' ? { text: output, exitCode: 0 } : output;
    io.stdout(text);
    return exitCode;
  } catch (error) {
    const { message, exitCode } = describeFailure(error);
    note(message);
    return exitCode;
  }
}

/** Every option of any command: what is not among them is unknown, what is elsewhere has no meaning here. */
const KNOWN = Object.assign({}, ...COMMANDS.map(({ flags }) => flags), COMMON_FLAGS);

async function execute(argv: readonly string[], context: Context) {
  const name = Args.commandName(argv, KNOWN);
  if (name === 'help') return helpOn(argv);
  const command = name === undefined ? undefined : requireCommand(name);
  const flags = command === undefined ? KNOWN : { ...command.flags, ...COMMON_FLAGS };
  const args = Args.parse(argv, flags, KNOWN, name ?? '');
  if (args.has('help')) return helpText(command);
  if (args.has('version')) return `${VERSION}\n`;
  if (command === undefined) {
    const names = COMMANDS.map((each) => each.name).join(', ');
    throw new UsageError(`no command given; one of ${names} is needed (see gdp --help)`);
  }
  const own = args.after(1);
  for (const flag of ['out', 'svg'] as const) await outputOf(own, flag);
  return command.run(own, context);
}

/** `gdp help`, or `gdp help COMMAND`. */
function helpOn(argv: readonly string[]): string {
  const [, name, extra] = Args.parse(argv, KNOWN, KNOWN, 'help').operands;
  if (extra !== undefined) throw new UsageError(`gdp help takes one command, got "${name}" and "${extra}"`);
  return helpText(name === undefined ? undefined : requireCommand(name));
}

function requireCommand(name: string): Command {
  const found = COMMANDS.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = COMMANDS.map((command) => command.name);
  const near = suggestion(name, names);
  throw new UsageError(`"${name}" is not a command${near || `; expected one of ${names.join(', ')}`}`);
}
