import { describe, expect, it } from 'vitest';
import { account, type Tabulated } from '../../src/index.js';
import { recognise } from '../../src/read/index.js';
import { pldProto, varint } from '../helpers/pld-writer.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** δ(ε) by its definition. */
function deltaOf(
  values: readonly number[],
  minKey: number,
  interval: number,
  infinity: number,
  epsilon: number,
) {
  let delta = infinity;
  for (let i = values.length - 1; i >= 0; i--) {
    const loss = (minKey + i) * interval;
    if (loss > epsilon) delta += values[i] * -Math.expm1(epsilon - loss);
  }
  return delta;
}

function pointsOf(bytes: Uint8Array): Tabulated['points'] {
  const { format, mechanism } = recognise(bytes);
  expect(format).toBe('pld-proto');
  return (mechanism as Tabulated).points;
}

describe('PLD proto', () => {
  it('gives δ at every lattice point, rounded up by next to nothing', () => {
    const random = seeded(11);
    for (const [minKey, length, interval, infinity] of [
      [-40, 100, 0.05, 1e-9],
      [-3, 5, 1, 0],
      [-500, 3000, 1e-3, 1e-20],
      [2, 10, 0.1, 0.5],
    ] as const) {
      const raw = Array.from({ length }, () => 10 ** (-12 * random()));
      const total = raw.reduce((sum, x) => sum + x, 0);
      const values = raw.map((x) => (x / total) * (1 - infinity));
      for (const packed of [false, true]) {
        const points = pointsOf(pldProto({ minKey, values, infinity, interval, packed }));
        expect(points).toHaveLength(minKey + length);
        const ratios = points.map(
          ({ epsilon, delta }) => delta / deltaOf(values, minKey, interval, infinity, epsilon),
        );
        // at the last point without mass at infinity both are 0
        const finite = ratios.filter((ratio) => !Number.isNaN(ratio));
        expect(finite.length).toBeGreaterThanOrEqual(points.length - 1);
        expect(Math.min(...finite)).toBeGreaterThanOrEqual(1);
        expect(Math.max(...finite)).toBeLessThanOrEqual(1 + 1e-10);
      }
    }
  });

  it('answers for randomized response as its closed form', () => {
    const [epsilon, key] = [2, 20000];
    const likely = 1 / (1 + Math.exp(-epsilon));
    const values = new Array(2 * key + 1).fill(0);
    values[0] = 1 - likely;
    values[2 * key] = likely;
    const { mechanism } = recognise(pldProto({ minKey: -key, values, infinity: 0 }));
    const run = account(wasm, mechanism, { adjacency: 'add-remove' });
    for (const at of [0, 0.5, 1, 1.9]) {
      const exact = (Math.exp(epsilon) - Math.exp(at)) / (Math.exp(epsilon) + 1);
      const { lower, upper } = run.delta(at);
      expect(upper).toBeGreaterThanOrEqual(exact * (1 - 1e-15));
      expect(lower).toBeLessThanOrEqual(exact * (1 + 1e-10));
      expect(upper).toBeLessThanOrEqual(exact * (1 + 1e-8));
    }
  });

  it('keeps every second, third, … point of a fine lattice, from above', () => {
    const values = new Array(250_000).fill(1 / 250_000);
    const { mechanism, notes } = recognise(pldProto({ minKey: 0, values, interval: 1e-4 }));
    expect(notes.join()).toContain('one in 3 is kept');
    const { points } = mechanism as Tabulated;
    expect(points.length).toBeLessThanOrEqual(100_000);
    expect(points[0].epsilon).toBe(0);
    expect(points[0].delta).toBeCloseTo(deltaOf(values, 0, 1e-4, 0, 0), 9);
  });

  it('nothing above 0 is nothing lost', () => {
    expect(pointsOf(pldProto({ minKey: -10, values: [1] }))).toEqual([{ epsilon: 0, delta: 0 }]);
  });

  it.each<[string, Uint8Array, string]>([
    [
      'a mass above 1',
      pldProto({ minKey: 0, values: [1.5] }),
      '"values[0]" must be a number in [0, 1], got 1.5',
    ],
    ['a negative mass', pldProto({ minKey: 0, values: [0.5, -0.1] }), '"values[1]" must be'],
    ['NaN', pldProto({ minKey: 0, values: [Number.NaN] }), '"values[0]" must be'],
    ['masses above 1', pldProto({ minKey: 0, values: [0.9, 0.9] }), 'masses of a total of 1'],
    ['no mass', pldProto({ minKey: 0, values: [] }), 'masses of a total of 1'],
    [
      'a wrong interval',
      pldProto({ minKey: 0, values: [1], interval: -1 }),
      '"discretization_interval" must be',
    ],
    ['infinite mass', pldProto({ minKey: 0, values: [0.5], infinity: 2 }), '"infinity_mass" must be'],
    ['a far key', pldProto({ minKey: 2 ** 31 - 1, values: [1] }), '"min_key" must be'],
    ['another field', Uint8Array.from([0x0a, 2, 0x28, 1]), 'field 5 is none of a privacy loss distribution'],
    ['values that are no doubles', Uint8Array.from([0x0a, 5, 0x12, 3, 1, 2, 3]), 'its values are no doubles'],
    [
      'a cut message',
      pldProto({ minKey: 0, values: [1] }).subarray(0, 9),
      'it is no protobuf message, or a cut one',
    ],
    ['an endless varint', Uint8Array.from([0x0a, ...new Array(12).fill(0xff)]), 'it is no protobuf message'],
    ['no distribution', Uint8Array.from([0x0a, 0]), 'masses of a total of 1'],
    ['a huge length', Uint8Array.from([0x0a, ...varint(2n ** 63n), 1]), 'it is no protobuf message'],
  ])('refuses %s', (_name, bytes, sentence) => {
    expect(() => recognise(bytes)).toThrow(sentence);
  });
});
