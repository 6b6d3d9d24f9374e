import { describe, expect, it } from 'vitest';
import {
  compose,
  dpSgd,
  gaussian,
  laplace,
  type Mechanism,
  poissonSubsampled,
  pureDp,
  randomizedResponse,
  repeat,
} from '../../src/index.js';
import { normalCdf } from '../../src/numeric/scalar.js';
import { alternatives } from '../../src/report/index.js';
import { worstShuffled } from '../../src/report/shuffled.js';
import { seeded } from '../helpers/random.js';
import { runOf, wasm } from '../helpers/runs.js';

interface Stretch {
  readonly batch: number;
  readonly steps: number;
}

/** How a loader goes on: at which stretches it shuffles anew, and whether it hands out what is left of a pass. */
interface Loader {
  readonly restarts: readonly boolean[];
  readonly keepsLast: boolean;
}

/** For every pass the stretch of each position in its order; −1 where the position is in no batch. */
function passesOf(
  records: number,
  stretches: readonly Stretch[],
  { restarts, keepsLast }: Loader,
): number[][] {
  const passes: number[][] = [];
  let used = records;
  for (const [i, { batch, steps }] of stretches.entries()) {
    if (restarts[i]) used = records;
    for (let step = 0; step < steps; step++) {
      const left = records - used;
      if (left < batch && !(keepsLast && left > 0)) {
        passes.push(Array(records).fill(-1));
        used = 0;
      }
      const end = Math.min(records, used + batch);
      passes.at(-1)!.fill(i, used, end);
      used = end;
    }
  }
  return passes;
}

/** How often a record meets each stretch, for every position that it can have in every pass. */
function meetings(passes: readonly number[][], stretches: number): number[][] {
  let reached = new Set([Array(stretches).fill(0).join()]);
  for (const pass of passes) {
    const next = new Set<string>();
    for (const key of reached) {
      for (const stretch of pass) {
        const counts = key.split(',').map(Number);
        if (stretch >= 0) counts[stretch]++;
        next.add(counts.join());
      }
    }
    reached = next;
  }
  return [...reached].map((key) => key.split(',').map(Number));
}

/** All loaders and rates under which a schedule may be accounted for. */
function* settings(
  records: number,
  stretches: readonly Stretch[],
): Generator<{ loader: Loader; rates: number[] }> {
  for (let bits = 0; bits < 2 ** (stretches.length - 1); bits++) {
    const restarts = stretches.map((_, i) => i === 0 || ((bits >> (i - 1)) & 1) === 1);
    for (const keepsLast of [false, true]) {
      const loader = { restarts, keepsLast };
      yield { loader, rates: stretches.map(({ batch }) => batch / records) };
      // Opacus: one over the number of batches of a pass
      const whole = keepsLast ? Math.ceil : Math.floor;
      yield { loader, rates: stretches.map(({ batch }) => 1 / whole(records / batch)) };
    }
  }
}

const squareOf = (counts: readonly number[], weights: readonly number[]): number =>
  counts.reduce((sum, count, i) => sum + count * weights[i], 0);

/** Σ steps·weight of the bound, a step's weight being that of its mechanism. */
function boundOf(mechanism: Mechanism, weightOf: Map<string, number>): number {
  return worstShuffled(mechanism).reduce(
    (sum, met) => sum + met.steps * weightOf.get(JSON.stringify(met.mechanism))!,
    0,
  );
}

/** Every schedule of up to `stretches` stretches with these batch sizes and numbers of steps. */
function* schedules(
  stretches: number,
  batches: readonly number[],
  steps: readonly number[],
): Generator<Stretch[]> {
  if (stretches === 0) {
    yield [];
    return;
  }
  for (const rest of schedules(stretches - 1, batches, steps))
    for (const batch of batches) for (const count of steps) yield [...rest, { batch, steps: count }];
}

