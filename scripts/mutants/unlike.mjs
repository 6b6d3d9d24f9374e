/** @type {readonly [string, string]} */
const BLENDED = [
  'test/account/blended-steps.test.ts',
  'all of them lie between the two curves, sensitivity %d',
];

const MOMENTS = 'src/bounds/kept-moments.ts';
/** @type {readonly [string, string]} */
const KEPT = [
  'test/bounds/kept-moments.test.ts',
  '%s: what divergences prove is never below the composition, and near it',
];

/** @type {readonly [string, string]} */
const SEARCHED = [
  'test/bounds/kept-moments.test.ts',
  '%s: no order of the outputs publishes a law of larger divergence, in either direction',
];

/** Unlike guarantees together, and tables of many orders. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const UNLIKE = [
  {
    term: 'noisy maxima of larger epsilon are the worse',
    proof: 'near-phases.md 3',
    file: 'src/mechanism/kinds/noisy-max.ts',
    find: 'rank: (m) => ({ order: m.epsilon,',
    put: 'rank: (m) => ({ order: -m.epsilon,',
    tests: [['test/account/blended-steps.test.ts', '40 unlike noisy maxima have both ends']],
  },
  {
    term: 'curves of a group: the largest δ of all members',
    proof: 'near-phases.md 5',
    file: 'src/account/blended-steps.ts',
    find: 'Math.max(most, exp(run.logDelta(epsilon).upper))',
    put: 'most + exp(run.logDelta(epsilon).upper) / runs.length',
    tests: [BLENDED],
  },
  {
    term: 'curves of a group: the least power of all members',
    proof: 'near-phases.md 5',
    file: 'src/account/blended-steps.ts',
    find: 'power[i] = Math.min(power[i], (tpr[k]',
    put: 'power[i] = Math.min(1, (tpr[k]',
    tests: [BLENDED],
  },
  {
    term: 'curves of a group: tests between two are no better than their mixture',
    proof: 'near-phases.md 5',
    file: 'src/account/blended-steps.ts',
    find: '(tpr[k] + share * (tpr[k + 1] - tpr[k]))',
    put: '(tpr[k] + Math.sqrt(share) * (tpr[k + 1] - tpr[k]))',
    tests: [BLENDED],
  },
  {
    term: 'long tables: what is left out is implied by less than the chord',
    proof: 'renyi.md 8',
    file: 'src/law/thinned-orders.ts',
    find: 'epsilon: epsilon * Math.min(shares[i], shares[i + 1])',
    put: 'epsilon: epsilon',
    tests: [['test/law/thinned-orders.test.ts', 'what meets the stricter one meets every bound, noise %d']],
  },
  {
    term: 'sums of quotients: the rest of a division counts from above',
    proof: 'composition.md 1',
    file: 'src/mechanism/stated-sums.ts',
    find: 'least * under === whole ? least : least + 1n',
    put: 'least - (1n << 1160n)',
    tests: [
      [
        'test/account/pure-epsilon.test.ts',
        'a sum of many unlike quotients lies between neighbouring doubles, as the exact one does',
      ],
    ],
  },
  {
    term: 'two lists: what the shorter one always tells',
    proof: 'composition.md 5',
    file: 'src/methods/closed/two-lists.ts',
    find: 'const whole = logSum(alone, sum);',
    put: 'const whole = sum;',
    tests: [['test/methods/closed/two-lists.test.ts', 'δ is that of all outcomes, at both signs of ε']],
  },
  {
    term: 'two lists: the longer one is asked at what the shorter one leaves',
    proof: 'composition.md 5',
    file: 'src/methods/closed/two-lists.ts',
    find: 'this.longer.logDelta(epsilon - y));',
    put: 'this.longer.logDelta(epsilon - y * 0.999999));',
    tests: [
      ['test/methods/closed/two-lists.test.ts', 'δ is that of all outcomes, at both signs of ε'],
      ['test/account/unlike-guarantees.test.ts', '%s: δ is that of all outcomes'],
    ],
  },
  {
    term: 'two lists: a test that rejects has the chance of the base',
    proof: 'composition.md 5',
    file: 'src/methods/closed/two-lists.ts',
    find: 'const fpr = logTotal(this.logP.map((p, i) => p + tests[i].logFpr));',
    put: 'const fpr = logTotal(this.logP.map((p, i) => 1.001 * p + tests[i].logFpr));',
    tests: [['test/methods/closed/two-lists.test.ts', 'tests are those of the whole: by all outcomes']],
  },
  {
    term: 'moments of what is kept: the mass of what is not',
    proof: 'composition.md 6',
    file: MOMENTS,
    find: 'lost: (least + beyond) * (1 + 2 * relative + ROUNDING),',
    put: 'lost: 0,',
    tests: [KEPT],
  },
  {
    term: 'moments of what is kept: of the mixture against the base',
    proof: 'composition.md 6',
    file: MOMENTS,
    find: 'logSumOf(logQ, loss, above)',
    put: 'logSumOf(logP, loss, above)',
    tests: [KEPT],
  },
  {
    term: 'moments of what is kept: of both directions the larger',
    proof: 'composition.md 6',
    file: MOMENTS,
    find: ', logSumOf(logP, loss, -above)]',
    put: ']',
    tests: [
      [
        'test/bounds/kept-moments.test.ts',
        'of a pair that is not its own mirror image both directions count: %s',
      ],
    ],
  },
  ...[
    ['negative binomials: the mass that may be better in the other world', '1 + r * start]', '1]'],
    [
      'Poisson: where the line is cut at 1',
      'above * Math.min(1, start), cut',
      'above * Math.min(1, start), 0',
    ],
    ['binomials: the mass that may be better in the other world', 'Math.max(above * first, cut)', 'cut'],
  ].map(([term, find, put]) => ({
    term: `divergence of a search, ${term}`,
    proof: 'select.md 9',
    file: 'src/mechanism/search/tries-law.ts',
    find,
    put,
    tests: [SEARCHED],
  })),
  {
    term: 'divergence of a search: what no try publishes',
    proof: 'select.md 9',
    file: MOMENTS,
    find: 'logSum(logNone, value)',
    put: 'value',
    tests: [SEARCHED],
  },
  {
    term: 'μ by a curve: as far as lines touch in the window',
    proof: 'regret.md 5',
    file: 'src/measure/mu-of-curve.ts',
    find: 'if (end > (mu * z - (mu * mu) / 2)',
    put: 'if (end > 0.3 * (mu * z - (mu * mu) / 2)',
    tests: [['test/measure/mu-of-curve.test.ts', '%s: never below its μ, and near it']],
  },
  {
    term: 'μ by a curve: on each cell the largest δ',
    proof: 'regret.md 5',
    file: 'src/measure/mu-of-curve.ts',
    find: '[epsilon, upper] = [end, Math.min(upper, logDelta(end))];',
    put: '[epsilon, upper] = [end, Math.min(upper, logDelta(1.5 * end))];',
    tests: [['test/measure/mu-of-curve.test.ts', '%s: never below its μ, and near it']],
  },
  {
    term: 'chains of worlds: the shorter where δ is not small alone',
    proof: 'sampling.md 12',
    file: 'src/run/changed-run.ts',
    find: 'return found.lower > from ? found : overlap(found, second.logDelta(epsilon, width, floor));',
    put: 'return found.lower > from ? overlap(found, second.logDelta(epsilon, width, floor)) : found;',
    tests: [
      [
        'test/mechanism/divided-sgd.test.ts',
        'of two chains the shorter counts where δ is not small, and both where it is',
      ],
    ],
  },
];
