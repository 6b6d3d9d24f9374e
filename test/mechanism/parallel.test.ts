import { describe, expect, test } from 'vitest';
import { renyiDivergence, zcdpRho } from '../../src/bounds/renyi.js';
import { chargesOf } from '../../src/budget/charges.js';
import {
  type Adjacency,
  account,
  compose,
  discreteLaplace,
  dpSgd,
  gaussian,
  joint,
  laplace,
  type Mechanism,
  parallel,
  parseMechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
  select,
} from '../../src/index.js';
import { describeMechanism } from '../../src/mechanism/pairs.js';
import { pathsOf } from '../../src/mechanism/paths.js';
import { type Step, stepsOf } from '../../src/mechanism/steps.js';
import { report } from '../../src/report/index.js';
import { relativeWidth } from '../helpers/brackets.js';
import { reference, wasm } from '../helpers/runs.js';

const NORMAL = gaussian({ noiseMultiplier: 2 });
const LAPLACE = laplace({ scale: 1.5, sensitivity: 1 });
const pathsUnder = (mechanism: Mechanism, adjacency: Adjacency) =>
  pathsOf(mechanism, stepsOf(mechanism), adjacency) ?? [];

/** A sum with noise P[Z = z] ∝ e^{−|z|/scale}. The ends of the range have all that lies behind them. */
const MOST = 45;
function noisySum(scale: number): (sum: number) => number[] {
  const w = Math.exp(-1 / scale);
  return (sum) =>
    Array.from({ length: 2 * MOST + 1 }, (_, i) => {
      const z = i - MOST - sum;
      return ((i === 0 || i === 2 * MOST ? 1 : 1 - w) * w ** Math.abs(z)) / (1 + w);
    });
}

/** δ(ε) of two laws. */
const divergence = (p: readonly number[], q: readonly number[], epsilon: number): number =>
  p.reduce((sum, mass, i) => sum + Math.max(0, mass - Math.exp(epsilon) * q[i]), 0);

const product = (laws: readonly number[][]): number[] =>
  laws.reduce((all, law) => all.flatMap((a) => law.map((b) => a * b)), [1]);

/** A record, in its part: it adds 1 to that part's sum, or takes 1 from it. */
interface Given {
  readonly part: number;
  readonly value: 1 | -1;
}

/** The laws of all neighbouring data sets of at most two records, of sums of each part with its own noise; of those alone that move to another part, if asked. */
function neighbours(scales: readonly number[], replaced: boolean, moved = false): [number[], number[]][] {
  const parts = scales.map(noisySum);
  const records = scales.flatMap((_, part): Given[] => [
    { part, value: 1 },
    { part, value: -1 },
  ]);
  const lawOf = (set: readonly Given[]): number[] =>
    product(
      parts.map((law, part) =>
        law(set.reduce((sum, given) => sum + (given.part === part ? given.value : 0), 0)),
      ),
    );
  const pairs: [number[], number[]][] = [];
  for (const others of [[], ...records.map((one) => [one])])
    for (const record of records)
      for (const other of replaced ? records.map((one) => [...others, one]) : [others]) {
        if (moved && other.at(-1)?.part === record.part) continue;
        const [p, q] = [lawOf([...others, record]), lawOf(other)];
        pairs.push([p, q], [q, p]);
      }
  return pairs;
}

