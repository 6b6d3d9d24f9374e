import { VERSION } from '../version.js';
import { Args, UsageError } from './args.js';
import { COMMON_FLAGS, type Command, type CommandAnswer, type Context, type Flags } from './command.js';
import { describeFailure } from './errors.js';
import { requireOutputs } from './files.js';
import { helpText } from './help.js';
import { answeredEach } from './lists.js';
import { withNoise } from './noise-flags.js';
import { ENGINES } from './run-source.js';
import { suggestion } from './suggest.js';

/** Answers the command line `argv` on any host. Never rejects. */
export async function answer(argv: readonly string[], context: Context): Promise<CommandAnswer> {
  try {
    const output = await execute(argv, context);
    return typeof output === 'string' ? { text: output, exitCode: 0 } : output;
  } catch (error) {
    const { message, exitCode } = describeFailure(error);
    return { text: '', exitCode, failure: message };
  }
}

async function execute(argv: readonly string[], context: Context) {
  const { tasks } = context;
  const commands = tasks.flatMap(([, some]) => some);
  // an option that no command has is unknown; one that another command has is refused as out of place
  const known: Flags = Object.assign({}, ...commands.map(({ flags }) => flags), COMMON_FLAGS);
  const name = Args.commandName(argv, known);
  if (name === 'help') {
    const [, about, extra] = Args.parse(argv, known, known, 'help').operands;
    if (extra === undefined) return helpText(tasks, about === undefined ? undefined : named(about, commands));
    throw new UsageError(`gdp help takes one command, got "${about}" and "${extra}"`);
  }
  const command = name === undefined ? undefined : named(name, commands);
  const flags = command === undefined ? known : { ...command.flags, ...COMMON_FLAGS };
  const args = Args.parse(argv, flags, known, name ?? '');
  if (args.has('help')) return helpText(tasks, command, argv.includes('-h'));
  if (args.has('version')) return `${VERSION}\n`;
  if (command === undefined) return helpText(tasks);
  const own = args.after(1);
  // commands that compute nothing refuse wrong values too
  own.number('tolerance');
  own.oneOf('engine', ENGINES);
  await requireOutputs(own, flags, context);
  return answeredEach(command, own, context, async (one, within) =>
    command.run(await withNoise(one, within), within, commands),
  );
}

/** @throws UsageError where there is no command of that name. */
function named(name: string, commands: readonly Command[]): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  const names = commands.map((command) => command.name);
  const near = suggestion(name, names);
  throw new UsageError(`"${name}" is not a command${near || `; expected one of ${names.join(', ')}`}`);
}
