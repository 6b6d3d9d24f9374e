/** The two engines give the same bits: over the golden points, random bit patterns and special values. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ELEMENTWISE, type ElementwiseName } from '../../src/kernel/kernel.js';
import { readGolden } from '../helpers/golden.js';
import { kernels } from '../helpers/kernels.js';
import { seeded } from '../helpers/random.js';

const names = Object.keys(ELEMENTWISE) as ElementwiseName[];

/** Index of the first entry whose bits differ (all NaN alike), or −1. */
function firstDifference(a: Float64Array, b: Float64Array): number {
  for (let i = 0; i < a.length; i++) if (!Object.is(a[i], b[i])) return i;
  return -1;
}

/** Doubles of all kinds: random bits, and numbers of moderate size where the functions live. */
function manyDoubles(count: number): Float64Array {
  const random = seeded(20_24);
  const words = new Uint32Array(2 * count);
  for (let i = 0; i < words.length; i++) words[i] = random() * 2 ** 32;
  const values = new Float64Array(words.buffer);
  for (let i = 0; i < count; i++) {
    if (i % 4 === 1) values[i] = 80 * random() - 40;
    if (i % 4 === 2) values[i] = 2 * random();
    if (i % 4 === 3) values[i] = 1600 * random() - 800;
  }
  return values;
}

const special = [
  0,
  5e-324,
  2 ** -1022,
  2 ** -54,
  0.5,
  1,
  2,
  27.5,
  40,
  2 ** 52,
  2 ** 53,
  Number.MAX_VALUE,
  Infinity,
];
const specials = Float64Array.from([...special, ...special.map((x) => -x), NaN]);

describe.each(names)('%s', (name) => {
  const [first, second] = kernels.map((kernel) => (x: Float64Array) => kernel[name](x));

  it('agrees on golden points', () => {
    const { x } = readGolden(name === 'normalQuantileUpper' ? 'normalQuantile' : name);
    expect(firstDifference(first(x), second(x))).toBe(-1);
  });

  it('agrees on 200,000 doubles of all kinds', () => {
    const x = manyDoubles(200_000);
    expect(firstDifference(first(x), second(x))).toBe(-1);
  });

  it('agrees on special values, in every pairing of lanes', () => {
    const x = new Float64Array(2 * specials.length ** 2);
    let i = 0;
    for (const a of specials) for (const b of specials) x.set([a, b], 2 * i++);
    expect(firstDifference(first(x), second(x))).toBe(-1);
  });

  it('agrees on arbitrary arrays', () => {
    fc.assert(
      fc.property(fc.float64Array({ maxLength: 9 }), (x) => firstDifference(first(x), second(x)) === -1),
      { seed: 1, numRuns: 300 },
    );
  });
});
