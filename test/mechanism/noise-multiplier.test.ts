import { describe, expect, test } from 'vitest';
import { account, gaussian, noiseMultiplierOf, parseMechanism } from '../../src/index.js';
import { seeded } from '../helpers/random.js';
import { wasm } from '../helpers/runs.js';

/** Whether x²·norm²·groups ≤ std²·mean², of decimals with at most 15 digits behind the point, in whole numbers alone. */
function isAtMost(x: number, [std, norm, groups, mean]: readonly string[]): boolean {
  const scaled = (text: string): bigint => {
    const [whole, part = ''] = text.split('.');
    return BigInt(whole + part.padEnd(15, '0'));
  };
  // x = m·2^−e
  let [m, e] = [x, 0n];
  for (; !Number.isInteger(m); m *= 2) e++;
  const left = BigInt(m) ** 2n * scaled(norm) ** 2n * BigInt(groups) * scaled('1') ** 2n;
  return left <= ((scaled(std) * scaled(mean)) ** 2n) << (2n * e);
}

function above(x: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  view.setBigInt64(0, view.getBigInt64(0) + 1n);
  return view.getFloat64(0);
}

describe('the noise multiplier of a standard deviation', () => {
  test('is exact where a double is: a mean over a batch, groups whose root is whole', () => {
    expect(noiseMultiplierOf({ noiseStd: 0.012, clipNorm: 15, meanOf: 5000 })).toBe(4);
    expect(noiseMultiplierOf({ noiseStd: 2.2, clipNorm: 1.1 })).toBe(2);
    expect(noiseMultiplierOf({ noiseStd: 0.3, clipNorm: 0.1, clipGroups: 9 })).toBe(1);
    expect(noiseMultiplierOf({ noiseStd: 0, clipNorm: 1 })).toBe(0);
  });

  test('is the largest double that is not above the quotient', () => {
    const random = seeded(41);
    const typed = (digits: number): string => String(Number((0.01 + 20 * random()).toFixed(digits)));
    for (let i = 0; i < 300; i++) {
      const words = [typed(4), typed(3), String(1 + Math.floor(99 * random())), typed(2)];
      const [noiseStd, clipNorm, clipGroups, meanOf] = words.map(Number);
      const found = noiseMultiplierOf({ noiseStd, clipNorm, clipGroups, meanOf });
      expect(isAtMost(found, words)).toBe(true);
      expect(isAtMost(above(found), words)).toBe(false);
    }
  });

  test.each([
    [{ noiseStd: -1, clipNorm: 1 }, '"noiseStd"'],
    [{ noiseStd: 1, clipNorm: 0 }, '"clipNorm"'],
    [{ noiseStd: 1, clipNorm: 1, clipGroups: 1.5 }, '"clipGroups"'],
    [{ noiseStd: 1, clipNorm: 1, meanOf: 0 }, '"meanOf"'],
    [{ noiseStd: 1e-200, clipNorm: 1e200 }, '"noiseStd"'],
    [{ noiseStd: 1, clipNorm: 1, batch: 3 }, '"batch"'],
  ])('refuses %j', (scale, name) => {
    expect(() => noiseMultiplierOf(scale)).toThrow(name);
  });
});

describe('Gaussian noise with a sensitivity', () => {
  test('is that of their quotient', () => {
    // δ_μ(ε) = 1e-5 for μ = 1.4/1.25, mpmath
    const run = account(wasm, gaussian({ noiseMultiplier: 1.25, sensitivity: 1.4 }));
    const { lower, upper } = run.epsilon(1e-5);
    expect(lower).toBeLessThan(4.993536163847);
    expect(upper).toBeGreaterThan(4.993536163846);
    expect(upper - lower).toBeLessThan(1e-9);
    expect(parseMechanism({ kind: 'gaussian', noiseMultiplier: 3, sensitivity: 2 })).toEqual(
      gaussian({ noiseMultiplier: 1.5 }),
    );
    expect(gaussian({ noiseMultiplier: 0, sensitivity: 2 })).toEqual(gaussian({ noiseMultiplier: 0 }));
    // the unit is the query's: both may be large
    expect(gaussian({ noiseMultiplier: 2e12, sensitivity: 1e12 })).toEqual(gaussian({ noiseMultiplier: 2 }));
  });

  test('is refused where the quotient is out of range', () => {
    expect(() => gaussian({ noiseMultiplier: 1, sensitivity: 1e12 })).toThrow(
      /"noiseMultiplier".*sensitivity/,
    );
    expect(() => gaussian({ noiseMultiplier: 1, sensitivity: 0 })).toThrow('"sensitivity"');
    expect(() => gaussian({ noiseMultiplier: 2e9 })).toThrow('0 or a number from 1e-9 to 1000000000');
  });
});
