const PATTERNS = 'src/methods/closed/sample-patterns.ts';
const PATTERN_TESTS = 'test/methods/closed/sample-patterns.test.ts';
const OVERLAP = 'patterns that overlap hold what real space finds, in both directions';
const CLAIM = 'tests claim no more than delta, at any slope';
const SIZES = 'sums of mpmath over the numbers of batches: noise $sigma, rate $rate, $steps steps';
const INTEGRATED = 'two steps, or one and a plain one, integrated: $name';
const LEFT_OUT = 'sizes that are left out count from above, whatever is left out';

const TWO_BINS = 'test/law/two-bins.test.ts';
const TWELVE = 'the goldens are in brackets of twelve digits, in both engines';
const STARVED = 'starved: few nodes, far apart, that end too soon';
const REPLACEMENT = 'test/mechanism/with-replacement.test.ts';

/** Bounds of samples: patterns of batches, copies of records. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const SAMPLES = [
  {
    term: 'with replacement: the lower end is a data set',
    proof: 'sampling.md 13',
    file: 'src/mechanism/kinds/with-replacement.ts',
    find: 'sensitivities: Array.from(own, (_, k) => 2 * k),',
    put: 'sensitivities: Array.from(own, (_, k) => 3 * k),',
    tests: [
      [REPLACEMENT, 'two steps, integrated in the plane'],
      [REPLACEMENT, 'noise %f, %i draws of %i: from above the least of two theorems, from below a data set'],
    ],
  },
  {
    term: 'two bins: what equal steps err by',
    proof: 'balls-and-bins.md 13',
    file: 'src/law/two-bins.ts',
    find: 'const off = logSum(rule, tail);',
    put: 'const off = tail;',
    tests: [[TWO_BINS, STARVED]],
  },
  {
    term: 'two bins: nodes beyond the last',
    proof: 'balls-and-bins.md 13',
    file: 'src/law/two-bins.ts',
    find: 'const tail = Math.LN2 + padLogProbability(logNormalCdf(reach - v)).upper;',
    put: 'const tail = -1e4;',
    tests: [[TWO_BINS, STARVED]],
  },
  {
    term: 'two bins: the difference has the density of both',
    proof: 'balls-and-bins.md 13',
    file: 'src/law/two-bins.ts',
    find: 'HALF_LOG_2PI + (adds ? 0 : s);',
    put: 'HALF_LOG_2PI;',
    tests: [[TWO_BINS, TWELVE]],
  },
  {
    term: 'patterns, from below: each has its share of gamma',
    proof: 'little-noise.md 1',
    file: PATTERNS,
    find: 'logGaussian(square, epsilon - logWeight, slackOf(epsilon, logWeight), side)',
    put: 'logGaussian(square, epsilon, slackOf(epsilon, logWeight), side)',
    tests: [
      [PATTERN_TESTS, OVERLAP],
      [PATTERN_TESTS, INTEGRATED],
      [PATTERN_TESTS, SIZES],
    ],
  },
  {
    term: 'patterns, published: all of gamma for each',
    proof: 'little-noise.md 2',
    file: PATTERNS,
    find: 'logGaussian(square, epsilon, slackOf(epsilon, 0), 1)',
    put: 'logGaussian(square, epsilon + 1, slackOf(epsilon, 0), 1)',
    tests: [[PATTERN_TESTS, OVERLAP]],
  },
  {
    term: 'patterns, from above: what overlaps',
    proof: 'little-noise.md 3',
    file: PATTERNS,
    find: 'const both = Math.min(0, logSum(apart, overlap) + ROUNDINGS);',
    put: 'const both = apart;',
    tests: [[PATTERN_TESTS, OVERLAP]],
  },
  {
    term: 'patterns, adding: steps that were drawn and do not look so',
    proof: 'little-noise.md 4',
    file: PATTERNS,
    find: 'fpr += count * logSum(padLogProbability(logNormalCdf(place)).upper, missed);',
    put: 'fpr += count * padLogProbability(logNormalCdf(place)).upper;',
    tests: [
      [PATTERN_TESTS, OVERLAP],
      [PATTERN_TESTS, CLAIM],
    ],
  },
  {
    term: 'patterns, tests: every pattern may be seen without the record',
    proof: 'little-noise.md 5',
    file: PATTERNS,
    find: 'own.upper - logWeight + slackOf(0, logWeight)',
    put: 'own.upper + slackOf(0, logWeight)',
    tests: [[PATTERN_TESTS, CLAIM]],
  },
  {
    term: 'patterns: sizes that are left out',
    proof: 'little-noise.md 6',
    file: PATTERNS,
    find: 'windows.reduce((all, { logRest }) => logSum(all, logRest), rounded)',
    put: 'rounded',
    tests: [[PATTERN_TESTS, LEFT_OUT]],
  },
  {
    term: 'with replacement, copies told: several of them',
    proof: 'sampling.md 13',
    file: 'src/mechanism/kinds/with-replacement.ts',
    find: 'for (let k = 1; k < mass.length; k++) {',
    put: 'for (let k = 1; k < 2; k++) {',
    tests: [
      [
        REPLACEMENT,
        'every batch of small data sets: none is worse than the pair, and one is as bad as the lower end',
      ],
      [REPLACEMENT, 'noise %f, %i draws of %i: from above the least of two theorems, from below a data set'],
    ],
  },
  {
    term: 'with replacement: one draw is of one of n records',
    proof: 'sampling.md 13',
    file: 'src/mechanism/kinds/with-replacement.ts',
    find: '{ share: 1 / datasetSize,',
    put: '{ share: 0.5 / datasetSize,',
    tests: [
      [
        REPLACEMENT,
        'one draw is a sample of one record: exact once, and more sharply known for several steps',
      ],
    ],
  },
];
