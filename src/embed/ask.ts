// The accountant for hosts without Node: text in, text out, in any engine of the bare language.
import { answer } from '../cli/answer.js';
import type { CommandLine } from '../cli/apart.js';
import type { CommandAnswer, Host } from '../cli/command.js';
import { ANSWERS } from '../cli/commands/answers.js';
import { RpcServer } from '../cli/rpc-server.js';
import { withoutFiles } from '../cli/without-files.js';
import type { Engine } from '../engine.js';
import { loadEngineSync } from '../engine-sync.js';

const commands = Object.values(ANSWERS).flat();
const engines = new Map<string, Engine>();

/** The engine of a kind; it is made at the first request and then kept. */
async function engine(kernel: Parameters<Host['engine']>[0]): Promise<Engine> {
  const known = engines.get(kernel) ?? loadEngineSync({ kernel });
  engines.set(kernel, known);
  return known;
}

/** Answers a command line; the files that it writes are returned with the answer. */
async function run(
  { argv, input, files: given }: CommandLine,
  onNews: (news: unknown) => void = () => {},
): Promise<CommandAnswer> {
  const { files, written } = withoutFiles(given);
  async function* bytes() {
    yield typeof input === 'object' ? input : new TextEncoder().encode(input);
  }
  const answered = await answer(argv, {
    tasks: [['', commands]],
    engine,
    stdin: bytes(),
    quiet: true,
    note: (note) => onNews({ note }),
    files,
  });
  return Object.keys(written).length === 0 ? answered : { ...answered, files: written };
}

/**
 * Answers one line of the protocol of `gdp serve` (JSON-RPC 2.0): a request, or several in an array.
 *
 * @returns The line of the response, without its line break; empty where a notification gets none. Never rejects.
 * @example
 * await ask('{"jsonrpc":"2.0","id":1,"method":"epsilon","params":{"noise-multiplier":1,"delta":1e-5}}');
 */
export async function ask(text: string): Promise<string> {
  let said = '';
  const server = new RpcServer({
    commands,
    pool: { run: (task, { onNews } = {}) => run(task, onNews) },
    write: async (line) => {
      said += line;
    },
    longestLine: Number.POSITIVE_INFINITY,
    mostRequests: Number.POSITIVE_INFINITY,
    mostBytes: Number.POSITIVE_INFINITY,
    progressEvery: 0,
  });
  await server.take(text);
  await server.settled();
  return said.trimEnd();
}
