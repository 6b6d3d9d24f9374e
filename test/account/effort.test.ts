import { describe, expect, test } from 'vitest';
import { convert } from '../../src/convert/index.js';
import {
  account,
  compose,
  discreteGaussian,
  dpSgd,
  type Engine,
  gaussian,
  laplace,
  measure,
  parseMechanism,
  repeat,
  runTradeoff,
  tensor,
} from '../../src/index.js';
import { Allowance } from '../../src/numeric/meter.js';
import { ALLOWANCE } from '../../src/numeric/prices.js';
import { seeded } from '../helpers/random.js';
import { mechanismOfKind, type RandomMechanism, randomMechanism } from '../helpers/random-mechanisms.js';
import { reference, wasm } from '../helpers/runs.js';

type Run = ReturnType<typeof account>;

const QUESTIONS: readonly ((run: Run) => unknown)[] = [
  (run) => run.epsilon(1e-5),
  (run) => run.logDelta(0.5),
  (run) => run.logDelta(-0.3),
  (run) => run.truePositiveRate(1e-3),
  (run) => run.tradeoff(0.9),
  (run) => measure(run),
];

/** An answer, what it cost and whether it was limited. */
function asked(run: Run, k: number): unknown {
  const answer = QUESTIONS[k](run);
  return { answer, cost: run.cost, limitedBy: run.limitedBy };
}

function accounted({ mechanism, adjacency }: RandomMechanism, effort: number, engine: Engine = wasm): Run {
  return account(engine, mechanism, { adjacency, effort });
}

/** Questions in a random order, each twice. */
function shuffled(random: () => number): number[] {
  const all = [...QUESTIONS.keys(), ...QUESTIONS.keys()].map((k) => ({ k, at: random() }));
  return all.sort((a, b) => a.at - b.at).map(({ k }) => k);
}

/** No more answers than fit into this much work are followed at the usual effort. */
const KINDS = ['poisson-subsampled', 'laplace', 'select', 'balls-and-bins', 'gaussian-mixture', 'zcdp'];

test('a thousand unlike lattices by contours alone end with the allowance', () => {
  const steps = Array.from({ length: 1000 }, (_, i) =>
    discreteGaussian({ sigma: 1 + i / 500, sensitivity: 1 }),
  );
  const effort = 0.02;
  const run = account(wasm, compose(steps), { adjacency: 'add-remove', method: 'spectral', effort });
  run.epsilon(1e-5);
  expect(run.cost).toBeLessThan(1.2 * effort * ALLOWANCE);
  expect(run.limitedBy).toBe('effort');
});

describe.each([1e-3, 1e-2])('effort %f', (effort) => {
  test.each([11, 12, 13, 14, 15, 16])(
    'the order of questions changes neither a bit nor a unit, in both engines: seed %i',
    (seed) => {
      const random = seeded(seed);
      const one = randomMechanism(random);
      const alone = [...QUESTIONS.keys()].map((k) => asked(accounted(one, effort), k));
      for (const engine of [wasm, reference]) {
        const shared = accounted(one, effort, engine);
        for (const k of shuffled(random)) expect(asked(shared, k), `question ${k}`).toEqual(alone[k]);
      }
    },
  );

  test.each(KINDS)('both engines charge the same: %s', (kind) => {
    const one = mechanismOfKind(kind, seeded(3));
    for (const k of QUESTIONS.keys()) {
      const [a, b] = [wasm, reference].map((engine) => {
        const run = accounted(one, effort, engine);
        QUESTIONS[k](run);
        return { cost: run.cost, limitedBy: run.limitedBy };
      });
      expect(a).toEqual(b);
    }
  });
});

test('at the usual effort a question costs the same with all caches full', () => {
  const run = account(wasm, dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 }), {
    adjacency: 'add-remove',
  });
  const first = QUESTIONS.map((_, k) => asked(run, k));
  expect(QUESTIONS.map((_, k) => asked(run, k))).toEqual(first);
});

test.each([
  [1, 0.2, 3],
  [1.1, 0.01, 1000],
])(
  'a hundred values of one curve pay for its lines once: noise %f, rate %f, %i steps',
  (noise, rate, steps) => {
    const run = account(wasm, dpSgd({ noiseMultiplier: noise, samplingRate: rate, steps }), {
      adjacency: 'add-remove',
      tolerance: 1e-9,
    });
    run.logDelta(0.2);
    const one = run.cost;
    run.question(() => Array.from({ length: 100 }, (_, i) => run.logDelta(0.2 + i / 1000)));
    expect(run.cost).toBeLessThan(2 * one);
  },
);

test('less effort gives wider brackets that hold, says so, and costs little more than it may', () => {
  const mechanism = compose([
    repeat(laplace({ scale: 3, sensitivity: 1 }), 7),
    dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 }),
  ]);
  const exact = account(wasm, mechanism, { adjacency: 'add-remove', effort: Infinity }).epsilon(1e-6);
  for (const effort of [1e-6, 1e-5, 1e-4, 1e-3]) {
    const run = account(wasm, mechanism, { adjacency: 'add-remove', effort });
    const { lower, upper } = run.epsilon(1e-6);
    expect(lower).toBeLessThanOrEqual(exact.lower + 1e-9);
    expect(upper).toBeGreaterThanOrEqual(exact.upper - 1e-9);
    expect(upper).toBeLessThan(Infinity);
    expect(run.limitedBy === 'effort').toBe(upper - lower > 1e-6 * upper);
    expect(run.cost).toBeLessThan(ALLOWANCE * effort + 5e7);
  }
});

