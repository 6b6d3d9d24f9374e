/** Epochs of balls and bins as laws of a run: what ends their contours, and what truncation takes from them. */
import { expect, test } from 'vitest';
import { loadF64, storeF64 } from '../../assembly/lane/memory.js';
import { take } from '../../assembly/lane/room.js';
import { Allocation } from '../../assembly/law/allocation.js';
import { Gaussian } from '../../assembly/law/gaussian.js';
import { CutPowers, GaussianAndRest } from '../../assembly/law/gaussian-and-rest.js';
import { Composed, type Cumulant } from '../../assembly/law/law.js';
import { account, ballsAndBins, gaussian } from '../../src/index.js';
import { binsOf, contourAt, placeOf, roomy } from '../helpers/run-laws.js';
import { wasm } from '../helpers/runs.js';
import { twoBins } from '../helpers/two-bins.js';

test('two bins: the bound that ends a contour is above the transform', () => {
  for (const mu of [0.5, 1, 2]) {
    roomy();
    const law = new Allocation(binsOf({ mu, bins: 2, visited: 2 }), 3);
    const [taus, out] = [take(2), take(2)];
    for (const c of [-1, 0.5, 2.2])
      for (const tau of [0.5, 2, 4]) {
        const size = 3 * (twoBins(mu, c, tau).re - twoBins(mu, c, 0).re);
        storeF64(taus, tau);
        storeF64(taus + 8, 1.0001 * tau);
        storeF64(out, 0);
        law.openDecay(c);
        law.addDecay(taus, 2, -1e9, true, out);
        expect(loadF64(out)).toBeGreaterThan(size - 1e-10);
        expect(law.tailLog(tau)).toBeGreaterThan(size - 1e-10);
        const beyond = law.tailLog(tau / 1.3) - law.tailPower(tau / 1.3) * Math.log(1.3);
        expect(beyond).toBeGreaterThan(size - 1e-10);
      }
    const partial = new Allocation(binsOf({ mu, bins: 3, visited: 2 }), 3);
    expect([partial.tailLog(9), partial.tailPower(9)]).toEqual([0, 0]);
  }
});

/** N(0, 1) against N(μ, 1), of which a share is lost of either. */
class Lessened extends Gaussian {
  constructor(
    mu: number,
    private readonly share: number,
  ) {
    super(mu * mu);
  }

  override cumulant(c: number): Cumulant {
    const found = super.cumulant(c);
    found.value += Math.log1p(-this.share);
    return found;
  }
}

test('what is lost, at most: whether it has the same loss in both or is in one alone, delta is in the bracket', () => {
  const share = 1e-4;
  let answered = 0;
  for (const mu of [0.7, 1.5])
    for (const epsilon of [0.1, 1, 2, 3, 4])
      for (const shorter of [1, 0.7, 0.5]) {
        roomy();
        const run = new Composed();
        run.append(new Lessened(mu, share));
        run.loseUpTo(Math.log(share), 1);
        const line = contourAt(run, epsilon, -4, (layout) => {
          layout.period *= shorter;
        });
        line.answer(epsilon);
        if (!(line.lower > -Infinity)) continue;
        answered++;
        const { lower, upper } = account(wasm, gaussian({ noiseMultiplier: 1 / mu })).logDelta(epsilon);
        expect(line.lower, `${mu} ${epsilon}`).toBeLessThanOrEqual(upper + Math.log1p(-share));
        expect(Math.exp(line.upper)).toBeGreaterThanOrEqual(
          ((1 - share) * Math.exp(lower) + share) * (1 - 1e-12),
        );
      }
  expect(answered).toBeGreaterThan(12);
});

test.each([0.2, 0.3])('one epoch of two bins that is cut far in: delta is in the bracket, mu %d', (mu) => {
  const [remove] = account(wasm, ballsAndBins({ noiseMultiplier: 1 / mu, bins: 2 })).directions;
  let answered = 0;
  for (const lost of [0.03, 1e-3, 1e-5, 1e-8])
    for (const epsilon of [0.05, 0.2, 0.3, 0.5]) {
      roomy();
      const numbers = { mu, bins: 2, visited: 2 };
      const powers = new CutPowers(placeOf(numbers));
      expect(powers.lose(Math.log(lost))).toBe(true);
      expect(powers.lost).toBeLessThanOrEqual(lost * (1 + 1e-9));
      const run = new Composed();
      run.append(new GaussianAndRest(binsOf(numbers), powers, 1));
      run.loseUpTo(Math.log(powers.lost), 1);
      const line = contourAt(run, epsilon, -8);
      if (!line.isGood) continue;
      line.answer(epsilon);
      if (!(line.lower > -Infinity)) continue;
      answered++;
      const exact = remove!.logDelta(epsilon);
      expect(line.lower, `${lost} ${epsilon}`).toBeLessThanOrEqual(exact.upper);
      expect(line.upper, `${lost} ${epsilon}`).toBeGreaterThanOrEqual(exact.lower);
    }
  expect(answered).toBeGreaterThan(8);
});
