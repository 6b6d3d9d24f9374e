const SPECIAL = 'test/kernel/special-functions.test.ts';
const GOLDEN = '%s is within its stated error at its golden values';
const EXACT = '%s has its exact values and limits';
const SUMS = 'test/kernel/table-sums.test.ts';
const UNIFORM = 'contourSumsUniform %d: %d nodes %d apart at %d';
const CUMULANTS = 'cumulantSums %d: %d outputs, losses of about %d, tilt %d';
const TILTED = 'tiltedLaw of %d outputs';
const PATH = 'pathLine %d: %d nodes, frequency %d × %d';
const MESH = 'losses, mu %d, q %d, at %d';
const GDP = 'test/kernel/gdp-functions.test.ts';
const COMPOSE = 'test/kernel/compose.test.ts';
const TERMS = 'the bound has all its terms: %s';
const SCAN = 'test/kernel/scan.test.ts';
// biome-ignore lint/suspicious/noTemplateCurlyInString: a title as its file writes it
const DEFINED = 'is the sum of the definition, n = ${n}, θ = ${theta}, step = ${step}';
const ERF = 'assembly/erf.ts';
const BOUND = 'src/kernel/compose-bound.ts';

/** The one text of the kernel: what its sums and functions state of their errors. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const KERNEL = [
  {
    term: 'kernel: errors of losses in the weights of a tilted law',
    file: 'assembly/mesh-sums.ts',
    find: 'add(add(load(j + 3 * row), mul(size, off)), rounding);',
    put: 'add(load(j + 3 * row), rounding);',
    tests: [[SUMS, TILTED]],
  },
  {
    term: 'kernel: roundings of exponents in the weights of a tilted law',
    file: 'assembly/mesh-sums.ts',
    find: 'mul(all(U), add(far, add(scaled, add(scaled, scaled))));',
    put: 'mul(all(U), far);',
    tests: [[SUMS, TILTED]],
  },
  {
    term: 'kernel: the third term of the tail erfc',
    file: ERF,
    find: 'const p = sub(phi0(z), mul(b, sub(phi1(z), mul(b, phi2(z)))));',
    put: 'const p = sub(phi0(z), mul(b, phi1(z)));',
    tests: [[SPECIAL, GOLDEN]],
  },
  {
    term: 'kernel: the last coefficients of erfcx',
    file: ERF,
    find: 'mul(u, add(odds(i4, j4), mul(u, add(evens(i6, j6), mul(u, odds(i6, j6)))))),',
    put: 'mul(u, add(odds(i4, j4), mul(u, evens(i6, j6)))),',
    tests: [[SPECIAL, GOLDEN]],
  },
  {
    term: 'kernel: the rounding of the square in erfcx below 0',
    file: ERF,
    find: 'return vexpHiLo(square, squareError(bounded, square));',
    put: 'return vexpHiLo(square, all(0));',
    tests: [[SPECIAL, GOLDEN]],
  },
  {
    term: 'kernel: the fifth derivative of log erfc',
    file: ERF,
    find: 'add(high, mul(d2, mul(e5, at(pool.EXP_6))))',
    put: 'high',
    tests: [[SPECIAL, GOLDEN]],
  },
  {
    term: 'kernel: the normal tail at an argument of two doubles',
    file: 'assembly/normal.ts',
    find: 'return erfcScaledInline(hi, sqrtHalfError(a, hi));',
    put: 'return erfcScaledInline(hi, all(0));',
    tests: [[SPECIAL, GOLDEN]],
  },
  {
    term: 'kernel: tails that are subnormal are scaled',
    file: ERF,
    find: 'const rounded = erfcCell(a);\n  const r = mul(sub(rounded, at(pool.ROUND)), all(0.0078125));\n  const d = add(sub(atMost(a, ERFC_END), r), lo);',
    put: 'const rounded = erfcCell(atMost(a, 26.5));\n  const r = mul(sub(rounded, at(pool.ROUND)), all(0.0078125));\n  const d = add(sub(atMost(a, 26.5), r), lo);',
    tests: [
      [SPECIAL, GOLDEN],
      [SPECIAL, EXACT],
    ],
  },
  {
    term: 'kernel: angles of the nodes of a contour',
    file: 'assembly/contour-sums.ts',
    find: 'const turn = dTau * loadF64(x) * INVERSE_PI;',
    put: 'const turn = dTau * loadF64(x) * INVERSE_PI * (1 + 1e-12);',
    tests: [[SUMS, UNIFORM]],
  },
  {
    term: 'kernel: the excess of an exponential where it is small',
    file: 'assembly/mesh-sums.ts',
    find: 'const g = select(excess(t), sub(sub(e, all(1)), t), near);',
    put: 'const g = select(sub(sub(e, all(1)), t), sub(sub(e, all(1)), t), near);',
    tests: [[SUMS, CUMULANTS]],
  },
  {
    term: 'kernel: the sizes that the error of the excess is of',
    file: 'assembly/mesh-sums.ts',
    find: 'size = add(size, mul(mul(p, load(j + 3 * row)), add(g, abs(straight))));',
    put: 'size = add(size, mul(mul(p, load(j + 3 * row)), g));',
    tests: [[SUMS, CUMULANTS]],
  },
  {
    term: 'kernel: what nodes of a path err by up to the last frequency of a block',
    file: 'assembly/turning.ts',
    find: '(fixed + last * loadF64(node + 5 * row))',
    put: 'fixed',
    tests: [[SUMS, PATH]],
  },
  {
    term: 'losses of rates near 1: the sum of two positive terms',
    file: 'assembly/loss-mesh.ts',
    find: 'const low = lt(v, all(-0.5));',
    put: 'const low = lt(v, all(-2));',
    tests: [[SUMS, 'losses of two terms that are both positive, mu %d, q %d, at %d']],
  },
  {
    term: 'kernel: log(1 + v) − v as a series',
    file: 'assembly/loss-mesh.ts',
    find: 'return select(near, sub(logarithm, v), le(abs(v), all(0.25)));',
    put: 'return select(near, sub(logarithm, v), le(abs(v), all(1e-9)));',
    tests: [[SUMS, MESH]],
  },
  {
    term: 'kernel: the place of a profile in two doubles',
    file: 'assembly/gdp-core.ts',
    find: 'const tLow = sub(low, sub(t, q));',
    put: 'const tLow = all(0);',
    tests: [[GDP, 'has δ to 1.2e-15 over 11,304 points and every subnormal δ exactly']],
  },
  {
    term: 'kernel: the difference of two Mills ratios without cancellation',
    file: 'assembly/gdp-core.ts',
    find: '/* @inline */ function isNear(a: v128, width: v128): v128 {\n  return andnot(le(width, mul(all(0.75), add(a, all(1)))), lt(a, all(-0.5)));',
    put: '/* @inline */ function isNear(a: v128, width: v128): v128 {\n  return andnot(le(width, mul(all(0.01), add(a, all(1)))), lt(a, all(-0.5)));',
    tests: [[GDP, 'has δ to 1.2e-15 over 11,304 points and every subnormal δ exactly']],
  },
  {
    term: 'kernel: quantiles far out take a step of Newton',
    file: 'assembly/quantile.ts',
    find: 'const root = sub(v, div(miss, add(all(1), mul(s, sub(all(1), mul(all(2), s))))));',
    put: 'const root = v;',
    tests: [[SPECIAL, GOLDEN]],
  },
  {
    term: 'kernel: masses that round-off made negative count as 0',
    file: 'assembly/scan.ts',
    find: 'return lane0(pmax(all(0.0), all(x)));',
    put: 'return x;',
    tests: [[SCAN, DEFINED]],
  },
  {
    term: 'FFT: errors of the spectra of the parts',
    file: BOUND,
    find: '(errors / length + e1',
    put: '(0 * errors + e1',
    tests: [[COMPOSE, TERMS]],
  },
  {
    term: 'FFT: errors of the inverse',
    file: BOUND,
    find: 'e1 * (sizes / length + SQUARE_UNDERFLOW)',
    put: '0 * sizes',
    tests: [[COMPOSE, TERMS]],
  },
  {
    term: 'FFT: rounding of powers',
    file: BOUND,
    find: 'relative: expm1Of(2.2361 * U * (total - 1)),',
    put: 'relative: 0,',
    tests: [[COMPOSE, TERMS]],
  },
  {
    term: 'FFT: both halves of a spectrum count',
    file: 'assembly/compose.ts',
    find: 'errors = 2.0 * errors + boundAt(mag, ratio, 0, relative);',
    put: 'errors += boundAt(mag, ratio, 0, relative);',
    tests: [[COMPOSE, TERMS]],
  },
  {
    term: 'windows: far beyond an edge their error grows with the square of the distance',
    file: 'assembly/windows.ts',
    find: 'add(all(100), mul(all(8), square))',
    put: 'all(100)',
    tests: [
      ['test/kernel/windows.test.ts', 'windows below the smallest double have the error they say: %d + %di'],
    ],
  },
  {
    term: 'paths: no sums where errors are no longer in proportion to frequencies',
    file: 'src/methods/contour/step/path-sums.ts',
    find: 'if (!(dTau * n * path[j] <= MOST_SLIDING)) return undefined;',
    put: 'if (!(path[j] <= Infinity)) return undefined;',
    tests: [['test/methods/contour/path-sums.test.ts', 'angles that are too large by up to %d']],
  },
  {
    term: 'windows off the axis: their error counts in the logarithm and in the phase',
    file: 'assembly/windows.ts',
    find: 'mul(all(2), load(FIRST, 32))',
    put: 'load(FIRST, 32)',
    tests: [
      ['test/kernel/windows.test.ts', 'the error of a window counts in the logarithm and in the phase'],
    ],
  },
  {
    term: 'windows: the difference of two edges keeps its digits',
    file: 'assembly/windows.ts',
    find: 'const close = lt(re, all(-0.5));',
    put: 'const close = lt(re, all(-2));',
    tests: [
      [
        'test/kernel/windows.test.ts',
        'windows whose edges lie far closer than they are wide are within the error they say',
      ],
    ],
  },
  {
    term: 'windows on the axis: far beyond an edge their error grows with the square of the distance',
    file: 'assembly/windows.ts',
    find: 'add(all(24), mul(all(4), mul(out, out)))',
    put: 'all(24)',
    tests: [
      ['test/kernel/windows.test.ts', 'windows below the smallest double have the error they say: %d + %di'],
    ],
  },
  {
    term: 'windows on the axis: the error of the difference of two edges',
    file: 'assembly/windows.ts',
    find: 'polar(FIRST, add(log, vlog(most)), all(0), div(wrong, most));',
    put: 'polar(FIRST, add(log, vlog(most)), all(0), tailError(near));',
    tests: [
      ['test/kernel/windows.test.ts', 'the error of a window counts in the logarithm and in the phase'],
    ],
  },
];
