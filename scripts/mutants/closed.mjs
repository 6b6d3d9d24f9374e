const THEOREMS = 'test/methods/closed/theorems.test.ts';
const SUM = 'src/methods/closed/sum-of-deltas.ts';
const BOUNDS = 'src/methods/closed/bounding-run.ts';
const NEVER_BELOW = '%s: it is never below the composition';
const HOLD = '%s: they hold the composition';
const PURE = 'test/account/pure-epsilon.test.ts';
const RARE = 'ε at δ = 0, sampled at %d times the smallest number, %d steps';
const RARE_ADDED = 'δ of adding a record, sampled at %d times the smallest number, %d steps';
const REACHED = 'the Gaussian is reached by one response at 0, and is of all its steps';

const TABLE = 'src/law/tabulated-atoms.ts';
const TABLES = [
  [
    'test/law/tabulated-masses.test.ts',
    'masses are known as well as is said, by 60 digits, or are said to be differences',
  ],
];

/** Bounds by theorems alone, and rules of lint. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const CLOSED = [
  {
    term: 'tables: what cancels in a mass',
    proof: 'composition.md 7',
    file: TABLE,
    find: '/ Math.max(0, before - after) + 8 * U;',
    put: '/ (before + after) + 8 * U;',
    tests: TABLES,
  },
  {
    term: 'tables: a point that rounding puts on the hull',
    proof: 'composition.md 7',
    file: TABLE,
    find: 'if (!(Math.abs(below) > KNOWN)) isClear = false;',
    put: '',
    tests: TABLES,
  },
  {
    term: 'tables: a point beside the segment to a mirror image',
    proof: 'composition.md 7',
    file: TABLE,
    find: '>= (1 - KNOWN) * slopeAtRight(hull[from - 1], hull[from])',
    put: '>= 2 * slopeAtRight(hull[from - 1], hull[from])',
    tests: TABLES,
  },
  {
    term: 'sum of deltas: each step has a share of epsilon, not all of it',
    proof: 'composition.md 1',
    file: SUM,
    find: 'const share = (epsilon / steps) * (1 - ROUNDINGS);',
    put: 'const share = epsilon * (1 - ROUNDINGS);',
    tests: [[THEOREMS, NEVER_BELOW]],
  },
  {
    term: 'sum of deltas: every step counts',
    proof: 'composition.md 1',
    file: SUM,
    find: 'log(count) + upper',
    put: 'upper',
    tests: [
      [THEOREMS, NEVER_BELOW],
      [THEOREMS, 'it is reached but for squares where steps only fail, and counts failures of every step'],
    ],
  },
  {
    term: 'sum of deltas: by the upper ends of the steps',
    proof: 'composition.md 1',
    file: SUM,
    find: 'law.single.logDelta(share).upper',
    put: 'law.single.logDelta(share).lower',
    tests: [[THEOREMS, 'by the upper ends of its steps: the exact value %s']],
  },
  {
    term: 'theorems: the Gaussian above is that of all steps',
    proof: 'composition.md 2',
    file: BOUNDS,
    find: 'square += count * law.gdpMu * law.gdpMu;',
    put: 'square += law.gdpMu * law.gdpMu;',
    tests: [
      [THEOREMS, HOLD],
      [THEOREMS, REACHED],
    ],
  },
  {
    term: 'theorems: below is one step, not all of them',
    proof: 'composition.md 2',
    file: BOUNDS,
    find: 'lower = Math.max(lower, law.single.logDelta(epsilon).lower);',
    put: 'lower = Math.max(lower, log(laws[0].count) + law.single.logDelta(epsilon).lower);',
    tests: [[THEOREMS, HOLD]],
  },
  {
    term: 'theorems: tests are those of one step at the loss asked for',
    proof: 'composition.md 2',
    file: BOUNDS,
    find: 'test.logTpr - test.logFpr > best.logTpr - best.logFpr ? test : best,',
    put: '({ logFpr: Math.min(test.logFpr, best.logFpr), logTpr: Math.max(test.logTpr, best.logTpr) }),',
    tests: [[THEOREMS, HOLD]],
  },
  {
    term: 'theorems: the mass at infinity is that of all steps',
    proof: 'composition.md 3',
    file: BOUNDS,
    find: 'logFinite += count * log1p(-Math.max(exp(own), Number.MIN_VALUE));',
    put: 'logFinite += log1p(-Math.max(exp(own), Number.MIN_VALUE));',
    tests: [[THEOREMS, HOLD]],
  },
  {
    term: 'theorems: largest losses of all steps add up',
    proof: 'composition.md 3',
    file: 'src/law/loss-law.ts',
    find: 'upper += count * law.largest.upper;',
    put: 'upper += law.largest.upper;',
    tests: [[THEOREMS, 'largest losses add up']],
  },
  {
    term: 'lint: a divisor is found where the record after it changes it, too',
    file: 'src/lint/setting-rules.ts',
    find: 'if (less === more) continue;',
    put: 'if (less === own) continue;',
    tests: [['test/lint/lint.test.ts', 'is found by the size of the data set where one record changes it']],
  },
  {
    term: 'lint: a divisor that no record changes is none',
    file: 'src/lint/setting-rules.ts',
    find: 'if (less === more) continue;',
    put: '',
    tests: [
      [
        'test/lint/lint.test.ts',
        'is none where no record changes it, nobody is added, or no engine of Opacus wrote the file',
      ],
    ],
  },
  {
    term: 'lint: a divisor counts only where records are added or removed',
    file: 'src/lint/setting-rules.ts',
    find: "if ((given.claim.adjacency ?? given.adjacency) !== 'add-remove') return undefined;",
    put: '',
    tests: [
      [
        'test/lint/lint.test.ts',
        'is none where no record changes it, nobody is added, or no engine of Opacus wrote the file',
      ],
    ],
  },
  {
    term: 'atoms: the logarithm of the power of a test is rounded',
    file: 'src/law/atomic-pair.ts',
    find: 'Math.min(0, log(tpr) * (1 + 4 * U))',
    put: 'Math.min(0, log(tpr))',
    tests: [
      [
        'test/account/rounding-of-ends.test.ts',
        'a test that rejects on what reveals all has at most the power delta',
      ],
    ],
  },
  {
    term: 'largest losses: the smallest numbers are rounded by half of the smallest',
    file: 'src/numeric/bracket.ts',
    find: 'Math.max(Math.abs(value) * relative, Number.MIN_VALUE)',
    put: 'Math.abs(value) * relative',
    tests: [[PURE, RARE_ADDED]],
  },
  {
    term: 'sampled losses: the smallest numbers are rounded by half of the smallest',
    file: 'src/law/subsampling.ts',
    find: 'Math.max(10 * U * Math.max(Math.abs(low), Math.abs(high), size), Number.MIN_VALUE)',
    put: '10 * U * Math.max(Math.abs(low), Math.abs(high), size)',
    tests: [[PURE, RARE]],
  },
  {
    term: 'listed sums: each of the smallest losses is rounded',
    file: 'src/methods/closed/composed-atoms.ts',
    find: 'count * largest, count * Number.MIN_VALUE',
    put: 'count * largest, Number.MIN_VALUE',
    tests: [[PURE, RARE]],
  },
  {
    term: 'sampled releases: what is left of the smallest losses is rounded',
    file: 'src/law/subsampling.ts',
    find: '(epsilon - log1p(-q)) + Number.MIN_VALUE',
    put: '(epsilon - log1p(-q))',
    tests: [[PURE, RARE_ADDED]],
  },
];
