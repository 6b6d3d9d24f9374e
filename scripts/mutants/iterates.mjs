const ITERATES_TEST = 'test/mechanism/last-iterate.test.ts';
const KIND = 'src/mechanism/kinds/last-iterate.ts';
const VALUES = 'values of the paper and of the general schedule: %o';

/** The last iterate of convex training. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const ITERATES = [
  {
    term: 'last iterate: what the steps before the last have lost',
    proof: 'last-iterate.md 2',
    file: KIND,
    find: ': 1 + shifts ** 2 / noise;',
    put: ': 1 + (0.5 * shifts ** 2) / noise;',
    tests: [
      [ITERATES_TEST, VALUES],
      [ITERATES_TEST, 'linear contractions attain it'],
      [ITERATES_TEST, 'no linear contractions lose more, whatever batch the record is in'],
    ],
  },
  {
    term: 'last iterate: the noise that hides a record in all steps',
    proof: 'last-iterate.md 1',
    file: KIND,
    find: '(1 + shifts) ** 2 / (1 + noise)',
    put: '(1 + shifts) ** 2 / (1 + 2 * noise)',
    tests: [
      [ITERATES_TEST, VALUES],
      [ITERATES_TEST, 'no contractions lose more: densities of random runs by quadrature'],
    ],
  },
  {
    term: 'last iterate: no more than what is attained',
    proof: 'last-iterate.md 3',
    file: KIND,
    find: 'const shifts = sum(batches * rate, before);',
    put: 'const shifts = 1.2 * sum(batches * rate, before);',
    tests: [[ITERATES_TEST, 'linear contractions attain it']],
  },
];
