import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as own from '../../src/certificate/elementary.js';
import { readGolden, ulpError, worstUlp } from '../helpers/golden.js';
import { seeded } from '../helpers/random.js';

type Exact = [near: number, rest: number];

/** test/golden/make-trigonometric.py. */
const ANGLES: [x: number, sine: Exact, cosine: Exact, angle: Exact][] = JSON.parse(
  readFileSync(new URL('../golden/trigonometric.json', import.meta.url), 'utf8'),
);

const REAL = { exp: own.exp, expm1: own.expm1, log: own.log, log1p: own.log1p };

describe('the elementary functions of the verifier', () => {
  it.for(Object.entries(REAL))('%s is within two ulps of mpmath', ([name, of]) => {
    const golden = readGolden(name);
    expect(
      worstUlp(
        golden,
        golden.x.map((x) => of(x)),
      ).ulps,
    ).toBeLessThan(1.1);
  });

  it('sin, cos and atan2 are within two ulps of mpmath, where digits cancel as well', () => {
    for (const [x, sine, cosine, angle] of ANGLES) {
      expect(ulpError(own.sin(x), ...sine), `sin ${x}`).toBeLessThan(1.5);
      expect(ulpError(own.cos(x), ...cosine), `cos ${x}`).toBeLessThan(1.5);
      expect(ulpError(own.atan2(x, 3), ...angle), `atan2 ${x}`).toBeLessThan(1.5);
      expect(own.sin(-x)).toBe(-own.sin(x));
    }
  });

  it('are what they are beyond numbers, and hypot has no overflow', () => {
    expect([own.exp(-Infinity), own.exp(Infinity), own.exp(Number.NaN)]).toEqual([0, Infinity, Number.NaN]);
    expect([own.log(0), own.log(-1), own.log(Infinity)]).toEqual([-Infinity, Number.NaN, Infinity]);
    expect([own.log1p(-1), own.expm1(-Infinity), own.sin(Infinity)]).toEqual([-Infinity, -1, Number.NaN]);
    expect([own.hypot(3e300, 4e300), own.hypot(2 ** -600, 0), own.hypot(0, 0)]).toEqual([
      5e300,
      2 ** -600,
      0,
    ]);
    expect([own.powerOfTwoIn(8), own.powerOfTwoIn(7.99), own.powerOfTwoIn(1e-300)]).toEqual([
      8,
      4,
      2 ** -997,
    ]);
  });

  it('have the same bits everywhere: an engine that rounds otherwise would show', () => {
    const draw = seeded(5);
    const found: number[] = [];
    for (let i = 0; i < 2000; i++) {
      const [x, y] = [(draw() - 0.5) * 2 ** Math.floor(30 * draw() - 5), draw() - 0.5];
      found.push(
        own.exp(x),
        own.expm1(y),
        own.log(Math.abs(x)),
        own.log1p(y),
        own.sin(x),
        own.cos(x),
        own.atan2(x, y),
      );
    }
    const bits = Buffer.from(Float64Array.from(found).buffer);
    expect(createHash('sha256').update(bits).digest('hex').slice(0, 16)).toBe('570c7ee7e77cabca');
  });
});
