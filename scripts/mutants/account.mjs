const NEAR = 'test/account/near-phases.test.ts';
const SELECT = 'test/account/select.test.ts';
const SEARCH = 'test/account/starved-search.test.ts';
const STATED = 'test/law/stated-errors.test.ts';
const RARE = 'a second try that is rare: the largest loss of responses of epsilon %d';
const PUBLISHED = '%s: what is published, from above and by orders of the outputs';
const COIN = 'more tries, each there by a coin of its own, are fewer tries or none';
const CHANCES = '%s: its mean, its chances and its cost are those of its generating function';
const TRIES = 'src/mechanism/search/tries-law.ts';
const ORDERS = 'src/mechanism/search/selection-orders.ts';
const ENCLOSED = 'src/run/enclosed-run.ts';
const PHASES = 'src/account/near-phases.ts';
const BETWEEN = 'holds what lies between: bounds from the worse, tests from the better';
const PLACE = '200 random runs: every step has its place between the worst and the best of a group';
const SCORES = 'no score, with whatever ties, gets beyond the upper end, in either direction';

/** Accounting: groups of near steps, private searches. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const ACCOUNT = [
  {
    term: 'near phases: the worst of a group has its largest rate, the best its smallest',
    proof: 'near-phases.md 2',
    file: PHASES,
    find: 'if (side * (each.rate - rate) > 0) rate = each.rate;',
    put: 'if (each.rate - rate > 0) rate = each.rate;',
    tests: [[NEAR, PLACE]],
  },
  {
    term: 'near phases: the worst of a group has the least noise',
    proof: 'near-phases.md 3',
    file: PHASES,
    find: 'if (side * (order - extreme) > 0) [extreme, mechanism] = [order, each.mechanism];',
    put: 'if (side * (order - extreme) < 0) [extreme, mechanism] = [order, each.mechanism];',
    tests: [[NEAR, PLACE]],
  },
  {
    term: 'near phases: less Laplace noise is worse',
    proof: 'near-phases.md 1',
    file: 'src/mechanism/kinds/laplace.ts',
    find: 'order: -m.scale',
    put: 'order: m.scale',
    tests: [[NEAR, PLACE]],
  },
  {
    term: 'near phases: upper ends are those of the worse run',
    proof: 'near-phases.md 4',
    file: ENCLOSED,
    find: 'this.above.logDelta(epsilon, width, floor)',
    put: 'this.below.logDelta(epsilon, width, floor)',
    tests: [[NEAR, BETWEEN]],
  },
  {
    term: 'near phases: lower ends are those of the better run',
    proof: 'near-phases.md 4',
    file: ENCLOSED,
    find: 'this.below.logDelta(epsilon, width, floor).lower',
    put: 'this.above.logDelta(epsilon, width).lower',
    tests: [[NEAR, BETWEEN]],
  },
  {
    term: 'near phases: tests are those of the better run',
    proof: 'near-phases.md 4',
    file: ENCLOSED,
    find: 'this.below.test(omega, width, floor)',
    put: 'this.above.test(omega, width, floor)',
    tests: [[NEAR, BETWEEN]],
  },
  {
    term: 'private search: the mean number of tries',
    proof: 'select.md 1',
    file: 'src/mechanism/search/selection-run.ts',
    find: 'logMean + run.logDelta(epsilon - cost, width, floor - logMean - 1e-9).upper',
    put: 'run.logDelta(epsilon - cost, width, floor - logMean - 1e-9).upper',
    tests: [[SELECT, SCORES]],
  },
  {
    term: 'private search: what selection adds to epsilon',
    proof: 'select.md 1',
    file: 'src/mechanism/search/selection-run.ts',
    find: 'run.logDelta(epsilon - cost, width, floor - logMean - 1e-9).upper',
    put: 'run.logDelta(epsilon, width).upper',
    tests: [[SELECT, SCORES]],
  },
  {
    term: 'private search: the cost is by the opposite direction',
    proof: 'select.md 2',
    file: 'src/mechanism/search/searched-run.ts',
    find: 'selectionCost(tries, bases[n - 1 - i], width)',
    put: 'selectionCost(tries, bases[i], width)',
    tests: [
      [SELECT, 'sigma %d, rate %d, %d tries: what the score of a sampled base publishes, by quadrature'],
    ],
  },
  {
    term: 'private search: a cell is bounded by its larger end',
    proof: 'select.md 3',
    file: 'src/mechanism/search/tries-law.ts',
    find: 'if (line(y) < 1) return Math.max(tries.cost(x, line(x)), tries.cost(y, line(y)));',
    put: 'if (line(y) < 1) return Math.min(tries.cost(x, line(x)), tries.cost(y, line(y)));',
    tests: [[SELECT, SCORES]],
  },
  {
    term: 'private search: a table of tries on a cell, at its start and the line at its end',
    proof: 'select.md 3',
    file: 'src/mechanism/search/tries-law.ts',
    find: 'if (!tries.monotone) return tries.cost(x, line(y));',
    put: 'if (!tries.monotone) return tries.cost(y, line(x)) * 0.9;',
    tests: [[SELECT, SCORES]],
  },
  {
    term: 'private search: the lower end by a constant score needs a try',
    proof: 'select.md 4',
    file: 'src/mechanism/search/selection-run.ts',
    find: 'run.logDelta(epsilon, width).lower + tries.logSome.lower',
    put: 'run.logDelta(epsilon, width).lower + log(tries.mean)',
    tests: [[SELECT, 'the lower end is what an order of the outputs, cut into shares, reaches']],
  },
  {
    term: 'private search: all tries published say at least as much',
    proof: 'select.md 5',
    file: 'src/mechanism/search/selection-run.ts',
    find: 'Math.min(known, all.logDelta(epsilon, width).upper)',
    put: 'Math.min(known, all.logDelta(1.1 * epsilon, width).upper)',
    tests: [[SELECT, 'a fixed number of tries costs at most that many runs, and one at least']],
  },
  {
    term: 'private search: the cost by the upper end of the curve',
    proof: 'select.md 2',
    file: 'src/mechanism/search/tries-law.ts',
    find: 'start: exp(this.run.logDelta(omega, this.width).upper)',
    put: 'start: exp(this.run.logDelta(omega, this.width).lower)',
    tests: [[SEARCH, '%s: the cost of selection is from above']],
  },
  {
    term: 'private search: what is published by the upper end of a try',
    proof: 'select.md 1',
    file: 'src/mechanism/search/selection-run.ts',
    find: 'run.logDelta(epsilon - cost, width, floor - logMean - 1e-9).upper',
    put: 'run.logDelta(epsilon - cost, width).lower',
    tests: [[SEARCH, PUBLISHED]],
  },
  {
    term: 'private search: what an order publishes comes after the smallest losses',
    proof: 'select.md 4',
    file: ORDERS,
    find: 'tries.drop(decoy.x, y)',
    put: 'tries.drop(0, y)',
    tests: [[SEARCH, PUBLISHED]],
  },
  {
    term: 'private search: sets of the smallest losses hold as much as their test may',
    proof: 'select.md 4',
    file: ORDERS,
    find: 'x: exp(logFpr) * (1 + 1e-14), other: exp(logTpr) * (1 - 1e-14), cost: 0',
    put: 'x: 0.3 * exp(logFpr), other: exp(logTpr) * (1 - 1e-14), cost: 0',
    tests: [[SEARCH, PUBLISHED]],
  },
  {
    term: 'private search: the chances of the best of a Poisson number',
    proof: 'select.md 8',
    file: TRIES,
    find: 'exp(-mean * x) * -expm1(-mean * y)',
    put: 'exp(-x) * -expm1(-mean * y)',
    tests: [
      [SEARCH, COIN],
      [SEARCH, CHANCES],
      [
        'test/account/select.test.ts',
        'random settings: lower ends below upper ends, both growing with the number of tries',
      ],
    ],
  },
  {
    term: 'private search: the chances of the best of a negative binomial number',
    proof: 'select.md 8',
    file: TRIES,
    find: '(exp(-eta * log1p(r * x)) * share((r * y) / (1 + r * x)))',
    put: '(exp(-eta * log1p(x)) * share((r * y) / (1 + r * x)))',
    tests: [
      [SEARCH, COIN],
      [SEARCH, CHANCES],
    ],
  },
  {
    term: 'private search: the chances of the best of a binomial number',
    proof: 'select.md 8',
    file: TRIES,
    find: 'exp(n * log1p(-p * x)) * -expm1(',
    put: 'exp(n * log1p(-x)) * -expm1(',
    tests: [
      [SEARCH, COIN],
      [SEARCH, CHANCES],
      [
        'test/account/select.test.ts',
        'more trials of a binomial may reach less: the best order, by dynamic programming',
      ],
    ],
  },
  {
    term: 'private search: the chance that a number of tries is none',
    proof: 'select.md 4',
    file: TRIES,
    find: 'logSome: around(log(-expm1(-mean))),',
    put: 'logSome: exactly(0),',
    tests: [[SEARCH, CHANCES]],
  },
  {
    term: 'private search: the cost of a table, by both ends',
    proof: 'select.md 3',
    file: TRIES,
    find: 'const [above, below] = [slope(x), slope(Math.min(1, g))];',
    put: 'const [above, below] = [slope(x), slope(0.9 * Math.min(1, g))];',
    tests: [[SEARCH, CHANCES]],
  },
  {
    term: 'private search: the largest loss by the cost from below',
    proof: 'select.md 4',
    file: ORDERS,
    find: 'finite(this.tries.costBelow(x, Math.min(1, other)))',
    put: 'finite(this.tries.cost(x, Math.min(1, other)))',
    tests: [[SEARCH, RARE]],
  },
  {
    term: 'private search: the odds of a mean from below',
    proof: 'select.md 3',
    file: TRIES,
    find: 'least: Math.max(0, high - off)',
    put: 'least: high + off',
    tests: [[SEARCH, RARE]],
  },
  {
    term: 'private search: steps beside it are moved to the mesh',
    proof: 'select.md 6',
    file: 'src/law/joined-laws.ts',
    find: 'const displacement = Math.max(high.displacement, low.displacement);',
    put: 'const displacement = 0;',
    tests: [[STATED, 'beside a search steps stand on a mesh to within what they are moved by']],
  },
  {
    term: 'private search: in a composition a pair above the curve',
    proof: 'select.md 6',
    file: 'src/mechanism/search/searched-run.ts',
    find: 'delta: Math.min(1, exp(logDelta(epsilon)) * (1 + 1e-14)),',
    put: 'delta: Math.min(1, 0.1 * exp(logDelta(epsilon))),',
    tests: [[SELECT, 'the published law of two searches one after the other stays below their composition']],
  },
  {
    term: 'private search: the tail is at least that of a try',
    proof: 'select.md 7',
    file: 'src/mechanism/search/searched-run.ts',
    find: 'most += count * upper ** 2 * (fixed ? tries.most : 1);',
    put: 'most += 0.9 * count * upper ** 2;',
    tests: [[SELECT, 'the tail is that of one try, between a share of it and its mean number']],
  },
];
