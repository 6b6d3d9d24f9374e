import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createContext, runInContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { taskOf } from '../../src/cli/rpc.js';
import { PlainTextDecoder, PlainTextEncoder } from '../../src/embed/lacking.js';
import { gdp } from '../cli/harness.js';
import { seeded } from '../helpers/random.js';

const SCRIPT = readFileSync('dist/embed.js', 'utf8');
const RUN = { 'noise-multiplier': 1.1, 'sampling-rate': 0.01, steps: 1000 };
const STATE = { history: [[1.1, 0.01, 1000]], mechanism: 'rdp' };
const RELEASES = {
  kind: 'compose',
  parts: [
    { kind: 'laplace', scale: 2, sensitivity: 1 },
    { kind: 'gaussian', noiseMultiplier: 3 },
  ],
};

/** Questions of every command that needs no machine, and refusals. */
const QUESTIONS: readonly (readonly [method: string, params: Record<string, unknown>])[] = [
  ['epsilon', { ...RUN, delta: [1e-5, 1e-8] }],
  ['epsilon', { input: STATE, delta: 1e-6, adjacency: 'replace-one' }],
  ['epsilon', { input: RELEASES, delta: 1e-6, engine: 'reference' }],
  ['delta', { ...RUN, epsilon: 1 }],
  ['mu', RUN],
  ['risk', RUN],
  ['tradeoff', { ...RUN, alpha: [1e-3, 0.1] }],
  ['identify', { input: { kind: 'gaussian', noiseMultiplier: 2 } }],
  ['measure', { input: { kind: 'laplace', scale: 1, sensitivity: 1 }, 'epsilon-head': 1 }],
  ['report', { input: STATE }],
  ['report', { input: STATE, json: false }],
  ['calibrate', { epsilon: 2, delta: 1e-5, 'sampling-rate': 0.01, steps: 1000 }],
  ['noise', { epsilon: 1, delta: 1e-5 }],
  ['convert', { from: 'pure-dp:1', to: 'zcdp' }],
  ['lint', { input: { epsilon: 1, delta: 1e-5, noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 } }],
  ['compare', RUN],
  ['certify', { ...RUN, epsilon: 2 }],
  ['epsilon', { ...RUN, delta: 2 }],
  ['epsilon', { input: '{"kind":"gaussian"}' }],
  ['epsilon', { ...RUN, nonsense: 1 }],
  ['delta', {}],
];

