// The questions that every door is asked, as lines of the protocol: all vectors of conformance/, every command, random runs, and what is refused.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup.mjs';

/** Questions whose answers differ between Node and the doors without it: a report as HTML has its own font only where files are. */
export const OWN_FONT = 'report-html';

const RUN = { 'noise-multiplier': 1.1, 'sampling-rate': 0.01, steps: 1000 };
const STATE = {
  history: [
    [1.1, 0.01, 1000],
    [0.9, 0.02, 200],
  ],
  mechanism: 'rdp',
};
const RELEASES = {
  kind: 'compose',
  parts: [
    { kind: 'laplace', scale: 2, sensitivity: 1 },
    { kind: 'gaussian', noiseMultiplier: 3 },
  ],
};
const COUNTS = { kind: 'threshold', falsePositives: 5, nonMembers: 1000, truePositives: 100, members: 1000 };
const EVENT =
  'ComposedDpEvent(events=[SelfComposedDpEvent(event=PoissonSampledDpEvent(sampling_probability=0.01, event=GaussianDpEvent(noise_multiplier=1.1)), count=1000)])';
const STATEMENT =
  'DP-SGD performed over 60000 examples with 256 examples per iteration, noise multiplier\n1.1 for 60 epochs with microbatching';
const CHECKED = ['certify', { ...RUN, epsilon: 2 }];

const COMMANDS = [
  ['epsilon', { input: STATE, delta: [1e-5, 1e-6, 1e-8] }],
  ['epsilon', { input: STATE, delta: 1e-6, adjacency: 'replace-one' }],
  ['epsilon', { input: RELEASES, delta: 1e-6, engine: 'reference' }],
  ['epsilon', { input: EVENT, delta: 1e-5 }],
  ['epsilon', { input: STATEMENT, delta: 1e-5 }],
  ['epsilon', { inputBase64: Buffer.from(JSON.stringify(STATE)).toString('base64') }],
  ['epsilon', { ...RUN, delta: 1e-5, effort: 3 }],
  ['epsilon', { ...RUN, delta: 1e-5, json: false }],
  ['epsilon', { ...RUN, delta: 1e-5, group: 3 }],
  ['delta', { input: STATE, epsilon: [0.5, 1, 2, 4] }],
  ['delta', { ...RUN, epsilon: 1, explain: true }],
  ['tradeoff', { input: STATE, alpha: [0.001, 0.01, 0.1] }],
  ['tradeoff', { ...RUN, alpha: [0.1], svg: 'curve.svg' }],
  ['mu', { input: STATE }],
  ['mu', { ...RUN, svg: 'mu.svg' }],
  ['risk', { input: STATE }],
  ['risk', { ...RUN, prior: 0.1 }],
  ['identify', { input: 'alpha,beta\n0,1\n0.5,0.2\n1,0\n' }],
  ['identify', { input: { kind: 'gaussian', noiseMultiplier: 2 } }],
  ['measure', { input: 'epsilon,delta\n0,0.3\n1,0.1\n3,0.001\n' }],
  ['measure', { ...RUN, 'epsilon-head': 3, svg: 'head.svg' }],
  ['amplify', { input: STATE, rate: 0.1 }],
  ['report', { input: STATE }],
  ['report', { input: STATE, json: false }],
  ['report', { input: STATE, format: 'markdown', json: false }],
  ['report', { input: RELEASES, format: 'latex', json: false }],
  ['calibrate', { epsilon: 2, delta: 1e-5, 'sampling-rate': 0.01, steps: 1000 }],
  ['calibrate', { for: 'steps', epsilon: 2, delta: 1e-5, 'sampling-rate': 0.01, 'noise-multiplier': 1 }],
  ['calibrate', { for: 'sampling-rate', epsilon: 2, delta: 1e-5, steps: 1000, 'noise-multiplier': 1 }],
  ['noise', { epsilon: 1, delta: 1e-5 }],
  ['convert', { from: 'pure-dp:1', to: 'zcdp' }],
  ['compare', { input: STATE, delta: 1e-5 }],
  ['lint', { input: { epsilon: 1, delta: 1e-5, noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 } }],
  ['lint', { input: '{"epsilon": 3, "delta": 1e-5}' }],
  ['audit', { input: COUNTS }],
  ['audit', { input: 'score,member\n0.9,1\n0.8,1\n0.3,0\n0.1,0\n0.7,1\n0.2,0\n0.95,1\n0.05,0\n' }],
  ['rpc.discover', {}],
  CHECKED,
  ...[2, 30, 1000].map((steps) => ['certify', { ...RUN, steps, epsilon: 1 }]),
  [
    'certify',
    {
      input: { kind: 'repeat', count: 50, inner: { kind: 'laplace', scale: 8, sensitivity: 1 } },
      epsilon: 1,
    },
  ],
  [
    'certify',
    {
      input: { kind: 'poisson-subsampled', rate: 0.1, inner: { kind: 'laplace', scale: 1, sensitivity: 1 } },
      epsilon: 0.1,
    },
  ],
];

