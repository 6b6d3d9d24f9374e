import { describe, expect, test } from 'vitest';
import { account, compose, dpSgd, laplace, measure } from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { Allowance, charge } from '../../src/numeric/meter.js';
import type { DirectedRun } from '../../src/run/directed-run.js';
import { Deadline, meteredDirections } from '../../src/run/metered-run.js';
import { seeded } from '../helpers/random.js';
import { runOf, wasm } from '../helpers/runs.js';

const run = runOf([[1.1, 0.01, 1000]]);
const [known] = run.directions;
/** A direction that costs something, whatever is remembered. */
const bare: DirectedRun = {
  direction: 'remove',
  method: 'grid',
  logInfinity: known.logInfinity,
  logDelta: (epsilon) => {
    charge(1);
    return known.logDelta(epsilon);
  },
  test: (omega) => known.test(omega),
  guessEpsilon: (target) => known.guessEpsilon(target),
  guessOmega: (target) => known.guessOmega(target),
};

/** A limit that is over after so many questions, whatever they took. */
class Count extends Deadline {
  constructor(private questions: number) {
    super(1e9);
  }
  override get over(): boolean {
    this.late = this.questions <= 0;
    return this.late;
  }
  override stop(): void {
    this.questions--;
  }
}

describe('answers that may take a limited time', () => {
  test.each([0, 1, 2, 3, 5, 8, 13])('%i questions in time: brackets hold the others', (questions) => {
    for (const direction of run.directions) {
      const deadline = new Count(questions);
      const [hurried] = meteredDirections([direction], new Allowance(Infinity, deadline));
      for (const epsilon of [1, 0.3, 2.5, 0.05, -0.2, 1.2, 0, 4, -3, 1, 0.7]) {
        const here = hurried.logDelta(epsilon);
        const exact = direction.logDelta(epsilon);
        expect(here).toOverlap(exact);
        // a test of another loss exists: what it makes of δ here is at most δ
        const { logFpr, logTpr } = hurried.test(epsilon);
        const made = Math.exp(logTpr) - Math.exp(epsilon + logFpr);
        expect(made).toBeLessThanOrEqual(Math.exp(exact.upper) + 1e-12);
      }
      expect(deadline.late).toBe(true);
    }
  });

  test('what is known narrows what is not asked any more', () => {
    const [hurried] = meteredDirections([bare], new Allowance(Infinity, new Count(2)));
    const [a, b] = [hurried.logDelta(1), hurried.logDelta(1.5)];
    expect(hurried.logDelta(1.2)).toEqual({ lower: b.lower, upper: a.upper });
    expect(hurried.logDelta(0.5)).toEqual({ lower: a.lower, upper: 0 });
    expect(hurried.logDelta(9)).toEqual({ lower: Number.NEGATIVE_INFINITY, upper: b.upper });
    const { lower, upper } = hurried.logDelta(-1);
    expect(lower).toBeCloseTo(Math.log(1 - Math.exp(-1)), 12);
    expect(upper).toBe(0);
  });

  test('of thousands of answers, some of them rough, the best of each side count', () => {
    const random = seeded(5);
    const told: (readonly [number, Bracket])[] = [];
    const rough: DirectedRun = {
      ...bare,
      logDelta: (epsilon) => {
        charge(1);
        const found = { lower: -2 * epsilon - 3 * random() ** 3, upper: -2 * epsilon + 3 * random() ** 3 };
        told.push([epsilon, found]);
        return found;
      },
    };
    const [hurried] = meteredDirections([rough], new Allowance(Infinity, new Count(3000)));
    for (let i = 0; i < 3000; i++) hurried.logDelta(Math.ceil(2000 * random()) / 100);
    for (const epsilon of [0.005, 0.01, 1.234, 7.5, 7.501, 19.99, 30]) {
      const uppers = told.filter(([at]) => at <= epsilon).map(([, { upper }]) => upper);
      const lowers = told.filter(([at]) => at >= epsilon).map(([, { lower }]) => lower);
      expect(hurried.logDelta(epsilon)).toEqual({
        lower: Math.max(-Infinity, ...lowers),
        upper: Math.min(0, ...uppers),
      });
    }
  });

  test.each([1, -1])('in order %i, no more answers are remembered than there is room for', (order) => {
    const steady: DirectedRun = {
      ...bare,
      logDelta: (epsilon) => {
        charge(1);
        return { lower: -2 * epsilon, upper: -2 * epsilon };
      },
    };
    const asked = Array.from({ length: 5000 }, (_, i) => i + 1);
    const [hurried] = meteredDirections([steady], new Allowance(Infinity, new Count(asked.length)));
    for (const epsilon of order > 0 ? asked : asked.toReversed()) hurried.logDelta(epsilon);
    const said = asked.map((epsilon) => hurried.logDelta(epsilon));
    for (const [i, bracket] of said.entries()) expect(bracket).toContainValue(-2 * asked[i]!);
    for (const end of ['lower', 'upper'] as const) {
      const ends = new Set(said.map((bracket) => bracket[end]));
      expect(ends.size).toBeLessThanOrEqual(4097); // and what is known without any
      expect(ends.size).toBeGreaterThan(4000);
    }
  });

  test('an account with a limit that is over at once still answers, and says so', () => {
    const training = dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 });
    const mechanism = compose([training, laplace({ scale: 3, sensitivity: 1 })]);
    const options = { adjacency: 'add-remove' } as const;
    const whole = account(wasm, mechanism, options);
    const hurried = account(wasm, mechanism, { ...options, maxTime: 1e-6 });
    expect(hurried.epsilon(1e-6).upper).toBeLessThan(Infinity);
    const both: readonly (readonly [Bracket, Bracket])[] = [
      [hurried.epsilon(1e-5), whole.epsilon(1e-5)],
      [hurried.delta(1), whole.delta(1)],
      [hurried.truePositiveRate(1e-3), whole.truePositiveRate(1e-3)],
      [measure(hurried).mu, measure(whole).mu],
    ];
    for (const [here, exact] of both) {
      expect(here).toOverlap(exact);
      expect(here.upper - here.lower).toBeGreaterThan(exact.upper - exact.lower);
    }
    expect(hurried.timedOut).toBe(true);
  });

  test('with time enough the answers are the same bits', () => {
    const mechanism = dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 });
    const patient = account(wasm, mechanism, { adjacency: 'add-remove', maxTime: 1e9 });
    expect(patient.epsilon(1e-5)).toEqual(run.epsilon(1e-5));
    expect(measure(patient)).toEqual(measure(run));
    expect(patient.timedOut).toBe(false);
  });

  test.each([0, -1, Number.NaN, '5' as unknown as number])('a limit of %s is refused by name', (maxTime) => {
    const mechanism = dpSgd({ noiseMultiplier: 1, samplingRate: 0.1, steps: 1 });
    expect(() => account(wasm, mechanism, { adjacency: 'add-remove', maxTime })).toThrow(
      /"maxTime" must be a number > 0, in milliseconds, got/,
    );
  });
});