const request = (id: number, method: string, params: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** What the command line says to the same words. */
async function saidByNode(method: string, params: Record<string, unknown>) {
  const command = COMMANDS.find(({ name }) => name === method)!;
  const { argv, input } = taskOf(command, { method, params });
  const { code, stdout, stderr } = await gdp(argv, input as string);
  const notes = stderr.split('\n').filter((line) => line !== '');
  return { code, stdout, notes: notes.map((line) => line.replace(/^gdp: /, '')) };
}

describe('dist/embed.js in a context that has nothing but the language', () => {
  const empty = createContext({});
  let ask: (text: string) => Promise<string>;
  beforeAll(() => {
    runInContext(SCRIPT, empty);
    ask = runInContext('gdpKernel.ask', empty);
  });

  it('answers in the words and the bits of the command line, in order and in reverse', async () => {
    const numbers = QUESTIONS.map((_, i) => i);
    const said = [];
    for (const [method, params] of QUESTIONS) said.push(await saidByNode(method, params));
    for (const i of [...numbers, ...numbers.toReversed()]) {
      const [method, params] = QUESTIONS[i];
      const { result, error } = JSON.parse(await ask(request(i, method, params)));
      const { code, stdout, notes } = said[i];
      if (error !== undefined) expect([error.message, error.data.exitCode]).toEqual([notes.at(-1), code]);
      else if (result.text !== undefined) expect([result.text, result.exitCode]).toEqual([stdout, code]);
      else
        expect({ ...result, method }).toEqual({ answer: JSON.parse(stdout), exitCode: code, notes, method });
    }
  });

  it('reads no file, and says what to give in its place', async () => {
    const { error } = JSON.parse(await ask(request(1, 'epsilon', { operands: ['state.json'] })));
    expect(error.message).toBe(
      'state.json: files are not read here: give what the file holds, as "input", "inputBase64" or in "files"',
    );
  });

  it('takes the bytes of a file, and brings back what it would write', async () => {
    const bytes = Buffer.from(JSON.stringify(STATE)).toString('base64');
    const plain = await ask(request(1, 'epsilon', { input: STATE }));
    expect(await ask(request(1, 'epsilon', { inputBase64: bytes }))).toBe(plain);
    const { result } = JSON.parse(
      await ask(request(1, 'report', { input: STATE, json: false, out: 'r.html' })),
    );
    expect(Object.keys(result.files)).toEqual(['r.html']);
    expect(result.files['r.html']).toMatch(/^<!doctype html>/i);
    const { error } = JSON.parse(await ask(request(1, 'epsilon', { inputBase64: 'a' })));
    expect(error.message).toMatch(/^"inputBase64" must be/);
  });

  it('takes several files by name', async () => {
    const run = Buffer.from(JSON.stringify(STATE)).toString('base64');
    const claim = Buffer.from(JSON.stringify({ epsilon: 1, delta: 1e-5 })).toString('base64');
    const { result } = JSON.parse(
      await ask(request(1, 'lint', { operands: ['run'], claim: 'claim', files: { run, claim } })),
    );
    expect(result.answer.findings[0].id).toBe('epsilon-too-small');
  });

  it('pays from a ledger that is given: a line to append, and once it is there none', async () => {
    const stamp = { at: '2026-07-01T12:00:00Z', nonce: '0123456789abcdef' };
    const pay = async (verb: string, files: Record<string, string>, options: object) => {
      const params = { operands: [verb, 'team'], files, ...options, ...stamp };
      return JSON.parse(await ask(request(1, 'budget', params)));
    };
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const opened = await pay('open', {}, { budget: 'gdp:0.1' });
    const text = opened.result.files.team;
    const spend = { spend: 'gdp:0.1' };
    const asked = await pay('spend', { team: base64(text) }, spend);
    const line = asked.result.files.team;
    expect([asked.result.exitCode, asked.result.answer.count, line[0]]).toEqual([0, 0, '\n']);
    const paid = await pay('spend', { team: base64(text + line) }, spend);
    expect([paid.result.answer.count, paid.result.files]).toEqual([1, undefined]);
    const other = await pay('spend', { team: base64(text + line) }, { spend: 'gdp:0.2' });
    expect(other.error.message).toContain('"nonce" must be new');
    expect((await pay('spend', {}, spend)).error.message).toContain('files are not read here');
  });

  it('has no commands that need a machine, and names the method', async () => {
    const { result } = JSON.parse(await ask(request(1, 'rpc.discover', {})));
    const names = result.methods.map(({ name }: { name: string }) => name);
    const lacking = COMMANDS.map(({ name }) => name).filter((name) => !names.includes(name));
    expect(lacking.toSorted()).toEqual(['batch', 'completion', 'page', 'serve', 'sweep']);
    expect(JSON.parse(await ask(request(1, 'batch', {}))).error.code).toBe(-32601);
  });

  it('answers what is no request as the protocol does', async () => {
    expect(JSON.parse(await ask('no JSON')).error.code).toBe(-32700);
    expect(await ask('{"jsonrpc":"2.0","method":"epsilon"}')).toBe('');
    const both = JSON.parse(await ask(`[${request(1, 'noise', { epsilon: 1 })},7]`));
    expect(both).toHaveLength(2);
  });
});

describe('dist/embed.js in other hosts', () => {
  const text = request(1, 'epsilon', RUN);

  it('answers in a worker', async () => {
    const source = `${SCRIPT};gdpKernel.ask(${JSON.stringify(text)}).then((said) => require('node:worker_threads').parentPort.postMessage(said));`;
    const worker = new Worker(source, { eval: true });
    const said = await new Promise<string>((resolve, reject) => {
      worker.once('message', resolve).once('error', reject);
    });
    expect(JSON.parse(said).result.answer.epsilon.upper).toBeCloseTo(1.51536, 5);
  });

  it.for(['deno', 'bun'])('answers in %s, where it is installed', (host, { skip }) => {
    if (spawnSync(host, ['--version']).error !== undefined) return skip(`${host} is not installed`);
    const code = `${SCRIPT};gdpKernel.ask(${JSON.stringify(text)}).then(console.log);`;
    const { stdout } = spawnSync(host, host === 'deno' ? ['eval', code] : ['-e', code], { encoding: 'utf8' });
    expect(JSON.parse(stdout).result.answer.epsilon.upper).toBeCloseTo(1.51536, 5);
  });
});

describe('what an engine of the bare language lacks', () => {
  it('encodes and decodes as the host does, what is wrong too', () => {
    const draw = seeded(7);
    const encoder = new PlainTextEncoder();
    for (let i = 0; i < 400; i++) {
      const bytes = Uint8Array.from({ length: 1 + Math.floor(12 * draw()) }, () => {
        const x = draw();
        return x < 0.3 ? 128 + 64 * draw() : x < 0.6 ? 192 + 64 * draw() : 256 * draw();
      });
      const text = new TextDecoder().decode(bytes);
      expect(new PlainTextDecoder().decode(bytes)).toBe(text);
      expect(Buffer.from(encoder.encode(text)).equals(new TextEncoder().encode(text))).toBe(true);
      const strict = () => new TextDecoder('utf-8', { fatal: true }).decode(bytes);
      const ours = () => new PlainTextDecoder('utf-8', { fatal: true }).decode(bytes);
      if (text.includes('\ufffd')) expect(ours).toThrow(TypeError);
      else expect(ours()).toBe(strict());
    }
    const wide = 'ε(δ) \u{1f600}';
    for (const label of ['utf-16le', 'utf-16be']) {
      const units = Buffer.from(wide, 'utf16le');
      const bytes = label === 'utf-16le' ? units : Buffer.from(units).swap16();
      expect(new PlainTextDecoder(label, { fatal: true }).decode(bytes)).toBe(wide);
    }
    expect(encoder.encode('a\ud800b')).toEqual(new TextEncoder().encode('a\ud800b'));
  });
});
