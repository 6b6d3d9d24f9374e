import { describe, expect, it, test } from 'vitest';
import {
  account,
  adaptiveClipping,
  dpSgd,
  gaussian,
  type Mechanism,
  parseMechanism,
  poissonSubsampled,
  repeat,
} from '../../src/index.js';
import { gdp } from '../cli/harness.js';
import { reference, wasm } from '../helpers/runs.js';

const SHARE = { centred: 0.5, raw: 1 } as const;

const density = (x: number, mean: number, sd: number): number =>
  Math.exp(-(((x - mean) / sd) ** 2) / 2) / (sd * Math.sqrt(2 * Math.PI));

/** δ(ε) of one sampled step from the densities of (sum, count) in the plane, by the rule of rectangles; without and with the record. */
function deltaInThePlane(
  [z, countNoise, share, rate]: readonly [number, number, number, number],
  epsilon: number,
): readonly [remove: number, add: number] {
  const [h, k] = [z / 100, countNoise / 100];
  const along = (step: number, mean: number, sd: number): Float64Array =>
    Float64Array.from({ length: 1800 }, (_, i) => step * density((i - 800) * step, mean, sd));
  const [x0, x1] = [along(h, 0, z), along(h, 1, z)];
  const [y0, y1] = [along(k, 0, countNoise), along(k, share, countNoise)];
  const slope = Math.exp(epsilon);
  let [remove, add] = [0, 0];
  for (let i = 0; i < 1800; i++)
    for (let j = 0; j < 1800; j++) {
      const without = x0[i]! * y0[j]!;
      const present = (1 - rate) * without + rate * x1[i]! * y1[j]!;
      remove += Math.max(0, present - slope * without);
      add += Math.max(0, without - slope * present);
    }
  return [remove, add];
}

test('a noisy sum and a noisy count of one sample, integrated in the plane', () => {
  for (const engine of [wasm, reference])
    for (const count of ['centred', 'raw'] as const)
      for (const [z, countNoise, rate, epsilon] of [
        [1, 2, 0.2, 0.3],
        [0.8, 0.6, 0.5, 0.5],
        [2, 1, 1, 0.4],
      ] as const) {
        const step = adaptiveClipping({ noiseMultiplier: z, countNoise, count });
        const run = account(engine, poissonSubsampled(step, { rate }), { adjacency: 'add-remove' });
        const exact = deltaInThePlane([z, countNoise, SHARE[count], rate], epsilon);
        const [remove, add] = ['remove', 'add'].map((side) =>
          run.directions.find(({ direction }) => direction === side),
        );
        // a corner of the integrand costs the rule of rectangles about the square of its step
        const near = { absolute: 1.5e-6 };
        expect(run.delta(epsilon)).toContainValue(Math.max(...exact), near);
        for (const [one, value] of [
          [remove, exact[0]],
          [add, exact[1]],
        ] as const) {
          if (one === undefined) continue;
          const { lower, upper } = one.logDelta(epsilon, 1e-9);
          expect({ lower: Math.exp(lower), upper: Math.exp(upper) }).toContainValue(value, near);
        }
      }
});

describe('adaptive clipping', () => {
  it('has the bits of DP-SGD at the effective noise', () => {
    for (const [count, effective] of [
      ['centred', 1.1 / Math.sqrt(1 + (1.1 / 20) ** 2)],
      ['raw', 1.1 / Math.sqrt(1 + (1.1 / 10) ** 2)],
    ] as const) {
      const step = adaptiveClipping({ noiseMultiplier: 1.1, countNoise: 10, count });
      const run = repeat(poissonSubsampled(step, { rate: 0.01 }), 1000);
      const plain = dpSgd({ noiseMultiplier: effective, samplingRate: 0.01, steps: 1000 });
      for (const adjacency of ['add-remove', 'zero-out'] as const) {
        const asked = (m: Mechanism) => account(wasm, m, { adjacency }).epsilon(1e-5);
        expect(asked(run)).toEqual(asked(plain));
        expect(asked(step)).toEqual(asked(gaussian({ noiseMultiplier: effective })));
      }
    }
  });

  it('takes a total, which must be less than the count alone has', () => {
    const step = adaptiveClipping({ noiseMultiplier: 1, countNoise: 2, count: 'centred', total: true });
    const asked = (m: Mechanism) => account(wasm, m, { adjacency: 'add-remove' }).epsilon(1e-5);
    expect(asked(step)).toEqual(asked(gaussian({ noiseMultiplier: 1 })));
    const added = (1 - (1 / 4) ** 2) ** -0.5;
    const parts = asked(adaptiveClipping({ noiseMultiplier: added, countNoise: 2, count: 'centred' }));
    expect(parts.upper).toBeCloseTo(asked(step).upper, 10);
    const refused = (noiseMultiplier: number, count: 'centred' | 'raw') => () =>
      adaptiveClipping({ noiseMultiplier, countNoise: 2, count, total: true });
    expect(refused(4, 'centred')).toThrow('"noiseMultiplier" must be below 4 where it is the total');
    expect(refused(2, 'raw')).toThrow('"noiseMultiplier" must be below 2 where it is the total');
    expect(refused(3.999, 'centred')).not.toThrow();
  });

  it('is read from JSON, and says how the count is to be stated', () => {
    const data = { kind: 'adaptive-clipping', noiseMultiplier: 1, countNoise: 10, count: 'raw' };
    expect(parseMechanism(data)).toEqual(data);
    const { count: _, ...unstated } = data;
    expect(() => parseMechanism(unstated)).toThrow(/"mechanism.count" is missing/);
  });

  it('is not stated where a record is replaced', () => {
    const step = adaptiveClipping({ noiseMultiplier: 1, countNoise: 10, count: 'raw' });
    expect(() => account(wasm, step, { adjacency: 'replace-one' })).toThrow(
      /"adjacency" must be add-remove or zero-out/,
    );
  });

  it('answers on the command line, and asks for what is missing', async () => {
    const flags = ['epsilon', '--noise-multiplier', '1.1', '--sampling-rate', '0.01', '--steps', '1000'];
    const { stdout } = await gdp([...flags, '--clip-count-noise', '10', '--count', 'raw', '--json']);
    const step = adaptiveClipping({ noiseMultiplier: 1.1, countNoise: 10, count: 'raw' });
    const run = account(wasm, repeat(poissonSubsampled(step, { rate: 0.01 }), 1000), {
      adjacency: 'add-remove',
    });
    expect(JSON.parse(stdout).epsilon).toEqual({ ...run.epsilon(1e-5) });
    for (const [given, expected] of [
      [['--clip-count-noise', '10'], '"--count" is missing'],
      [['--count', 'raw'], '"--count" needs --clip-count-noise'],
      [
        ['--clip-count-noise', '1', '--count', 'raw', '--noise-is-total'],
        'must be below 1 where it is the total',
      ],
    ] as const) {
      const { stderr, code } = await gdp([...flags, ...given]);
      expect(stderr).toContain(expected);
      expect(code).toBe(2);
    }
  });
});
