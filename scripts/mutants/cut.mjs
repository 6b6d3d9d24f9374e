const LAW = 'test/methods/contour/cut-law.test.ts';
const STARVED = 'test/methods/contour/starved-window.test.ts';
const BOUNDS = 'test/kernel/law-bounds.test.ts';
const STEP = 'src/methods/contour/step/windowed-gaussian.ts';
const AXIS = 'src/methods/contour/step/axis-outputs.ts';
const RANGE = 'assembly/beyond.ts';
const BEYOND = 'test/kernel/beyond.test.ts';
const SHIFTED = 'src/methods/contour/step/shifted-gaussian.ts';
const SPECTRUM = 'src/methods/contour/step/subsampled-gaussian.ts';
const PATH_TERMS = 'test/kernel/path-terms.test.ts';
const OFF = 'terms whose losses and windows are off by what they say: seed %d';
const FEW = 'sums good to a few digits: %s';
const FEW_OFF = 'off the axis, few nodes of a law whose M is known, good to e^-%d';
const END = 'a hard end near by';
const DOUBT = 'log phi of a law whose %s are in doubt';
const ALONE = 'answers depend on the run, the question and the tolerance alone';
const DIGITS = 'log M to digits of its own';
const TAKEN = 'sigma $sigma, q $q: what a cut near $cut takes';

