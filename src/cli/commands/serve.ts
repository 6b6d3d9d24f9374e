import { availableParallelism } from 'node:os';
import { linesOf } from '../../node/lines.js';
import { UsageError } from '../args.js';
import { type Command, toggle, value } from '../command.js';
import { RpcServer } from '../rpc-server.js';
import { ANSWERS } from './answers.js';

const MIB = 2 ** 20;

export const serve: Command = {
  name: 'serve',
  usage: '--stdio',
  summary: 'answers requests on standard input: JSON-RPC 2.0, a line each',
  examples: ['gdp serve --stdio'],
  flags: {
    stdio: toggle('read standard input, write standard output'),
    'no-files': toggle('read and write no file of this machine'),
    workers: value('N', 'requests answered at a time (default: the cores)', 'a whole number from 1 to 1024'),
    'max-line': value(
      'BYTES',
      'longest line of a request (default 4194304)',
      `a whole number from 1 to ${64 * MIB}`,
    ),
    'max-requests': value('N', 'requests that may wait (default 1000)', `a whole number from 1 to ${1e6}`),
    progress: value(
      'S',
      'seconds between two notes on a request under way\n(default 1; 0 for none)',
      'a number from 0 to 3600',
    ),
  },
  async run(args, { stdin, write }, all) {
    if (!args.has('stdio') || args.operands.length > 0)
      throw new UsageError('gdp serve needs --stdio, and no FILE: it answers on standard input and output');
    const workers = args.number('workers') ?? availableParallelism();
    const longestLine = args.number('max-line') ?? 4 * MIB;
    const mostRequests = args.number('max-requests') ?? 1000;
    const progress = args.number('progress') ?? 1;
    const { servePool } = await import('../serve-pool.js');
    const files = !args.has('no-files');
    const pool = servePool(workers, files);
    try {
      const server = new RpcServer({
        commands: files ? all.filter(({ name }) => name !== 'serve') : Object.values(ANSWERS).flat(),
        pool,
        write: write ?? (async () => {}),
        longestLine,
        mostRequests,
        mostBytes: 16 * longestLine,
        progressEvery: 1000 * progress,
      });
      for await (const { text } of linesOf(stdin, longestLine)) await server.take(text);
      await server.settled();
    } finally {
      await pool.close();
    }
    return '';
  },
};
