const STARVED = 'test/law/starved.test.ts';
const MIXTURE = 'src/methods/contour/step/mixture-spectrum.ts';
const MASSES = 'src/methods/contour/step/masses.ts';
const SPECTRUM = 'src/methods/contour/step/allocation-spectrum.ts';
const REST = 'src/methods/contour/step/factored-allocation.ts';
const FEW = '%s, with few digits on the axis and off it';
const ENDS = 'beyond the ends of a rule what is summed falls as it must, with a window or without';
const WINDOWED = '%s without its largest outputs: what is lost, M and bounds of phi';
const SEVERAL = 'test/law/several-bins.test.ts';
const GOLDEN =
  '2 of 3 batches, by another order of integration: the goldens are between the bounds, and what the quadrature here finds';
const BETWEEN = '2 or 3 of up to 4 batches: between the bounds, in both directions, t %d, k %d, sigma %d';
const TRANSFORM = 'src/methods/contour/step/allocation-transform.ts';
const POWER = 'assembly/series-power.ts';
const IN_V = 'one of 100 bins, a coarse rule in v, mu %d';
const IN_Y = 'one of 100 bins, a coarse rule in y, mu %d';
const ORDERS = 'between whole orders, where no line goes: log M of two bins is in the bracket';
const POWERS = 'powers of a series: coefficients that are wrong by a share of their majorants';
const BINS = 'two bins with few digits, mu %d';
const CUT = 'a Gaussian beside a rest that is cut far in, mu %d';

