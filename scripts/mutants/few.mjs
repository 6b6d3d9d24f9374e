const FEW = 'test/methods/contour/starved-few.test.ts';
const KNOWN = 'test/methods/contour/few-steps.test.ts';
const OUTER = 'src/methods/contour/split/outer-step.ts';
const TABLE = 'src/methods/contour/split/steps-table.ts';
const ENDS = 'ends of the outputs too near';
const NODES = 'steps of outputs too long';
const PANELS = 'long panels of few nodes';
const RARE =
  'rare losses, whose sums may be far higher on one side: sigma $noiseMultiplier, q $samplingRate, $steps steps at $x';
const ACCEPTED = 'the chance to be accepted is from above, however small: $phases at $zeta';
const WRONG = 'values that are as wrong as they say';

/** A few steps in real space. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const FEW_STEPS = [
  {
    term: 'few steps: what thresholds of the chance to be accepted are off by',
    proof: 'few-steps.md 5',
    file: 'src/methods/contour/split/functionals.ts',
    find: 'logNormalCdf(x + off + 2 * U * (Math.abs(x) + mu)) * (1 - 1e-14)',
    put: 'logNormalCdf(x + 0 * off)',
    tests: [[KNOWN, ACCEPTED]],
  },
  {
    term: 'few steps: beyond the end K is less than u by more than B − W',
    proof: 'few-steps.md 1',
    file: OUTER,
    find: 'known(excess, 4 * error + 16 * U)',
    put: 'known(first.log, 4 * error + 16 * U)',
    tests: [
      [KNOWN, '$phases $direction at $t'],
      [KNOWN, 'contours agree, in both directions, two to four steps, alike or not, deep tails among them'],
      [KNOWN, 'contours agree with tables of %d like steps of little noise'],
    ],
  },
  {
    term: 'few steps: what lies left of the nodes',
    proof: 'few-steps.md 3',
    file: OUTER,
    find: 'const truncation = exp(total.right + unit - whole) + exp(total.left + unit - whole);',
    put: 'const truncation = exp(total.right + unit - whole);',
    tests: [[FEW, ENDS]],
  },
  {
    term: 'few steps: what lies right of the nodes',
    proof: 'few-steps.md 3',
    file: OUTER,
    find: 'const truncation = exp(total.right + unit - whole) + exp(total.left + unit - whole);',
    put: 'const truncation = exp(total.left + unit - whole);',
    tests: [[FEW, ENDS]],
  },
  {
    term: 'few steps: the rule of falling functionals',
    proof: 'few-steps.md 3',
    file: OUTER,
    find: 'falling ? share * exp(rule[which]) : exp(rule[which] - own)',
    put: 'falling ? 0 : exp(rule[which] - own)',
    tests: [[FEW, NODES]],
  },
  {
    term: 'few steps: the rule of rising functionals',
    proof: 'few-steps.md 3',
    file: OUTER,
    find: 'falling ? share * exp(rule[which]) : exp(rule[which] - own)',
    put: 'falling ? share * exp(rule[which]) : 0',
    tests: [[FEW, NODES]],
  },
  {
    term: 'few steps: integrands grow off the axis',
    proof: 'few-steps.md 3',
    file: OUTER,
    find: 'const growth = (steps.spread * c * c) / 2 + Math.LN2 - logCos;',
    put: 'const growth = Math.LN2 - logCos;',
    tests: [[FEW, NODES]],
  },
  {
    term: 'few steps: functionals grow off the axis',
    proof: 'few-steps.md 2',
    file: TABLE,
    find: 'const growth = (steps.spread * turn * turn) / 2 + 1e-8;',
    put: 'const growth = 1e-8;',
    tests: [[FEW, PANELS]],
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
    tests: [[FEW, WRONG]],
  },
  {
    term: 'few steps: errors of rising functionals in falling ones',
    proof: 'few-steps.md 4',
    file: TABLE,
    find: 'const [a, b] = [g * known[0].error, j * known[1].error];',
    put: 'const [a, b] = [0, 0];',
    tests: [[FEW, WRONG]],
  },
  {
    term: 'few steps: falling functionals are what rising ones leave',
    proof: 'few-steps.md 4',
    file: TABLE,
    find: 'const [first, second] = [missing - rise + g, 1 - (g + j) / k];',
    put: 'const [first, second] = [missing - rise, 1 - (g + j) / k];',
    tests: [[KNOWN, 'tables hold what they interpolate, within what they state: sigma %d, rate %d']],
  },
  {
    term: 'few steps: slopes, by the sum of their terms',
    proof: 'few-steps.md 5',
    file: OUTER,
    find: 'x / mu + 1 + slope[i])',
    put: '0.1 * (x / mu + 1 + slope[i]))',
    tests: [[FEW, 'slopes of functionals of %d steps are no larger than said, rising ones among them']],
  },
  {
    term: 'few steps: both sides of a walk are added in one unit',
    proof: 'few-steps.md 3',
    file: OUTER,
    find: `    }
    // both sides of a walk have one unit, which either may raise
    for (let k = 0; k < totals.length; k++)
      for (let i = BLOCK * k; i < BLOCK * (k + 1); i++) values[i] -= totals[k].top;`,
    put: `      for (let i = BLOCK * k; i < BLOCK * (k + 1); i++) values[i] -= totals[k].top;
    }`,
    tests: [[KNOWN, RARE]],
  },
];
