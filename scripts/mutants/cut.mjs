const CUT = 'test/methods/contour/starved-cut.test.ts';
const KNOWN = 'test/methods/contour/cut-gaussian.test.ts';
const LAW = 'src/methods/contour/step/cut-gaussian.ts';
const PATH = 'src/methods/contour/step/shifted-cut.ts';
const TILTED = 'assembly/tilted.ts';
const PANELS = 'test/methods/contour/tilted-panels.test.ts';
const CELLS = 'cells have no more than their mass, and their means are within what is said';
const VARIED = 'parts have no more mass than said, and vary by no more';
const BOUNDS = 'test/kernel/law-bounds.test.ts';
const DOUBT = 'log phi of a law whose %s are in doubt';
const AXIS = 'few nodes on every panel';
const OFF = 'off the axis, few nodes on every panel and on the leg';
const BOUND = 'all of a path, and its leg, bound |phi| beyond';
const PHI = 'phi at %d: on the axis, off the axis, and its bound';
const ALONE = 'answers depend on the run, the question and the tolerance alone';
const OUTPUTS =
  'outputs of panels: the density and its shift to the mixture integrate, and errors hold what roundings can be';
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
    file: 'src/methods/contour/step/tilted-panels.ts',
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
    term: 'cut laws: the loss bends most at the larger end',
    proof: 'contour.md 5',
    file: 'src/methods/contour/step/output-panels.ts',
    find: 'this.bend(c / (turned * turned), around.left + 2 * around.half + over);',
    put: 'this.bend(c / (turned * turned), this.panel(k).left);',
    tests: [[KNOWN, TOPS]],
  },
  {
    term: 'cut laws: off the axis |u| is less, and a negative power of it more',
    proof: 'contour.md 4',
    file: 'assembly/loss-mesh.ts',
    find: 'sub(mul(all(0.5 * (1 + 1e-12)), lacking), all(4 * U))',
    put: 'mul(all(0.05), lacking)',
    tests: [[KNOWN, OUTPUTS]],
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
    term: 'whole laws: what lies behind their panels, off the axis',
    proof: 'contour.md 6',
    file: PATH,
    find: 'if (behind !== undefined) rest = logSum(rest, end(behind, layout.cut, Infinity));',
    put: '',
    tests: [[CUT, 'off the axis, behind the panels of a whole law whose M is known']],
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
    file: TILTED,
    find: 'return steepness * (lane0(vexp(all(high))) + lane0(vexp(all(steep + drift))));',
    put: 'return steepness * lane0(vexp(all(high)));',
    tests: [[PANELS, VARIED]],
  },
  {
    term: 'cut laws: how much parts of a law vary',
    proof: 'contour.md 11',
    file: TILTED,
    find: 'return steepness * (lane0(vexp(all(high))) + lane0(vexp(all(steep + drift))));',
    put: 'return 0.02 * steepness * (lane0(vexp(all(high))) + lane0(vexp(all(steep + drift))));',
    tests: [[KNOWN, 'sigma %d, q %d, cut at %d']],
  },
  {
    term: 'cut laws: between nodes the largest integrand of a part is above them',
    proof: 'contour.md 11',
    file: TILTED,
    find: 'const bump = (c < 0 ? 1 - c * curve : 1.0) * eighth;',
    put: 'const bump = 0.0 * eighth;',
    tests: [[PANELS, VARIED]],
  },
  {
    term: 'cut laws: between nodes the integrand is below its chord',
    proof: 'contour.md 13',
    file: TILTED,
    find: 'const bent = c * curve > 1 ? 1 - (c * curve - 1) * eighth : 1.0;',
    put: 'const bent = 1.0;',
    tests: [[PANELS, CELLS]],
  },
  {
    term: 'cut laws: between nodes the loss is below its chord',
    proof: 'contour.md 13',
    file: TILTED,
    find: 'const bow = curve * eighth;',
    put: 'const bow = 0.0;',
    tests: [[PANELS, CELLS]],
  },
  {
    term: 'cut laws: where the mean of a cell lies',
    proof: 'contour.md 13',
    file: TILTED,
    find: 'const middle = y0 + step * (0.5 + rise / (12 + 0.2 * rise2)) - 0.5 * bow;',
    put: 'const middle = y0 + step * 0.5 - 0.5 * bow;',
    tests: [[PANELS, CELLS]],
  },
  {
    term: 'bounds of |phi|: the means of cells are off',
    proof: 'contour.md 13',
    file: 'assembly/decay.ts',
    find: 'const root = Math.sqrt(second) - Math.sqrt(p * (loadF64(b, 24) - loadF64(a, 24) + within));',
    put: 'const root = Math.sqrt(second);',
    tests: [[BOUNDS, 'bounds of |phi| from cells whose means are off']],
  },
  {
    term: 'bounds of |phi|: what is no part of a law',
    proof: 'contour.md 11',
    file: 'assembly/decay.ts',
    find: 'const own = loadF64(p) + loadF64(p, 8) / from;',
    put: 'const own = loadF64(p, 8) / from;',
    tests: [[BOUNDS, 'bounds of |phi| from the variation of a part']],
  },
  {
    term: 'log phi: errors of weights',
    file: 'assembly/log-phi.ts',
    find: 'store(at + 2 * row, add(add(weights, angles), mul(all(sums), reach)));',
    put: 'store(at + 2 * row, angles);',
    tests: [[BOUNDS, DOUBT]],
  },
  {
    term: 'log phi: errors of losses',
    file: 'assembly/log-phi.ts',
    find: 'const angles = mul(tau, all(shift + U * 48 * size));',
    put: 'const angles = all(0);',
    tests: [[BOUNDS, DOUBT]],
  },
  {
    term: 'log phi: what the losses leave out',
    file: 'assembly/log-phi.ts',
    find: 'store(rows + 3 * row, select(quadrature, all(0), sound));',
    put: 'store(rows + 3 * row, all(0));',
    tests: [[BOUNDS, DOUBT]],
  },
  {
    term: 'whole laws: what lies behind their panels, in log M',
    proof: 'contour.md 6',
    file: LAW,
    find: 'return 1e-9 + (whole ? logSum(before, logBehind(mu, q, cut, c)) : before);',
    put: 'return 1e-9 + before;',
    tests: [[CUT, 'whole laws with an end near by']],
  },
  {
    term: 'cut laws: what remains of a line is bounded by its leg, too',
    proof: 'contour.md 12',
    file: 'src/methods/contour/step/path-bound.ts',
    find: 'Math.min(0, logSum(logAt(tau) + doubt, leg) + 1e-12)',
    put: 'Math.min(0, logAt(tau) + doubt + 1e-12)',
    tests: [[CUT, BOUND]],
  },
  {
    term: 'cut laws: what remains of a line is bounded by all of its path',
    proof: 'contour.md 12',
    file: 'src/methods/contour/step/path-bound.ts',
    find: 'Math.min(0, logSum(logAt(tau) + doubt, leg) + 1e-12)',
    put: 'Math.min(0, leg + 1e-12)',
    tests: [[CUT, BOUND]],
  },
];
