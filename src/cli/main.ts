import { VERSION } from '../version.js';
import { Args, UsageError } from './args.js';
import { type Answer, COMMON_FLAGS, type Command, type Context } from './command.js';
import { COMMANDS } from './commands/index.js';
import { describeFailure } from './errors.js';
import { requireOutputs } from './files.js';
import { helpText } from './help.js';
import { ENGINES } from './run-source.js';
import { suggestion } from './suggest.js';

/** `gdp`: runs `argv` and resolves to the exit code, 0, 1 or 2. Never rejects. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  const { text, exitCode, failure } = await answer(argv, context);
  if (failure === undefined) await context.write?.(text);
  else context.note(failure);
  return exitCode;
}

/** As `run`, with the answer in hand. Never rejects. */
export async function answer(argv: readonly string[], context: Context): Promise<Answer> {
  try {
    const output = await execute(argv, context);
    return typeof output === 'string' ? { text: output, exitCode: 0 } : output;
  } catch (error) {
    const { message, exitCode } = describeFailure(error);
    return { text: '', exitCode, failure: message };
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
  if (args.has('help')) return helpText(command, argv.includes('-h'));
  if (args.has('version')) return `${VERSION}\n`;
  if (command === undefined) return helpText();
  const own = args.after(1);
  // a command that computes nothing refuses wrong values all the same
  own.number('tolerance');
  own.oneOf('engine', ENGINES);
  await requireOutputs(own, flags);
  return command.run(own, context, COMMANDS);
}

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
