const TINY = 'losses of 1e-9: what is known of aliases keeps its digits';
const STARVED = 'test/methods/contour/starved.test.ts';
const STAGES = 'test/methods/contour/stages.test.ts';
const LINE = 'src/methods/contour/line/contour.ts';
const ALIASES = 'aliases of a Gaussian: period $period, line at $c between $below and $above';
const ONE_LOSS =
  'aliases of one loss, which attain their bounds: period $period, line at $c between $below and $above';
const END = 'the end of a line: $end, line at $c, window $window';
const DOUBT = 'nodes that are as wrong as they say: %j';
const FAR = 'round-off, far from where a line is meant to serve';
const SAMPLED = 'test/methods/contour/sampled-exponential.test.ts';
const GRIDS = 'brackets meet those of the grid, in both directions, and tests stay below the trade-off curve';
const BEYOND =
  'what lies beyond the end of a line is no more than segments say, where |phi| is all that they allow';

/** @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const CONTOUR = [
  {
    term: 'lines: aliases above',
    proof: 'contour.md 2',
    file: LINE,
    find: 'value - errorBound - (aboveKnown ? 0 : above) - (belowKnown ? 0 : below)',
    put: 'value - errorBound - (belowKnown ? 0 : below)',
    tests: [
      [STARVED, ALIASES],
      [STARVED, ONE_LOSS],
    ],
  },
  {
    term: 'lines: aliases below',
    proof: 'contour.md 2',
    file: LINE,
    find: 'value - errorBound - (aboveKnown ? 0 : above) - (belowKnown ? 0 : below)',
    put: 'value - errorBound - (aboveKnown ? 0 : above)',
    tests: [
      [STARVED, ALIASES],
      [STARVED, ONE_LOSS],
    ],
  },
  {
    term: 'lines: aliases below that a known part replaces are too much',
    proof: 'contour.md 2',
    file: LINE,
    find: 'value + errorBound + (belowKnown ? below : 0) + (aboveKnown ? above : 0)',
    put: 'value + errorBound + (aboveKnown ? above : 0)',
    tests: [[STARVED, ALIASES]],
  },
  {
    term: 'lines: aliases above that a known part replaces are too much',
    proof: 'contour.md 2',
    file: LINE,
    find: 'value + errorBound + (belowKnown ? below : 0) + (aboveKnown ? above : 0)',
    put: 'value + errorBound + (belowKnown ? below : 0)',
    tests: [[STARVED, ALIASES]],
  },
  {
    term: 'lines: the known part of aliases left of the pole at 1',
    file: LINE,
    find: 'const known = a === 0 ? ofP : ofQ;',
    put: 'const known = a === 0 ? ofP : 0;',
    tests: [[STARVED, ALIASES]],
  },
  {
    term: 'lines: the known part of aliases left of the pole at 0',
    file: LINE,
    find: 'return { known: plus + other, sizes:',
    put: 'return { known: ofQ, sizes:',
    tests: [[STARVED, ALIASES]],
  },
  {
    term: 'lines: the difference of the known parts of aliases keeps its digits',
    file: LINE,
    find: 'return { known: plus + other, sizes:',
    put: 'return { known: ofQ - ofP, sizes:',
    tests: [['test/methods/contour/spectral-atoms.test.ts', TINY]],
  },
  {
    term: 'lines: the known part of aliases of the FPR',
    file: LINE,
    find: 'const known = a === 0 ? ofP : ofQ;',
    put: 'const known = a === 0 ? 0 : ofQ;',
    tests: [[STARVED, ALIASES]],
  },
  {
    term: 'lines: the known part of aliases right of the pole at 1, from between the poles',
    file: LINE,
    find: 'above.c > 1 ? ofQ : 0',
    put: '0',
    tests: [[STARVED, ALIASES]],
  },
  {
    term: 'lines: the mass of finite losses in the known part',
    file: LINE,
    find: 'const ofQ = exp(logMassQ + beforeOne - base);',
    put: 'const ofQ = exp(beforeOne - base);',
    tests: [[STARVED, ONE_LOSS]],
  },
  {
    term: "lines: the window of a test in Chernoff's bound",
    file: LINE,
    find: 'const mean = isDelta ? 0 : (Math.abs(c - poleOf(functional)) * this.window) / 2;',
    put: 'const mean = 0;',
    tests: [[STARVED, ONE_LOSS]],
  },
  {
    term: "lines: Chernoff's constant",
    file: 'src/methods/contour/line/contour-plan.ts',
    find: 'return -s * log1p(1 / s) - log + 1e-14 * (1 + log);',
    put: 'return -s * log1p(1 / s) - 1.5 * log1p(s) + 1e-14 * (1 + log1p(s));',
    tests: [[STARVED, ONE_LOSS]],
  },
  {
    term: 'lines: the sum over all aliases, not the nearest alone',
    file: LINE,
    find: '(exp(exponent + rounding) / first) * (1 + 1e-12)',
    put: 'exp(exponent + rounding) * 0.9',
    tests: [[STARVED, ONE_LOSS]],
  },
  {
    term: 'lines: the end, of delta',
    file: LINE,
    find: "functional === 'delta'\n        ? this.end.second",
    put: "functional === 'delta'\n        ? 0",
    tests: [[STARVED, END]],
  },
  {
    term: 'lines: the end, of tests without a window',
    file: LINE,
    find: '          : this.end.first;',
    put: '          : 0;',
    tests: [[STARVED, END]],
  },
  {
    term: 'lines: the end, of tests with a window',
    file: LINE,
    find: '(2 * this.end.second * exp((Math.abs(c - a) * window) / 2)) / window',
    put: '0',
    tests: [[STARVED, END]],
  },
  {
    term: 'lines: the end, of tests with a wide window far from the pole',
    file: LINE,
    find: '(2 * this.end.second * exp((Math.abs(c - a) * window) / 2)) / window',
    put: '(2 * this.end.second) / window',
    tests: [[STARVED, END]],
  },
  {
    term: 'lines: a node more on every segment beyond the end',
    file: 'src/methods/contour/line/truncation.ts',
    find: '(from[i + 1] - from[i] + dTau)',
    put: '(from[i + 1] - from[i])',
    tests: [[STARVED, BEYOND]],
  },
  {
    term: 'lines: what lies beyond the last segment',
    file: 'src/methods/contour/line/truncation.ts',
    find: '(last / (tau * tau)) * (dTau + tau / (far.power + 1))',
    put: '(last / (tau * tau)) * dTau',
    tests: [[STARVED, BEYOND]],
  },
  {
    term: 'lines: quadrature of the nodes',
    file: LINE,
    find: 'const errorBound = rounding + quadrature + truncation;',
    put: 'const errorBound = rounding + truncation;',
    tests: [[STARVED, DOUBT]],
  },
  {
    term: 'lines: rounding of the nodes',
    file: 'assembly/contour-weights.ts',
    find: 'add(roundingError, all(rotation))',
    put: 'all(rotation)',
    tests: [[STARVED, DOUBT]],
  },
  {
    term: 'lines: rounding of the sum',
    file: 'assembly/contour-weights.ts',
    find: 'add(roundingError, all(rotation))',
    put: 'all(0)',
    tests: [[STARVED, FAR]],
  },
  {
    term: 'lines: nodes of which the modulus alone is known',
    file: 'assembly/contour-weights.ts',
    find: 'all(2.1)',
    put: 'all(1)',
    tests: [[STARVED, DOUBT]],
  },
  {
    term: 'lines: the error of log M on the axis',
    file: LINE,
    find: 'base + log(high) + baseError : Infinity',
    put: 'base + log(high) : Infinity',
    tests: [[STARVED, DOUBT]],
  },
  {
    term: 'lines: the error of log M in the known part of aliases',
    file: LINE,
    find: 'sizes * (8 * U + 1.1 * expm1(baseError))',
    put: 'sizes * (8 * U + 1.1 * baseError)',
    tests: [[STARVED, DOUBT]],
  },
  {
    term: 'lines: between the poles the sum is what is lacking to 1',
    proof: 'contour.md 10',
    file: LINE,
    find: 'const isComplement = c < a;',
    put: 'const isComplement = false;',
    tests: [
      [STARVED, ALIASES],
      [STAGES, 'sigma %d, q %d, %d steps: what is lacking to 1 is known as well as what is there'],
      [STAGES, 'sigma %d, q %d, %d steps: what a test errs by is known however near to 1 its power is'],
    ],
  },
  {
    term: 'smoothed lines: the rates of a test are those of losses on either side of its threshold',
    proof: 'exponential.md 4',
    file: 'src/methods/contour/line/smoothed.ts',
    find: 'this.lines.test(x, width, this.offset)',
    put: 'this.lines.test(x, width, 0 * this.offset)',
    tests: [[SAMPLED, GRIDS]],
  },
  {
    term: 'sampled exponentials: what the nodes leave out',
    proof: 'exponential.md 1',
    file: 'src/methods/contour/step/sampled-exponential.ts',
    find: 'return lineOf(kernel, nodes, at, count, { most: rule.error * exp(-topOf(nodes, c)) });',
    put: 'return lineOf(kernel, nodes, at, count, {});',
    tests: [[SAMPLED, '%s %s rate %s: few nodes are as wrong as they say']],
  },
  {
    term: 'sampled exponentials: the phase grows off the axis',
    proof: 'exponential.md 2',
    file: 'src/methods/contour/step/sampled-exponential.ts',
    find: 'argument: b * (base > v ? v / base : 1)',
    put: 'argument: 0.2 * b * (base > v ? v / base : 1)',
    tests: [[SAMPLED, '%s %s rate %s: M by the rule of Simpson, |φ| below its bounds']],
  },
  {
    term: 'sampled exponentials: the variation of the density, to and from its jumps',
    proof: 'exponential.md 3',
    file: 'src/methods/contour/step/exponential-decay.ts',
    find: 'const variation = 2 * (density(-range) + density(range)) * unit',
    put: 'const variation = 0.9 * (density(-range) + density(range)) * unit',
    tests: [[SAMPLED, '%s %s rate %s: far out |φ| is the variation of the density']],
  },
  {
    term: 'sampled exponentials: both atoms',
    proof: 'exponential.md 3',
    file: 'src/methods/contour/step/exponential-decay.ts',
    find: 'atoms: (atoms[0].share + atoms[1].share) * unit',
    put: 'atoms: atoms[0].share * unit',
    tests: [[SAMPLED, '%s %s rate %s: M by the rule of Simpson, |φ| below its bounds']],
  },
  {
    term: 'windows: the mass they leave, by its formula',
    proof: 'contour.md 8',
    file: 'src/methods/contour/step/windowed-gaussian.ts',
    find: '(LOST_DIGITS * lost) / (1 - lost)',
    put: '0',
    tests: [
      [
        'test/methods/contour/windowed-gaussian.test.ts',
        'the mass that a window leaves at tilt %d is known by its formula',
      ],
    ],
  },
];
