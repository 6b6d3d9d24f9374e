const LINES = 'test/methods/contour/starved.test.ts';
const PHASES = 'test/methods/contour/starved-phases.test.ts';
const WINDOWED = 'test/methods/contour/windowed-gaussian.test.ts';
const AVERAGE = 'test/methods/contour/average-law.test.ts';
const MANY = 'test/methods/contour/many-phases.test.ts';
const SUMMED = 'log M, lines and bounds hold sums on the real axis';
const OUTPUTS = 'src/methods/contour/step/shifted-mesh.ts';
const PARTS = 'test/methods/contour/starved-parts.test.ts';
const SIDES = 'test/methods/contour/either-side.test.ts';
const STRIPS = 'src/methods/contour/step/strips.ts';
const STRIP_CELLS = 'assembly/strips.ts';
const CELLS = 'assembly/tilted-cells.ts';
const VARIATION = 'src/methods/contour/step/density-variation.ts';
const MASSES = 'test/methods/contour/strips.test.ts';
const CELLED = 'test/methods/contour/tilted-cells.test.ts';
const DECAYS = 'test/methods/contour/windowed-decay.test.ts';
const NONE = 'none is below |phi|';
const VARIES = [
  'test/methods/contour/density-variation.test.ts',
  'no less than the variation: $mu, $q, $c, end $window.end, step $h',
];
const SPECTRUM = 'src/methods/contour/split/part-spectrum.ts';
const PART_LINE = 'assembly/part-line.ts';
const TAKEN = 'what a cut takes, e^%d of a step';
const GOOD = 'window of width %d, sums good to e^-%d: log M and lines are no farther off than they say';
const WRONG = 'a part of wrong sums: %s';
const BADLY = 'steps whose nodes are as wrong as they say: %j';

