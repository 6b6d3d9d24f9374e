/** δ at very negative ε: 1 − δ_μ(−E) = e^{−E}(1 − δ_μ(E)), which is e^{−E} to all digits there; no end of a bracket passes it. */
import { expect, it } from 'vitest';
import { account, dpSgd, gaussian, laplace } from '../../src/index.js';
import { reference, wasm } from '../helpers/runs.js';

const runs = [
  gaussian({ noiseMultiplier: 1 }),
  laplace({ scale: 1, sensitivity: 1 }),
  dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 }),
];

it.each([wasm, reference])('log delta is below 0 where delta is below 1, engine %#', (engine) => {
  for (const mechanism of runs) {
    const run = account(engine, mechanism, { adjacency: 'add-remove' });
    for (const epsilon of [-37.5, -40, -100, -700, -740, -745, -800, -1e6]) {
      const { lower, upper } = run.logDelta(epsilon);
      // log(1 − e^ε(1 − δ)) ≥ −e^ε(1 + e^ε), and ≤ −e^ε/2 wherever δ(|ε|) ≤ 1/2
      expect(lower).toBeLessThan(0);
      expect(lower).toBeLessThanOrEqual(-Math.exp(epsilon));
      expect(lower).toBeGreaterThanOrEqual(-Math.exp(epsilon) * (1 + 1e-14) - 1e-323);
      expect(upper).toBe(0);
    }
  }
});

/** log(1 − e^ε) and the double below it: mpmath at 60 digits, log(-expm1(ε)), rounded down. */
const NOTHING = [
  [-3e-9, -19.624653549778305],
  [-1.7e-9, -20.192637586734243],
  [-5.1e-9, -19.094025299766134],
  [-1.3e-8, -18.158316485984876],
  [-1.1e-8, -18.325370569648044],
  [-0.9, -0.5218354429087223],
  [-25.3, -1.0288441863023146e-11],
  [-30, -9.357622968840613e-14],
] as const;

it.each([{ effort: 1e-6 }, { maxTime: 1e-9 }])(
  'without time or work for more, no end passes %o',
  (limits) => {
    // no loss is below −1e-11, and δ(|ε|) is below e^{−70}: δ(ε) is 1 − e^ε to 20 digits
    const rare = dpSgd({ noiseMultiplier: 2, samplingRate: 1e-14, steps: 1000 });
    for (const engine of [wasm, reference])
      for (const [epsilon, exact] of NOTHING) {
        const run = account(engine, rare, { adjacency: 'add-remove', ...limits });
        const { lower, upper } = run.logDelta(epsilon);
        expect(lower).toBeLessThanOrEqual(exact);
        expect(upper).toBeGreaterThan(exact);
      }
  },
);

/** One ulp beside 2 log(1 − q), the least loss of two steps: δ falls with ε, and its neighbours 4e-14 to either side are known to 13 digits. */
it('log delta beside the least loss follows from its neighbours', () => {
  const run = account(
    wasm,
    dpSgd({ noiseMultiplier: 0.6281510294913579, samplingRate: 2.1658688854662556e-6, steps: 2 }),
    { adjacency: 'add-remove' },
  );
  const { lower, upper } = run.logDelta(-0.0000043317424619273166);
  expect(lower).toBeLessThanOrEqual(-12.075624161);
  expect(upper).toBeGreaterThanOrEqual(-12.075624162);
  expect(upper - lower).toBeLessThan(1e-6);
  // a line asked on it spends 1.44e9, and leaves [−12.08, −.30]
  expect(run.cost).toBeLessThan(2e8);
});
