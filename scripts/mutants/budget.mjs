const FILTERS = 'test/budget/filters.test.ts';
const LEDGER = 'test/budget/ledger.test.ts';
const ODOMETER = 'src/budget/odometer.ts';
const MEASURES = 'src/budget/measures.ts';

/** Budgets: sums, their limits, and the odometer. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const BUDGET = [
  {
    term: 'odometer: delta is shared among the nineteen orders of zCDP',
    file: ODOMETER,
    find: 'const cost = share(EXPONENTS.length, delta);',
    put: 'const cost = share(1, delta);',
    tests: [[FILTERS, 'the nineteen orders of zCDP share delta']],
  },
  {
    term: 'odometer: delta is shared among the orders declared',
    file: ODOMETER,
    find: 'share(gauges.length, delta) / (order! - 1)',
    put: 'share(1, delta) / (order! - 1)',
    tests: [[FILTERS, 'orders that are declared share delta: one stage for each crosses no more often']],
  },
  {
    term: 'odometer: what an (epsilon, delta) release may lose beyond its epsilon',
    file: ODOMETER,
    find: 'return (spent + hidden(whole, rest, delta)) * UP;',
    put: 'return spent * UP;',
    tests: [[FILTERS, 'no release of two outputs is beyond it, and without slack one comes up to it']],
  },
  {
    term: 'odometer: with slack the share of the orders is taken beside the delta of the releases',
    file: ODOMETER,
    find: 'hidden(whole + own, Math.min((1 - part) * rest, rest - own), delta)',
    put: 'hidden(whole, rest, delta)',
    tests: [[FILTERS, 'with slack it is what point 8 of docs/budget.md says, with one of the shares']],
  },
  {
    term: 'budget: the constant of advanced composition is rounded down',
    file: MEASURES,
    find: 'const factor = (1 - 5e-15) /',
    put: 'const factor = (1 + 5e-15) /',
    tests: [[LEDGER, '(epsilon, delta) with slack: advanced composition, its constant from below']],
  },
  {
    term: 'budget: the slack is part of delta',
    file: MEASURES,
    find: "capacity: minus(amount('delta', delta), share)",
    put: "capacity: amount('delta', delta)",
    tests: [[LEDGER, '(epsilon, delta) with slack: advanced composition, its constant from below']],
  },
  {
    term: 'budget: a divergence counts at lower orders only',
    file: MEASURES,
    find: 'spending.points.find((each) => each.order >= order)',
    put: 'spending.points.find(() => true)',
    tests: [[LEDGER, 'divergences are those of the order or of a higher one']],
  },
  {
    term: 'budget: zCDP is a divergence at every order',
    file: MEASURES,
    find: 'const scaled = times(exactDecimal(order)!, rho);',
    put: 'const scaled = rho;',
    tests: [[LEDGER, 'divergences are those of the order or of a higher one']],
  },
  {
    term: 'budget: pure DP is zCDP of half the square',
    file: MEASURES,
    find: "return times(HALF, squareOf(amount('epsilon', spending.epsilon)));",
    put: "return times(HALF, times(HALF, squareOf(amount('epsilon', spending.epsilon))));",
    tests: [
      [LEDGER, 'zCDP of Gaussian and pure releases is half the square'],
      [FILTERS, 'holds for everything together, both ways'],
    ],
  },
  {
    term: 'budget: sums are exact',
    file: 'src/budget/ledger.ts',
    find: 'return costs.map((cost, i) => plus(this.sums[i], times(exactDecimal(count)!, cost)));',
    put: "return costs.map((cost, i) => exactDecimal(doubleOf(plus(this.sums[i], times(exactDecimal(count)!, cost)), 'down'))!);",
    tests: [
      [LEDGER, 'ten of 0.1 fit in 1 as decimals, nine as doubles, which are above it'],
      [LEDGER, 'the smallest double counts, beside the largest sums'],
    ],
  },
  {
    term: 'budget: the largest that fits is rounded down',
    file: 'src/budget/ledger.ts',
    find: "gauge.power === 2 ? rootDown(left) : doubleOf(left, 'down')",
    put: "gauge.power === 2 ? rootDown(left) : doubleOf(left, 'up')",
    tests: [[LEDGER, 'what is said to be the largest fits where the sum is of the quantity itself, too']],
  },
  {
    term: 'budget: square roots are rounded down',
    file: 'src/budget/ledger.ts',
    find: "gauge.power === 2 ? rootDown(left) : doubleOf(left, 'down')",
    put: "gauge.power === 2 ? rootDown(left) * (1 + 2 ** -52) : doubleOf(left, 'down')",
    tests: [[LEDGER, 'what is said to be the largest fits, and the next double does not']],
  },
  {
    term: 'budget: the mu of noise is rounded up',
    file: 'src/budget/charges.ts',
    find: 'compareExact(product, exactDecimal(1)!) < 0 ? neighbour(mu, 1) : mu',
    put: 'mu',
    tests: [['test/streaming/adaptive.test.ts', 'noise is charged from above, without a tolerance']],
  },
];
