import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sumsOf } from '../helpers/contour-sums.js';
import { differences } from '../helpers/kernels.js';
import { Table } from '../helpers/loops.js';
import { seeded } from '../helpers/random.js';
import { steps } from '../helpers/step-kernel.js';
import { PATH_BLOCK, termsOfPath } from '../helpers/step-tilts.js';

const U = 2 ** -53;

/** A seed, a length, a scale, an argument, and the exact sums as head and rest. */
type Row = [seed: number, n: number, scale: number, at: number, sums: [number, number][]];
const golden: Record<'uniform' | 'cumulants' | 'path', Row[]> & {
  readonly mesh: [mu: number, q: number, x: number, rows: [number, number][]][];
} = JSON.parse(readFileSync(new URL('../golden/kernel-sums.json', import.meta.url), 'utf8'));

const { mesh: meshes } = golden;

/** Rows of n numbers, drawn one row after the other. */
function rows(seed: number, n: number, draws: readonly ((u: number) => number)[]): Float64Array[] {
  const random = seeded(seed);
  return draws.map((draw) => Float64Array.from({ length: n }, () => draw(random())));
}

function joined(arrays: readonly Float64Array[]): Float64Array {
  return Float64Array.from(arrays.flatMap((array) => Array.from(array)));
}

const weight = (u: number): number => u - 0.5;
const WEIGHTS = Array.from({ length: 6 }, () => weight);

const meshInput = (seed: number, n: number, y: number) =>
  rows(seed, n, [
    (u) => u,
    (u) => y * (u - 0.25),
    (u) => -y * y * u,
    (u) => u,
    (u) => u,
    (u) => -9 * u,
    (u) => u,
    (u) => u,
  ]);
const pathInput = (seed: number, m: number) =>
  rows(seed, m, [
    (u) => 4 * (u - 0.25),
    (u) => u / 4,
    (u) => -8 * u,
    (u) => 32 * (u - 0.5),
    (u) => u,
    (u) => u,
  ]);

function total(n: number, term: (j: number) => number): number {
  let sum = 0;
  for (let j = 0; j < n; j++) sum += term(j);
  return sum;
}

/** |got − exact| is at most `allowed`. */
function expectClose(got: number, [head, rest]: [number, number], allowed: number): void {
  expect(Math.abs(got - head - rest)).toBeLessThanOrEqual(allowed);
}

/** Loss, bend, share and the error of the loss at an output that is not 0. */
function lossesAt(mu: number, q: number, x: number): number[] {
  const at = { h: x, first: 1, n: 1 };
  const heights = steps.windowRows(at, 0, { from: -Infinity, to: Infinity, width: Infinity });
  const { values } = steps.axisMesh({ mu, q }, at, heights);
  return [1, 2, 7, 6].map((row) => values[2 * row]!);
}

