import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import type { CommandLine } from '../../src/cli/apart.js';
import type { CommandAnswer } from '../../src/cli/command.js';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { type RpcHost, RpcServer } from '../../src/cli/rpc-server.js';
import { linesOf } from '../../src/node/lines.js';
import type { TaskOptions } from '../../src/sweep/worker-pool.js';
import { CIFAR_FLAGS, gdp } from './harness.js';

/** A message of the protocol, parsed. */
type Message = ReturnType<typeof JSON.parse>;

const BIN = 'build/modules/src/cli/bin.js';
const PHASE = { 'noise-multiplier': 9.4, 'sampling-rate': 0.32768, steps: 2000 };
const request = (id: unknown, method: string, params?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** A server whose commands are answered by `run`; returns what it sent, in the order it was sent. */
async function served(
  lines: string | AsyncIterable<Uint8Array>,
  run: (task: CommandLine, options: TaskOptions) => Promise<CommandAnswer> = async () => said('{}'),
  limits: Partial<RpcHost> = {},
) {
  const sent: Message[] = [];
  async function* bytes() {
    // one byte at a time: lines are told by their ends alone
    for (const byte of new TextEncoder().encode(lines as string)) yield Uint8Array.of(byte);
  }
  const host: RpcHost = {
    commands: COMMANDS,
    pool: { run: (task, options = {}) => run(task, options) },
    write: async (line) => void sent.push(JSON.parse(line)),
    longestLine: 1000,
    mostRequests: 10,
    mostBytes: 4000,
    progressEvery: 0,
    ...limits,
  };
  const server = new RpcServer(host);
  for await (const { text } of linesOf(typeof lines === 'string' ? bytes() : lines, host.longestLine))
    await server.take(text);
  await server.settled();
  return sent;
}
const said = (text: string): CommandAnswer => ({ text, exitCode: 0 });
const codes = (sent: Message[]) => sent.map(({ id, error }) => [id, error?.code]);

describe('JSON-RPC over lines', () => {
  it('turns a request into the command line that it stands for', async () => {
    const tasks: CommandLine[] = [];
    const params = { delta: [1e-5, '1e-6'], json: true, group: -1, input: { history: [] } };
    await served(
      `${request(1, 'epsilon', params)}\n${request(2, 'report', { operands: ['-x'], out: 'a', 'allow-empty-history': true })}\n`,
      async (task) => {
        tasks.push(task);
        return said('{}');
      },
    );
    expect(tasks).toEqual([
      {
        argv: ['epsilon', '--json', '--delta=0.00001', '--delta=1e-6', '--group=-1', '--', '-'],
        input: '{"history":[]}',
      },
      { argv: ['report', '--json', '--out=a', '--allow-empty-history', '--', '-x'], input: '' },
    ]);
  });

  it('refuses what is no request, and goes on', async () => {
    const bad = [
      'no json',
      '[]',
      '7',
      '{"id": 1, "method": "epsilon"}',
      '{"jsonrpc": "2.0", "id": {}, "method": "epsilon"}',
      '{"jsonrpc": "2.0", "id": 2, "method": 7}',
      request(3, 'epsilom'),
      '{"jsonrpc": "2.0", "id": 4, "method": "epsilon", "params": [1]}',
      request(5, 'epsilon', { operands: 'run.json' }),
      request(6, 'epsilon', { help: true }),
      request(7, 'epsilon', { delta: null }),
      request(8, 'epsilon', { 'x y': 1 }),
      request(9, 'report', { tail: 1, json: 0 }),
      `"${'x'.repeat(2000)}"`,
      '',
      request('last', 'epsilon'),
    ];
    expect(codes(await served(bad.join('\n')))).toEqual([
      [null, -32700],
      [null, -32600],
      [null, -32600],
      [1, -32600],
      [null, -32600],
      [2, -32600],
      [3, -32601],
      [4, -32602],
      [5, -32602],
      [6, -32602],
      [7, -32602],
      [8, -32602],
      [9, -32602],
      [null, -32600],
      ['last', undefined],
    ]);
  });

  it('answers several in an array at once, notifications not at all', async () => {
    const quiet = '{"jsonrpc": "2.0", "method": "epsilon"}';
    const sent = await served(`[${request(1, 'mu')}, ${quiet}, 3]\n${quiet}\n[${quiet}]\n`);
    expect(sent).toHaveLength(1);
    expect(codes(sent[0])).toEqual([
      [1, undefined],
      [null, -32600],
    ]);
  });

  it('sends back the id that came, or none', async () => {
    const line = (id: string) => `{"jsonrpc": "2.0", "id": ${id}, "method": "mu"}`;
    const sent = await served(
      ['9007199254740993', '1e400', '-9007199254740991', '0', '"9007199254740993"'].map(line).join('\n'),
    );
    expect(codes(sent)).toEqual([
      [null, -32600],
      [null, -32600],
      [-9007199254740991, undefined],
      [0, undefined],
      ['9007199254740993', undefined],
    ]);
  });

  it('says nothing to a notification, whatever is wrong with its parameters', async () => {
    expect(await served('{"jsonrpc": "2.0", "method": "epsilon", "params": [1]}\n')).toEqual([]);
    expect(await served('{"jsonrpc": "2.0", "method": "epsilon", "params": {"delta": null}}\n')).toEqual([]);
  });

  it('refuses what is nested too deep or named twice, by its id', async () => {
    const deep = `{"jsonrpc": "2.0", "id": 1, "method": "mu", "params": {"input": ${'['.repeat(200_000)}${']'.repeat(200_000)}}}`;
    const twice =
      '{"jsonrpc": "2.0", "id": 2, "method": "mu", "params": {"input": {"history": [[1, 1, 1]], "history": []}}}';
    const sent = await served(`${deep}\n${twice}\n`, undefined, { longestLine: 1e6, mostBytes: 1e7 });
    expect(codes(sent)).toEqual([
      [1, -32600],
      [2, -32600],
    ]);
    expect(sent.map(({ error }) => error.message)).toEqual([
      'it is nested more than 1000 deep',
      expect.stringContaining('"history" twice'),
    ]);
  });

  it('keeps no more than its bounds, and says so', async () => {
    let open = () => {};
    const gate = () =>
      new Promise<CommandAnswer>((resolve) => {
        const before = open;
        open = () => {
          before();
          resolve(said('{}'));
        };
      });
    async function* requests() {
      for (let id = 0; id < 5; id++) yield new TextEncoder().encode(`${request(id, 'mu')}\n`);
      open();
    }
    const few = await served(requests(), gate, { mostRequests: 3 });
    expect(codes(few).sort()).toEqual([
      [0, undefined],
      [1, undefined],
      [2, undefined],
      [3, -32000],
      [4, -32000],
    ]);
    const small = await served(requests(), gate, { mostBytes: 2 * request(0, 'mu').length });
    expect(codes(small).filter(([, code]) => code === -32000)).toHaveLength(3);
  });

  it('tells how far a request is, and cancels it', async () => {
    const both = (ready: Promise<void>) =>
      (async function* () {
        yield new TextEncoder().encode(`${request('a', 'sweep')}\n${request('a', 'mu')}\n`);
        await ready;
        yield new TextEncoder().encode(
          `${request(1, '$/cancelRequest', { id: 'a' })}\n${request(2, '$/cancelRequest', { id: 'a' })}\n`,
        );
      })();
    let told = () => {};
    const ready = new Promise<void>((resolve) => {
      told = resolve;
    });
    const sent: Message[] = [];
    await served(
      both(ready),
      (_task, { signal, onNews }) =>
        new Promise((_, reject) => {
          onNews?.({ progress: 0.25 });
          signal?.addEventListener('abort', () => reject(signal.reason));
        }),
      {
        progressEvery: 1,
        write: async (line) => {
          sent.push(JSON.parse(line));
          if (line.includes('"fraction"')) told();
        },
      },
    );
    const progress = sent.find(({ method }) => method === '$/progress');
    expect(progress.params).toMatchObject({ id: 'a', fraction: 0.25, seconds: expect.any(Number) });
    const answers = sent.filter(({ method }) => method === undefined);
    // the second of that id is refused, the first is cancelled once
    expect(answers.filter(({ id }) => id === 'a').map(({ error }) => error.code)).toEqual([-32600, -32800]);
    expect(answers.find(({ id }) => id === 1).result).toBe(true);
    expect([true, false]).toContain(answers.find(({ id }) => id === 2).result);
  });

  it('describes every command by its own options', async () => {
    const [{ result }] = await served(request(1, 'rpc.discover'));
    expect(result.methods.map(({ name }: Message) => name)).toEqual(COMMANDS.map(({ name }) => name));
    const epsilon = result.methods.find(({ name }: Message) => name === 'epsilon');
    const names = epsilon.params.map(({ name }: Message) => name);
    expect(names).toEqual(expect.arrayContaining(['input', 'operands', 'delta', 'tolerance', 'json']));
    expect(names).not.toContain('help');
  });
});

describe('gdp serve --stdio', () => {
  it('answers as gdp does, out of order, and ends with its input', async () => {
    const child = spawn(process.execPath, [BIN, 'serve', '--stdio', '--workers', '2', '--progress', '0.2']);
    const answers = new Map<unknown, Message>();
    const notes: Message[] = [];
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method) notes.push(message);
      else answers.set(message.id, message);
      // a run of hours: ended, with the thread it is on
      if (message.params?.id === 'long')
        child.stdin.write(`${request('stop', '$/cancelRequest', { id: 'long' })}\n`);
      if (message.id === 'long')
        child.stdin.end(
          `${request('after', 'epsilon', PHASE)}\n${request('last', 'calibrate', { epsilon: 1, delta: 1e-5 })}`,
        );
    });
    const slow = {
      parts: Array.from({ length: 4000 }, (_, i) => ({ kind: 'laplace', scale: 1 + i / 7, sensitivity: 1 })),
    };
    child.stdin.write(
      [
        request('long', 'report', { input: { kind: 'compose', ...slow }, method: 'grid', tolerance: 1e-9 }),
        request('epsilon', 'epsilon', { ...PHASE, delta: [1e-5, 1e-6] }),
        request('bad', 'epsilon', { ...PHASE, delta: 2 }),
        request('no', 'calibrate', { epsilon: 1, delta: 0, 'sampling-rate': 0.1, steps: 1 }),
        request('text', 'mu', { ...PHASE, json: false }),
        request('bytes', 'epsilon', { input: '{"history": []}' }),
        '',
      ].join('\n'),
    );
    expect(await once(child, 'exit')).toEqual([0, null]);
    const { stdout } = await gdp(['epsilon', ...CIFAR_FLAGS, '--delta', '1e-5', '--delta', '1e-6', '--json']);
    expect(answers.get('epsilon').result).toEqual({ answer: JSON.parse(stdout), exitCode: 0, notes: [] });
    expect(answers.get('after').result.answer.epsilon).toEqual(
      answers.get('epsilon').result.answer.results[0].epsilon,
    );
    expect(answers.get('bad').error).toMatchObject({
      code: -32602,
      message: '"--delta" must be a number in [0, 1], got "2"',
      data: { exitCode: 2 },
    });
    expect(answers.get('no').result).toMatchObject({ exitCode: 1, answer: { reached: false } });
    expect(answers.get('text').result.text).toMatch(/^mu \(rates >= 1e-10\)/);
    expect(answers.get('bytes').error.message).toContain('its history is empty');
    expect(answers.get('long').error.code).toBe(-32800);
    expect(answers.get('stop').result).toBe(true);
    // a last line without its end counts
    expect(answers.get('last').result.notes[0]).toContain('1 step, sampling rate 1');
    expect(notes.length).toBeGreaterThan(0);
  });

  it('needs to be told where it serves', async () => {
    expect(await gdp(['serve'])).toMatchObject({ code: 2, stderr: expect.stringContaining('needs --stdio') });
    expect(await gdp(['serve', '--stdio', '--max-line', '0'])).toMatchObject({ code: 2 });
  });
});