/** A record of a ledger as docs/budget.md has it. */
function record(holds) {
  const json = JSON.stringify(holds);
  return `${json} ${createHash('sha256').update(json).digest('hex')}`;
}

const STAMP = { at: '2026-07-01T12:00:00Z', nonce: '0123456789abcdef' };
const OPENED = record({
  format: 'gdp-kernel-budget',
  version: 1,
  budget: { kind: 'gdp', mu: '0.3' },
  ...STAMP,
});
const PAID = record({
  seq: 1,
  after: OPENED.slice(-64),
  spend: { kind: 'gdp', mu: '0.1' },
  count: 8,
  id: 'a',
  ...STAMP,
});
const ledger = (verb, text, options) => [
  'budget',
  { operands: [verb, 'l'], files: { l: Buffer.from(text).toString('base64') }, ...options },
];

const LEDGERS = [
  ['budget', { operands: ['open', 'l'], budget: 'approximate-dp:1,1e-5,1e-6', ...STAMP }],
  ['budget', { operands: ['open', 'l'], budget: 'gdp:1' }],
  ledger('left', `${OPENED}\n${PAID}`, { delta: 1e-6 }),
  ledger('left', `${OPENED}\n${PAID.slice(0, -9)}`, {}),
  ledger('left', `${OPENED}\n${PAID.slice(0, -9)}g`, {}),
  ledger('spend', OPENED, { spend: 'gdp:0.1', ...STAMP }),
  ledger('spend', `${OPENED}\n${PAID}`, { spend: 'gdp:0.1', count: 8, id: 'a', ...STAMP }),
  ledger('spend', `${OPENED}\n${PAID}`, { spend: 'gdp:0.1', ...STAMP }),
  ledger('spend', `${OPENED}\n${PAID}`, { spend: 'gdp:0.1', id: 'a', ...STAMP, nonce: 'f'.repeat(16) }),
  ledger('spend', `${OPENED}\n${PAID}`, { spend: 'gdp:0.2', ...STAMP, nonce: 'f'.repeat(16) }),
];

const REFUSED = [
  ['epsilon', { ...RUN, 'sampling-rate': 2 }],
  ['epsilon', { ...RUN, delta: 2 }],
  ['epsilon', { ...RUN, steps: -1 }],
  ['epsilon', { nonsense: 1 }],
  ['epsilon', { input: 'не так', delta: 1e-5 }],
  ['epsilon', { input: '{"kind":"gaussian"}' }],
  ['epsilon', { input: '[[1.1, 0.01, 1e400]]' }],
  ['epsilon', { operands: ['/etc/passwd'] }],
  ['epsilon', { inputBase64: 'a' }],
  ['epsilon', { input: `${'['.repeat(900)}${']'.repeat(900)}` }],
  ['epsilon', { input: 'x'.repeat(100000) }],
  ['delta', {}],
  ['batch', {}],
  ['budget', {}],
  ['nothing', {}],
  ['verify', { input: '{"format":"gdp-kernel-certificate"}' }],
];

