import { describe, expect, test } from 'vitest';
import {
  account,
  compose,
  discreteGaussian,
  dpSgd,
  type Engine,
  laplace,
  type Mechanism,
  poissonSubsampled,
  randomizedResponse,
  repeat,
  select,
} from '../../src/index.js';
import { type ChoosyRun, firstWithin, type Way } from '../../src/methods/first-within.js';
import { bracket, exactly } from '../../src/numeric/bracket.js';
import { Allowance, charge } from '../../src/numeric/meter.js';
import { gain } from '../../src/run/hull-run.js';
import type { Method } from '../../src/run/method.js';
import { wasm } from '../helpers/runs.js';

/** A run that answers everything by one bracket, and says what it was asked. */
function fixed(method: Method, lower: number, upper: number, asked: number[] = []): ChoosyRun {
  const test = { logFpr: -3, logTpr: lower };
  return {
    method,
    direction: 'both',
    logInfinity: exactly(-Infinity),
    logDelta: (_, width = NaN) => {
      asked.push(width);
      return bracket(lower, upper);
    },
    test: () => test,
    testWithin: (_, width = 0) => ({ test, sharp: upper - lower <= width }),
    guessEpsilon: () => 1,
    guessOmega: () => 2,
    explain: () => ({ aliasing: 0, truncation: 0, quadrature: 0, roundOff: upper, smoothing: 0, nodes: 1 }),
  };
}

describe('the first that is narrow enough', () => {
  const enough = (asked: number): number => asked;
  const way = (run: ChoosyRun, made: string[] = []): Way => ({
    make: () => {
      made.push(run.method);
      return run;
    },
    enough,
  });

  test('nothing is made before a question is asked, nor a second way where the first will do', () => {
    const made: string[] = [];
    const ways = [way(fixed('spectral', -2, -1.9), made), way(fixed('grid', -3, -1), made)];
    const run = firstWithin(ways, 0.2);
    expect(made).toEqual([]);
    expect(run.logDelta(1)).toEqual(bracket(-2, -1.9));
    expect([run.methodAt?.(1), made]).toEqual(['spectral', ['spectral']]);
  });

  test('a guess, or a test of little use, that runs out leaves the other ways their share', () => {
    const dear = (): never => {
      charge(1e9);
      throw new Error('never paid');
    };
    const first: ChoosyRun = { ...fixed('spectral', -2, -1.9), guessEpsilon: dear, guessOmega: dear };
    for (const [ask, answer] of [
      [(run) => run.guessEpsilon(-3), 1],
      [(run) => run.guessOmega(-3), 2],
    ] as [(run: ChoosyRun) => number, number][]) {
      const allowance = new Allowance(1000);
      const run = firstWithin([way(first), way(fixed('grid', -3, -2))], 0.2);
      const said = allowance.ask(() => {
        const guessed = ask(run);
        charge(400);
        return [guessed, run.logDelta(1).upper];
      });
      expect(said).toEqual([answer, -2]);
    }
    const lost = { ...fixed('spectral', -2, -1.9), logDelta: dear, testWithin: dear };
    const run = firstWithin([way(lost), way(fixed('grid', -3, -2))], 0.2);
    expect(new Allowance(1000).ask(() => run.test(1, 1, -2.5).logTpr)).toBe(-3);
  });

  test('the same question is asked once; another width or floor is another question', () => {
    const asked: number[] = [];
    const run = firstWithin([way(fixed('spectral', -2, -1.9, asked))], 0.2);
    for (const width of [0.2, 0.2, 0.1, 0.2, 0.1, 0.3, 0.4, 0.5]) run.logDelta(1, width);
    expect(asked).toEqual([0.2, 0.1, 0.3, 0.4, 0.5]);
    run.logDelta(1, 0.5, -1);
    run.logDelta(2, 0.5);
    expect(asked.length).toBe(7);
  });

  test('brackets that are too wide are intersected with those of the next, and the narrowest has answered', () => {
    const ways = [
      way(fixed('spectral', -2, -1.5)),
      way(fixed('grid', -1.9, -1.45)),
      way(fixed('grid', -9, 0)),
    ];
    const run = firstWithin(ways, 0.1);
    expect(run.logDelta(1)).toEqual(bracket(-1.9, -1.5));
    expect([run.method, run.methodAt?.(1), run.explain?.(1)?.roundOff]).toEqual(['spectral', 'grid', -1.45]);
    // where no more is asked than that δ is small, the first will do
    expect(run.logDelta(1, 0.1, -1.4)).toEqual(bracket(-2, -1.5));
  });

  test('a way may be passed over, be asked for wider brackets, and be past hope', () => {
    const [widths, none]: number[][] = [[], []];
    const coarse = fixed('grid', -2, -1.8, widths);
    const over: Way = { make: () => undefined };
    const run = firstWithin(
      [over, { ...way(fixed('spectral', -4, -1)) }, { ...way(coarse), times: 10 }],
      0.01,
    );
    expect(run.logDelta(1)).toEqual(bracket(-2, -1.8));
    expect(widths).toEqual([0.1]);
    const hopeless = { ...way(fixed('spectral', -4, -1)), hopeless: 2 };
    firstWithin([hopeless, way(fixed('grid', -2, -1.8, none))], 0.01).logDelta(1);
    expect(none).toEqual([]);
  });

  test('tests: the first that is sharp, or that of all which makes most of delta', () => {
    const [blunt, better] = [fixed('spectral', -2, -1), fixed('spectral', -1.7, -1)];
    const two = firstWithin([way(blunt), way(better)], 0.1);
    expect(two.test(0.5)).toBe(better.test(0.5));
    expect(two.testWithin(0.5).sharp).toBe(false);
    expect(gain(two.test(0.5), 0.5)).toBeGreaterThan(gain(blunt.test(0.5), 0.5));
    const sharp = fixed('spectral', -1.05, -1);
    expect(firstWithin([way(sharp), way(better)], 0.1).testWithin(0.5)).toEqual({
      test: sharp.test(0.5),
      sharp: true,
    });
  });

  test('tests of a run that does not judge them are sharp where they prove the delta it knows', () => {
    const blind = (lower: number, upper: number): ChoosyRun => {
      const { testWithin: _, ...run } = fixed('grid', lower, upper);
      return run as ChoosyRun;
    };
    // it knows δ to a thousandth, and has a test that proves half of it
    const poor = { ...blind(-1.001, -1), test: () => ({ logFpr: -Infinity, logTpr: -1.7 }) };
    const better = { logFpr: -Infinity, logTpr: -1.01 };
    const next = { ...blind(-1.1, -1), test: () => better };
    const run = firstWithin([way(poor), way(next)], 0.1);
    expect(run.testWithin(0.5)).toEqual({ test: better, sharp: true });
    expect(firstWithin([way(poor)], 0.1).testWithin(0.5).sharp).toBe(false);
    // the last way's tests are taken as they are
    expect(firstWithin([{ make: () => poor }], 0.1).testWithin(0.5).sharp).toBe(true);
  });

  test('what fails while it is made is made again, and a policy without an answer is a bug', () => {
    let calls = 0;
    const make = (): ChoosyRun => {
      if (calls++ === 0) throw new Error('out of memory');
      return fixed('grid', -2, -1);
    };
    const run = firstWithin([{ make }], 1);
    expect(() => run.logDelta(1)).toThrow('out of memory');
    expect(run.logDelta(1)).toEqual(bracket(-2, -1));
    expect(() => firstWithin([], 1).logDelta(1)).toThrow('none of the ways serves');
  });
});

