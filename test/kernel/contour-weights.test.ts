/** Weights of a contour's nodes against complex arithmetic, and their bounds against nodes that are as wrong as they may be. */
import { expect, it } from 'vitest';
import { describeKernels } from '../helpers/kernels.js';
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

/** The mean of e^{zt} over |t| ≤ h/2, by 4000 midpoints. */
function meanOver(z: Complex, h: number): Complex {
  if (h === 0) return { re: 1, im: 0 };
  let [re, im] = [0, 0];
  for (let i = 0; i < 4000; i++) {
    const t = h * ((i + 0.5) / 4000 - 0.5);
    const value = expOf({ re: z.re * t, im: z.im * t });
    [re, im] = [re + value.re / 4000, im + value.im / 4000];
  }
  return { re, im };
}

/** r(z) of δ, power and false positives. */
function kernelsAt(z: Complex, window: number): Complex[] {
  const less = { re: z.re - 1, im: z.im };
  return [
    inverse(times(z, less)),
    times(inverse(less), meanOver(less, window)),
    times(inverse(z), meanOver(z, window)),
  ];
}

function lineOf(n: number, random: () => number) {
  const row = (low: number, high: number) =>
    Float64Array.from({ length: n }, () => low + (high - low) * random());
  return { logModulus: row(-6, 0), phase: row(-40, 40), error: row(0, 1e-12), quadrature: row(0, 1e-12) };
}

describeKernels('contourWeights', (kernel) => {
  it.each([
    [1.7, 0],
    [0.4, 0],
    [1.02, 0.3],
    [9, 2],
    [0.6, 1e-3],
  ])('are those of complex arithmetic, line at %d, window %d', (c, window) => {
    const random = seeded(5);
    for (const n of [1, 2, 7, 36]) {
      const line = lineOf(n, random);
      const { values } = kernel.contourWeights(line, 0.37, c, window).table;
      const room = values.length / 6;
      expect(room % 4).toBe(0);
      for (let k = 0; k < room; k++) {
        const all = kernelsAt({ re: c, im: 0.37 * k }, window);
        all.forEach((r, f) => {
          const phi = k < n ? expOf({ re: line.logModulus[k]!, im: line.phase[k]! }) : { re: 0, im: 0 };
          // Re of unit·φ·r·e^{−iτx} = re·cos τx + im·sin τx
          const unit = (0.37 / Math.PI) * (k === 0 ? 0.5 : 1);
          const { re, im } = times(phi, r);
          const allowed = (window > 0 ? 1e-6 : 1e-13) * Math.hypot(r.re, r.im);
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
      const { bounds } = kernel.contourWeights(line, 0.37, c, 0);
      const [moved, moduli] = [
        [0, 0, 0],
        [0, 0, 0],
      ];
      for (let k = 0; k < n; k++) {
        const unit = (0.37 / Math.PI) * (k === 0 ? 0.5 : 1);
        kernelsAt({ re: c, im: 0.37 * k }, 0).forEach((r, f) => {
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
