/** Weights of a contour's nodes against complex arithmetic, and their bounds against nodes that are as wrong as they may be. */
import { describe, expect, it } from 'vitest';
import { weightsOf } from '../helpers/contour-sums.js';
import { seeded } from '../helpers/random.js';

interface Complex {
  readonly re: number;
  readonly im: number;
}
const times = (a: Complex, b: Complex): Complex => ({
  re: a.re * b.re - a.im * b.im,
  im: a.re * b.im + a.im * b.re,
});
const inverse = ({ re, im }: Complex): Complex => ({
  re: re / (re * re + im * im),
  im: -im / (re * re + im * im),
});
const expOf = ({ re, im }: Complex): Complex => ({
  re: Math.exp(re) * Math.cos(im),
  im: Math.exp(re) * Math.sin(im),
});

/** r(z) of δ, power and false positives. */
function kernelsAt(z: Complex): Complex[] {
  const less = { re: z.re - 1, im: z.im };
  return [inverse(times(z, less)), inverse(less), inverse(z)];
}

function lineOf(n: number, random: () => number) {
  const row = (low: number, high: number) =>
    Float64Array.from({ length: n }, () => low + (high - low) * random());
  return { logModulus: row(-6, 0), phase: row(-40, 40), error: row(0, 1e-12), quadrature: row(0, 1e-12) };
}

describe('contourWeights', () => {
  it.each([1.7, 0.4, 1.02, 9, 0.6])('are those of complex arithmetic, line at %d', (c) => {
    const random = seeded(5);
    for (const n of [1, 2, 7, 36]) {
      const line = lineOf(n, random);
      const { values } = weightsOf(line, 0.37, c);
      const room = values.length / 6;
      expect(room % 4).toBe(0);
      for (let k = 0; k < room; k++) {
        const all = kernelsAt({ re: c, im: 0.37 * k });
        all.forEach((r, f) => {
          const phi = k < n ? expOf({ re: line.logModulus[k]!, im: line.phase[k]! }) : { re: 0, im: 0 };
          // Re of unit·φ·r·e^{−iτx} = re·cos τx + im·sin τx
          const unit = (0.37 / Math.PI) * (k === 0 ? 0.5 : 1);
          const { re, im } = times(phi, r);
          const allowed = 1e-13 * Math.hypot(r.re, r.im);
          expect(Math.abs(values[2 * f * room + k]! - unit * re)).toBeLessThanOrEqual(allowed);
          expect(Math.abs(values[(2 * f + 1) * room + k]! - unit * im)).toBeLessThanOrEqual(allowed);
        });
      }
    }
  });

  it('bounds hold what nodes may be wrong by, and little more', () => {
    const random = seeded(8);
    const [n, c, x] = [37, 1.4, 0.8];
    const zeros = new Float64Array(n);
    for (const kind of ['error', 'quadrature', 'unknown'] as const) {
      const { logModulus, phase } = lineOf(n, random);
      const size = zeros.map(() => (kind === 'unknown' ? Infinity : 0.01 * random()));
      const line = {
        logModulus,
        phase,
        error: kind === 'quadrature' ? zeros : size,
        quadrature: kind === 'quadrature' ? size : zeros,
      };
      const { bounds } = weightsOf(line, 0.37, c);
      const [moved, moduli] = [
        [0, 0, 0],
        [0, 0, 0],
      ];
      for (let k = 0; k < n; k++) {
        const unit = (0.37 / Math.PI) * (k === 0 ? 0.5 : 1);
        kernelsAt({ re: c, im: 0.37 * k }).forEach((r, f) => {
          const own = unit * Math.exp(logModulus[k]!) * Math.hypot(r.re, r.im);
          // log φ may be off in any direction, and where only |φ| is known φ may be anything up to it
          moved[f] += own * (kind === 'unknown' ? 2 : Math.expm1(size[k]!));
          moduli[f] += own * 0.37 * k;
        });
      }
      for (let f = 0; f < 3; f++) {
        const [first, second, third] = bounds.subarray(3 * f, 3 * f + 3);
        const held = kind === 'quadrature' ? third! : first!;
        expect(held).toBeGreaterThanOrEqual(moved[f]!);
        expect(held).toBeLessThan(1.4 * moved[f]!);
        if (kind === 'quadrature') expect(first).toBeLessThan(1e-12);
        // angles τx are off by 4u of themselves at least
        expect(second! * x).toBeGreaterThan(4 * 2 ** -53 * moduli[f]! * x);
      }
    }
  });
});
