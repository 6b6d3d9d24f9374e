import { sharedEngine } from '../account/load-engine.js';
import { nodeFiles } from '../node/files.js';
import { answer as answerOn } from './answer.js';
import type { CommandLine } from './apart.js';
import type { CommandAnswer, Context, Host } from './command.js';
import { ANSWERS } from './commands/answers.js';
import { TASKS } from './commands/index.js';
import { withoutFiles } from './without-files.js';

/** `gdp` on Node: all commands, with the machine's files. */
const NODE: Host = { tasks: TASKS, files: nodeFiles, engine: sharedEngine };

/** `gdp`: runs `argv` and resolves to the exit code, 0, 1 or 2. Never rejects. */
export async function run(argv: readonly string[], context: Omit<Context, keyof Host>): Promise<number> {
  const { text, exitCode, failure } = await answer(argv, context);
  if (failure === undefined) await context.write?.(text);
  else context.note(failure);
  return exitCode;
}

/** As `run`, but resolves to the answer. Never rejects. */
export function answer(argv: readonly string[], context: Omit<Context, keyof Host>): Promise<CommandAnswer> {
  return answerWith(NODE, argv, context);
}

/**
 * Answers a command line without files of the machine. It reads the files in `given`, and returns what it writes with the answer.
 * Never rejects.
 */
export async function answerClosed(
  argv: readonly string[],
  context: Omit<Context, keyof Host>,
  given?: CommandLine['files'],
): Promise<CommandAnswer> {
  const { files, written } = withoutFiles(given);
  const tasks: Host['tasks'] = [['', Object.values(ANSWERS).flat()]];
  const host = { ...NODE, tasks, files: { ...files, fontFaces: nodeFiles.fontFaces } };
  const answered = await answerWith(host, argv, context);
  return Object.keys(written).length === 0 ? answered : { ...answered, files: written };
}

function answerWith(
  host: Host,
  argv: readonly string[],
  context: Omit<Context, keyof Host>,
): Promise<CommandAnswer> {
  // a spread would call the getter `stdin` and so open standard input, which must happen only when it is read
  return answerOn(argv, Object.assign(Object.create(context), host));
}