/** What lines are made of: cuts, windows of phases, parts. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const LAID = [
  {
    term: 'cuts: what is cut may count in the upper end',
    proof: 'contour.md 1',
    file: 'src/methods/contour/line/lines.ts',
    find: 'upper: upper + slack, budget',
    put: 'upper: answer.upper + slack, budget',
    tests: [[LINES, TAKEN]],
  },
  {
    term: 'cuts: what is cut may count in the upper end, be it a small share',
    proof: 'contour.md 1',
    file: 'src/methods/contour/line/lines.ts',
    find: 'answer.upper + share :',
    put: 'answer.upper :',
    tests: [[LINES, 'what a cut takes, however small a share it is']],
  },
  {
    term: 'cuts: the mass that one takes',
    proof: 'contour.md 1',
    file: 'src/methods/contour/step/lost-mass.ts',
    find: 'const base = logNormalTail(cut);',
    put: 'const base = logNormalTail(cut) - 0.7;',
    tests: [['test/methods/contour/cut-law.test.ts', 'sigma $sigma, q $q: what a cut near $cut takes']],
  },
  {
    term: 'phases: a window takes what a sharp cut takes from noisier outputs',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/step/output-window.ts',
    find: 'return Math.sqrt(1 + width * width);',
    put: 'return 1;',
    tests: [[AVERAGE, 'what the window takes is what a sharp cut takes from noisier outputs']],
  },
  {
    term: 'phases: one factor for what negative tilts gain off the axis',
    proof: 'many-phases.md 1',
    file: OUTPUTS,
    find: 'return wholeGrowth(c, this.mu * y);',
    put: 'return 0.9 * wholeGrowth(c, this.mu * y);',
    tests: [
      [MASSES, 'holds at mild tilts, and at all tilts of steps that share their outputs'],
      [MASSES, 'is reached where either half is as likely'],
    ],
  },
  {
    term: 'phases: log M is that of all steps',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/phases/average-law.ts',
    find: 'value += count * own.log;',
    put: 'value += own.log;',
    tests: [[AVERAGE, SUMMED]],
  },
  {
    term: 'phases: what each step errs by',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/phases/average-law.ts',
    find: 'error += count * own.error + 2',
    put: 'error += 2',
    tests: [[PHASES, GOOD]],
  },
  {
    term: 'phases: what is taken counts as often as steps are',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/step/subsampled-gaussian.ts',
    find: 'logLostQ = logSum(logLostQ, log(count) + lost.logLostQ);',
    put: 'logLostQ = logSum(logLostQ, lost.logLostQ);',
    tests: [[MANY, 'what a cut takes and leaves of many phases']],
  },
  {
    term: 'phases: bounds of |φ| count every output',
    proof: 'many-phases.md 2',
    file: 'src/methods/contour/phases/average-decay.ts',
    find: 'place : 0] += share * exp(values[j]);',
    put: 'place : 0] += 0.9 * share * exp(values[j]);',
    tests: [[AVERAGE, SUMMED]],
  },
  {
    term: 'phases: the mean of V',
    proof: 'many-phases.md 2',
    file: 'src/methods/contour/phases/average-decay.ts',
    find: '(own / count) * exp(step.logVariation(c))',
    put: '1e-4 * (own / count) * exp(step.logVariation(c))',
    tests: [[AVERAGE, 'the variation of many steps bounds their line']],
  },
  {
    term: 'windows far out: the constant of the density',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/step/windowed-gaussian.ts',
    find: 'const value = top + log(mass * mesh.h * INVERSE_SQRT_2PI);',
    put: 'const value = top + log(mass * mesh.h);',
    tests: [[AVERAGE, 'outputs so far out that densities are too small for a double']],
  },
  {
    term: 'windows that end: what a sum to the end is off',
    proof: 'contour.md 14',
    file: 'assembly/beyond.ts',
    find: 'const height = 1e-3 - HALF_LOG_2PI -',
    put: 'const height = -60 - HALF_LOG_2PI -',
    tests: [[WINDOWED, 'mass and transform are those of the outputs before the end']],
  },
  {
    term: 'parts: the error of R over U',
    file: PART_LINE,
    find: 'rho * (wrongAll + loadF64(parts, 16) + 8 * U);',
    put: 'rho * 8 * U;',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: the error of R',
    file: PART_LINE,
    find: 'const own = (ratio * wrongSome) / modulus + rho',
    put: 'const own = rho',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: the error of what is left of the part below',
    file: SPECTRUM,
    find: 'const own = logarithms(kernel, all, count);',
    put: 'const own = logarithms(kernel, { ...all, wrong: new Float64Array(n), missing: 0 }, count);',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: the error of log N on the axis',
    file: SPECTRUM,
    find: 'error += expm1(Math.min(700, doubt)) / odds + 4 * U + U * Math.abs(value);',
    put: 'error += 4 * U + U * Math.abs(value);',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: the error of U in a difference of products',
    file: PART_LINE,
    find: 'const wrong = loadF64(rows + 2 * row) + loadF64(parts, 24) + U;',
    put: 'const wrong = U;',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: the error of R in a difference of products',
    file: PART_LINE,
    find: 'const also = ratio * wrongSome + rootOf(x * x + y * y) * (loadF64(parts, 16) + 8 * U);',
    put: 'const also = 8 * U * rootOf(x * x + y * y);',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: a product that has lost its digits is an error of the other',
    file: PART_LINE,
    find: 'wrong += size * (error < Infinity ? 1.3 * error + 16 * U : 1);',
    put: 'wrong += size * (error < Infinity ? 1.3 * error + 16 * U : 0);',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: one that is not asked counts with its bound',
    file: 'src/methods/contour/split/split-lines.ts',
    find: 'Math.min(bound, answer?.upper ?? bound)',
    put: 'answer?.upper ?? -Infinity',
    tests: [
      [
        'test/methods/contour/rare-losses.test.ts',
        'loud steps in two parts: the one without lines counts with its bound',
      ],
    ],
  },
  {
    term: 'contours: below 0 delta is that of the exchanged pair at -epsilon',
    file: 'src/methods/contour/contour-run.ts',
    find: 'return complementTimes(epsilon, bracket(lower, Math.min(0, upper)), mass);',
    put: 'return bracket(lower, Math.min(0, upper));',
    tests: [[SIDES, BADLY]],
  },
  {
    term: 'contours: a test below 0 rejects what the exchanged one accepts',
    file: 'src/methods/contour/contour-run.ts',
    find: 'logFpr: padLogProbability(this.acceptedAt(tpr.lower)).upper,',
    put: 'logFpr: padLogProbability(this.acceptedAt(fpr.upper)).upper,',
    tests: [[SIDES, BADLY]],
  },
  {
    term: 'strips: a negative power gains off the axis',
    proof: 'contour.md 5',
    file: STRIP_CELLS,
    find: 'mul(mul(all(-c), sub(div(all(1), root), root)), all(1 + 1e-12))',
    put: 'all(0)',
    tests: [[MASSES, 'negative tilts']],
  },
  {
    term: 'strips: it gains most where the shares are equal',
    proof: 'contour.md 5',
    file: STRIP_CELLS,
    find: 'const nearest = pmin(high, pmax(low, all(0.5)));',
    put: 'const nearest = low;',
    tests: [[MASSES, 'negative tilts']],
  },
  {
    term: 'strips: what the argument gains',
    proof: 'contour.md 5',
    file: STRIP_CELLS,
    find: 'add(add(load(logs + j), gain), turnOf(high, tau, angle, sine, cosine))',
    put: 'add(load(logs + j), gain)',
    tests: [[MASSES, 'tilts of either sign, and turned']],
  },
  {
    term: 'strips: within cells the integrand is above their ends',
    proof: 'contour.md 5',
    file: STRIP_CELLS,
    find: 'let most = left < right ? left : right;',
    put: 'let most: f64 = 0 * left + 0 * right - 1e300;',
    tests: [[MASSES, 'edges that are narrower than cells, far off the axis']],
  },
  {
    term: 'strips: tangents at the beginning of cells',
    proof: 'contour.md 5',
    file: STRIP_CELLS,
    find: 'const up = slope + falls * loadF64(shares + j) + chord;',
    put: 'const up = 0 * chord;',
    tests: [[MASSES, 'edges that are narrower than cells, far off the axis']],
  },
  {
    term: 'strips: tangents at the end of cells',
    proof: 'contour.md 5',
    file: STRIP_CELLS,
    find: 'const down = then + falls * loadF64(shares + j + 8) + chord;',
    put: 'const down = 0 * chord;',
    tests: [[MASSES, 'edges that are narrower than cells, far off the axis']],
  },
  {
    term: 'strips: what lies behind the cells',
    proof: 'contour.md 5',
    file: STRIP_CELLS,
    find: 'storeF64(last, x < end ? behind : -Infinity, 8);',
    put: 'storeF64(last, x < end ? -Infinity : -Infinity, 8);',
    tests: [[MASSES, 'negative tilts']],
  },
  {
    term: 'strips: behind the cells a power gains more',
    proof: 'contour.md 5',
    file: STRIP_CELLS,
    find: 'storeF64(turned + last, loadF64(logs + last, 8) + lane0(behind), 8);',
    put: 'storeF64(turned + last, loadF64(logs + last, 8) + 0 * lane0(behind), 8);',
    tests: [[MASSES, 'negative tilts']],
  },
  {
    term: 'strips: what a window gains at its edges',
    proof: 'contour.md 5',
    file: STRIPS,
    find: 'if (a === 0) return sum;',
    put: 'if (a >= 0) return sum;',
    tests: [[MASSES, 'negative tilts, and what bounds the window off the axis']],
  },
  {
    term: 'strips: how high it is there',
    proof: 'contour.md 5',
    file: STRIPS,
    find: 'const level = log(a / width) - 0.9 + (a / width) ** 2 / 2;',
    put: 'const level = log(a / width) - 0.9;',
    tests: [[MASSES, 'negative tilts, and what bounds the window off the axis']],
  },
  {
    term: 'strips: between two tilts the logarithm is below its chord',
    proof: 'contour.md 5',
    file: STRIPS,
    find: 'share * this.at(far, y, a) + (1 - share) * this.at(near, y, a) +',
    put: 'Math.min(this.at(far, y, a), this.at(near, y, a)) + 0 * share +',
    tests: [[MASSES, 'negative tilts']],
  },
  {
    term: 'cells: between outputs the integrand is below its chord',
    proof: 'contour.md 13',
    file: CELLS,
    find: 'const bent = excess > 0 ? 1 - excess * eighth : 1;',
    put: 'const bent: f64 = 1 + 0 * excess;',
    tests: [[CELLED, 'of outputs that are %d apart']],
  },
  {
    term: 'cells: between outputs the loss is below its chord',
    proof: 'contour.md 13',
    file: CELLS,
    find: 'const bow = curve * eighth;',
    put: 'const bow = 0 * curve;',
    tests: [[CELLED, 'of outputs that are %d apart']],
  },
  {
    term: 'cells: where the mean of a cell lies',
    proof: 'contour.md 13',
    file: CELLS,
    find: 'const away = step * (most < 0.5 ? most : 0.5) + 0.5 * bow + off;',
    put: 'const away = 0 * most + 0.5 * bow + off;',
    tests: [[CELLED, 'of outputs that are %d apart']],
  },
  {
    term: 'cells: the error of losses',
    proof: 'contour.md 13',
    file: CELLS,
    find: 'const off = loadF64(lossError + j) + loadF64(lossError + j - 8);',
    put: 'const off: f64 = 0;',
    tests: [[CELLED, 'where losses are off by what they say']],
  },
  {
    term: 'cells: the error of log M',
    proof: 'contour.md 13',
    file: CELLS,
    find: 'const sure = 1 - error - wrong - 1e-9;',
    put: 'const sure = 1 + 0 * wrong;',
    tests: [[CELLED, 'where log M is off by what it says']],
  },
  {
    term: 'variation: how far a density bends',
    proof: 'contour.md 12',
    file: VARIATION,
    find: 'const bend = h * h * bendOf(outputs, c + 1);',
    put: 'const bend = 0;',
    tests: [VARIES],
  },
  {
    term: 'variation: between outputs a density is larger',
    proof: 'contour.md 12',
    file: VARIATION,
    find: 'exp(bend / 8) * gaps',
    put: 'gaps',
    tests: [VARIES],
  },
  {
    term: 'variation: what a density falls by at its end',
    proof: 'contour.md 12',
    file: VARIATION,
    find: 'exp(lowest - top) + exp(after - top) +',
    put: 'exp(lowest - top) +',
    tests: [VARIES],
  },
  {
    term: 'bounds of |phi| off the axis: the density is larger there',
    proof: 'contour.md 11',
    file: 'src/methods/contour/step/shifted-gaussian.ts',
    find: 'const unit = log(h) - HALF_LOG_2PI - logM + (a * a) / 2;',
    put: 'const unit = log(h) - HALF_LOG_2PI - logM;',
    tests: [[DECAYS, NONE]],
  },
  {
    term: 'bounds of |phi| off the axis: a window is larger there',
    proof: 'contour.md 11',
    file: 'src/methods/contour/step/window-heights.ts',
    find: 'bounding ? kernel.windowBounds(at, a, window) :',
    put: 'bounding ? kernel.windowRows(at, 0, window) :',
    tests: [[DECAYS, NONE]],
  },
  {
    term: 'off the axis: errors of the share of B',
    proof: 'contour.md 15',
    file: 'assembly/loss-mesh.ts',
    find: 'mul(grown, forming)',
    put: 'mul(all(0), forming)',
    tests: [['test/kernel/windows.test.ts', 'losses off the real axis, mu %d, q %d, at %d + %di']],
  },
  {
    term: 'windows: where they pass everything',
    proof: 'contour.md 1',
    file: 'assembly/windows.ts',
    find: 'const INSIDE: f64 = 9.2;',
    put: 'const INSIDE: f64 = 5;',
    tests: [['test/methods/contour/output-window.test.ts', 'log W is as near as it says: %j']],
  },
];