it('a request that holds its files reads no other, and brings back what it writes', async () => {
  const child = spawn(process.execPath, [BIN, 'serve', '--stdio', '--workers', '1']);
  const held = (data: object) => Buffer.from(JSON.stringify(data)).toString('base64');
  const files = { run: held({ history: [[2, 1, 30]] }), claim: held({ epsilon: 2, delta: 1e-5 }) };
  child.stdin.end(
    [
      request(1, 'lint', { operands: ['run'], claim: 'claim', files }),
      request(2, 'epsilon', { operands: ['examples/cifar10-wrn40.json'], files: {} }),
      request(3, 'tradeoff', { ...PHASE, alpha: 0.5, svg: 'no-such-folder/curve.svg', files: {} }),
      request(4, 'tradeoff', { operands: ['run', 'run'], hull: true, alpha: 0.1, files }),
      request(5, 'epsilon', { operands: ['run'], files: { run: 'a' } }),
    ].join('\n'),
  );
  const sent: Message[] = [];
  for await (const line of createInterface(child.stdout)) sent.push(JSON.parse(line));
  const by = (id: number) => sent.find((message) => message.id === id)!;
  expect(by(1).result.answer.findings[0].id).toBe('epsilon-too-small');
  expect(by(2).error.message).toContain('files are not read here');
  expect(by(3).result.files['no-such-folder/curve.svg']).toMatch(/^<svg/);
  expect(by(4).result.answer.curve).toBe('hull(run, run)');
  expect(by(5).error.message).toBe('"files" must be the bytes of each file as base64, by name');
});

