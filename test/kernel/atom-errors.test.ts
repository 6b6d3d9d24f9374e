import { expect, test } from 'vitest';
import { ATOMS } from '../../src/kernel/constants.js';
import { lawOfStep } from '../helpers/step-laws.js';

const [LOSSES, OFF, UNIT] = [[-0.7, 0.1, 0.9], 1e-6, 1 / 64] as const;
/** Masses with Σp = 1 and Σpe^y = 1. */
const MASSES = ((): number[] => {
  const [low, middle, high] = LOSSES.map(Math.exp) as [number, number, number];
  const last = 0.2;
  const first = (middle - 1 + last * (high - middle)) / (middle - low);
  return [first, 1 - first - last, last];
})();

/** log Σp e^{(c + iτ)y} of the exact law, as a modulus and a phase. */
function exact(c: number, tau: number): readonly [log: number, phase: number] {
  const sum = (turn: (x: number) => number): number =>
    LOSSES.reduce((all, y, i) => all + MASSES[i]! * Math.exp(c * y) * turn(tau * y), 0);
  const [re, im] = [sum(Math.cos), sum(Math.sin)];
  return [Math.log(Math.hypot(re, im)), Math.atan2(im, re)];
}

/** Two laws, whose masses or losses are off by as much as is said of them. */
test.each([
  ['masses', OFF, 0],
  ['losses', 0, OFF],
] as const)('listed losses whose %s are off: M and φ within their errors', (_, mass, loss) => {
  const sign = (i: number): number => (i % 2 === 0 ? 1 : -1);
  const own = Float64Array.of(
    ...[LOSSES.length, mass + 1e-13, loss + 1e-15, -Infinity, -Infinity],
    ...LOSSES.map((y, i) => y + sign(i) * loss),
    ...MASSES.map((p, i) => p * (1 + sign(i) * mass)),
  );
  const law = lawOfStep({ mu: ATOMS, rate: 0, own });
  for (const c of [0.5, 1.7, 4, -3]) {
    const { value, error } = law.cumulant(c);
    const [logM] = exact(c, 0);
    expect(Math.abs(value - logM)).toBeLessThanOrEqual(error + 1e-13);
    const n = 128;
    const line = law.line({ c, dTau: UNIT, n })!;
    for (let k = 1; k < n; k++) {
      const [at, turn] = exact(c, k * UNIT);
      const away = Math.hypot(line.logModulus[k]! - (at - logM), line.phase[k]! - turn);
      expect(away).toBeLessThanOrEqual(line.error[k]! + line.quadrature[k]! + 1e-12);
    }
  }
});
