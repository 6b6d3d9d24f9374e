import { expect, test } from 'vitest';
import { account, compose, dpSgd, loadEngine, measure } from '../../../src/index.js';
import { intersects, relativeWidth } from '../../helpers/brackets.js';
import { seeded } from '../../helpers/random.js';
import { checkDelta, rareGoldens } from '../../helpers/rare-losses.js';
import { type PhaseTriple, runOf } from '../../helpers/runs.js';

/** Losses of single outputs beyond 17 sigma: bands may have no lines there. */
const FARTHEST = rareGoldens.filter(
  ({ noiseMultiplier, samplingRate, x }) =>
    Math.log1p(Math.expm1(x) / samplingRate) * noiseMultiplier + 0.5 / noiseMultiplier > 17,
);

test.each(rareGoldens.filter((golden) => !FARTHEST.includes(golden)))(
  'sigma $noiseMultiplier, q $samplingRate, $steps steps at $x',
  (golden) => {
    const hardest = golden.steps === 2 && (golden.noiseMultiplier === 1.5 || golden.x === 0.002);
    checkDelta(golden, hardest ? Infinity : 1e-6);
  },
);

/** The sum of the parts is the run: what else answers for the whole of it says the same where it reaches. */
test('random runs: answers, grid and whole lines intersect', () => {
  const random = seeded(17);
  let asked = 0;
  let unanswered = 0;
  const between = (a: number, b: number): number => a * (b / a) ** random();
  for (let i = 0; i < 30; i++) {
    const phases = Array.from(
      { length: 1 + Math.floor(2 * random()) },
      (): PhaseTriple => [between(0.5, 3), between(1e-5, 1e-2), Math.round(between(2, 3000))],
    );
    const grid = runOf(phases, { method: 'grid', tolerance: 1e-3, maxGridLength: 2 ** 12 });
    const alone = runOf(phases, { method: 'spectral' });
    for (const target of [-4, -11, -25]) {
      const x = alone.directions[0].guessEpsilon(target);
      const mine = runOf(phases).logDelta(x, 1e-6);
      const what = `${JSON.stringify(phases)}, at ${x}: ${JSON.stringify(mine)}`;
      asked++;
      if (mine.lower === -Infinity) unanswered++;
      expect(intersects(mine, grid.logDelta(x)), what).toBe(true);
      expect(intersects(mine, alone.logDelta(x)), what).toBe(true);
    }
  }
  expect(unanswered).toBeLessThan(asked / 10);
});

test.each([
  [[1, 1e-4, 10_000]],
  [[1, 1e-5, 100]],
  [[1.5, 1e-4, 100]],
  [[1, 1e-4, 2]],
  [[1, 1e-5, 10]],
] as const)('%s: epsilon and mu to 1e-6', (phase) => {
  const run = runOf([phase]);
  expect(run.method).toBe('spectral');
  expect(relativeWidth(run.epsilon(1e-5))).toBeLessThan(1e-6);
  expect(relativeWidth(measure(run).mu)).toBeLessThan(1e-6);
});

test('445 unlike phases at the usual effort: epsilon to 1e-6, its line made once', async () => {
  const phases = Array.from({ length: 445 }, (_, i) =>
    dpSgd({
      noiseMultiplier: 0.71 + (0.64 * i) / 444,
      samplingRate: 5.1e-4 * (1.1 / 5.1) ** (i / 444),
      steps: 36,
    }),
  );
  const run = account(await loadEngine(), compose(phases), { adjacency: 'add-remove' });
  expect(relativeWidth(run.epsilon(3.5e-10))).toBeLessThan(1e-6);
  expect(run.cost).toBeLessThan(1.6e9);
});