const sgd = (noiseMultiplier: number, samplingRate: number, steps: number): Mechanism =>
  dpSgd({ noiseMultiplier, samplingRate, steps });

const SGD = sgd(1.1, 0.01, 1000);

test.each<[string, Mechanism]>([
  ['contours', SGD],
  ['many phases', compose(Array.from({ length: 60 }, (_, i) => sgd(1 + i / 60, 0.01, 10)))],
  ['atoms', repeat(poissonSubsampled(laplace({ scale: 1, sensitivity: 1 }), { rate: 0.1 }), 20)],
  ['a lattice', repeat(discreteGaussian({ sigma: 3, sensitivity: 1 }), 10)],
  ['randomised response', repeat(randomizedResponse({ epsilon: 1, categories: 3 }), 20)],
  ['a search', select({ runs: { kind: 'fixed', count: 3 }, inner: sgd(2, 0.05, 20) })],
])('account asks nothing of the kernel before it is asked itself: %s', (_, mechanism) => {
  let calls = 0;
  const counted = <T extends object>(of: T): T =>
    new Proxy(of, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (name === 'questions') return counted(value as object);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]): unknown => {
          calls++;
          return Reflect.apply(value, target, given);
        };
      },
    });
  const kernel = counted(wasm.kernel);
  const run = account({ ...wasm, kernel } as Engine, mechanism, { adjacency: 'add-remove' });
  expect(calls).toBe(0);
  if (mechanism === SGD) run.delta(1);
  expect(calls > 0).toBe(mechanism === SGD);
});