describe('the worst a record can meet in shuffled passes', () => {
  const orders = [
    [1, 2, 3],
    [1, 3, 2],
    [2, 1, 3],
    [2, 3, 1],
    [3, 1, 2],
    [3, 2, 1],
  ];

  it.each([
    [1, 5, [1, 2, 3, 5], [1, 2, 3, 4, 7, 11]],
    [2, 4, [1, 2, 3, 4], [1, 2, 3, 5]],
    [2, 6, [1, 2, 4], [1, 4, 6, 9]],
    [3, 3, [1, 2], [1, 2, 4]],
    [3, 4, [1, 3], [1, 3, 5]],
  ])(
    '%d stretches over %d records: every position in every shuffle',
    (stretches, records, batches, steps) => {
      let attained = 0;
      let most = 0;
      for (const schedule of schedules(stretches, batches, steps)) {
        const vectors = new Map<string, number[][]>();
        for (const { loader, rates } of settings(records, schedule)) {
          const key = JSON.stringify(loader);
          const met = vectors.get(key) ?? meetings(passesOf(records, schedule, loader), stretches);
          vectors.set(key, met);
          for (const order of orders) {
            const sigmas = schedule.map((_, i) => order[i]);
            const mechanism = compose(
              schedule.map(({ steps: count }, i) =>
                dpSgd({ noiseMultiplier: sigmas[i], samplingRate: rates[i], steps: count }),
              ),
            );
            const weightOf = new Map(
              sigmas.map((sigma) => [JSON.stringify(gaussian({ noiseMultiplier: sigma })), sigma ** -2]),
            );
            // composed, a record's steps are one Gaussian of μ² = Σ 1/σ²
            const bound = boundOf(mechanism, weightOf);
            const exact = Math.max(
              ...met.map((counts) =>
                squareOf(
                  counts,
                  sigmas.map((s) => s ** -2),
                ),
              ),
            );
            if (exact > bound * (1 + 1e-12))
              expect.fail(
                `${exact} > ${bound}: ${JSON.stringify({ schedule, loader, rates, sigmas, records })}`,
              );
            most++;
            if (exact >= bound * (1 - 1e-12)) attained++;
          }
        }
      }
      expect(most).toBeGreaterThan(100);
      // loaders that do not restart, or hand out short batches, mostly meet less
      expect(attained / most).toBeGreaterThan(0.15);
    },
  );

  it('holds for mechanisms of which neither is the worse', () => {
    const random = seeded(7);
    const records = 4;
    for (let round = 0; round < 60; round++) {
      const schedule = Array.from({ length: 3 }, () => ({
        batch: 1 + Math.floor(random() * 3),
        steps: 1 + Math.floor(random() * 6),
      }));
      const releases = schedule.map(() =>
        random() < 0.5
          ? gaussian({ noiseMultiplier: 1 + Math.floor(random() * 3) })
          : laplace({ scale: 1 + Math.floor(random() * 3), sensitivity: 1 }),
      );
      const mechanism = compose(
        schedule.map(({ batch, steps }, i) =>
          repeat(poissonSubsampled(releases[i], { rate: batch / records }), steps),
        ),
      );
      // any privacy loss that adds up and grows with the strength within a kind
      const [a, b] = [random(), random()];
      const weightOf = new Map(
        releases.map((release) => [
          JSON.stringify(release),
          release.kind === 'gaussian' ? a / release.noiseMultiplier ** 2 : b / release.scale,
        ]),
      );
      const weights = releases.map((release) => weightOf.get(JSON.stringify(release))!);
      const bound = boundOf(mechanism, weightOf);
      for (const { loader } of settings(records, schedule))
        for (const counts of meetings(passesOf(records, schedule, loader), 3))
          expect(squareOf(counts, weights)).toBeLessThanOrEqual(bound * (1 + 1e-12));
    }
  });

  it('does not order randomised response of many answers by epsilon alone', () => {
    const records = 4;
    const releases = [pureDp({ epsilon: 1 }), randomizedResponse({ epsilon: 1.01, categories: 50 })];
    // mean losses add up: (p − q) log(p/q) over the two answers that tell, of as many as there are
    const weights = [2, 50].map((answers, i) => {
      const { epsilon } = releases[i];
      return (epsilon * Math.expm1(epsilon)) / (Math.exp(epsilon) + answers - 1);
    });
    const weightOf = new Map(releases.map((release, i) => [JSON.stringify(release), weights[i]]));
    for (const schedule of schedules(2, [1, 2], [1, 2, 3, 5])) {
      const mechanism = compose(
        schedule.map(({ batch, steps }, i) =>
          repeat(poissonSubsampled(releases[i], { rate: batch / records }), steps),
        ),
      );
      const bound = boundOf(mechanism, weightOf);
      for (const { loader } of settings(records, schedule))
        for (const counts of meetings(passesOf(records, schedule, loader), 2))
          expect(squareOf(counts, weights)).toBeLessThanOrEqual(bound * (1 + 1e-12));
    }
  });

  const stepsOf = (mechanism: Mechanism) =>
    worstShuffled(mechanism).reduce((sum, { steps }) => sum + steps, 0);
  const phase = (noiseMultiplier: number, samplingRate: number, steps: number) =>
    dpSgd({ noiseMultiplier, samplingRate, steps });

  it('counts one phase by its passes, however its rate was rounded', () => {
    for (let batches = 1; batches <= 300; batches++) {
      expect(stepsOf(phase(1, 1 / batches, 3 * batches))).toBe(3);
      expect(stepsOf(phase(1, 1 / batches, 3 * batches + 1))).toBe(4);
    }
    expect(stepsOf(phase(1, 2 / 7, 7))).toBe(3);
    expect(stepsOf(phase(1, 1e-300, 2 ** 50))).toBe(1);
    expect(stepsOf(phase(1, 0, 10))).toBe(0);
    expect(stepsOf(phase(1, 1, 2 ** 52))).toBe(2 ** 52);
  });

  it('keeps to the order of the run', () => {
    const [a, b] = [phase(20, 0.1, 5), phase(1, 0.1, 10)];
    const met = (mechanism: Mechanism) => worstShuffled(mechanism).map(({ steps }) => steps);
    expect(met(compose([a, b]))).toEqual([2, 0]);
    // the run begins with a pass, so the ten steps are one
    expect(met(compose([b, a]))).toEqual([1, 1]);
  });

  it('is quick and bounded for repeated and for very many phases', () => {
    const both = compose([phase(2, 0.1, 5), phase(1, 0.1, 5)]);
    // one step of the louder phase in every pair, and none of the other unless the loader restarts each time
    expect(stepsOf(repeat(both, 1000))).toBe(2000);
    expect(stepsOf(repeat(both, 1e9))).toBeGreaterThanOrEqual(2e9);
    expect(stepsOf(repeat(both, 1e9))).toBeLessThanOrEqual(4e9);
    expect(stepsOf(repeat(repeat(compose([]), 1e9), 1e6))).toBe(0);
    const schedule = compose(Array.from({ length: 20_000 }, (_, i) => phase(1 + i * 1e-5, 0.01, 1)));
    expect(stepsOf(schedule)).toBe(20_000);
  });
});

/** δ of N(μ, 1) against N(0, 1) at ε ≥ 0, plainly: good to 1e-12 here. */
const gaussianDelta = (mu: number, epsilon: number) =>
  normalCdf(mu / 2 - epsilon / mu) - Math.exp(epsilon) * normalCdf(-mu / 2 - epsilon / mu);

describe('the alternative of a report', () => {
  it('of unlike phases covers a record in two of the louder steps', () => {
    const run = runOf(
      [
        [20, 0.1, 5],
        [1, 0.1, 10],
      ],
      { tolerance: 0.1 },
    );
    const [row] = alternatives(wasm, run, { deltas: [1e-5] });
    expect(row.how).toContain('at most 2 steps');
    const { upper } = row.numbers!.epsilonAtDelta[0].epsilon;
    expect(upper).toBeGreaterThan(6.57296);
    expect(Math.abs(gaussianDelta(Math.SQRT2, upper) / 1e-5 - 1)).toBeLessThan(1e-2);
  });
});
