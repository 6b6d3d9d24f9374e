import { VERSION } from '../version.js';
import { execute } from './commands.js';
import { describeFailure } from './errors.js';
import { helpText } from './help.js';
import { parseOptions } from './options.js';

/** What the command line touches of the world. */
export interface Io {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
}

/** `gdp`: runs `argv` and resolves to the exit code, 0, 1 or 2. Never rejects. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const note = (message: string) => io.stderr(`gdp: ${message}\n`);
  try {
    const parsed = parseOptions(argv);
    switch (parsed.action) {
      case 'help':
        io.stdout(helpText(parsed.command));
        break;
      case 'version':
        io.stdout(`${VERSION}\n`);
        break;
      case 'run':
        io.stdout(await execute(parsed.options, { stdin: io.stdin, note }));
        break;
    }
    return 0;
  } catch (error) {
    const { message, exitCode } = describeFailure(error);
    note(message);
    return exitCode;
  }
}