/** What is no request. */
const WRONG = [
  'no JSON',
  '[]',
  '7',
  '{"jsonrpc":"1.0","id":1,"method":"epsilon"}',
  '{"jsonrpc":"2.0","id":1,"method":"epsilon","params":[1]}',
  '{"jsonrpc":"2.0","id":1.5,"method":"epsilon"}',
  '{"jsonrpc":"2.0","id":1,"id":2,"method":"epsilon"}',
  '{"jsonrpc":"2.0","id":"ε","method":"\\ud83d\\ude00"}',
  '[{"jsonrpc":"2.0","id":"a","method":"noise","params":{"epsilon":1}},7]',
];

/**
 * @param {{ sample?: number }} options of every `sample` vectors and random runs one.
 * @returns {{ id: string | number, line: string }[]}
 */
export function corpus({ sample = 1 } = {}) {
  const some = (list) => list.filter((_, i) => i % sample === 0);
  const questions = [...some(vectors()), ...COMMANDS, ...LEDGERS, ...REFUSED, ...some(random())];
  const lines = questions.map(([method, params], i) => lineOf(i, method, params));
  const html = lineOf(OWN_FONT, 'report', { input: STATE, format: 'html', json: false });
  return [...lines, html, ...WRONG.map((line) => ({ id: line, line }))];
}

/** Certificates are checked by what shares nothing with the accountant: its elementary functions are the host's. */
export function checksOf(answers) {
  const made = answers
    .map((text) => JSON.parse(text).result?.answer)
    .filter((each) => each?.format === 'gdp-kernel-certificate');
  return made.map((certificate, i) => lineOf(`verify-${i}`, 'verify', { input: certificate }));
}

const lineOf = (id, method, params) => ({ id, line: JSON.stringify({ jsonrpc: '2.0', id, method, params }) });

/** The vectors of the conformance pack, as questions. */
function vectors() {
  const folder = join(root, 'conformance/vectors');
  return readdirSync(folder)
    .flatMap((name) => readFileSync(join(folder, name), 'utf8').trim().split('\n'))
    .map((line) => questionOf(JSON.parse(line)));
}

function questionOf({ run, adjacency, quantity, at }) {
  if (quantity === 'noise-multiplier') {
    const { samplingRate, ...rest } = run;
    return ['calibrate', { 'sampling-rate': samplingRate, ...rest, ...at, adjacency }];
  }
  if (quantity.startsWith('audit-')) return ['audit', { input: run, ...at }];
  const [method, name] = {
    epsilon: ['epsilon', 'delta'],
    delta: ['delta', 'epsilon'],
    beta: ['tradeoff', 'alpha'],
    mu: ['mu', 'alpha-min'],
  }[quantity];
  return [method, { input: run, adjacency, [name]: at }];
}

/** Runs of DP-SGD, the same each time. */
function random() {
  let state = 12345;
  const draw = () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 1;
    return state / 2 ** 31;
  };
  return Array.from({ length: 150 }, (_, i) => {
    const run = {
      kind: 'dp-sgd',
      noiseMultiplier: Number((0.5 + 2 * draw()).toPrecision(6)),
      samplingRate: Number((10 ** (-3.5 + 3 * draw())).toPrecision(5)),
      steps: Math.ceil(10 ** (4.5 * draw())),
    };
    const at = [
      { delta: 10 ** -Math.ceil(3 + 6 * draw()) },
      {},
      { epsilon: Number((4 * draw()).toPrecision(4)) },
    ];
    const adjacency = i % 5 === 0 ? 'replace-one' : 'add-remove';
    return [['epsilon', 'mu', 'delta'][i % 3], { input: run, adjacency, ...at[i % 3] }];
  });
}
