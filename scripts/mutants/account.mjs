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

const CLIMB = 'test/account/climb.test.ts';
const RUN = 'src/account/composed-run.ts';
const LADDER = 'src/account/climb.ts';
const INTERSECTED = 'the brackets of all rungs are intersected, of epsilon and of delta';
const NEIGHBOURS = 'beside the least loss delta is bounded by its neighbours, each from its own side';
const SAID = 'what candidates say counts at each end for itself';
const TO_LAST = 'to the last where a rung has not ended by effort, and what is open is not far beyond it';
const BEFORE = 'the tolerance first where it is expected to be reached, and then from the coarsest';

/** Accounting: groups of near steps, private searches. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const ACCOUNT = [
  {
    term: 'climb: delta of a coarser rung is kept',
    proof: 'ladder.md 1',
    file: RUN,
    find: 'overlap(known, largestLogDelta(rung, epsilon, Math.max(floor, known.lower)))',
    put: 'largestLogDelta(rung, epsilon, floor)',
    tests: [[CLIMB, INTERSECTED]],
  },
  {
    term: 'climb: the share of a rung does not depend on the tolerance',
    proof: 'ladder.md 7',
    file: LADDER,
    find: '(rung.share ?? SHARE)',
    put: '1 / rungs.length',
    tests: [[CLIMB, 'with the same units for each rung, whatever tolerance is wanted']],
  },
  {
    term: 'climb: patience where a rung narrows nothing',
    proof: 'ladder.md 7',
    file: LADDER,
    find: 'after > patience * rung.tolerance',
    put: 'after > rung.tolerance',
    tests: [[CLIMB, TO_LAST]],
  },
  {
    term: 'climb: coarser rungs where the finest was asked first',
    proof: 'ladder.md 6',
    file: LADDER,
    find: 'return share === undefined ? [...coarser, { tolerance }] : [{ tolerance, share }, ...coarser];',
    put: 'return share === undefined ? [...coarser, { tolerance }] : [{ tolerance, share }];',
    tests: [
      [CLIMB, BEFORE],
      [CLIMB, 'records replaced: coarser widths where the finest falls short'],
    ],
  },
  {
    term: 'climb: effort that ended the finest is told',
    file: LADDER,
    find: 'if ((limited || short) && !done()) noteLimited();',
    put: 'if (limited && !done()) noteLimited();',
    tests: [[CLIMB, BEFORE]],
  },
  {
    term: 'climb: the best test of all rungs',
    proof: 'ladder.md 2',
    file: 'src/account/climbing-run.ts',
    find: 'gain(known, omega) > gain(found, omega) ? known : found',
    put: 'gain(known, omega) > gain(found, omega) ? found : known',
    tests: [[CLIMB, 'of tests the one that makes most of delta']],
  },
  {
    term: 'directions: one that another is known to reach says nothing above',
    proof: 'ladder.md 4',
    file: 'src/account/at-one-rung.ts',
    find: 'run.logDelta(reached, width, logDelta).upper <= logDelta)',
    put: 'run.logDelta(reached, width, logDelta).lower <= logDelta)',
    tests: [[CLIMB, 'the larger of two directions, each by both of its ends']],
  },
  {
    term: 'directions: delta is the larger of both',
    proof: 'ladder.md 3',
    file: 'src/account/at-one-rung.ts',
    find: 'worst = maxBracket(worst, own);',
    put: 'worst = own;',
    tests: [[CLIMB, 'the larger of two directions, each by both of its ends']],
  },
  {
    term: 'neighbours: delta from above by that of a smaller epsilon, from below by that of a larger one',
    proof: 'ladder.md 5',
    file: RUN,
    find: 'overlap(known, ordered(behind.lower, before.upper));',
    put: 'ordered(Math.max(behind.lower, before.lower), Math.min(behind.upper, before.upper));',
    tests: [[CLIMB, NEIGHBOURS]],
  },
  {
    term: 'neighbours: beside the least loss alone',
    proof: 'ladder.md 5',
    file: RUN,
    find: 'Math.abs(epsilon + most) <= FLOOR_WIDTH * most',
    put: 'Math.abs(epsilon + most) <= most',
    tests: [[CLIMB, NEIGHBOURS]],
  },
  {
    term: 'neighbours: an earlier epsilon bounds the delta of one direction, not of the larger',
    proof: 'ladder.md 5',
    file: 'src/account/at-one-rung.ts',
    find: 'if (!(upper < uppers[top])) return ordered(worst.lower, upper);',
    put: 'return ordered(worst.lower, Math.min(...uppers, upper));',
    tests: [[CLIMB, 'beyond the reach of a direction its delta of an earlier epsilon bounds it']],
  },
  {
    term: 'candidates: from above by the least, from below by the most',
    proof: 'ladder.md 1',
    file: 'src/account/candidates.ts',
    find: 'all.reduce((found, bounds) => Math.min(found, ask(bounds) ?? none), none);',
    put: 'all.reduce((found, bounds) => ask(bounds) ?? found, none);',
    tests: [[CLIMB, 'of several candidates the best counts']],
  },
  {
    term: 'candidates: what they say of delta from below',
    proof: 'ladder.md 1',
    file: RUN,
    find: 'ordered(candidates.logDeltaBelow(epsilon), candidates.logDeltaAbove(epsilon))',
    put: 'ordered(candidates.logDeltaAbove(epsilon), candidates.logDeltaAbove(epsilon))',
    tests: [[CLIMB, SAID]],
  },
  {
    term: 'candidates: what is known of the larger direction is not said of each',
    proof: 'ladder.md 3',
    file: 'src/account/largest-epsilon.ts',
    find: 'least: Math.max(least, candidates.epsilonBelow(logDelta)),',
    put: 'least,',
    tests: [[CLIMB, SAID]],
  },
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
    find: 'start: up(exp(this.run.logDelta(omega, this.width).upper), 1e-14)',
    put: 'start: up(exp(this.run.logDelta(omega, this.width).lower), 1e-14)',
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
    find: 'x: up(exp(logFpr), 1e-14), other: down(exp(logTpr), 1e-14), cost: 0',
    put: 'x: 0.3 * exp(logFpr), other: down(exp(logTpr), 1e-14), cost: 0',
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
    find: 'delta: Math.min(1, up(exp(logDelta(epsilon)), 1e-14)),',
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
