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
