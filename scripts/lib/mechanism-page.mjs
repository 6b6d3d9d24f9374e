// docs/mechanisms.md as text, from what the library says and does when it is asked. The script that writes the page
// and the test that checks it hand over the library they use.

const gaussian = { kind: 'gaussian', noiseMultiplier: 2 };

/** One example of every kind, as JSON. */
export const EXAMPLES = [
  gaussian,
  { kind: 'laplace', scale: 2, sensitivity: 1 },
  { kind: 'discrete-gaussian', sigma: 2, sensitivity: 1 },
  { kind: 'discrete-gaussian-vector', sigma: 4, sensitivity: 2 },
  { kind: 'discrete-laplace', scale: 2, sensitivity: 1 },
  { kind: 'binomial', trials: 2000, sensitivity: 1 },
  { kind: 'skellam', variance: 25, sensitivity: 1 },
  { kind: 'randomized-response', epsilon: 1, categories: 3 },
  { kind: 'pure-dp', epsilon: 1 },
  { kind: 'approximate-dp', epsilon: 1, delta: 1e-6 },
  { kind: 'gdp', mu: 0.5 },
  { kind: 'zcdp', rho: 0.125 },
  { kind: 'rdp', points: [{ order: 2, epsilon: 0.2 }] },
  { kind: 'bounded-range', epsilon: 1 },
  { kind: 'tabulated', points: [{ epsilon: 1, delta: 1e-6 }] },
  {
    kind: 'gaussian-mixture',
    noiseMultiplier: 2,
    sensitivities: [0, 1, 2],
    probabilities: [0.81, 0.18, 0.01],
  },
  { kind: 'replaced-gaussian', noiseMultiplier: 2, rate: 0.1 },
  { kind: 'trade-off', points: [{ alpha: 0.1, beta: 0.6 }] },
  { kind: 'select', runs: { kind: 'negative-binomial', eta: 1, mean: 10 }, inner: gaussian },
  { kind: 'balls-and-bins', noiseMultiplier: 2, bins: 3 },
  { kind: 'tcdp', rho: 0.125, omega: 8 },
  { kind: 'mcdp', mean: 0.125, tau: 0.5 },
  { kind: 'capped-poisson', noiseMultiplier: 2, rate: 0.1, datasetSize: 100, batchCap: 15 },
  { kind: 'shuffled', noiseMultiplier: 2, bins: 3 },
  { kind: 'shuffle-model', epsilon: 1, users: 100 },
  { kind: 'last-iterate', noiseMultiplier: 2, batches: 100, epochs: 10, contraction: 1 },
  { kind: 'adaptive-clipping', noiseMultiplier: 2, countNoise: 10, count: 'centred' },
  {
    kind: 'divided-sgd',
    noiseMultiplier: 2,
    samplingRate: 0.1,
    steps: 16,
    divisor: 'expected',
    parameters: 100,
    datasetSize: 5000,
  },
  { kind: 'matrix-mechanism', noiseMultiplier: 2, column: [1, 0.5, 0.25] },
  { kind: 'binned-matrix', noiseMultiplier: 2, column: [1, 0.5, 0.25], steps: 12, bins: 4 },
  { kind: 'noisy-max', epsilon: 1 },
  { kind: 'with-replacement', noiseMultiplier: 2, sampleSize: 4, datasetSize: 100 },
  { kind: 'joint', parts: [gaussian, { kind: 'laplace', scale: 2, sensitivity: 1 }] },
  { kind: 'random-allocation', inner: { kind: 'laplace', scale: 2, sensitivity: 1 }, bins: 100 },
  { kind: 'parallel', parts: [gaussian, { kind: 'laplace', scale: 2, sensitivity: 1 }] },
  {
    kind: 'iterate-phases',
    batches: 100,
    phases: [
      { noiseMultiplier: 1, stepSize: 1, epochs: 10, contraction: 1 },
      { noiseMultiplier: 1, stepSize: 0.5, epochs: 10, contraction: 0.99 },
    ],
  },
  { kind: 'dp-sgd', noiseMultiplier: 2, samplingRate: 0.1, steps: 16 },
  { kind: 'fixed-batches', noiseMultiplier: 2, bins: 100 },
  { kind: 'band-mf', noiseMultiplier: 2, samplingRate: 0.1, bands: 4, steps: 64 },
  { kind: 'tree-aggregation', noiseMultiplier: 4, steps: 15 },
  { kind: 'poisson-subsampled', rate: 0.1, inner: gaussian },
  { kind: 'without-replacement', sampleSize: 1, datasetSize: 10, inner: gaussian },
  { kind: 'repeat', count: 4, inner: gaussian },
  { kind: 'compose', parts: [gaussian, gaussian, gaussian, gaussian] },
];

