import { describe, expect, it } from 'vitest';
import { renyiDivergence } from '../../src/accountants/index.js';
import { parseEvidence, parseScoresCsv } from '../../src/audit/index.js';
import {
  account,
  adaptiveClipping,
  berryEsseen,
  breakpoints,
  calibrate,
  cltFunctionals,
  compose,
  dpSgd,
  gaussian,
  gaussianTradeoff,
  groupPrivacy,
  isInputError,
  joint,
  lossPmf,
  matrixMechanism,
  PrivacyLedger,
  parseMechanism,
  profileTradeoff,
  rdp,
  repeat,
  StreamingAccountant,
  samplingRateFor,
  tabulated,
  tradeoffPoints,
  transformCurve,
  treeAggregation,
  unknownIn,
  withReplacementAmplified,
} from '../../src/index.js';
import { withPlacesKept } from '../../src/mechanism/mechanism.js';
import { stepsOf } from '../../src/mechanism/steps.js';
import { parseOpacusState } from '../../src/read/index.js';
import { wasm } from '../helpers/runs.js';

const inner = gaussian({ noiseMultiplier: 1.5 });
const one = { rate: 0.5, sampleSize: 1, datasetSize: 2, count: 1, inner };
const endless = { kind: 'compose', parts: [] as unknown[] };
endless.parts.push(endless);

/** Data by hand that combines mechanisms, and how the complaint begins. */
const COMBINED: readonly (readonly [object, string])[] = [
  [{ kind: 'compose' }, '"parts" must be an array of mechanisms, got undefined'],
  [{ kind: 'compose', parts: 'ab' }, '"parts" must be an array of mechanisms, got "ab"'],
  [{ kind: 'compose', parts: [null] }, '"mechanism" must be a mechanism, got null'],
  [endless, '"mechanism" must be nested at most 2000 deep, got an object'],
  [{ kind: 'joint' }, '"parts" must be an array'],
  [{ ...one, kind: 'repeat', count: -2 }, '"count" must be a whole number from 0 to 2^53 - 1, got -2'],
  [{ ...one, kind: 'repeat', count: Number.NaN }, '"count" must be a whole number'],
  [{ ...one, kind: 'repeat', count: '3' }, '"count" must be a whole number from 0 to 2^53 - 1, got "3"'],
  [{ ...one, kind: 'poisson-subsampled', inner: undefined }, '"inner" must be a mechanism, got undefined'],
  [{ ...one, kind: 'poisson-subsampled', rate: 2 }, '"rate" must be a number in [0, 1], got 2'],
  [{ ...one, kind: 'poisson-subsampled', rate: Number.NaN }, '"rate" must be a number in [0, 1], got NaN'],
  [{ ...one, kind: 'without-replacement', inner: null }, '"inner" must be a mechanism, got null'],
  [{ ...one, kind: 'without-replacement', sampleSize: 3 }, '"sampleSize" must be a whole number from 0 to 2'],
  [{ ...one, kind: 'without-replacement', datasetSize: Infinity }, '"datasetSize" must be a whole number'],
  [{ kind: 'select' }, '"mechanism" must be made by a builder'],
];

/** Calls from JavaScript, which knows no types. */
const CALLS: Readonly<Record<string, readonly [(given: never) => unknown, unknown, string]>> = {
  'options that are a map': [
    (given) => account(wasm, inner, given),
    new Map(),
    '"options" must be an object',
  ],
  'moments of nothing': [berryEsseen, [null], '"parts[0]" must be an object, got null'],
  'moments without brackets': [
    berryEsseen,
    [{ functionals: { kl: 1 }, count: 1 }],
    '"parts[0].functionals.kl" must be a bracket { lower, upper }, got 1',
  ],
  'a group of no function': [(given) => groupPrivacy(given, 1), wasm, '"f" must be'],
  'no masses': [lossPmf, undefined, '"x" must be an array of probabilities, got undefined'],
  'a profile without brackets': [
    (given) => profileTradeoff(given).fnr(0.5),
    () => 1,
    '"profile(epsilon)" must be a bracket',
  ],
  'a crossed profile': [
    (given) => profileTradeoff(given).fnr(0.5),
    () => ({ lower: 0, upper: -1 }),
    '"profile(epsilon)" must be a bracket',
  ],
  'an endless template': [unknownIn, endless, '"mechanism" must be nested at most'],
  'no curve': [(given) => transformCurve(gaussianTradeoff(1), given), undefined, '"epsilonHead" must be'],
  'no sample': [
    (given) => withReplacementAmplified(gaussianTradeoff(1), given),
    undefined,
    '"datasetSize" must',
  ],
  'no scores': [parseScoresCsv, undefined, '"text" must be a string, got undefined'],
  'no state': [parseOpacusState, null, '"text" must be a string, got null'],
  'a head of no number': [
    (given) => samplingRateFor(wasm, gaussianTradeoff(1), given),
    { mu: 1, epsilonHead: Symbol('head') },
    '"epsilonHead" must be a number in (0, 1e6], got Symbol(head)',
  ],
  'a window of no number': [
    (given) => calibrate(wasm, given),
    { mu: 1, alphaMin: Symbol('window'), samplingRate: 0.1, steps: 5 },
    '"alphaMin" must be a number in (0, 0.5), got Symbol(window)',
  ],
  'a stream that is none': [
    (given) => StreamingAccountant.start(wasm, { adjacency: 'add-remove' }).merge(given),
    null,
    '"other" must be a stream, got null',
  ],
  'a stream with more than a stream has': [
    (given) => StreamingAccountant.fromJSON(wasm, given),
    { format: 'gdp-kernel-stream', version: 4, spent: 1 },
    '"stream.spent" is unknown',
  ],
  'no budget': [
    (given) => StreamingAccountant.start(wasm, given),
    { adjacency: 'add-remove', adaptiveParameters: true, budget: null },
    '"budget" must be',
  ],
};

