/** The line of a band from sums that are as wrong as they say: what that makes of it is charged (docs/proofs/contour.md 16). */
import { expect, test } from 'vitest';
import { loadF64, storeF64 } from '../../assembly/lane/memory.js';
import { takeZeros } from '../../assembly/lane/room.js';
import { PartLine } from '../../assembly/sums/part-line.js';
import { roomy } from '../helpers/run-laws.js';

type Complex = readonly [re: number, im: number];
const times = ([a, b]: Complex, [x, y]: Complex): Complex => [a * x - b * y, a * y + b * x];
const power = (z: Complex, n: number): Complex => (n === 0 ? [1, 0] : times(z, power(z, n - 1)));
const minus = ([a, b]: Complex, [x, y]: Complex): Complex => [a - x, b - y];
const scaled = ([a, b]: Complex, by: number): Complex => [a * by, b * by];
const away = ([a, b]: Complex, by: number, angle: number): Complex => [
  a + by * Math.cos(angle),
  b + by * Math.sin(angle),
];

/** U and R over U(c) and R(c) at one frequency, how often they are composed, and R(c)/U(c). */
interface Case {
  readonly u: Complex;
  readonly r: Complex;
  readonly count: number;
  readonly ratio: number;
}

/** What either sum is off by, and R(c)/U(c) relatively. */
interface Wrong {
  readonly u?: number;
  readonly r?: number;
  readonly ratio?: number;
}

/** log|N/N(c)|, its phase and error where the sums are off in these directions, said as rounding or as truncation. */
function lineOf({ u, r, count, ratio }: Case, wrong: Wrong, angles: Complex, isMissing: boolean) {
  roomy();
  const [rows, parts, shared, whole, out] = [12, 6, 8, 8, 8].map(takeZeros) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const put = (at: number, row: number, value: number): void => storeF64(at + 16 * row + 8, value);
  const [all, some] = [away(u, wrong.u ?? 0, angles[0]), away(r, wrong.r ?? 0, angles[1])];
  const said = isMissing ? [0, 0] : [wrong.u ?? 0, wrong.r ?? 0];
  const values = [all[0] - 1, all[1], said[0]!, some[0] - 1, some[1], said[1]!];
  for (const [row, value] of values.entries()) put(rows, row, value);
  const missing = isMissing ? [wrong.u ?? 0, wrong.r ?? 0] : [0, 0];
  const off = wrong.ratio ?? 0;
  const numbers = [count, ratio * (1 + off), Math.abs(off) * 1.01, missing[0]!, missing[1]!];
  for (const [i, value] of numbers.entries()) storeF64(parts + 8 * i, value);
  put(whole, 0, count * Math.log(Math.hypot(...u)));
  put(whole, 1, count * Math.atan2(u[1], u[0]));
  const own = Math.log(1 - (1 - ratio) ** count);
  new PartLine(rows, parts, 1, 2).fill(shared, whole, own, 0, out);
  const at = (row: number): number => loadF64(out + 16 * row + 8);
  return { log: at(0), phase: at(1), error: at(2) + at(3) };
}

/** N/N(c) of the sums as they are. */
function exactOf({ u, r, count, ratio }: Case): Complex {
  const rest = power(minus(u, scaled(r, ratio)), count);
  return scaled(minus(power(u, count), rest), 1 / (1 - (1 - ratio) ** count));
}

const CASES: readonly [string, Case][] = [
  ['little of a step', { u: [0.8, 0.3], r: [0.5, -0.6], count: 3, ratio: 0.05 }],
  ['much of a step', { u: [0.5, 0.2], r: [-0.6, 0.5], count: 2, ratio: 0.6 }],
  ['more than all that is left', { u: [0.02, 0.01], r: [0.7, 0.6], count: 1, ratio: 0.5 }],
  ['beside what may be of any phase', { u: [0.1, 0.05], r: [0.7, 0.6], count: 1, ratio: 0.5 }],
  ['many steps', { u: [0.98, 0.1], r: [0.9, 0.2], count: 40, ratio: 0.01 }],
];
const WRONG: readonly [string, Wrong][] = [
  ['nothing', {}],
  ['all by 1e-3', { u: 1e-3 }],
  ['all by .03', { u: 0.03 }],
  ['the part by 1e-3', { r: 1e-3 }],
  ['the part by .03', { r: 0.03 }],
  ['its share', { ratio: 1e-3 }],
  ['its share the other way', { ratio: -1e-3 }],
  ['all of them', { u: 1e-3, r: 1e-3, ratio: 1e-3 }],
];

test.each(CASES.flatMap(([of, one]) => WRONG.map(([by, wrong]) => [of, by, one, wrong] as const)))(
  'what %s adds, %s off',
  (_, __, one, wrong) => {
    const [re, im] = exactOf(one);
    const exact = Math.log(Math.hypot(re, im));
    const turns = Array.from({ length: 12 }, (_, k) => (k * Math.PI) / 6);
    for (const first of turns)
      for (const second of turns)
        for (const isMissing of [false, true]) {
          const { log, phase, error } = lineOf(one, wrong, [first, second], isMissing);
          const bound = error + 1e-12;
          // an error of ∞ says that the logarithm is a bound
          expect(exact).toBeLessThanOrEqual(error === Infinity ? log + 1e-12 : log + bound);
          if (error === Infinity) continue;
          expect(exact).toBeGreaterThanOrEqual(log - bound);
          expect(2 * Math.abs(Math.sin((phase - Math.atan2(im, re)) / 2))).toBeLessThanOrEqual(bound);
        }
  },
);