/** What is tried on every example: true if it answers with something finite. */
const METHODS = [
  ['identify', ({ lib, run }) => lib.identify(run).verdict !== undefined],
  ['μ on a window', ({ lib, run }) => lib.measure(run, { alphaMin: 1e-3 }).mu.upper < Infinity],
  [
    'μ of a head',
    ({ lib, engine, run }) =>
      lib.measureHead(engine, run, { epsilonHead: 0.5, resolution: 10 }).headMu.upper < Infinity,
  ],
  [
    'Poisson amplification',
    ({ lib, run }) => lib.poissonAmplified(run, { rate: 0.5 }).logDelta(0.1).upper < 0,
  ],
  ['compose', ({ again }) => again.delta(1).upper < 1],
  [
    'calibrate',
    ({ lib, engine, mechanism, adjacency }) => {
      const steps = {
        name: 'steps',
        least: 1,
        most: 3,
        whole: true,
        larger: 'less-private',
        mechanismAt: (count) => lib.repeat(mechanism, count),
      };
      return lib.calibrate(engine, steps, { advantage: 0.9999 }, { adjacency, tolerance: 1e-2 }).reached;
    },
  ],
  [
    'convert to (ε, δ)',
    ({ lib, engine, run }) => lib.convert(engine, run, { kind: 'approximate-dp', epsilon: 1 }),
  ],
  ['report', ({ lib, run }) => lib.report(run).epsilonAtDelta.length > 0],
  [
    'stream',
    ({ lib, engine, mechanism, adjacency }) =>
      lib.StreamingAccountant.start(engine, { adjacency }).add(mechanism).steps > 0,
  ],
];

/** @param lib The library; `engine` one of its engines. */
export function mechanismPage(lib, engine) {
  const sections = [];
  const rows = [];
  for (const json of EXAMPLES) {
    const mechanism = lib.parseMechanism(json);
    const facts = lib.factsOf(json.kind);
    const adjacency = /^(replace-one|zero-out)/.exec(facts.adjacency)?.[1] ?? 'add-remove';
    const options = { adjacency, tolerance: 1e-2, maxGridLength: 2 ** 14, effort: 0.1 };
    const run = lib.account(engine, mechanism, options);
    const again = lib.account(engine, lib.repeat(mechanism, 2), options);
    const context = { lib, engine, mechanism, adjacency, run, again };
    const standing = lib.identify(run).standing === 'exact' ? 'exact' : 'certified bound';
    const cells = METHODS.map(([, attempt]) => (answers(attempt, context) ? standing : 'not defined'));
    const compared = answers(
      () => lib.compareAccountants(engine, mechanism, { ...options, delta: 1e-3 }).baselines.length > 0,
      context,
    );
    rows.push([`\`${json.kind}\``, ...cells, compared ? 'comparison only' : 'not defined']);
    sections.push(
      `## ${facts.title}`,
      `\`\`\`json\n${JSON.stringify(json)}\n\`\`\``,
      [
        `- Standing: ${facts.standing === 'inner' ? 'that of what it is made of' : facts.standing}.`,
        `- Adjacency: ${facts.adjacency}.`,
        `- Tail: ${facts.tail}.`,
        `- Source: ${facts.source}.`,
        ...(facts.wide === undefined ? [] : [`- Width: ${facts.wide}.`]),
      ].join('\n'),
    );
  }
  const header = ['kind', ...METHODS.map(([name]) => name), 'other accountants'];
  const line = (cells) => `| ${cells.join(' | ')} |`;
  const table = [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
  return `${[
    '# Mechanisms',
    'What each mechanism is, and which method answers for it. Written by `npm run docs:mechanisms`, which asks the ' +
      'library for every cell: *exact* is a bracket of the mechanism itself (how wide is another matter), *certified bound* one of the worst that ' +
      'its stated guarantee allows, *comparison only* the numbers of accountants in use elsewhere, *not defined* where ' +
      'there is no theorem or no finite answer.',
    table,
    ...sections,
  ].join('\n\n')}\n`;
}

/** A refusal says that there is no theorem; anything else is a mistake here and not caught. */
function answers(attempt, context) {
  try {
    return Boolean(attempt(context));
  } catch (error) {
    if (error instanceof RangeError || error.name === 'ConversionRefused') return false;
    throw error;
  }
}
