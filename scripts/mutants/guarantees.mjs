const RANGE = 'test/account/bounded-range.test.ts';
const CHOSEN =
  'two and three steps chosen by what came before, over all choices of a fine list, lie in the bracket';
const MANY_STEPS =
  'many steps: values of an independent recursion lie in brackets of two percent: range %d, rate %d, %d steps';
const FIXED = 'test/bounds/fixed-size.test.ts';
const TRIANGLES =
  'no three gradients have a larger f-divergence than the worst pair: diameter $diameter, share $share';
const ONE_SIDED =
  'the extreme pairs are one-sided: H of the record that takes the place, at a share, and nearly nothing beyond −log(1 − η)';
const TWO_STEPS = [
  'test/mechanism/without-replacement.test.ts',
  'two steps: the worst of all triangles is between the ends, noise $sigma, share $share',
];
const FIXED_RUN = 'test/account/fixed-size.test.ts';
const CHOSEN_TRIANGLES =
  'steps chosen by what came before lie in a bracket of one percent: noise %d, share %d, %d steps';
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
    term: 'fixed size: one record replaced is as far as the ball is wide',
    proof: 'fixed-size.md 1',
    file: 'src/bounds/fixed-size.ts',
    find: 'diameter: pair.mu * (1 + 8 * U)',
    put: 'diameter: (pair.mu * (1 + 8 * U)) / 2',
    tests: [TWO_STEPS, [FIXED_RUN, CHOSEN_TRIANGLES]],
  },
  {
    term: 'fixed size: H falls with the third side',
    proof: 'fixed-size.md 2',
    file: 'src/law/fixed-size-cells.ts',
    find: 'other: diameter * low[1 - k].sin',
    put: 'other: diameter * high[k].sin',
    tests: [[FIXED, TRIANGLES]],
  },
  {
    term: 'fixed size: right triangles count',
    proof: 'fixed-size.md 3',
    file: 'src/law/fixed-size-cells.ts',
    find: 'low[0].cos * low[1].sin : 1)',
    put: 'low[0].cos * low[1].sin : 0.9)',
    tests: [[FIXED, TRIANGLES]],
  },
  {
    term: 'fixed size: a cell has the longest of its sides',
    proof: 'fixed-size.md 4',
    file: 'src/law/fixed-size-cells.ts',
    find: 'own: diameter * high[k].sin',
    put: 'own: diameter * low[k].sin',
    tests: [[FIXED, TRIANGLES]],
  },
  {
    term: 'fixed size: what is beside the line',
    proof: 'fixed-size.md 5',
    file: 'src/law/fixed-size-cells.ts',
    find: 'norm * norm - first * first) + 1e-13',
    put: 'norm * norm - first * first) / 2 + 1e-13',
    tests: [
      [FIXED, TRIANGLES],
      [FIXED, ONE_SIDED],
    ],
  },
  {
    term: 'fixed size: both profiles of a cell are below those of a mixture',
    proof: 'fixed-size.md 6',
    file: 'src/law/fixed-size-cells.ts',
    find: '  return least <= most;',
    put: '  return true;',
    tests: [[FIXED, TRIANGLES]],
  },
  {
    term: 'fixed size: what only one world gives',
    proof: 'fixed-size.md 7',
    file: 'src/bounds/fixed-size.ts',
    find: '  let sum = single[n] + none',
    put: '  let sum = 0.9 * single[n] + none',
    tests: [TWO_STEPS, [FIXED_RUN, CHOSEN_TRIANGLES]],
  },
  {
    term: 'fixed size: likelihood ratios above 1',
    proof: 'fixed-size.md 7',
    file: 'src/bounds/fixed-size.ts',
    find: 'from[middle + i] = found[i] * fall[i];',
    put: 'from[middle + i] = 0 * fall[i];',
    tests: [[FIXED_RUN, CHOSEN_TRIANGLES]],
  },
  {
    term: 'fixed size: all blocks',
    proof: 'fixed-size.md 8',
    file: 'src/bounds/fixed-size.ts',
    find: 'count: Math.floor(count / block) }',
    put: 'count: Math.ceil(count / block / 2) }',
    tests: [[FIXED_RUN, 'many steps: noise %d, share %d, %d steps']],
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
