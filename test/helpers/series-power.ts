import { load, store } from '../../assembly/lane/memory.js';
import { take } from '../../assembly/lane/room.js';
import { COEFFICIENT, raise, shifted } from '../../assembly/sums/series-power.js';
import { roomy } from './run-laws.js';

/**
 * Coefficients of e^{ah}(1 + Σ r_k h^k)^n, and of its majorant, in the JavaScript engine: rows of real parts, imaginary parts and majorants, as given;
 * the first entry of each is not read.
 */
export function seriesPower(series: readonly Float64Array[], n: number, a: number): number[][] {
  roomy();
  const { length } = series[0]!;
  const [own, powers, one] = [length, length, 1].map((many) => take((COEFFICIENT / 8) * many));
  for (let k = 0; k < length; k++)
    for (const [part, row] of series.entries()) store(own! + COEFFICIENT * k + 16 * part, row[k]!);
  raise(own!, length - 1, n, powers!);
  const made: number[][] = [[], [], []];
  for (let k = 0; k < length; k++) {
    shifted(powers!, k, a, one!);
    for (const [part, row] of made.entries()) row.push(load(one! + 16 * part));
  }
  return made;
}