/** Transforms of single steps: what their sums lack. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const TRANSFORMS = [
  {
    term: 'mixtures: what the rule on a line lacks',
    proof: 'sampling.md 6',
    file: MASSES,
    find: '/ mass + 2.1 * share;',
    put: '/ mass;',
    tests: [[STARVED, FEW]],
  },
  {
    term: 'mixtures: outputs that are left out of a line',
    proof: 'sampling.md 6',
    file: MASSES,
    find: 'const missing = (2.1 * (dropped * exp(floor - top) + most / masses.unit)) / mass + 2.1 * share;',
    put: 'const missing = 2.1 * share * 1e-3;',
    tests: [[STARVED, FEW]],
  },
  {
    term: 'mixtures: what the rule on the axis lacks',
    proof: 'sampling.md 9',
    file: MIXTURE,
    find: 'const most = cutTails(ends, h, reach) + share * size + LOST_ERROR * (lost.p + lost.q) * size;\n  return riseOf(mesh, c, count, { most, share, above });',
    put: 'const most = cutTails(ends, h, reach);\n  return riseOf(mesh, c, count, { most, above });',
    tests: [[STARVED, FEW]],
  },
  {
    term: 'mixtures: the strip of the rule, by both sides',
    proof: 'sampling.md 6',
    file: 'src/methods/contour/step/mixture-mesh.ts',
    find: 'best = Math.min(best, tau * (left + right) + (wanted + shrink) / a + (growth * a) / 2);',
    put: 'best = Math.min(best, (wanted + shrink) / a / 2);',
    tests: [[STARVED, FEW]],
  },
  {
    term: 'mixtures: the slope at the first output',
    proof: 'sampling.md 15',
    file: 'src/methods/contour/step/mixture-mesh.ts',
    find: 'const low = before + Math.min(0, c) * slopeOf(plus, before);',
    put: 'const low = before;',
    tests: [[STARVED, ENDS]],
  },
  {
    term: 'mixtures: the slope at the last output, behind the edge of a window',
    proof: 'sampling.md 16',
    file: 'src/methods/contour/step/mixture-mesh.ts',
    find: 'const slope = high(Math.min(reach, to));',
    put: 'const slope = 0 * high(Math.min(reach, to));',
    tests: [[STARVED, ENDS]],
  },
  {
    term: 'mixtures: a window off the axis, in the rule',
    proof: 'sampling.md 16',
    file: 'src/methods/contour/step/mixture-mesh.ts',
    find: '(wanted + shrink) / a + (growth * a) / 2);',
    put: '(wanted + shrink) / a + a / 2);',
    tests: [[STARVED, WINDOWED]],
  },
  {
    term: 'mixtures: a window off the axis, in the bound of phi',
    proof: 'sampling.md 16',
    file: 'src/methods/contour/step/mixture-decay.ts',
    find: '- logM + (pair.growth * a * a) / 2;',
    put: '- logM + (a * a) / 2;',
    tests: [[STARVED, WINDOWED]],
  },
  {
    term: 'mixtures: what a window takes of both laws',
    proof: 'sampling.md 16',
    file: MIXTURE,
    find: 'const above = -lost.p * (1 - c) - lost.q * c;',
    put: 'const above = -lost.p;',
    tests: [[STARVED, WINDOWED]],
  },
  {
    term: 'mixtures: what is lost, with the noise of the window',
    proof: 'sampling.md 16',
    file: MIXTURE,
    find: 'const value = logTail({ shift: shift.map((a) => a / stretch), weight }, to / stretch, sign);',
    put: 'const value = logTail({ shift, weight }, to, sign);',
    tests: [[STARVED, WINDOWED]],
  },
  {
    term: 'balls and bins: the ends of v',
    proof: 'balls-and-bins.md 4',
    file: SPECTRUM,
    find: 'missing[k] = size * values.outside + quadrature(rho, at, strip);',
    put: 'missing[k] = quadrature(rho, at, strip);',
    tests: [[STARVED, BINS]],
  },
  {
    term: 'balls and bins: the rule in v',
    proof: 'balls-and-bins.md 3',
    file: SPECTRUM,
    find: 'missing[k] = size * values.outside + quadrature(rho, at, strip);',
    put: 'missing[k] = size * values.outside;',
    tests: [[STARVED, IN_V]],
  },
  {
    term: 'balls and bins: the rule in v errs on both edges of its strip',
    proof: 'balls-and-bins.md 3',
    file: SPECTRUM,
    find: 'exp(logLoss(rho, tau, theta + half, ratio)) + exp(logLoss(rho, tau, theta - half, ratio))',
    put: '0.01 * (exp(logLoss(rho, tau, theta + half, ratio)) + exp(logLoss(rho, tau, theta - half, ratio)))',
    tests: [[STARVED, IN_V]],
  },
  {
    term: 'balls and bins: factors of a far tilt do not underflow',
    proof: 'balls-and-bins.md 3',
    file: SPECTRUM,
    find: 'const middle = log(Math.max(1, m - places[1].c));',
    put: 'const middle = 0;',
    tests: [
      [
        'test/law/balls-and-bins.test.ts',
        'far tilts, by plain sums: 50 bins of noise 20, M(−1300) to M(−2000)',
      ],
    ],
  },
  {
    term: 'balls and bins: the rule in y',
    proof: 'balls-and-bins.md 5',
    file: TRANSFORM,
    find: '(inner.rounding + truncationError + 20 * U)',
    put: '(inner.rounding + 20 * U)',
    tests: [[STARVED, IN_Y]],
  },
  {
    term: 'balls and bins: the rule in y where little is left of a bin',
    proof: 'balls-and-bins.md 5',
    file: 'assembly/ray-values.ts',
    find: 'all(2 * truncated)',
    put: 'all(1e-6 * truncated)',
    tests: [[STARVED, 'one bin is a Gaussian, however coarse the rule in y where little is left of it']],
  },
  {
    term: 'balls and bins: the weights of the rule in y grow off the axis',
    proof: 'balls-and-bins.md 5',
    file: 'src/methods/contour/step/allocation-inner.ts',
    find: '(depth + ((s + a) * (s + a)) / (2 * mu * mu))',
    put: 'depth',
    tests: [[STARVED, IN_Y]],
  },
  {
    term: "balls and bins: majorants of a power, by Miller's recurrence",
    proof: 'balls-and-bins.md 6',
    file: POWER,
    find: 'div(load(at + part), unit)',
    put: 'div(load(at + part), part < 32 ? unit : all(1.1 * lane0(unit)))',
    tests: [[STARVED, POWERS]],
  },
  {
    term: 'balls and bins: majorants of a power, by squares and products',
    proof: 'balls-and-bins.md 6',
    file: POWER,
    find: 'mul(mul(factor, load(x, 32)), load(y, 32))',
    put: 'mul(mul(factor, load(x, 32)), mul(all(0.9), load(y, 32)))',
    tests: [[STARVED, POWERS]],
  },
  {
    term: 'balls and bins: between whole orders log M is below its chord',
    proof: 'balls-and-bins.md 8',
    file: SPECTRUM,
    find: 'const above = logs[k] + part * (logs[k + 1] - logs[k]);',
    put: 'const above = logs[k] + part * part * (logs[k + 1] - logs[k]);',
    tests: [[STARVED, ORDERS]],
  },
  {
    term: 'balls and bins: between whole orders log M is anywhere between its bounds',
    proof: 'balls-and-bins.md 8',
    file: SPECTRUM,
    find: 'error: (count * (above - below)) / 2 + rounding,',
    put: 'error: (count * (above - below)) / 20 + rounding,',
    tests: [[STARVED, ORDERS]],
  },
  {
    term: 'balls and bins: a ray is as good as its rule and its ends',
    proof: 'balls-and-bins.md 2',
    file: SPECTRUM,
    find: 'outside +\n    quadrature(rho, 0, strip) +',
    put: '',
    tests: [[STARVED, BINS]],
  },
  {
    term: 'balls and bins: full epochs end a line, by the mean of the bins',
    proof: 'balls-and-bins.md 7',
    file: SPECTRUM,
    find: 'gaussianDecay(square)',
    put: 'gaussianDecay(3 * square)',
    tests: [['test/law/balls-and-bins.test.ts', 'two bins, mu %d, c %d']],
  },
  {
    term: 'balls and bins: the rest beyond its cut and its terms',
    proof: 'balls-and-bins.md 10',
    file: REST,
    find: 'best = { re, im, first, second, rounding, missing: missing + rest };',
    put: 'best = { re, im, first, second, rounding, missing: 0 };',
    tests: [[STARVED, CUT]],
  },
  {
    term: 'balls and bins: terms of the rest that are left out',
    proof: 'balls-and-bins.md 10',
    file: REST,
    find: 'const rest = modulus * whole[k] * this.stretch(c, k);',
    put: 'const rest = 0;',
    tests: [[STARVED, CUT]],
  },
  {
    term: 'balls and bins: moments of the rest without what lies beyond its cut',
    proof: 'balls-and-bins.md 10',
    file: REST,
    find: 'missing += modulus * beyond[k];',
    put: 'missing += 0 * modulus;',
    tests: [[STARVED, CUT]],
  },
  {
    term: 'balls and bins: the Gaussian beside the rest',
    proof: 'balls-and-bins.md 9',
    file: REST,
    find: 'const gaussian = gaussianSpectrum(nu);',
    put: 'const gaussian = gaussianSpectrum(0.995 * nu);',
    tests: [[STARVED, CUT]],
  },
  {
    term: 'balls and bins: the rest has no part in the mean of the logarithms',
    proof: 'balls-and-bins.md 9',
    file: 'src/methods/contour/step/allocation-moments.ts',
    find: 'tilt = (tilt * step) >> bits;',
    put: 'tilt = one;',
    tests: [
      ['test/law/balls-and-bins.test.ts', 'moments of the rest: two bins by sums, any number by the second'],
    ],
  },
  {
    term: 'balls and bins: the pair has as many bins as there are',
    proof: 'balls-and-bins.md 1',
    file: 'src/mechanism/kinds/balls-and-bins.ts',
    find: 'allocationPair(1 / noiseMultiplier, bins, visited)',
    put: 'allocationPair(1 / noiseMultiplier, bins + 1, visited === bins ? bins + 1 : visited)',
    tests: [
      [
        'test/law/balls-and-bins.test.ts',
        'all small data sets: none is worse than the pair, and one is as bad',
      ],
    ],
  },
  {
    term: 'several bins: blocks are no larger than the batches that there are',
    proof: 'balls-and-bins.md 11',
    file: 'src/mechanism/kinds/balls-and-bins.ts',
    find: 'const small = Math.floor(bins / k);',
    put: 'const small = Math.floor(bins / k) + 1;',
    tests: [
      [SEVERAL, BETWEEN],
      [SEVERAL, GOLDEN],
    ],
  },
  {
    term: 'several bins: the batches that a record is not in',
    proof: 'balls-and-bins.md 12',
    file: 'src/law/largest-batch.ts',
    find: 'const rest = bySquares(cells[0], bins - perRecord, product);',
    put: 'const rest = bySquares(cells[0], Math.ceil((bins - perRecord) / 2), product);',
    tests: [[SEVERAL, BETWEEN]],
  },
  {
    term: 'balls and bins: the factor 1/Gamma of the transform',
    proof: 'balls-and-bins.md 2',
    file: SPECTRUM,
    find: 'const one = log(sum) + lead * middle + place.logM + others.re - own.re;',
    put: 'const one = log(sum) + lead * middle + place.logM + others.re - own.re * (1 + 1e-9);',
    tests: [['test/law/balls-and-bins.test.ts', 'one of 100 bins seen is a Poisson sample: c = %d']],
  },
  {
    term: 'balls and bins: whole moments whose series has no subnormal numbers',
    file: TRANSFORM,
    find: 'const UNIT = 8;\nconst LOG_UNIT = 3 * Math.LN2;',
    put: 'const UNIT = 1;\nconst LOG_UNIT = 0;',
    tests: [
      [
        'test/law/balls-and-bins.test.ts',
        'whole moments of two bins, of which one or both are seen, by sums, up to where 1/k! is no double',
      ],
    ],
  },
];