describe('disjoint parts', () => {
  const SCALES = [1.3, 2.1];
  const counts = parallel({
    parts: SCALES.map((scale) => discreteLaplace({ scale, sensitivity: 1 })),
  });

  test.each([
    ['add-remove', false],
    ['replace-one', true],
  ] as const)(
    'every data set, neighbour and rule, in exact sums: the worst is the answer, %s',
    (adjacency, replaced) => {
      const all = neighbours(SCALES, replaced);
      for (const epsilon of [0, 0.5, 0.76, 1.2]) {
        const worst = Math.max(...all.map(([p, q]) => divergence(p, q, epsilon)));
        for (const engine of [wasm, reference]) {
          const own = account(engine, counts, { adjacency }).delta(epsilon);
          expect(own.lower).toBeLessThanOrEqual(worst + 1e-9);
          expect(own.upper).toBeGreaterThanOrEqual(worst - 1e-9);
          expect(own.upper - own.lower).toBeLessThan(1e-9);
        }
      }
    },
  );

  test('a replaced record may leave each part and enter any other', () => {
    const parts = [NORMAL, compose([NORMAL, LAPLACE]), gaussian({ noiseMultiplier: 3 })];
    const paths = pathsUnder(parallel({ parts }), 'replace-one');
    const crossing = paths.filter(({ steps }) => steps.some(({ crosses }) => crosses));
    const told = (steps: readonly Step[]): string =>
      JSON.stringify(steps.map(({ mechanism, count }) => [mechanism, count]));
    const pairs = [
      [0, 1],
      [0, 2],
      [1, 2],
    ].map((pair) => told(stepsOf(compose(pair.map((i) => parts[i]!)))));
    expect(crossing.map(({ steps }) => told(steps)).sort()).toEqual(pairs.sort());
    // of noise on all records, what is left and what is entered compose as any two releases
    const moved = neighbours(SCALES, true, true);
    const both = compose(SCALES.map((scale) => discreteLaplace({ scale, sensitivity: 1 })));
    for (const epsilon of [0, 0.5, 0.76, 1.2]) {
      const worst = Math.max(...moved.map(([p, q]) => divergence(p, q, epsilon)));
      const { lower, upper } = account(wasm, both, { adjacency: 'add-remove' }).delta(epsilon);
      expect(lower).toBeLessThanOrEqual(worst + 1e-9);
      expect(upper).toBeGreaterThanOrEqual(worst - 1e-9);
    }
  });

  test('values of ten digits', () => {
    const DIGITS = { tolerance: 1e-9 };
    const run = account(wasm, parallel({ parts: [NORMAL, LAPLACE] }), DIGITS);
    expect(run.epsilon(1e-5).upper).toBeCloseTo(1.993091404, 9);
    expect(run.epsilon(0.05).upper).toBeCloseTo(0.5640800778, 9);
    expect(run.delta(0.5).upper).toBeCloseTo(0.07995558537, 10);
    const more = account(
      wasm,
      compose([parallel({ parts: [NORMAL, LAPLACE] }), gaussian({ noiseMultiplier: 4 })]),
      DIGITS,
    );
    expect(more.epsilon(1e-5).upper).toBeCloseTo(2.258145363, 9);
    expect(more.epsilon(0.05).upper).toBeCloseTo(0.6815991603, 9);
    expect(more.delta(0.5).upper).toBeCloseTo(0.103334472, 9);
  });

  test('the largest is taken after composition, not before', () => {
    const two = account(wasm, repeat(parallel({ parts: [NORMAL, LAPLACE] }), 2));
    const ways = [repeat(NORMAL, 2), compose([NORMAL, LAPLACE]), repeat(LAPLACE, 2)].map((way) =>
      account(wasm, way),
    );
    for (const epsilon of [0, 0.3, 1, 2.5]) {
      const found = two.delta(epsilon);
      const [lower, upper] = (['lower', 'upper'] as const).map((end) =>
        Math.max(...ways.map((way) => way.delta(epsilon)[end])),
      );
      // both are as narrow as was asked for, by other ways
      expect(found).toOverlap({ lower: lower!, upper: upper! });
      expect(Math.max(relativeWidth(found), relativeWidth({ lower: lower!, upper: upper! }))).toBeLessThan(
        1e-6,
      );
    }
    const mu = two.settings.tailMu;
    expect(mu.lower).toBeLessThanOrEqual(Math.SQRT1_2);
    expect(mu.upper).toBeGreaterThanOrEqual(Math.SQRT1_2);
  });

  test('repeats are all multisets of parts', () => {
    const three = parallel({ parts: [NORMAL, LAPLACE, randomizedResponse({ epsilon: 0.4, categories: 3 })] });
    expect(pathsUnder(repeat(three, 4), 'add-remove')).toHaveLength(15);
    expect(pathsUnder(compose([three, NORMAL, three]), 'zero-out')).toHaveLength(6);
    expect(() => account(wasm, repeat(three, 30))).toThrow('at most 256 ways through all steps, got 496');
    expect(() => account(wasm, repeat(parallel({ parts: [NORMAL, LAPLACE] }), 2 ** 40))).toThrow('256 ways');
  });

  test('a part that is no worse than another one is left out, and no other', () => {
    const less = gaussian({ noiseMultiplier: 3 });
    const same = parallel({ parts: [less, NORMAL, NORMAL, less] });
    expect(account(wasm, same).epsilon(1e-5)).toEqual(account(wasm, NORMAL).epsilon(1e-5));
    const counted = parallel({ parts: [repeat(less, 3), repeat(NORMAL, 2), repeat(LAPLACE, 2), LAPLACE] });
    const kept = pathsUnder(counted, 'add-remove').map(({ steps }) => steps.map(({ count }) => count));
    expect(kept.sort()).toEqual([[2], [2], [3]]);
    // another sensitivity is another family
    expect(
      pathsUnder(parallel({ parts: [LAPLACE, laplace({ scale: 2, sensitivity: 1.1 })] }), 'add-remove'),
    ).toHaveLength(2);
  });

  test('a thousand parts are looked at once each', () => {
    const regions = Array.from({ length: 1000 }, (_, i) => gaussian({ noiseMultiplier: 2 + (i % 20) / 10 }));
    const run = account(wasm, parallel({ parts: regions }), { adjacency: 'replace-one' });
    const within = account(wasm, NORMAL, { adjacency: 'replace-one' });
    expect(run.delta(0.5).upper).toBeCloseTo(within.delta(0.5).upper, 12);
    const unlike = Array.from({ length: 1000 }, (_, i) => laplace({ scale: 2, sensitivity: 1 + i / 1000 }));
    expect(() => account(wasm, parallel({ parts: unlike }))).toThrow(
      'at most 256 ways through all steps, got 257',
    );
    expect(() => account(wasm, parallel({ parts: unlike }), { adjacency: 'replace-one' })).toThrow(
      'got 499500',
    );
  });

  test('what says how narrow an answer is counts the mesh of a part', () => {
    const [mesh] = [joint({ parts: [NORMAL, LAPLACE] })];
    const alone = account(wasm, mesh);
    const beside = account(wasm, parallel({ parts: [mesh, gaussian({ noiseMultiplier: 20 })] }));
    expect(beside.epsilon(1e-5)).toOverlap(alone.epsilon(1e-5));
    expect(relativeWidth(beside.epsilon(1e-5))).toBeLessThan(1e-6);
    expect(beside.limitedBy).toBe(alone.limitedBy);
  });

  test('neither the order of parts nor that of steps changes a bit', () => {
    const [a, b] = [parallel({ parts: [NORMAL, LAPLACE] }), parallel({ parts: [LAPLACE, NORMAL] })];
    const ways = [compose([repeat(a, 2), LAPLACE]), compose([LAPLACE, b, b])];
    const [first, second] = ways.map((way) => account(wasm, way, { adjacency: 'replace-one' }));
    expect(first.delta(0.7)).toEqual(second.delta(0.7));
    expect(first.epsilon(1e-6)).toEqual(second.epsilon(1e-6));
  });

  test('parts may be runs, searches and disjoint parts themselves', () => {
    const run = dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 100 });
    const search = select({ runs: { kind: 'negative-binomial', eta: 1, mean: 3 }, inner: NORMAL });
    for (const part of [run, search, parallel({ parts: [run, pureDp({ epsilon: 1 })] })]) {
      const own = account(wasm, part).delta(0.4);
      const other = account(wasm, LAPLACE).delta(0.4);
      const found = account(wasm, parallel({ parts: [LAPLACE, part] })).delta(0.4);
      expect(found.upper).toBeGreaterThanOrEqual(Math.max(own.lower, other.lower));
      expect(found.lower).toBeLessThanOrEqual(Math.max(own.upper, other.upper));
      expect(found.upper).toBeLessThanOrEqual(Math.max(own.upper, other.upper) * (1 + 1e-6));
    }
  });

  test('what says nothing of a record that moves is refused under replace-one', () => {
    const refused = (part: Mechanism): (() => unknown) => {
      const mechanism = parallel({ parts: [LAPLACE, part] });
      return () => account(wasm, mechanism, { adjacency: 'replace-one' });
    };
    const sampled = dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 100 });
    expect(refused(sampled)).toThrow('disjoint parts with poisson');
    expect(refused(pureDp({ epsilon: 1 }))).toThrow('disjoint parts with pure-dp');
    expect(refused(parallel({ parts: [NORMAL, NORMAL] }))).toThrow('of their own under replace-one');
    expect(refused(NORMAL)).not.toThrow();
  });

  test('divergences and what a budget is charged are the largest over parts', () => {
    const parts = [NORMAL, compose([LAPLACE, gaussian({ noiseMultiplier: 5 })])];
    const both = parallel({ parts });
    for (const adjacency of ['add-remove', 'zero-out'] as const) {
      const most = (of: (part: Mechanism) => number): number => Math.max(...parts.map(of));
      expect(renyiDivergence(both, 3, adjacency)).toBe(most((part) => renyiDivergence(part, 3, adjacency)));
      expect(zcdpRho(both, adjacency)).toBe(most((part) => zcdpRho(part, adjacency)));
    }
    for (const budget of ['gdp', 'zcdp'] as const) {
      const spent = (mechanism: Mechanism, adjacency: Adjacency): number =>
        chargesOf(mechanism, budget, adjacency).reduce(
          (sum, { spending: { kind, ...cost }, count }) =>
            sum +
            count *
              (kind === 'gdp' ? Number(Object.values(cost)[0]) ** 2 / 2 : Number(Object.values(cost)[0])),
          0,
        );
      const dearest = Math.max(...parts.map((part) => spent(part, 'add-remove')));
      const own = spent(repeat(both, 3), 'add-remove');
      expect(own).toBeGreaterThanOrEqual(3 * dearest);
      expect(own).toBeLessThanOrEqual(3 * dearest * (1 + 1e-12));
      // replaced: twice the noise's reach within a part, or once in each of two
      const moved = parts.reduce((sum, part) => sum + spent(part, 'add-remove'), 0);
      const replaced = Math.max(moved, ...parts.map((part) => spent(part, 'replace-one')));
      expect(spent(both, 'replace-one')).toBeGreaterThanOrEqual(replaced);
      expect(spent(both, 'replace-one')).toBeLessThanOrEqual(replaced * (1 + 1e-12));
    }
  });

  test('a report says what is run on each part, and how its records are drawn', () => {
    const sampled = dpSgd({ noiseMultiplier: 1, samplingRate: 0.01, steps: 100 });
    const run = account(wasm, parallel({ parts: [sampled, poissonSubsampled(LAPLACE, { rate: 0.1 })] }));
    expect(report(run).sampling).toBe('poisson');
    expect(describeMechanism(run.settings.mechanism as never)).toBe(
      'on disjoint parts: (100 times Gaussian, noise multiplier 1, sampling rate 0.01) or (Laplace, scale 1.5, sensitivity 1, sampling rate 0.1)',
    );
  });

  test('refusals name what is wrong', () => {
    const both = parallel({ parts: [NORMAL, LAPLACE] });
    expect(() => parallel({ parts: [] })).toThrow('"parts" must be one mechanism or more');
    expect(() => poissonSubsampled(both as never, { rate: 0.1 })).toThrow(
      '"inner" must be a single mechanism',
    );
    expect(() => joint({ parts: [both] })).toThrow('"parts"');
    expect(() => parseMechanism({ kind: 'parallel' })).toThrow('parts');
    const search = select({ runs: { kind: 'fixed', count: 3 }, inner: both });
    expect(() => account(wasm, search).epsilon(1e-5)).toThrow('disjoint parts');
    expect(parseMechanism(JSON.parse(JSON.stringify(both)))).toEqual(both);
  });
});
