const INTEGERS_TEST = 'test/mechanism/integer-noise.test.ts';
const NOISE = 'src/law/integer-noise.ts';
const VALUES = 'values of 15 digits, from sums of 30: %o';
const EVERY =
  'every change of at most the sensitivity, in whole numbers: none is worse, the largest is as bad';
const COINS = 'binomial noise against sums of binomial coefficients: %d coins';
const BESSEL = 'Skellam noise against sums of products of Poisson masses: variance %d';
const ALONE = 'outputs of one world alone are listed, or charged';
const MORE = 'more noise is more private, at every epsilon and in runs';

/** Binomial and Skellam noise. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const INTEGERS = [
  {
    term: 'integer noise: the largest change',
    proof: 'integer-noise.md 1',
    file: NOISE,
    find: 'symmetricAtoms({ decay, centre: half === 1 ? 0.5 : 0, infinity, complete }, sensitivity)',
    put: 'symmetricAtoms({ decay, centre: half === 1 ? 0.5 : 0, infinity, complete }, Math.max(1, sensitivity - 1))',
    tests: [
      [INTEGERS_TEST, EVERY],
      [INTEGERS_TEST, 'two releases, the second change chosen by what the first one showed'],
    ],
  },
  {
    term: 'binomial noise: an odd number of coins has no middle',
    proof: 'integer-noise.md 2',
    file: NOISE,
    find: 'log1p((2 * i + 1 + half) / (last - i))',
    put: 'log1p((2 * i + 1) / (last - i))',
    tests: [
      [INTEGERS_TEST, COINS],
      [INTEGERS_TEST, VALUES],
    ],
  },
  {
    term: 'binomial noise: outputs of one world alone, listed',
    proof: 'integer-noise.md 2',
    file: NOISE,
    find: 'return mass >= FAINTEST ? mass : 0;',
    put: 'return 0 * mass;',
    tests: [
      [INTEGERS_TEST, ALONE],
      [INTEGERS_TEST, COINS],
    ],
  },
  {
    term: 'binomial noise: outputs of one world alone, too rare to list',
    proof: 'integer-noise.md 2',
    file: NOISE,
    find: 'beyondInfinity: infinity !== undefined',
    put: 'beyondInfinity: false',
    tests: [[INTEGERS_TEST, ALONE]],
  },
  {
    term: 'Skellam noise: the recurrence of Bessel functions',
    proof: 'integer-noise.md 3',
    file: NOISE,
    find: 'divideBy({ hi: 2 * (k + 1), lo: 0 }, v)',
    put: 'divideBy({ hi: 2 * k + 1, lo: 0 }, v)',
    tests: [
      [INTEGERS_TEST, BESSEL],
      [INTEGERS_TEST, VALUES],
    ],
  },
  {
    term: 'Skellam noise: tails that are listed',
    proof: 'integer-noise.md 3',
    file: NOISE,
    find: 'exponent(k) >= DEPTH + 1) + sensitivity',
    put: 'exponent(k) >= DEPTH / 60) + sensitivity',
    tests: [[INTEGERS_TEST, BESSEL]],
  },
  {
    term: 'integer noise: less noise is the worse',
    proof: 'integer-noise.md 4',
    file: 'src/mechanism/kinds/integer-noise.ts',
    find: 'order: -m.variance',
    put: 'order: m.variance',
    tests: [[INTEGERS_TEST, MORE]],
  },
];
