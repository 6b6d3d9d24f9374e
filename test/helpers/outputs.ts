import { erfc } from '../../src/numeric/scalar.js';
import { Table } from './loops.js';
import type { EndedWindow as OutputWindow } from './step-windows.js';

/** One sampled Gaussian step whose outputs fall into a window, and a tilt. */
export interface Tilted {
  readonly mu: number;
  readonly q: number;
  readonly c: number;
  readonly window: OutputWindow;
}

/** log(1 − q + qe^s). */
export function lossOf(mu: number, q: number, x: number): number {
  const s = mu * x - (mu * mu) / 2;
  return s > 30 ? Math.log(q) + s + Math.log1p(((1 - q) / q) * Math.exp(-s)) : Math.log1p(q * Math.expm1(s));
}

const tail = (z: number): number => erfc(z / Math.SQRT2) / 2;

/** log W by erfc. */
export function logWindow({ from, to, width }: OutputWindow, x: number): number {
  const [a, b] = [
    from === -Infinity ? -Infinity : (from - x) / width,
    to === Infinity ? Infinity : (to - x) / width,
  ];
  return a + b > 0 ? Math.log(tail(a) - tail(b)) : Math.log(tail(-b) - tail(-a));
}

/** log φWu^c. */
function logHeight({ mu, q, c, window }: Tilted, x: number): number {
  return c * lossOf(mu, q, x) - (x * x) / 2 - 0.5 * Math.log(2 * Math.PI) + logWindow(window, x);
}

const DEPTH = 70;

/** From where to where a function whose logarithm is given is within e^{−70} of its largest value. */
export function rangeOf(height: (x: number) => number, end = Infinity): [from: number, to: number] {
  const last = Math.min(end, 260);
  const coarse = 1 / 16;
  let [top, peak] = [-Infinity, last];
  for (let x = last; x >= -400; x -= coarse) {
    const own = height(x);
    if (own > top) [top, peak] = [own, x];
  }
  const counts = (x: number): boolean => height(x) > top - DEPTH;
  // narrow peaks at steps of their own
  let step = coarse;
  while (step > 1e-6 && !counts(peak - step)) step /= 2;
  let [from, to] = [Math.max(-400, peak - 100), Math.min(last, peak + 100)];
  while (from < peak - step && !counts(from + step)) from += step;
  while (to > peak + step && !counts(to - step)) to -= step;
  return [from, to];
}

export interface Mesh {
  readonly x: Float64Array;
  readonly loss: Float64Array;
  /** Weights of the sums, times the integrand over e^{top}. */
  readonly weight: Float64Array;
  readonly top: number;
  readonly mass: number;
  /** log of the integral. */
  readonly log: number;
}

/** Outputs in host arithmetic: sums at equal steps where the integrand fades at both ends, Simpson's rule up to a hard end. */
export function meshOf(law: Tilted, parts = 20_000): Mesh {
  const { end } = law.window;
  const [from, to] = rangeOf((x) => logHeight(law, x), end);
  const h = (to - from) / parts;
  const x = Float64Array.from({ length: parts + 1 }, (_, i) => from + h * i);
  const heights = x.map((at) => logHeight(law, at));
  const top = heights.reduce((a, b) => Math.max(a, b));
  const ended = to === end;
  const weight = heights.map((own, i) => {
    const share = i === 0 || i === parts ? 1 : i % 2 === 1 ? 4 : 2;
    return (ended ? share / 3 : 1) * h * Math.exp(own - top);
  });
  const mass = weight.reduce((a, b) => a + b);
  return { x, loss: x.map((at) => lossOf(law.mu, law.q, at)), weight, top, mass, log: top + Math.log(mass) };
}

/** M(c + iτ)/M(c). */
export function phiOf({ loss, weight, mass }: Mesh, tau: number): [re: number, im: number] {
  let [re, im] = [0, 0];
  for (let j = 0; j < loss.length; j++) {
    re += weight[j]! * Math.cos(tau * loss[j]!);
    im += weight[j]! * Math.sin(tau * loss[j]!);
  }
  return [re / mass, im / mass];
}

/** A table of outputs on the axis, as `Kernel.axisMesh` makes them, from some of its rows. */
export function meshTable(rows: {
  readonly loss: Float64Array;
  readonly height: Float64Array;
  readonly lossError?: Float64Array;
  readonly share?: Float64Array;
}): Table {
  const n = rows.loss.length;
  const m = n + (n & 1);
  const all = new Float64Array(8 * m);
  if (m > n) all[5 * m + n] = -1e300;
  for (const [place, row] of [rows.loss, rows.height, rows.lossError, rows.share].entries())
    if (row !== undefined) all.set(row, [1, 5, 6, 7][place]! * m);
  return new Table(all);
}
