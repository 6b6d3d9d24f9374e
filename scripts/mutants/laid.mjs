const LINES = 'test/methods/contour/starved.test.ts';
const PHASES = 'test/methods/contour/starved-phases.test.ts';
const WINDOWED = 'test/methods/contour/windowed-gaussian.test.ts';
const PARTS = 'test/methods/contour/starved-parts.test.ts';
const SIDES = 'test/methods/contour/either-side.test.ts';
const SPECTRUM = 'src/methods/contour/split/part-spectrum.ts';
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
    find: 'upper: logSum(answer.upper, logLost) + slack, budget',
    put: 'upper: answer.upper + slack, budget',
    tests: [[LINES, TAKEN]],
  },
  {
    term: 'panels: what parts of one err by, turned by the frequency',
    proof: 'contour.md 3',
    file: 'src/methods/contour/step/output-panels.ts',
    find: 'this.errorBy(rho, half, half / parts, top + turn)',
    put: 'this.errorBy(rho, half, half / parts, top)',
    tests: [
      ['test/methods/contour/cut-gaussian.test.ts', 'parts of a panel err together by no more than they say'],
    ],
  },
  {
    term: 'cuts: the mass that one takes',
    proof: 'contour.md 1',
    file: 'src/methods/contour/step/lost-mass.ts',
    find: 'const base = logNormalTail(cut);',
    put: 'const base = logNormalTail(cut) - 0.7;',
    tests: [
      [LINES, TAKEN],
      ['test/methods/contour/cut-gaussian.test.ts', 'what is cut is no more than said, and nearly that'],
    ],
  },
  {
    term: 'phases: what the rule of the axis lacks',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/phases/phase-axis.ts',
    find: 'const rule = 2.1 * exp(-depth - 1);',
    put: 'const rule = 0;',
    tests: [[PHASES, GOOD]],
  },
  {
    term: 'phases: what the rule of a line lacks',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/phases/phase-path.ts',
    find: 'turn, blur, rule: 2.1 * exp(-depth - 1) };',
    put: 'turn, blur, rule: 0 };',
    tests: [[PHASES, 'few outputs on a path, sums good to e^-%d: its rule errs by no more than it says']],
  },
  {
    term: 'phases: a window takes what a sharp cut takes from noisier outputs',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/phases/phase-path.ts',
    find: 'return Math.sqrt(1 + width * width);',
    put: 'return 1;',
    tests: [
      [
        'test/methods/contour/phase-sums.test.ts',
        'what the window takes is what a sharp cut takes from noisier outputs',
      ],
    ],
  },
  {
    term: 'phases: the mass that the window takes',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/phases/phase-axis.ts',
    find: 'const rise = excess - p - c * (q - p);',
    put: 'const rise = excess - p;',
    tests: [
      ['test/methods/contour/phase-sums.test.ts', 'log M, lines and bounds hold sums on the real axis'],
    ],
  },
  {
    term: 'phases: bounds of |φ| count every output',
    proof: 'many-phases.md 2',
    file: 'src/methods/contour/phases/phase-bounds.ts',
    find: 'place : 0] += share * exp(size);',
    put: 'place : 0] += 0.9 * share * exp(size);',
    tests: [
      ['test/methods/contour/phase-sums.test.ts', 'log M, lines and bounds hold sums on the real axis'],
    ],
  },
  {
    term: 'phases: the constant of the density, far out',
    proof: 'many-phases.md 1',
    file: 'src/methods/contour/phases/phase-axis.ts',
    find: 'const value = top + log(sum * range.h * INVERSE_SQRT_2PI);',
    put: 'const value = top + log(sum * range.h);',
    tests: [
      [
        'test/methods/contour/phase-sums.test.ts',
        'outputs so far out that densities are too small for a double',
      ],
    ],
  },
  {
    term: 'windows that end: what a sum to the end is off',
    proof: 'contour.md 14',
    file: 'src/methods/contour/step/gaussian-range.ts',
    find: 'return 1.001 * (reach + NEIGHBOURS * width)',
    put: 'return 0 * (reach + NEIGHBOURS * width)',
    tests: [[WINDOWED, 'mass and transform are those of the outputs before the end']],
  },
  {
    term: 'windows off the axis: their error counts in the logarithm and in the phase',
    file: 'src/methods/contour/step/shifted-mesh.ts',
    find: 'error.map((own) => 2 * own)',
    put: 'error',
    tests: [
      [
        'test/kernel/windows.test.ts',
        'outputs of a path charge the error of a window to the logarithm and to the phase',
      ],
    ],
  },
  {
    term: 'parts: the error of R over U',
    file: SPECTRUM,
    find: 'rho * (wrongAll + ratioError + 8 * U);',
    put: 'rho * 8 * U;',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: the error of R',
    file: SPECTRUM,
    find: 'const own = (ratio * (some.wrong[k] + some.missing)) / modulus + rho',
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
    file: SPECTRUM,
    find: 'const wrong = all.wrong[k] + all.missing + U;',
    put: 'const wrong = U;',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: the error of R in a difference of products',
    file: SPECTRUM,
    find: 'const also = ratio * (some.wrong[k] + some.missing) + size * (ratioError + 8 * U);',
    put: 'const also = 8 * U * size;',
    tests: [[PARTS, WRONG]],
  },
  {
    term: 'parts: a product that has lost its digits is an error of the other',
    file: SPECTRUM,
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
];
