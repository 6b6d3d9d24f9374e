/** Windows on outputs and integrals over them in plain host arithmetic. */
import { erfc } from '../../src/numeric/scalar.js';
import type { EndedWindow as OutputWindow } from './step-windows.js';

/** log of the normal mass above z. */
function logAbove(z: number): number {
  if (z < 36) return Math.log(erfc(z / Math.SQRT2) / 2);
  const v = 1 / (z * z);
  const series = -v * (1 - 3 * v * (1 - 5 * v * (1 - 7 * v * (1 - 9 * v))));
  return -(z * z) / 2 - Math.log(z * Math.sqrt(2 * Math.PI)) + Math.log1p(series);
}

/** log W at an output on the axis; −∞ behind the end. */
export function logWindow({ from, to, width, end = Infinity }: OutputWindow, x: number): number {
  if (x > end) return -Infinity;
  if (width === Infinity) return 0;
  let [a, b] = [(x - to) / width, (x - from) / width];
  if (a + b < 0) [a, b] = [-b, -a];
  // W is the normal mass of [a, b], and b is no less far out than a
  const near = logAbove(a);
  return b === Infinity ? near : near + Math.log1p(-Math.exp(logAbove(b) - near));
}

/**
 * log ∫e^{f} between two ends: the trapezoidal rule on a mesh that is halved, wherever f is within 40 of its top, until it changes
 * by less than `most` between neighbours.
 */
export function logIntegral(f: (x: number) => number, a: number, b: number, most = 0.02): number {
  let x = Array.from({ length: 2001 }, (_, i) => a + ((b - a) * i) / 2000);
  let y = x.map(f);
  let top = -Infinity;
  for (let round = 0; round < 24; round++) {
    for (const one of y) top = Math.max(top, one);
    const [u, v] = [[x[0]!], [y[0]!]];
    for (let i = 1; i < x.length; i++) {
      const high = Math.max(y[i]!, y[i - 1]!) > top - 40;
      const smooth = Math.abs(y[i]! - y[i - 1]!) < most && (round > 3 || x[i]! - x[i - 1]! < 1e-3);
      if (high && !smooth && x[i]! - x[i - 1]! > 1e-9 * (1 + Math.abs(x[i]!))) {
        const middle = (x[i]! + x[i - 1]!) / 2;
        u.push(middle);
        v.push(f(middle));
      }
      u.push(x[i]!);
      v.push(y[i]!);
    }
    if (u.length === x.length) break;
    [x, y] = [u, v];
  }
  let sum = 0;
  for (let i = 1; i < x.length; i++)
    sum += ((x[i]! - x[i - 1]!) * (Math.exp(y[i]! - top) + Math.exp(y[i - 1]! - top))) / 2;
  return top + Math.log(sum);
}