describe('sums against mpmath, within their stated errors', () => {
  it.each(golden.uniform)('contourSumsUniform %d: %d nodes %d apart at %d', (seed, n, step, x, exact) => {
    const w = rows(seed, n, WEIGHTS);
    const sums = sumsOf(step, joined(w), Float64Array.of(x));
    for (let f = 0; f < 3; f++) {
      const size = (k: number) => Math.hypot(w[2 * f][k], w[2 * f + 1][k]);
      const allowed = U * total(n, (k) => size(k) * (56 + n / 32 + 4 * k * step * Math.abs(x)));
      expectClose(sums[f], exact[f], allowed);
    }
  });

  it.each(golden.cumulants)(
    'cumulantSums %d: %d outputs, losses of about %d, tilt %d',
    (seed, n, spread, c, exact) => {
      const input = meshInput(seed, n, spread);
      const [p, y, bend, rough, blur] = input;
      const sums = steps.cumulantSums(new Table(joined(input)), 0, n, Float64Array.of(c));
      const e = y.map((v) => Math.exp(c * v));
      const relative = (j: number) => 2 * U * (24 + n / 32 + Math.abs(c * y[j]));
      // the terms' sizes; Math.exp and Math.expm1 are far better than the factor 2 they are given
      const straight = (j: number) => Math.abs(c * bend[j]);
      const excess = (j: number) => {
        const t = c * y[j];
        return Math.abs(t) < 0.01 ? t * t : Math.abs(e[j] - 1 - t);
      };
      expectClose(
        sums[0],
        exact[0],
        total(n, (j) => p[j] * e[j] * relative(j)),
      );
      expectClose(
        sums[1],
        exact[1],
        total(n, (j) => p[j] * e[j] * Math.abs(y[j]) * relative(j)),
      );
      expectClose(
        sums[2],
        exact[2],
        total(n, (j) => p[j] * e[j] * y[j] ** 2 * relative(j)),
      );
      const rise = (j: number) =>
        p[j] * ((48 + n / 32) * (excess(j) + straight(j)) + Math.abs(c * y[j] * Math.expm1(c * y[j])));
      expectClose(sums[3], exact[3], U * 1.01 * total(n, rise));
      expectClose(sums[4], exact[4], U * 2 * total(n, (j) => rough[j] * rise(j)));
      expectClose(
        sums[5],
        exact[5],
        total(n, (j) => p[j] * e[j] * blur[j] * relative(j)),
      );
    },
  );

  it.each([2, 14, 66, 300])('tiltedLaw of %d outputs', (n) => {
    const input = meshInput(17, n, 3);
    const [, y, , rough, , height, off] = input;
    for (const c of [0, 0.7, -3, 40, -200]) {
      const exponents = y.map((loss, j) => c * loss + height[j]);
      const top = Math.max(...exponents);
      const exact = exponents.map((t) => Math.exp(t - top));
      const { weight, weightError, sums } = steps.tiltedLaw(new Table(joined(input)), c);
      const wrong = y.map(
        (loss, j) => rough[j] + Math.abs(c) * off[j] + U * (3 * Math.abs(c * loss) + Math.abs(top) - 12),
      );
      for (let j = 0; j < n; j++) {
        expectClose(weight[j], [exact[j], 0], 3 * U * exact[j]);
        expectClose(weightError[j], [wrong[j], 0], 4 * U * wrong[j]);
      }
      expect(sums[0]).toBe(top);
      const size = y.map((loss) => Math.abs(loss));
      const factors = [() => 1, (j: number) => y[j], (j: number) => y[j] ** 2, (j: number) => wrong[j]];
      factors.push(
        (j) => size[j],
        (j) => size[j] * wrong[j],
        (j) => off[j],
      );
      for (const [i, factor] of factors.entries()) {
        const sum = total(n, (j) => exact[j] * factor(j));
        const sizes = total(n, (j) => exact[j] * Math.abs(factor(j)));
        expectClose(sums[i + 1], [sum, 0], U * 2 * (24 + n / 32) * sizes);
      }
    }
  });

  it.each(golden.path)('pathLine %d: %d nodes, frequency %d × %d', (seed, m, step, k, exact) => {
    const input = pathInput(seed, m);
    const [y, angle, size, turn, fixed, sliding] = input;
    const { re, im, wrong } = steps.pathLine(joined(input), step, k + 1, -200);
    const tau = step * k;
    const height = (j: number) => Math.exp(size[j] - tau * angle[j]);
    const own = (j: number) =>
      216 + m / 32 + Math.abs(size[j]) + 3 * Math.abs(turn[j]) + 4 * tau * (Math.abs(y[j]) + angle[j]);
    const allowed = U * 1.01 * total(m, (j) => height(j) * own(j));
    expectClose(re[k], exact[0], allowed);
    expectClose(im[k], exact[1], allowed);
    expect([re.length, im.length, wrong.length]).toEqual([k + 1, k + 1, k + 1]);
    const anchor = step * 32 * Math.floor(k / 32);
    const claimed = total(
      m,
      (j) =>
        Math.exp(size[j] - anchor * angle[j]) *
        (fixed[j] +
          U * (216 + m / 32 + Math.abs(size[j]) + 3 * Math.abs(turn[j])) +
          (anchor + 32 * step) * sliding[j]),
    );
    expect(wrong[k]).toBeGreaterThan(claimed * (1 - 1e-12));
    expect(wrong[k]).toBeLessThan(claimed * (1 + 1e-12));
  });

  /** Where 1 + q(e^s − 1) loses the digits of 1 − q and q e^s, and where B outweighs A only just. */
  it.each([
    [3, 1 - 1e-9, -12],
    [3, 1 - 1e-6, -12],
    [0.5, 0.999, -9],
    [8, 1e-12, 8],
    [6, 1e-14, 8.3],
  ])('losses of two terms that are both positive, mu %d, q %d, at %d', (mu, q, x) => {
    const [loss, , share] = lossesAt(mu, q, x);
    const other = q * Math.exp(mu * x - (mu * mu) / 2);
    const exact = Math.log(1 - q + other);
    expect(Math.abs(loss! - exact)).toBeLessThan(1e-14 * Math.abs(exact) + 1e-16 * mu * Math.abs(x));
    expect(share).toBeCloseTo(other / (1 - q + other), 13);
  });

  it.each(meshes)('losses, mu %d, q %d, at %d', (mu, q, x, exact) => {
    const [loss, bend, share, error] = lossesAt(mu, q, x);
    const s = mu * x - 0.5 * (mu * mu);
    const size = exact.map(([head]) => Math.abs(head));
    const said = U * 12 * size[0];
    expectClose(loss, exact[0], said);
    expectClose(bend, exact[1], U * 12 * size[1]);
    expectClose(share, exact[2], U * (12 + (3 * q) / (q * Math.exp(s))) * size[2]);
    // and where x is a few roundings off
    expect(error).toBeGreaterThan(said * (1 - 1e-12) + U * share * 3 * Math.abs(mu * x) * (1 - 1e-12));
  });

  it('leaves out of a path what is below the floor', () => {
    const input = joined(pathInput(31, 50));
    const whole = steps.pathLine(input, 0.2, 96, -200);
    const cut = steps.pathLine(input, 0.2, 96, -6);
    for (let k = 0; k < 96; k++) expect(Math.abs(cut.re[k] - whole.re[k])).toBeLessThan(50 * Math.exp(-6));
    expect(differences(cut.re, whole.re)).toBeGreaterThan(0);
    expect(steps.pathLine(input, 0.2, 64, 1).re).toEqual(new Float64Array(64));
  });

  it('modulusSums are sums of exponentials above the floor', () => {
    for (const n of [2, 34, 250]) {
      const [size, slope] = rows(41 + n, n, [(u) => -90 * u, (u) => u]);
      const taus = Float64Array.of(0, 0.5, 100, -1);
      for (const floor of [-50, -600]) {
        const sums = steps.modulusSums(new Table(joined([size, slope])), taus, floor);
        taus.forEach((tau, i) => {
          const height = (j: number) => size[j] - tau * slope[j];
          const kept = (j: number) => (height(j) > floor ? Math.exp(height(j)) : 0);
          const error = (j: number) =>
            kept(j) * (22 + n / 32 + Math.abs(size[j]) + 2 * Math.abs(tau * slope[j]));
          expect(Math.abs(sums[i] - total(n, kept))).toBeLessThanOrEqual(
            U * (total(n, error) + n * total(n, kept)),
          );
        });
      }
    }
  });

  it('sums a part of a mesh as that part alone', () => {
    const input = meshInput(51, 120, 1);
    const part = input.map((row) => row.slice(22, 90));
    const tilts = Float64Array.of(0.3, -4, 12);
    const sums = steps.cumulantSums(new Table(joined(input)), 22, 90, tilts);
    expect(differences(sums, steps.cumulantSums(new Table(joined(part)), 0, 68, tilts))).toBe(0);
    expect(steps.cumulantSums(new Table(joined(input)), 40, 40, tilts)).toEqual(new Float64Array(18));
  });
});

describe('what a path is charged', () => {
  it('counts each node in the blocks of frequencies that begin where it is above the floor', () => {
    const random = seeded(77);
    for (let round = 0; round < 300; round++) {
      const [m, n] = [2 * Math.ceil(20 * random()), Math.ceil(400 * random())];
      const [dTau, floor] = [10 ** (2 * random() - 2), -30 * random()];
      const path = new Float64Array(6 * m);
      for (let j = 0; j < m; j++) {
        path[m + j] = random() < 0.2 ? 0 : 10 ** (4 * random() - 3);
        path[2 * m + j] = 40 * random() - 35;
      }
      let terms = 0;
      for (let block = 0; block < n; block += PATH_BLOCK)
        for (let j = 0; j < m; j++)
          if (path[2 * m + j] - block * dTau * path[m + j] > floor) terms += PATH_BLOCK;
      // a node on its floor may round to either side
      expect(Math.abs(termsOfPath(path, dTau, n, floor) - terms)).toBeLessThanOrEqual(PATH_BLOCK);
    }
  });

  it('takes nodes that are no numbers for full ones', () => {
    const path = new Float64Array(12).fill(Number.NaN);
    expect(termsOfPath(path, 0.1, 64, -20)).toBe(128);
  });
});
