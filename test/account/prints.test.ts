import { inspect, isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { minified, stripTypes } from '../../scripts/lib/bundle.mjs';
import { compareAccountants } from '../../src/accountants/index.js';
import { audit } from '../../src/audit/index.js';
import { ConversionRefused, convert } from '../../src/convert/index.js';
import {
  account,
  BudgetExceeded,
  calibrate,
  cltFunctionals,
  dpSgd,
  gaussian,
  gaussianNoises,
  gaussianTradeoff,
  InputRangeError,
  InputSyntaxError,
  InputTypeError,
  identify,
  measure,
  measureHead,
  profileOfRun,
  pureDp,
  randomizedResponse,
  repeat,
  risk,
  StreamingAccountant,
  samplingRateFor,
  select,
  shuffled,
  zcdp,
} from '../../src/index.js';
import { AlreadySpent } from '../../src/node/ledger-file.js';
import { bracket } from '../../src/numeric/bracket.js';
import { report } from '../../src/report/index.js';
import { wasm } from '../helpers/runs.js';
import { noiseUnknown, rateUnknown, scaleUnknown, stepsUnknown } from '../helpers/unknowns.js';

const run = account(wasm, dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 1000 }));

describe('a bracket in the hand', () => {
  const one = bracket(1.51532, 1.51535);

  test('prints as its ends, rounded outwards', () => {
    expect(String(one)).toBe('[1.51532, 1.51535]');
    expect(`${one}`).toBe(String(one));
    expect(inspect(one)).toBe(String(one));
    const name: string = 'epsilon ';
    expect(name + one).toBe(`epsilon ${one}`);
    // neither end stands for both: a comparison would be false without a word
    for (const wrong of [
      () => Number(one),
      () => (one as never) < 2,
      () => Math.max(one as never),
      () => 2 * (one as never),
    ])
      expect(wrong).toThrow(/"a bracket" must be read by its end: \.upper or \.lower/);
    expect(inspect({ epsilon: one })).toBe('{ epsilon: [1.51532, 1.51535] }');
    expect(String(bracket(2, Infinity))).toBe('[2.000, infinite]');
    const [lower, upper] = String(run.epsilon(1e-5)).slice(1, -1).split(', ').map(Number);
    expect(lower).toBeLessThanOrEqual(run.epsilon(1e-5).lower);
    expect(upper).toBeGreaterThanOrEqual(run.epsilon(1e-5).upper);
  });

  test('is data as it was: JSON, spread, keys, destructuring, equality, a copy to a thread', () => {
    const { lower, upper } = one;
    expect(JSON.stringify(one)).toBe('{"lower":1.51532,"upper":1.51535}');
    expect({ ...one }).toStrictEqual({ lower, upper });
    expect(Object.keys(one)).toEqual(['lower', 'upper']);
    expect(isDeepStrictEqual(one, bracket(lower, upper))).toBe(true);
    expect(structuredClone(one)).toEqual({ lower, upper });
  });
});

/** The places of an answer where two ends stand as plain data, which would print as [object Object]. */
function plain(value: unknown, place: string, seen = new Set<unknown>()): string[] {
  if (typeof value !== 'object' || value === null || seen.has(value) || ArrayBuffer.isView(value)) return [];
  seen.add(value);
  const keys = Object.keys(value);
  const { lower, upper } = value as { lower?: unknown; upper?: unknown };
  if (keys.length === 2 && typeof lower === 'number' && typeof upper === 'number')
    return String(value) === '[object Object]' ? [place] : [];
  return Object.entries(value).flatMap(([name, each]) => plain(each, `${place}.${name}`, seen));
}

const LOSSES = [
  ['dp-sgd', dpSgd({ noiseMultiplier: 1.1, samplingRate: 0.01, steps: 100 })],
  ['one Gaussian', gaussian({ noiseMultiplier: 2 })],
  ['randomised response', randomizedResponse({ epsilon: 1 })],
  ['zCDP', zcdp({ rho: 0.1 })],
  ['pure DP', repeat(pureDp({ epsilon: 0.1 }), 5)],
  ['shuffled epochs', repeat(shuffled({ noiseMultiplier: 2, bins: 10 }), 2)],
  ['a search', select({ runs: { kind: 'poisson', mean: 3 }, inner: gaussian({ noiseMultiplier: 4 }) })],
  ['nothing', dpSgd({ noiseMultiplier: 1, samplingRate: 0.5, steps: 0 })],
  ['no noise', dpSgd({ noiseMultiplier: 0, samplingRate: 0.1, steps: 2 })],
] as const;