/** [term, file, find, put, ...tests] @type {readonly (readonly [string, string, string, string, ...(readonly [string, string])[]])[]} */
const TERMS = [
  // log M
  [
    'windows: the rule on the axis, in M − 1',
    STEP,
    'mass * this.axis.ruleError(this.k, placed, c, log(mass)) +\n      (1 + 2 * size) * placed.plain +',
    '',
    [STARVED, FEW],
  ],
  ['windows: the rule on the axis for φ and φu', STEP, '(1 + 2 * size) * placed.plain +', '', [STARVED, FEW]],
  [
    'windows: roundings of M − 1, and errors of losses there',
    STEP,
    '(rounding + moved) * 1.001 +',
    '',
    [LAW, DIGITS],
  ],
  [
    'windows: M − 1 lacks what is taken of P',
    STEP,
    'return excess - p - c * (q - p);',
    'return excess - c * (q - p);',
    [LAW, 'log M of cut and whole laws at tilts of either sign'],
  ],
  [
    'windows: M − 1 lacks what is taken of Q',
    STEP,
    'return excess - p - c * (q - p);',
    'return excess - p;',
    [LAW, DIGITS],
  ],
  [
    'windows: the rule in log M',
    STEP,
    '/ ADDING) * U + left + rule;',
    '/ ADDING) * U + left;',
    [STARVED, FEW],
  ],
  [
    'windows: what outputs leave of log M',
    STEP,
    '/ ADDING) * U + left + rule;',
    '/ ADDING) * U + rule;',
    [STARVED, FEW],
  ],
  [
    'windows: roundings of log M',
    STEP,
    'error: 1.002 * relative + 4 * U * Math.abs(top), mean',
    'error: left + rule, mean',
    [LAW, DIGITS],
  ],
  [
    'windows: negative tilts gain off the axis',
    AXIS,
    'const growth = c < 0 ? exp(this.outputs[k].logGrowth(c, y, logNorm)) : 1;',
    'const growth = 0.1;',
    [STARVED, FEW],
  ],
  [
    'windows: a hard end, in log M',
    AXIS,
    '(end === undefined ? 0 : exp(this.atEnd(this.all.steps[k], c, 0, end) - logNorm))',
    '0',
    [STARVED, END],
  ],
  // lines
  [
    'windows: what a line on the axis lacks',
    STEP,
    'missing: 2.1 * found.error,',
    'missing: 0,',
    [STARVED, FEW],
    [STARVED, END],
  ],
  [
    'windows: what outputs leave of a line',
    AXIS,
    'error: best + this.leftOut(k, mesh, c, logM) };',
    'error: best };',
    [STARVED, FEW],
  ],
  [
    'windows: the rule of a line',
    AXIS,
    'error: best + this.leftOut(k, mesh, c, logM) };',
    'error: this.leftOut(k, mesh, c, logM) };',
    [STARVED, FEW],
  ],
  [
    'windows: lines turn off the axis',
    AXIS,
    'strips.turned(c, y, tau) - logM };',
    'strips.turned(c, y, 0) - logM };',
    [STARVED, FEW],
  ],
  [
    'windows: a hard end, on a line',
    AXIS,
    'exp(this.atEnd(this.all.steps[k], c, tau, end) - logM) : 0;',
    '0 : 0;',
    [STARVED, END],
  ],
  [
    'off the axis: the rule',
    SHIFTED,
    'return { path, unit, moduli, outside: 1.01 * (tails + rule) };',
    'return { path, unit, moduli, outside: 1.01 * tails };',
    [STARVED, FEW_OFF],
  ],
  [
    'off the axis: what nodes leave',
    SHIFTED,
    'return { path, unit, moduli, outside: 1.01 * (tails + rule) };',
    'return { path, unit, moduli, outside: 1.01 * rule };',
    [STARVED, FEW],
  ],
  [
    'off the axis: errors of losses, in bounds',
    'assembly/path-terms.ts',
    'fillSizes(losses, heights, c, unit, n, 1, out);',
    'fillSizes(losses, heights, c, unit, n, 0, out);',
    [PATH_TERMS, OFF],
  ],
  [
    'off the axis: angles from below, in bounds',
    'assembly/path-terms.ts',
    'pmax(all(0), sub(load(losses + row + j), load(losses + 2 * row + j)))',
    'load(losses + row + j)',
    [PATH_TERMS, OFF],
  ],
  [
    'off the axis: errors of losses, on lines',
    'assembly/path-terms.ts',
    'const power = vexpm1(mul(all(BOTH), mul(size, off)));',
    'const power = vexpm1(mul(all(0), mul(size, off)));',
    [PATH_TERMS, OFF],
  ],
  [
    'off the axis: errors of losses, from frequency to frequency',
    'assembly/path-terms.ts',
    'const sliding = mul(mul(all(2), off), add(all(1), power));',
    'const sliding = mul(all(0), power);',
    [PATH_TERMS, OFF],
  ],
  [
    'off the axis: a hard end',
    SHIFTED,
    'return exp((sharpness(window) * a * a) / 2 + own - logM);',
    'return 0;',
    [STARVED, 'off the axis, a hard end near by of a law whose M is known'],
  ],
  [
    'outputs: what lies before the first',
    RANGE,
    'let sum = tailOf(expOf(before + gainOf(c, dip, 0, share)), h, rise);',
    'let sum: f64 = 0;',
    [STARVED, FEW],
  ],
  [
    'outputs: what lies behind the last falls by itself',
    RANGE,
    'return sum + tailOf(expOf(tilt + highest(x, x, from, to, square) - logNorm + gain), h, fall);',
    'return sum;',
    [STARVED, FEW],
  ],
  [
    'outputs: what lies in cells behind the last',
    RANGE,
    'sum += (CELL + h) * INVERSE_SQRT_2PI',
    'sum += 0 * INVERSE_SQRT_2PI',
    [BEYOND, 'is no less than a long sum, at angles up to %f'],
  ],
  [
    'outputs: what |u|^c gains off the axis',
    RANGE,
    'const share = high < 0.5 ? high : Math.max(low, 0.5);',
    'const share = low;',
    [BEYOND, 'is at least what a grid finds, and hardly more'],
  ],
  // bounds of |φ|
  [
    'bounds of |phi|: the means of cells are off',
    'assembly/decay.ts',
    'const root = Math.sqrt(second) - Math.sqrt(p * (loadF64(b, 24) - loadF64(a, 24) + within));',
    'const root = Math.sqrt(second);',
    [BOUNDS, 'bounds of |phi| from cells whose means are off'],
  ],
  [
    'bounds of |phi|: what is no part of a law',
    'assembly/decay.ts',
    'const most = atoms + variation / from;',
    'const most = variation / from;',
    [BOUNDS, 'bounds of |phi| from atoms and the variation of the rest'],
  ],
  [
    'log phi: errors of weights',
    'assembly/log-phi.ts',
    'store(at + 2 * row, add(add(weights, angles), mul(all(sums), reach)));',
    'store(at + 2 * row, angles);',
    [BOUNDS, DOUBT],
  ],
  [
    'log phi: errors of losses',
    'assembly/log-phi.ts',
    'const angles = mul(tau, all(shift + U * 48 * size));',
    'const angles = all(0);',
    [BOUNDS, DOUBT],
  ],
  [
    'log phi: what the losses leave out',
    'assembly/log-phi.ts',
    'store(rows + 3 * row, select(quadrature, all(0), sound));',
    'store(rows + 3 * row, all(0));',
    [BOUNDS, DOUBT],
  ],
  // what is cut
  [
    'cuts: a window takes what a sharp cut takes from noisier outputs',
    SPECTRUM,
    'lostMass(mu / stretchOf(width), q, cut);',
    'lostMass(mu, q, cut);',
    [LAW, TAKEN],
  ],
  [
    'cuts: the window lies further out than the cut',
    'src/methods/contour/step/output-window.ts',
    'to: cut * stretchOf(width), width };',
    'to: cut, width };',
    [LAW, 'brackets from cuts far apart intersect, whatever the widths asked for'],
  ],
  [
    'stages: a cut is that of the level asked for, whatever was asked before',
    'src/methods/contour/line/stages.ts',
    'this.cuts.of(keyOf(i, level)',
    'this.cuts.of(keyOf(i, 0)',
    [LAW, ALONE],
  ],
  [
    'stages: tilts are those of the level asked for, whatever was asked before',
    'src/methods/contour/line/stages.ts',
    'this.made.of(keyOf(i, level)',
    'this.made.of(keyOf(i, 0)',
    [LAW, ALONE],
  ],
];

