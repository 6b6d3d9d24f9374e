const CUT = 'test/methods/contour/starved-cut.test.ts';
const KNOWN = 'test/methods/contour/cut-gaussian.test.ts';
const LAW = 'src/methods/contour/step/cut-gaussian.ts';
const PATH = 'src/methods/contour/step/shifted-cut.ts';
const AXIS = 'few nodes on every panel';
const OFF = 'off the axis, few nodes on every panel and on the leg';
const BOUND = 'all of a path, and its leg, bound |phi| beyond';
const PHI = 'phi at %d: on the axis, off the axis, and its bound';
const ALONE = 'answers depend on the run, the question and the tolerance alone';
const TOPS =
  'the largest phi u^c on what the ellipses of panels cover, on the axis and off it, is no more than the nodes say';

/** Cut laws of one sampled Gaussian step. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const CUTS = [
  {
    term: 'cut laws: the rule on panels, in log M',
    proof: 'contour.md 3',
    file: LAW,
    find: 'const doubt = (rounding + moved) * 1.001 + outside + rule + lostError;',
    put: 'const doubt = (rounding + moved) * 1.001 + outside + lostError;',
    tests: [[CUT, AXIS]],
  },
  {
    term: 'cut laws: what lies before the first panel, in a line on the axis',
    proof: 'contour.md 6',
    file: LAW,
    find: 'missing: (2.1 * outside) / mass',
    put: 'missing: 0',
    tests: [[CUT, 'few outputs']],
  },
  {
    term: 'cut laws: what lies before the first panel, in log M',
    proof: 'contour.md 6',
    file: LAW,
    find: 'const doubt = (rounding + moved) * 1.001 + outside + rule + lostError;',
    put: 'const doubt = (rounding + moved) * 1.001 + rule + lostError;',
    tests: [[CUT, 'few outputs']],
  },
  {
    term: 'cut laws: log M lacks what both masses lack',
    proof: 'contour.md 7',
    file: LAW,
    find: 'const lost = exp(logLostP) + c * (exp(logLostQ) - exp(logLostP));',
    put: 'const lost = exp(logLostP);',
    tests: [
      [CUT, 'few outputs'],
      [KNOWN, 'log M, with and without a bound'],
    ],
  },
  {
    term: 'cut laws: between nodes the largest integrand is above them',
    proof: 'contour.md 5',
    file: 'src/methods/contour/step/output-panels.ts',
    find: 'const most = (bend * gap * gap) / 8 -',
    put: 'const most = 0 * bend * gap -',
    tests: [[KNOWN, TOPS]],
  },
  {
    term: 'cut laws: off the axis |u| is less, and a negative power of it more',
    proof: 'contour.md 4',
    file: 'src/methods/contour/step/off-axis.ts',
    find: 'return 0.5 * log1p(-Math.min(4 * share * (1 - share), 1) * half * half) * (1 + 1e-12) - 4 * U;',
    put: 'return 0.05 * log1p(-Math.min(4 * share * (1 - share), 1) * half * half);',
    tests: [[KNOWN, TOPS]],
  },
  {
    term: 'cut laws: from a path off the axis down to the cut',
    proof: 'contour.md 8',
    file: PATH,
    find: '[layout.cut, t], turn: -Math.PI / 2 })',
    put: '[layout.cut, t], turn: Math.PI / 2 })',
    tests: [
      [CUT, OFF],
      [KNOWN, PHI],
    ],
  },
  {
    term: 'cut laws: the rule along a path',
    proof: 'contour.md 8',
    file: PATH,
    find: 'const outside = exp(rest - logM.value) + steps.error;',
    put: 'const outside = steps.error;',
    tests: [[CUT, 'off the axis, few outputs']],
  },
  {
    term: 'stages: a cut is that of the level asked for, whatever was asked before',
    proof: 'contour.md 9',
    file: 'src/methods/contour/line/stages.ts',
    find: 'this.cuts.of(keyOf(i, level)',
    put: 'this.cuts.of(keyOf(i, 0)',
    tests: [[KNOWN, ALONE]],
  },
  {
    term: 'stages: tilts are those of the level asked for, whatever was asked before',
    proof: 'contour.md 9',
    file: 'src/methods/contour/line/stages.ts',
    find: 'this.made.of(keyOf(i, level)',
    put: 'this.made.of(keyOf(i, 0)',
    tests: [[KNOWN, ALONE]],
  },
  {
    term: 'cut laws: parts of a law vary by both of their maxima',
    proof: 'contour.md 11',
    file: 'src/methods/contour/step/gaussian-decay.ts',
    find: 'parts.variation.push(steepness * ends);',
    put: 'parts.variation.push(0.02 * steepness * ends);',
    tests: [[KNOWN, 'sigma %d, q %d, cut at %d']],
  },
  {
    term: 'cut laws: what remains of a line is bounded by its leg, too',
    proof: 'contour.md 12',
    file: 'src/methods/contour/step/path-bound.ts',
    find: 'return Math.min(0, logSum(along, leg) + 1e-12);',
    put: 'return Math.min(0, along + 1e-12);',
    tests: [[CUT, BOUND]],
  },
  {
    term: 'cut laws: what remains of a line is bounded by all of its path',
    proof: 'contour.md 12',
    file: 'src/methods/contour/step/path-bound.ts',
    find: 'return Math.min(0, logSum(along, leg) + 1e-12);',
    put: 'return Math.min(0, leg + 1e-12);',
    tests: [[CUT, BOUND]],
  },
];