it('without files nothing is read or written, and what an option writes comes back', async () => {
  const child = spawn(process.execPath, [BIN, 'serve', '--stdio', '--no-files', '--workers', '1']);
  child.stdin.end(
    [
      request(1, 'epsilon', { operands: ['examples/cifar10-wrn40.json'] }),
      request(2, 'epsilon', { operands: ['/etc/passwd'] }),
      request(3, 'certify', { ...PHASE, epsilon: 8, out: 'no-such-folder/certificate.json', json: false }),
      request(4, 'batch', {}),
      request(5, 'audit', {
        input: { kind: 'one-run', canaries: 9, guesses: 5, correct: 4 },
        claim: '/etc/passwd',
      }),
      request(6, 'budget', { operands: ['left', '/etc/passwd'] }),
    ].join('\n'),
  );
  const sent: Message[] = [];
  for await (const line of createInterface(child.stdout)) sent.push(JSON.parse(line));
  const by = (id: number) => sent.find((message) => message.id === id)!;
  for (const id of [1, 2, 5, 6]) {
    expect(by(id).error.message).toContain('files are not read here');
    expect(by(id).error.message).not.toContain('root');
  }
  expect(Object.keys(by(3).result.files)).toEqual(['no-such-folder/certificate.json']);
  expect(by(4).error.code).toBe(-32601);
});