/** The statement of contour.md that a term belongs to. @type {Readonly<Record<string, number>>} */
const STATEMENTS = {
  'windows: the rule on the axis, in M − 1': 4,
  'windows: the rule on the axis for φ and φu': 8,
  'windows: roundings of M − 1, and errors of losses there': 8,
  'windows: M − 1 lacks what is taken of P': 8,
  'windows: M − 1 lacks what is taken of Q': 8,
  'windows: the rule in log M': 4,
  'windows: what outputs leave of log M': 7,
  'windows: roundings of log M': 4,
  'windows: negative tilts gain off the axis': 3,
  'windows: a hard end, in log M': 14,
  'windows: what a line on the axis lacks': 4,
  'windows: what outputs leave of a line': 7,
  'windows: the rule of a line': 4,
  'windows: lines turn off the axis': 3,
  'windows: a hard end, on a line': 14,
  'off the axis: the rule': 6,
  'off the axis: what nodes leave': 7,
  'off the axis: a hard end': 14,
  'off the axis: errors of losses, in bounds': 11,
  'off the axis: errors of losses, on lines': 15,
  'off the axis: errors of losses, from frequency to frequency': 15,
  'outputs: what lies before the first': 7,
  'outputs: what lies behind the last falls by itself': 7,
  'outputs: what lies in cells behind the last': 7,
  'outputs: what |u|^c gains off the axis': 7,
  'bounds of |phi|: the means of cells are off': 13,
  'bounds of |phi|: what is no part of a law': 12,
  'cuts: a window takes what a sharp cut takes from noisier outputs': 1,
  'cuts: the window lies further out than the cut': 1,
  'stages: a cut is that of the level asked for, whatever was asked before': 9,
  'stages: tilts are those of the level asked for, whatever was asked before': 9,
};

/** Laws of one sampled Gaussian step with a window on outputs. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const CUTS = TERMS.map(([term, file, find, put, ...tests]) => ({
  term,
  file,
  find,
  put,
  tests,
  ...(term in STATEMENTS && { proof: `contour.md ${STATEMENTS[term]}` }),
}));