test('what costs nothing is never limited', () => {
  const run = account(wasm, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove', effort: 1e-6 });
  expect(run.epsilon(1e-5).upper).toBeCloseTo(1.993, 2);
  expect(run.limitedBy).not.toBe('effort');
});

test('forty unlike phases are as sharp as one', () => {
  const phases = Array.from({ length: 40 }, (_, i) =>
    dpSgd({ noiseMultiplier: 0.8 + i / 30, samplingRate: 0.01, steps: 50 }),
  );
  const [run, spectral] = (['auto', 'spectral'] as const).map((method) =>
    account(wasm, compose(phases), { adjacency: 'add-remove', method }),
  );
  const [known, other] = [run!, spectral!].map((of) => of.epsilon(1e-5));
  expect(known!.upper - known!.lower).toBeLessThan(1e-11 * known!.upper);
  expect(known!.lower).toBeLessThanOrEqual(other!.upper);
  expect(known!.upper).toBeGreaterThanOrEqual(other!.lower);
});

test('300 unlike phases of little noise and rare large losses are sharp at the usual effort', () => {
  const phases = Array.from({ length: 300 }, (_, i) => {
    const at = 0.8 + (0.4 * i) / 300;
    return dpSgd({ noiseMultiplier: 0.962 * at, samplingRate: 2.55e-4 * at, steps: 9 });
  });
  const run = account(wasm, compose(phases), { adjacency: 'add-remove', tolerance: 1e-6 });
  const { lower, upper } = run.epsilon(1e-5);
  expect(upper - lower).toBeLessThan(1e-6 * upper);
  expect(run.limitedBy).not.toBe('effort');
  // all as the worst and the best of them
  const [worst, best] = [
    [0.8, 1.2],
    [1.2, 0.8],
  ].map(([noise, rate]) =>
    account(wasm, dpSgd({ noiseMultiplier: 0.962 * noise!, samplingRate: 2.55e-4 * rate!, steps: 2700 }), {
      adjacency: 'add-remove',
    }).epsilon(1e-5),
  );
  expect(upper).toBeLessThanOrEqual(worst!.upper);
  expect(lower).toBeGreaterThanOrEqual(best!.lower);
});

test.each([0, -1, 1e-7, Number.NaN, '1' as unknown as number])(
  'an effort of %s is refused by name',
  (effort) => {
    expect(() =>
      account(wasm, gaussian({ noiseMultiplier: 2 }), { adjacency: 'add-remove', effort }),
    ).toThrow(/"effort" must be a number >= 1e-6, or Infinity, got/);
  },
);

test('products of trade-off functions end too, where their allowance is spent', () => {
  const release = runTradeoff(
    account(wasm, laplace({ scale: 1, sensitivity: 1 }), { adjacency: 'add-remove' }),
  );
  const product = tensor(wasm, [{ f: release, count: 10 }], { tolerance: 1e-9 });
  const spent = new Allowance(1e5).ask(() => measure(product));
  const { mu } = measure(product);
  expect(spent.mu.lower).toBeLessThanOrEqual(mu.upper);
  expect(spent.mu.upper).toBeGreaterThanOrEqual(mu.lower);
});

test('a conversion ends with its allowance, not with the tests it could make', () => {
  const noiseMultiplier = 6.815325596149925;
  const inner = {
    kind: 'capped-poisson',
    noiseMultiplier,
    rate: 0.0098496837411631,
    datasetSize: 30,
    batchCap: 1,
  };
  for (const engine of [wasm, reference]) {
    const mechanism = parseMechanism({ kind: 'repeat', count: 8, inner });
    const run = account(engine, mechanism, { adjacency: 'zero-out', effort: 0.01 });
    const [mu] = convert(engine, run, { kind: 'gdp' }).values;
    expect(run.limitedBy).toBe('effort');
    expect(run.cost).toBeLessThan(0.01 * ALLOWANCE * 4);
    expect(mu.lower).toBeLessThanOrEqual(mu.upper);
  }
});

test('the point of a trade-off curve where the loss is near its mean costs no more than those around it', () => {
  const run = account(wasm, dpSgd({ noiseMultiplier: 40, samplingRate: 2 ** 14 / 60_000, steps: 906 }), {
    adjacency: 'add-remove',
  });
  const curve = runTradeoff(run);
  for (const alpha of [0.33, 0.35, 0.359375, 0.37]) {
    const allowance = new Allowance(1e11);
    allowance.ask(() => curve.fnr(alpha));
    // 1.4e9 where deeper stages are made in vain
    expect(allowance.cost, `${alpha}`).toBeLessThan(5e6);
  }
});
