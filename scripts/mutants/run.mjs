const WIDE = 'test/run/wide-brackets.test.ts';
const CURVE = 'src/run/tradeoff-curve.ts';
const MU = 'src/measure/supporting-lines.ts';
const GAP = 'src/tradeoff/largest-gap.ts';
const F = 'the trade-off curve, steep, flat and in the middle: %s';
const FOUND = 'mu, and the regret of a mu: %s';
const LARGER = 'the larger of two directions';
const EPSILON = 'epsilon at a delta: %s';
const BY_DELTA = 'a test by delta alone: %s';
const MEASURE = 'test/measure/measure.test.ts';
const BY_DELTAS = 'src/measure/power-by-deltas.ts';
const CORNER =
  'the power by δ is below the exact one wherever a corner lies, δ at either end of wide brackets';

/** What is made of the brackets of a run. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const RUN = [
  {
    term: 'trade-off: where steep, the line of the upper end of delta',
    file: CURVE,
    find: 'const logDelta = forward.logDelta(epsilon).upper;',
    put: 'const logDelta = forward.logDelta(epsilon).lower;',
    tests: [[WIDE, F]],
  },
  {
    term: 'trade-off: where no test turns, the line of slope -1',
    file: CURVE,
    find: 'high < Infinity ? high : 0]',
    put: 'high]',
    tests: [[WIDE, 'where every test says yes the line of slope −1 still holds']],
  },
  {
    term: 'trade-off: where flat, the line of the upper end of delta',
    file: CURVE,
    find: 'const logDelta = backward.logDelta(epsilon).upper;',
    put: 'const logDelta = backward.logDelta(epsilon).lower;',
    tests: [[WIDE, F]],
  },
  {
    term: 'trade-off: in the middle, the line of the upper end of delta',
    file: CURVE,
    find: 'const logDelta = this.forward.logDelta(0).upper;',
    put: 'const logDelta = this.forward.logDelta(0).lower;',
    tests: [[WIDE, F]],
  },
  {
    term: 'trade-off: delta below 0 is of the pair exchanged',
    file: CURVE,
    find: 'complementTimes(epsilon, this.backward.logDelta(-epsilon, width))',
    put: 'complementTimes(epsilon, this.forward.logDelta(-epsilon, width))',
    tests: [[WIDE, F]],
  },
  {
    term: 'trade-off: tests below 0 are mirrored, their rates exchanged',
    file: CURVE,
    find: 'logFpr: outward(logComplement(logTpr), 1), logTpr: outward(logComplement(logFpr), -1)',
    put: 'logFpr, logTpr',
    tests: [[WIDE, F]],
  },
  {
    term: 'hull: the largest delta of all directions',
    file: 'src/run/hull-run.ts',
    find: 'largest = maxBracket(largest, run.logDelta(epsilon, width, largest.lower));',
    put: 'largest = run.logDelta(epsilon, width, largest.lower);',
    tests: [[WIDE, LARGER]],
  },
  {
    term: 'epsilon: the upper end of delta decides the upper end',
    file: 'src/run/epsilon.ts',
    find: "turn('upper', guess,",
    put: "turn('lower', guess,",
    tests: [[WIDE, EPSILON]],
  },
  {
    term: 'epsilon: the lower end of delta decides the lower end',
    file: 'src/run/epsilon.ts',
    find: "turn('lower', Math.min(",
    put: "turn('upper', Math.min(",
    tests: [[WIDE, EPSILON]],
  },
  {
    term: 'tests by delta alone: the rate by the chord that is largest',
    proof: 'select.md 4',
    file: 'src/run/profile-test.ts',
    find: 'const most = fall(d1.upper, d2.lower, rise, 1);',
    put: 'const most = fall(d1.lower, d2.upper, rise, 1);',
    tests: [[WIDE, BY_DELTA]],
  },
  {
    term: 'tests by delta alone: the power by chords that are surely so steep',
    file: 'src/run/profile-test.ts',
    find: 'const sure = fall(d1.lower, d2.upper, rise, -1);',
    put: 'const sure = fall(d1.upper, d2.lower, rise, -1);',
    tests: [[WIDE, BY_DELTA]],
  },
  {
    term: 'tests by delta alone: the rate at the middle is that of the chord after it',
    file: 'src/run/profile-test.ts',
    find: 'rise * Math.min(after, sure) + sure',
    put: 'rise * sure + sure',
    tests: [[WIDE, BY_DELTA]],
  },
  {
    term: 'mu: corners by the upper ends of delta',
    file: MU,
    find: "a.meeting = { next: b, ...meetingAt(a, b, 'upper') }",
    put: "a.meeting = { next: b, ...meetingAt(a, b, 'lower') }",
    tests: [[WIDE, FOUND]],
  },
  {
    term: 'mu: the edge of the window by the upper end of delta',
    file: MU,
    find: "end: 'lower' | 'upper' = 'upper'): number",
    put: "end: 'lower' | 'upper' = 'lower'): number",
    tests: [[WIDE, FOUND]],
  },
  {
    term: 'mu: the upper end is not lowered',
    file: MU,
    find: "mu: ordered(known.lower, Math.min(upper, muCeiling)),\n    rates: 'some',",
    put: "mu: ordered(Math.min(known.lower, upper * (1 - 1e-7)), Math.min(upper * (1 - 1e-7), muCeiling)),\n    rates: 'some',",
    tests: [[WIDE, FOUND]],
  },
  {
    term: 'mu: what is known from below comes from tests within the window',
    file: MU,
    find: 'known.lower = Math.max(known.lower, muAt(test.logFpr, test.logTpr, -1));',
    put: 'known.lower = Math.max(known.lower, muAt(test.logFpr, test.logTpr, 1) * (1 + 1e-9));',
    tests: [[WIDE, FOUND]],
  },
  {
    term: 'regret: from below by the brackets of both curves',
    proof: 'regret.md 1',
    file: GAP,
    find: 'reached: leastError(weights, logDelta).lower - other.upper,',
    put: 'reached: leastError(weights, logDelta).upper - other.lower,',
    tests: [[WIDE, FOUND]],
  },
  {
    term: 'regret: between two tests the place where their lines meet',
    proof: 'regret.md 1',
    file: GAP,
    find: 'most: Math.max(ownA, ownB, there)',
    put: 'most: Math.max(ownA, ownB)',
    tests: [
      [WIDE, FOUND],
      ['test/tradeoff/regret.test.ts', '%s, window number %#'],
    ],
  },
  {
    term: 'trade-off: in the middle, the tests of both pairs, not one',
    file: CURVE,
    find: 'const upper = (share * from + (1 - share) * to + 1e-15) * (1 + 2 * ROUNDING);',
    put: 'const upper = Math.min(from, to) * (1 + 2 * ROUNDING);',
    tests: [[WIDE, F]],
  },
  {
    term: 'trade-off: mixtures of two tests have their false positive rate, not a smaller one',
    file: CURVE,
    find: 'const mix = logSum(logComplement(logW) + strict.logTpr, logW + loose.logTpr);',
    put: 'const mix = Math.max(strict.logTpr, loose.logTpr);',
    tests: [[WIDE, F]],
  },
  {
    term: 'mu: the fixed point counts, too',
    file: MU,
    find: 'upper = Math.max(worst.mu, least, known.lower);',
    put: 'upper = Math.max(worst.mu, known.lower);',
    tests: [[WIDE, 'mu where the curve is flattest, of a run that is known at large losses alone']],
  },
  {
    term: 'mu: the fixed point by the right ends of delta(0)',
    file: MU,
    find: 'bracket(muOf(hidden.upper, -1), muOf(hidden.lower, 1)),',
    put: 'bracket(muOf(hidden.lower, -1), muOf(hidden.lower, 1)),',
    tests: [[WIDE, FOUND]],
  },
  {
    term: 'power by delta: before the inner points the chord between them',
    proof: 'regret.md 4',
    file: BY_DELTAS,
    find: 'h0.low + b[0], before + b[0],',
    put: 'h0.low + b[0],',
    tests: [[MEASURE, CORNER]],
  },
  {
    term: 'power by delta: behind the inner points the chord between them',
    proof: 'regret.md 4',
    file: BY_DELTAS,
    find: ', h3.low + b[3], behind + b[3]);',
    put: ', h3.low + b[3]);',
    tests: [[MEASURE, CORNER]],
  },
  {
    term: 'power by delta: that chord by the right ends of its points',
    proof: 'regret.md 4',
    file: BY_DELTAS,
    find: 'const before = h1.low + ((h1.low - h2.high) / middle) * left;',
    put: 'const before = h1.high + ((h1.high - h2.low) / middle) * left;',
    tests: [[MEASURE, CORNER]],
  },
  {
    term: 'what is known without work: the logarithm of 1 − e^ε is rounded',
    file: 'src/run/metered-run.ts',
    find: 'outward(logComplement(epsilon), -1)',
    put: 'logComplement(epsilon)',
    tests: [['test/account/far-below.test.ts', 'without time or work for more, no end passes %o']],
  },
];