function complaintOf(ask: () => unknown): string {
  try {
    ask();
  } catch (error) {
    return isInputError(error) ? error.message : `not an input error: ${error}`;
  }
  return 'accepted';
}

describe('what is malformed is refused by name, value and expectation', () => {
  for (const [data, said] of COMBINED)
    it(said, () => {
      const mechanism = data as never;
      expect(complaintOf(() => account(wasm, mechanism, { adjacency: 'replace-one' }))).toContain(said);
      const parts = [mechanism];
      for (const ask of [
        () => joint({ parts }),
        () => account(wasm, repeat(mechanism, 2)),
        () => parseMechanism(mechanism),
      ])
        expect(complaintOf(ask)).toMatch(/^"/);
    });

  for (const [name, [call, given, said]] of Object.entries(CALLS))
    it(name, () => {
      expect(complaintOf(() => call(given as never))).toContain(said);
    });
});

/** A release with a number in place of which something else stands, and what combines Gaussian steps. */
const FORGED: readonly object[] = [
  ...['1', -3, true, [3], 10n, Symbol('s'), endless, Object.create(null)].map((noiseMultiplier) => ({
    kind: 'gaussian',
    noiseMultiplier,
  })),
  { kind: 'fixed-batches', noiseMultiplier: -3 },
  { kind: 'tree-aggregation', noiseMultiplier: '1', steps: 10 },
  { kind: 'tree-aggregation', noiseMultiplier: 1, steps: 10.5 },
  { kind: 'band-mf', noiseMultiplier: 1, samplingRate: 0.1, bands: '4', steps: 10 },
];

describe('what no builder made is refused wherever steps are counted', () => {
  const stream = StreamingAccountant.start(wasm, { adjacency: 'zero-out' });
  for (const [i, data] of FORGED.entries()) {
    const forged = data as never;
    const places: readonly unknown[] = [
      forged,
      { kind: 'repeat', count: 2, inner: forged },
      ...('noiseMultiplier' in data && data['kind' as never] === 'gaussian'
        ? [{ kind: 'poisson-subsampled', rate: 0.1, inner: forged }]
        : []),
    ];
    it(`number ${i}`, () => {
      for (const place of places as readonly never[])
        for (const ask of [
          () => account(wasm, place, { adjacency: 'zero-out' }),
          () => stream.add(place),
          () => renyiDivergence(place, 2, 'zero-out'),
        ])
          expect(complaintOf(ask)).toMatch(/^"(mechanism|noiseMultiplier|steps|bands)" must be /);
    });
  }
});

describe('a mechanism that stands in many places', () => {
  it('is counted as often as it is run, by arithmetic', () => {
    const step = dpSgd({ noiseMultiplier: 2, samplingRate: 0.1, steps: 3 });
    let all = compose([step, inner]);
    for (let i = 0; i < 40; i++) all = compose([all, all]);
    const counts = stepsOf(compose([all, repeat(step, 5), inner])).map(({ count }) => count);
    expect(counts).toEqual([2 ** 40 + 1, 3 * 2 ** 40 + 15]);
    for (let i = 0; i < 20; i++) all = compose([all, all]);
    expect(complaintOf(() => account(wasm, all))).toContain('"count" must be a total below 2^53 steps');
  });

  it('is read once, and equal phases are one object', () => {
    let all: unknown = { kind: 'gaussian', noiseMultiplier: 5 };
    for (let i = 0; i < 40; i++) all = { kind: 'compose', parts: [all, all] };
    expect(stepsOf(parseMechanism(all)).map(({ count }) => count)).toEqual([2 ** 40]);
    const phase = { kind: 'dp-sgd', noiseMultiplier: 2, samplingRate: 0.1, steps: 3 };
    const parsed = parseMechanism({ kind: 'compose', parts: [phase, { ...phase }, { ...phase, steps: 4 }] });
    const { parts } = parsed as { parts: readonly unknown[] };
    expect(parts[0]).toBe(parts[1]);
    expect(parts[2]).not.toBe(parts[0]);
    let deep: unknown = phase;
    for (let i = 0; i < 101; i++) deep = { kind: 'repeat', count: 1, inner: deep };
    const twice = { kind: 'compose', parts: [deep, deep] };
    expect(complaintOf(() => parseMechanism(twice))).toContain('nested at most 100 deep');
  });

  it('that holds itself is refused, in whatever place', () => {
    const parts: unknown[] = [inner];
    const loop = {
      kind: 'compose',
      parts: [{ kind: 'repeat', count: 2, inner: { kind: 'compose', parts } }],
    };
    parts.push(loop, loop);
    expect(complaintOf(() => account(wasm, loop as never))).toContain('"mechanism" must be nested at most');
  });

  it('with its places kept is one that was made', () => {
    const matrix = matrixMechanism({ noiseMultiplier: 1, column: [1, 0.5] });
    const stated = matrixMechanism({ noiseMultiplier: 1, column: [1, 0.5], places: 'kept' });
    const [kept, own] = [withPlacesKept(matrix), stated].map((each) => account(wasm, each).epsilon(1e-5));
    expect(kept).toEqual(own);
  });
});

describe('a list with a hole is refused at the hole', () => {
  const point = { order: 2, epsilon: 1, delta: 0.1, alpha: 0.1, beta: 0.5 };
  const holed = (...names: (keyof typeof point)[]) => {
    const list: object[] = [];
    list[1] = Object.fromEntries(names.map((name) => [name, point[name]]));
    return list as never;
  };
  const column = [1, 1, 1];
  delete column[1];
  it.each([
    ['column[1]', () => matrixMechanism({ noiseMultiplier: 1, column })],
    ['matrix[2][1]', () => matrixMechanism({ noiseMultiplier: 1, matrix: [[1, 0, 0], [1, 1, 0], column] })],
    ['points[0]', () => rdp({ points: holed('order', 'epsilon') })],
    ['points[0]', () => tabulated({ points: holed('epsilon', 'delta') })],
    ['points[0]', () => tradeoffPoints({ points: holed('alpha', 'beta') })],
    ['points[0]', () => breakpoints(holed('alpha', 'beta'))],
    ['budget.points[0]', () => PrivacyLedger.open({ kind: 'rdp', points: holed('order', 'epsilon') })],
    ['parts[0]', () => compose(holed('order'))],
    ['evidence.members[1]', () => parseEvidence({ kind: 'scores', nonMembers: [1], members: column })],
  ])('%s', (place, ask) => {
    expect(complaintOf(ask)).toMatch(new RegExp(`^"${place.replace(/[.[\]]/g, '\\$&')}" must be `));
  });
});

describe('no noise is no noise, whatever its sign', () => {
  const z = -0;
  it.each([
    gaussian({ noiseMultiplier: z }),
    adaptiveClipping({ noiseMultiplier: z, countNoise: 1, count: 'raw' }),
    matrixMechanism({ noiseMultiplier: z, column: [1, 0.5], places: 'kept' }),
    treeAggregation({ noiseMultiplier: z, steps: 10, places: 'kept' }),
    { kind: 'tree-aggregation', noiseMultiplier: z, steps: 10, places: 'kept' } as const,
    joint({ parts: [gaussian({ noiseMultiplier: z }), inner] }),
  ])('$kind', (mechanism) => {
    const run = account(wasm, mechanism, { adjacency: 'add-remove' });
    expect(run.epsilon(1e-5)).toEqual({ lower: Infinity, upper: Infinity });
    expect(run.tradeoff(0.1)).toEqual({ lower: 0, upper: 0 });
    expect(run.settings.tailMu).toEqual({ lower: Infinity, upper: Infinity });
  });
});

it('a divergence from minus infinity is one from 0, as every divergence is', () => {
  const functionals = cltFunctionals(gaussianTradeoff(0.1));
  const { kl } = functionals;
  const of = (lower: number) =>
    berryEsseen([{ functionals: { ...functionals, kl: { ...kl, lower } }, count: 10 }]).gamma;
  // −1 squared is no lower bound of the square
  for (const lower of [-1, -Infinity]) expect(of(lower)).toEqual(of(0));
});
