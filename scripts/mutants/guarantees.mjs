const RANGE = 'test/account/bounded-range.test.ts';
const CHOSEN =
  'two and three steps chosen by what came before, over all choices of a fine list, lie in the bracket';
const MANY_STEPS =
  'many steps: values of an independent recursion lie in brackets of two percent: range %d, rate %d, %d steps';
const SAMPLED = 'test/account/sampled-guarantees.test.ts';
const BOTH_WAYS = 'divergences of random pairs on a Poisson sample, in both directions';

/** Guarantees that are composed: by divergences, and by adaptive choice. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const GUARANTEES = [
  {
    term: 'effort: a value that is found costs what making it would',
    proof: 'effort.md 1',
    file: 'src/numeric/meter.ts',
    find: '    pay(question, touched);\n    known.question',
    put: '    known.question',
    tests: [
      [
        'test/numeric/meter.test.ts',
        'runs out in the same place with values made and with values ready, and keeps none that is not whole',
      ],
    ],
  },
  {
    term: 'bounded range: a cell has the wider of its ranges',
    proof: 'bounded-range.md 2',
    file: 'src/bounds/bounded-range.ts',
    find: '(i / depth) * epsilon - epsilon, ((i + 1) / depth) * epsilon',
    put: '((i + 1) / depth) * epsilon - epsilon, ((i + 1) / depth) * epsilon',
    tests: [[RANGE, CHOSEN]],
  },
  {
    term: 'bounded range: choices hang on what came before',
    proof: 'bounded-range.md 1',
    file: 'src/bounds/bounded-range.ts',
    find: '      let open = 1;',
    put: '      let open = 0;',
    tests: [[RANGE, CHOSEN]],
  },
  {
    term: 'bounded range: values between points of the mesh',
    proof: 'bounded-range.md 3',
    file: 'src/bounds/bounded-range.ts',
    find: 'weights[4 * node + 2 * end + 1] = weight * right;',
    put: 'weights[4 * node + 2 * end + 1] = 0 * right;',
    tests: [[RANGE, MANY_STEPS]],
  },
  {
    term: 'bounded range: two outputs of the range, and no wider',
    proof: 'bounded-range.md 4',
    file: 'src/bounds/bounded-range.ts',
    find: 'const span = epsilon * (1 - 1e-14);',
    put: 'const span = epsilon * 1.05;',
    tests: [[RANGE, CHOSEN]],
  },
  {
    term: 'sampled guarantees: the divergence from the sample to the rest',
    proof: 'renyi.md 10',
    file: 'src/bounds/renyi.ts',
    find: 'const direct = expm1(most) - m * rate * (1 - ROUNDINGS) + 1e-15 * m * rate;',
    put: 'const direct = 0.9 * (expm1(most) - m * rate);',
    tests: [[SAMPLED, 'the divergence from the sample, by the second order of the whole release alone']],
  },
  {
    term: 'sampled guarantees: the divergence from the rest to the sample',
    proof: 'renyi.md 10',
    file: 'src/bounds/renyi.ts',
    find: 'Math.max(toSample, fromSample) / (order - 1)',
    put: 'fromSample / (order - 1)',
    tests: [[SAMPLED, BOTH_WAYS]],
  },
  {
    term: 'sampled guarantees: they are a candidate',
    proof: 'renyi.md 10',
    file: 'src/bounds/renyi.ts',
    find: 'rate < 1 ? sampledRenyi(rate, order, whole) : whole(order)',
    put: 'whole(order)',
    tests: [[SAMPLED, 'zCDP on a Poisson sample: the upper end is near the sampled Gaussian']],
  },
];