describe('answers of every verb are brackets that print', () => {
  test.each(LOSSES)('%s', (_, mechanism) => {
    const own = account(wasm, mechanism);
    const answers = {
      delta: own.delta(1),
      zero: own.delta(0),
      none: own.delta(Infinity),
      epsilon: own.epsilon(1e-5),
      log: own.logDelta(0.5),
      deep: own.epsilonAtLog(-100),
      tradeoff: own.tradeoff(0.1),
      power: own.truePositiveRate(0.1),
      advantage: own.advantage(),
      rest: own.oneMinusAdvantage(),
      limits: own.settings.tailMu,
      measure: measure(own),
      identify: identify(own),
      risk: risk(own),
      head: profileOfRun(own).tail,
    };
    expect(plain(answers, '')).toEqual([]);
  });

  test('verbs that take more', () => {
    const answers = {
      calibrate: calibrate(wasm, { mu: 1, samplingRate: 0.5, steps: 4 }),
      head: measureHead(wasm, run, { epsilonHead: 1 }),
      rate: samplingRateFor(wasm, account(wasm, gaussian({ noiseMultiplier: 1 })), {
        mu: 0.5,
        epsilonHead: 1,
      }),
      functionals: cltFunctionals(gaussianTradeoff(1)),
      noises: gaussianNoises({ epsilon: 1, delta: 1e-5 }),
      compare: compareAccountants(wasm, run.settings.mechanism, { delta: 1e-5 }),
      convert: convert(wasm, zcdp({ rho: 0.5 }), { kind: 'approximate-dp', delta: 1e-5 }),
      audit: audit({
        kind: 'threshold',
        members: 100,
        nonMembers: 100,
        truePositives: 60,
        falsePositives: 20,
      }),
      report: report(run),
    };
    expect(plain(answers, '')).toEqual([]);
  });
});

describe('names and defaults', () => {
  test.each([
    InputTypeError,
    InputRangeError,
    InputSyntaxError,
    BudgetExceeded,
    AlreadySpent,
    ConversionRefused,
  ])('%s is called so by itself, its instances and what prints them', (made) => {
    expect(Object.hasOwn(made, 'name') && made.prototype.name).toBe(made.name);
    expect(made.name).toMatch(/^(Input|Budget|Already|Conversion)/);
  });

  test('of errors survive the minifier', async () => {
    const { code } = stripTypes('src/errors.ts');
    const short = minified(
      'errors.js',
      `${code.replace(/^export class/gm, 'class')}\nexport { InputRangeError as made };`,
    );
    expect(short).not.toMatch(/class InputRangeError/);
    const { made: Short } = await import(`data:text/javascript,${encodeURIComponent(short)}`);
    expect(inspect(new Short('"steps" must be whole'))).toMatch(/^InputRangeError: "steps" must be whole\n/);
    expect(Object.keys(new Short('x'))).toEqual([]);
  });

  test('a stream that nobody started is refused in words', () => {
    const make = StreamingAccountant as unknown as new () => StreamingAccountant;
    expect(() => new make()).toThrow(InputTypeError);
    expect(() => new make()).toThrow('StreamingAccountant.start(engine, options)');
  });

  test('account takes the usual adjacency, and says which', () => {
    expect(run.settings.adjacency).toBe('add-remove');
    expect(run.epsilon(1e-5)).toEqual(
      account(wasm, run.settings.mechanism, { adjacency: 'add-remove' }).epsilon(1e-5),
    );
    const epochs = account(wasm, repeat(shuffled({ noiseMultiplier: 2, bins: 10 }), 2), { tolerance: 1e-4 });
    expect(JSON.parse(JSON.stringify(epochs)).adjacency).toBe('zero-out');
    expect(() => account(wasm, gaussian({ noiseMultiplier: 1 }), { adjacency: 'add' as never })).toThrow(
      '"adjacency" must be one of',
    );
  });
});

describe('calibrate by names', () => {
  const run = { noiseMultiplier: 1, samplingRate: 0.01, steps: 1000 };
  const target = { epsilon: 1, delta: 1e-5 };
  test.each([
    ['noiseMultiplier', noiseUnknown],
    ['samplingRate', rateUnknown],
    ['steps', stepsUnknown],
  ] as const)('%s: the same as its unknown', (name, unknown) => {
    const { [name]: _, ...rest } = run;
    const asked = calibrate(wasm, { ...target, ...rest, for: name });
    expect(asked).toEqual(calibrate(wasm, unknown(rest as never), target, { adjacency: 'add-remove' }));
    expect(asked.adjacency).toBe('add-remove');
  });

  test('the scale of Laplace noise: sensitivity over epsilon', () => {
    const asked = calibrate(wasm, { epsilon: 0.5, delta: 0, for: 'laplaceScale', sensitivity: 1, steps: 1 });
    expect(asked.value).toBeCloseTo(2, 5);
    expect(asked).toEqual(calibrate(wasm, scaleUnknown({ sensitivity: 1 }), { epsilon: 0.5, delta: 0 }));
  });

  test.each([
    [{ ...target, samplingRate: 0.01 }, '"steps" must be given to solve for noiseMultiplier'],
    [{ ...target, steps: 10 }, '"samplingRate" must be given to solve for noiseMultiplier'],
    [{ ...target, ...run }, '"noiseMultiplier" must be left out to solve for noiseMultiplier, got 1'],
    [{ ...target, sigma: 2 }, '"sigma" is unknown: calibrate takes'],
    [{ ...target, for: 'sigma' }, '"for" must be one of noiseMultiplier'],
    [{ samplingRate: 0.01, steps: 10 }, '"target"'],
    [undefined, 'must be given'],
  ])('%j is refused', (request, message) => {
    expect(() => calibrate(wasm, request as never)).toThrow(message);
  });
});
