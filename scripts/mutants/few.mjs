const FEW = 'test/methods/contour/starved-few.test.ts';
const KNOWN = 'test/methods/contour/few-steps.test.ts';
const OUTER = 'src/methods/contour/split/outer-step.ts';
const TABLE = 'src/methods/contour/split/steps-table.ts';
const ENDS = 'ends of the outputs too near';
const NODES = 'panels of few nodes';
const PANELS = 'panels too long to interpolate on';
const SLOPES = 'slopes of functionals are no larger than said, rising ones among them';

/** A few steps in real space. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const FEW_STEPS = [
  {
    term: 'few steps: beyond the end K is taken from u',
    proof: 'few-steps.md 1',
    file: OUTER,
    find: 'log: log(q) + shifted + log1p(-share), error',
    put: 'log: log(q) + shifted, error',
    tests: [
      [KNOWN, '$phases $direction at $t'],
      [KNOWN, 'contours agree, in both directions, two to four steps, alike or not, deep tails among them'],
    ],
  },
  {
    term: 'few steps: what lies before the panels',
    proof: 'few-steps.md 1',
    file: OUTER,
    find: 'truncation: exp(right - logWhole) + exp(this.before(of, which, until) - logWhole),',
    put: 'truncation: exp(right - logWhole),',
    tests: [[FEW, ENDS]],
  },
  {
    term: 'few steps: what lies behind the panels',
    proof: 'few-steps.md 1',
    file: OUTER,
    find: 'truncation: exp(right - logWhole) + exp(this.before(of, which, until) - logWhole),',
    put: 'truncation: exp(this.before(of, which, until) - logWhole),',
    tests: [[FEW, ENDS]],
  },
  {
    term: 'few steps: functionals grow off the axis',
    proof: 'few-steps.md 2',
    file: TABLE,
    find: '(spread * turn * turn) / 2 +',
    put: '',
    tests: [[FEW, PANELS]],
  },
  {
    term: 'few steps: slopes of falling functionals',
    proof: 'few-steps.md 3',
    file: OUTER,
    find: 'Math.sqrt(2 * spread * Math.abs(logWhole)) + 1',
    put: '0.2 * Math.sqrt(2 * spread * Math.abs(logWhole))',
    tests: [
      [FEW, SLOPES],
      [KNOWN, 'functionals bend no more than their Gaussians'],
    ],
  },
  {
    term: 'few steps: what interpolation leaves',
    proof: 'few-steps.md 4',
    file: TABLE,
    find: 'const error = interpolation + LEBESGUE * wrong + rounding;',
    put: 'const error = LEBESGUE * wrong + rounding;',
    tests: [[FEW, PANELS]],
  },
  {
    term: 'few steps: errors of what is interpolated',
    proof: 'few-steps.md 4',
    file: TABLE,
    find: 'const error = interpolation + LEBESGUE * wrong + rounding;',
    put: 'const error = interpolation + rounding;',
    tests: [[FEW, 'values that are as wrong as they say']],
  },
  {
    term: 'few steps: the rule on panels of outputs',
    proof: 'few-steps.md 5',
    file: OUTER,
    find: 'quadrature += exp(bend.rule + this.largestOn(of, which, bend) - logWhole);',
    put: 'quadrature += 0;',
    tests: [[FEW, NODES]],
  },
  {
    term: 'few steps: slopes of rising functionals, by the sum of their terms',
    proof: 'few-steps.md 6',
    file: OUTER,
    find: 'steep / whole',
    put: '0.1 * (steep / whole)',
    tests: [[FEW, SLOPES]],
  },
];
