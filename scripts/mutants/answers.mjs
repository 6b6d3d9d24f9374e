const GOALS = 'test/calibrate/wide-goals.test.ts';
const MET = '%s: met only where it certainly is';
const TARGET = 'src/calibrate/target.ts';
const DECIMAL = 'test/text/decimal.test.ts';
const ROUNDED = 'test/text/rounded.test.ts';
const CERTIFICATE = 'test/certificate/certificate.test.ts';
const RENYI = 'test/convert/renyi.test.ts';
const REGION = 'test/law/renyi-region.test.ts';

/** What is said of runs: goals, texts, certificates, conversions. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const ANSWERS = [
  {
    term: 'calibrate: what decides is delta itself, its upper end',
    file: TARGET,
    find: 'const met = run.delta(epsilon).upper <= delta;',
    put: 'const met = run.delta(epsilon).lower <= delta;',
    tests: [[GOALS, MET]],
  },
  {
    term: 'calibrate: other losses are met by their upper end',
    file: 'src/calibrate/goal.ts',
    find: 'const met = loss(subject);',
    put: 'const { lower } = loss(subject);\n      const met = { lower, upper: lower };',
    tests: [[GOALS, MET]],
  },
  {
    term: 'text: upper ends are rounded up',
    file: 'src/text/decimal.ts',
    find: "if (direction === 'up' && /[1-9]/.test(all.slice(used))) {",
    put: "if (direction === 'up' && all[used]! >= '5') {",
    tests: [
      [DECIMAL, 'rounds outwards, compared exactly'],
      [ROUNDED, 'upper ends are printed no smaller than they are'],
    ],
  },
  {
    term: 'text: of a number below 0 the sides are exchanged',
    file: 'src/text/decimal.ts',
    find: "direction === 'up' ? 'down' : 'up'",
    put: 'direction',
    tests: [[DECIMAL, 'rounds outwards, compared exactly']],
  },
  {
    term: 'text: per cent are rounded up',
    file: 'src/text/rounded.ts',
    find: "const text = roundDecimal(probability, 'up', { digits, shift: 2 });",
    put: "const text = roundDecimal(probability, 'down', { digits, shift: 2 });",
    tests: [[ROUNDED, 'upper ends are printed no smaller than they are']],
  },
  {
    term: 'certificates: what is too low is refuted',
    file: 'src/certificate/verify.ts',
    find: 'if (logDelta + error < lower || logDelta - error > upper)',
    put: 'if (logDelta + error < lower)',
    tests: [[CERTIFICATE, '%s: confirmed by the other route, refuted when moved']],
  },
  {
    term: 'certificates: what is too high is refuted',
    file: 'src/certificate/verify.ts',
    find: 'if (logDelta + error < lower || logDelta - error > upper)',
    put: 'if (logDelta - error > upper)',
    tests: [[CERTIFICATE, '%s: confirmed by the other route, refuted when moved']],
  },
  {
    term: 'convert: pure DP is epsilon tanh(epsilon/2)-zCDP',
    proof: 'renyi.md 5',
    file: 'src/convert/to-parameter.ts',
    find: 'const tanh = -expm1(-pure) / (1 + exp(-pure));',
    put: 'const tanh = (-0.9 * expm1(-pure)) / (1 + exp(-pure));',
    tests: [[RENYI, 'pure DP is randomised response']],
  },
  {
    term: 'Renyi: truncated CDP ends at its last order',
    proof: 'renyi.md 6',
    file: 'src/law/renyi-profile.ts',
    find: 'most: (guarantee.omega - 1) * (1 - 2 * U)',
    put: 'most: 1.5 * guarantee.omega',
    tests: [[REGION, '(%f, %f)-tCDP at ε = %f']],
  },
  {
    term: 'Renyi: mean-concentrated CDP begins at its mean',
    proof: 'renyi.md 7',
    file: 'src/law/renyi-profile.ts',
    find: 'first: Math.min(guarantee.mean, rho)',
    put: 'first: 1e-6 * Math.min(guarantee.mean, rho)',
    tests: [
      [REGION, 'a Gaussian pair revealed rarely is mCDP with a small mean and the tail of τ, and below'],
    ],
  },
  {
    term: 'power by delta: between the inner points the chords beside them',
    proof: 'regret.md 4',
    file: 'src/measure/power-by-deltas.ts',
    find: 'const lowest = inside\n    ? f1 + falling * share * middle',
    put: 'const lowest = inside\n    ? f1',
    tests: [
      [
        'test/measure/measure.test.ts',
        'the power by δ at four points is below the exact one, whatever brackets hold δ, and close where they are narrow',
      ],
    ],
  },
  {
    term: 'people of several records: the chances of each number drawn',
    proof: 'sampling.md 2',
    file: 'src/mechanism/mechanism.ts',
    find: 'const probabilities = binomialMasses(records, rate);',
    put: 'const probabilities = binomialMasses(records, 0.95 * rate);',
    tests: [['test/law/mixtures.test.ts', 'a person of three records, on a line: both directions']],
  },
  {
    term: 'mixtures: off the axis the angles of both sides',
    proof: 'sampling.md 7',
    file: 'src/methods/contour/step/mixture-decay.ts',
    find: 'Math.max(0, (up.angle + down.angle) * (1 - 1e-12) - 1e-300)',
    put: 'Math.max(0, 1.5 * (up.angle + down.angle))',
    tests: [['test/law/mixtures.test.ts', '$case at $c + $tau i']],
  },
  {
    term: 'mixtures: the variation of the tilted density',
    proof: 'sampling.md 8',
    file: 'src/methods/contour/step/mixture-decay.ts',
    find: '(Math.abs(c) + Math.abs(1 - c) + variation) * (1 + 1e-6)',
    put: '1e-3 * variation',
    tests: [['test/law/mixtures.test.ts', '$case at $c + $tau i']],
  },
];
