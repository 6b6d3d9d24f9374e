/** Parts of a run by its largest loss, of sums that are as wrong as they say: what that makes of them is charged. */
import { expect, test } from 'vitest';
import { Lines } from '../../../src/methods/contour/line/lines.js';
import { partSpectrum } from '../../../src/methods/contour/split/part-spectrum.js';
import type { WindowedGaussian } from '../../../src/methods/contour/step/windowed-gaussian.js';
import { reference, wasm } from '../../helpers/runs.js';
import { windowedStep } from '../../helpers/windowed.js';

interface Wrong {
  /** Of the sums at every node but the first, by rounding and by what is missing; of log of the integral on the axis. */
  readonly sums?: number;
  readonly missing?: number;
  readonly axis?: number;
}

/** A law whose sums lie off by as much as they say. */
function wrongBy(law: WindowedGaussian, { sums = 0, missing = 0, axis = 0 }: Wrong): WindowedGaussian {
  const moments: WindowedGaussian['moments'] = (c) => {
    const found = law.moments(c);
    return { ...found, log: found.log + axis, error: found.error + Math.abs(axis) };
  };
  const line: WindowedGaussian['line'] = (...asked) => {
    const found = law.line(...asked);
    if (found === undefined) return undefined;
    for (let k = 1; k < found.re.length; k++) {
      found.re[k] += sums + missing;
      found.wrong[k] += Math.abs(sums);
    }
    return { ...found, missing: found.missing + Math.abs(missing) };
  };
  return Object.assign(Object.create(law) as WindowedGaussian, { moments, line });
}

type Complex = readonly [re: number, im: number];
const times = ([a, b]: Complex, [x, y]: Complex): Complex => [a * x - b * y, a * y + b * x];
const power = (z: Complex, n: number): Complex => (n === 0 ? [1, 0] : times(z, power(z, n - 1)));

const CASES: readonly [string, Wrong, Wrong][] = [
  ['nothing', {}, {}],
  ...[0.01, -0.01, 0.2, -0.2].flatMap((off): [string, Wrong, Wrong][] => [
    [`sums of all by ${off}`, { sums: off }, {}],
    [`sums of the part by ${off}`, {}, { sums: off }],
    [`what is missing of all by ${off}`, { missing: off }, {}],
    [`what is missing of the part by ${off}`, {}, { missing: off }],
    [`the axis of all by ${off}`, { axis: off }, {}],
    [`the axis of the part by ${off}`, {}, { axis: off }],
  ]),
];

test.each(CASES)('a part of wrong sums: %s', (_, wrongBelow, wrongPart) => {
  const [mu, q] = [1.2, 0.2];
  for (const [from, to, width] of [
    [1.5, 2.5, 0.25],
    [0.5, 3, 0.3],
  ] as const) {
    const below = windowedStep(
      reference.kernel,
      { mu, q },
      {
        from: -Infinity,
        to,
        width,
      },
    );
    const part = windowedStep(reference.kernel, { mu, q }, { from, to, width });
    for (const count of [1, 4, 9]) {
      const law = partSpectrum(
        [{ below: wrongBy(below, wrongBelow), part: wrongBy(part, wrongPart), count }],
        [],
      );
      for (const c of [0.5, 1.5, 4]) {
        const [u, r] = [below.moments(c).log, part.moments(c).log];
        const [n, dTau] = [10, 0.3];
        const [all, some] = [below, part].map((one) => one.line(c, dTau, n, 40)!);
        /** U^T − (U − R)^T, over U(c)^T. */
        const valueAt = (k: number): Complex => {
          const whole: Complex = [1 + all!.re[k]!, all!.im[k]!];
          const rest: Complex = [
            whole[0] - Math.exp(r - u) * (1 + some!.re[k]!),
            whole[1] - Math.exp(r - u) * some!.im[k]!,
          ];
          const [a, b] = [power(whole, count), power(rest, count)];
          return [a[0] - b[0], a[1] - b[1]];
        };
        const [real] = valueAt(0);
        const { value, error } = law.cumulant(c, 1);
        expect(Math.abs(value - count * u - Math.log(real)), `log N(${c})`).toBeLessThanOrEqual(error + 1e-9);
        const line = law.line(reference.kernel, { c, dTau, n }, 1)!;
        for (let k = 1; k < n; k++) {
          const [re, im] = valueAt(k);
          const known = Math.log(Math.hypot(re, im) / real);
          const doubt = line.error[k]! + line.quadrature[k]! + 1e-9;
          expect(known, `${count} steps, ${c}, node ${k}`).toBeLessThanOrEqual(line.logModulus[k]! + doubt);
          if (line.error[k] === Infinity) continue;
          expect(known).toBeGreaterThanOrEqual(line.logModulus[k]! - doubt);
          expect(2 * Math.abs(Math.sin((line.phase[k]! - Math.atan2(im, re)) / 2))).toBeLessThanOrEqual(
            doubt,
          );
        }
      }
    }
  }
});

// log(1 − δ) by the trapezoidal rule on Re z = .992 with 30 digits (mpmath): 4308 steps of noise 0.1175 at rate 0.09852
test.each([Infinity, 20])('a part of nearly all outputs, up to %f, lacks to 1 what the run does', (to) => {
  const edges = to === Infinity ? undefined : { from: -Infinity, to, width: 0.5 };
  const below = windowedStep(wasm.kernel, { mu: 1 / 0.1175, q: 0.09852 }, edges, 52, Infinity);
  const law = partSpectrum([{ below, part: undefined, count: 4308 }], []);
  const lines = new Lines(wasm.kernel, [{ law, count: 1 }], 1e-6);
  const { lower, upper } = lines.delta(10830.388696724554, 1e-6)!;
  const exact = Math.log1p(-Math.exp(-13.8155105357796288));
  expect(lower).toBeLessThanOrEqual(exact);
  expect(upper).toBeGreaterThanOrEqual(exact);
  expect(upper - lower).toBeLessThan(1e-8);
});
