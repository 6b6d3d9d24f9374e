const GOALS = 'test/calibrate/wide-goals.test.ts';
const MET = '%s: met only where it certainly is';
const SHARES = 'test/calibrate/shares.test.ts';
const TARGET = 'src/calibrate/goals.ts';
const DECIMAL = 'test/text/decimal.test.ts';
const ROUNDED = 'test/text/rounded.test.ts';
const CERTIFICATE = 'test/certificate/certificate.test.ts';
const RENYI = 'test/convert/renyi.test.ts';
const RISK = 'test/risk/risk.test.ts';
const RISKS = 'src/risk/risk.ts';
const REGRET = 'test/tradeoff/regret.test.ts';
const POLYGON = 'of a polygon, for every mu of a bracket, by a scan of all priors';
const TWO = 'the curve of a run with two directions, by lines of either slope';
const REGION = 'test/law/renyi-region.test.ts';

/** What is said of runs: goals, texts, certificates, conversions. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const ANSWERS = [
  {
    term: 'zCDP but for δ: what is revealed counts',
    proof: 'renyi.md 9',
    file: 'src/convert/guarantee.ts',
    find: '(hidden + logComplement(logDelta))',
    put: 'logComplement(logDelta)',
    tests: [['test/convert/but-for-delta.test.ts', 'a pair of three outputs attains it, and none is above']],
  },
  {
    term: 'calibrate: what decides is delta itself, its upper end',
    file: TARGET,
    find: 'const met = deltaOf(subject).upper <= delta;',
    put: 'const met = deltaOf(subject).lower <= delta;',
    tests: [[GOALS, MET]],
  },
  {
    term: 'calibrate: where a pure target is met exactly, the exact sum decides',
    file: TARGET,
    find: 'Math.abs(exact / epsilon - 1) < 1e-13',
    put: 'false',
    tests: [
      ['test/calibrate/calibrate.test.ts', 'a target that is met exactly: twenty queries of 0.05 spend 1'],
    ],
  },
  {
    term: 'calibrate: a value is kept where the upper end of its loss is met',
    file: 'src/calibrate/search.ts',
    find: 'if (upper > 0) this.unsafe = place;',
    put: 'if (upper > 1e-3) this.unsafe = place;',
    tests: [['test/calibrate/calibrate.test.ts', 'is the optimal σ, for random targets']],
  },
  {
    term: 'calibrate: other losses are met by their upper end',
    file: 'src/calibrate/goal.ts',
    find: 'const met = loss(subject);',
    put: 'const { lower } = loss(subject);\n      const met = { lower, upper: lower };',
    tests: [[GOALS, MET]],
  },
  {
    term: 'calibrate: what decided is what is said, not a later answer',
    file: 'src/calibrate/goal.ts',
    find: 'known.get(subject) ?? loss(subject)',
    put: 'loss(subject)',
    tests: [[GOALS, 'what met the target is what is said of it, though a later answer be wider']],
  },
  {
    term: 'shares of a curve: of epsilon as of delta',
    proof: 'composition.md 4',
    file: 'src/calibrate/curve-target.ts',
    find: 'epsilon: share * epsilon,',
    put: 'epsilon,',
    tests: [
      [
        SHARES,
        'of the curve of (1, 1e-5)-DP: two Laplace queries have half of epsilon each, a budget of 1 and little more',
      ],
    ],
  },
  {
    term: 'shares of a budget: a part has its share of delta alone',
    file: 'src/calibrate/shares.ts',
    find: 'delta: share * target.delta }',
    put: 'delta: target.delta }',
    tests: [[SHARES, 'of (ε, δ): each part spends its own share of a budget that the whole just meets']],
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
    term: 'mixtures: the part at 0 is what is stated of it',
    file: 'src/mechanism/kinds/gaussian-mixture.ts',
    find: 'return Math.abs(1 - rate - rest) <= 4 * U * rest ? rate : undefined;',
    put: 'return rate;',
    tests: [
      [
        'test/law/mixtures.test.ts',
        'a rare part at 0 is what is stated, not what the others leave of 1: %j, %j',
      ],
    ],
  },
  {
    term: 'convert: what a rounding of 1 - delta leaves is in the bracket',
    file: 'src/convert/to-curve.ts',
    find: 'room < 0 || (room === 0 && 1 - hidden === delta)',
    put: 'room <= 0',
    tests: [
      [
        'test/convert/rounded-curves.test.ts',
        'where 1 − δ is α but for a rounding, what is left of it is in the bracket',
      ],
    ],
  },
  {
    term: 'convert: pure DP is epsilon tanh(epsilon/2)-zCDP',
    proof: 'renyi.md 5',
    file: 'src/convert/to-parameter.ts',
    find: 'const rho = pure * halfTanh(pure);',
    put: 'const rho = 0.9 * pure * halfTanh(pure);',
    tests: [[RENYI, 'pure DP is randomised response']],
  },
  {
    term: 'Renyi: truncated CDP ends at its last order',
    proof: 'renyi.md 6',
    file: 'src/law/renyi-profile.ts',
    find: 'most: (omega - 1) * (1 - 2 * U)',
    put: 'most: 1.5 * omega',
    tests: [[REGION, '(%f, %f)-tCDP at ε = %f']],
  },
  {
    term: 'Renyi: (xi, rho)-zCDP begins at xi + rho',
    proof: 'renyi.md 6',
    file: 'src/law/renyi-profile.ts',
    find: 'first: rho + xi',
    put: 'first: rho + 0.5 * xi',
    tests: [[REGION, 'ρ = %f, ξ = %f: (ξ, ρ)-zCDP at ε = %f']],
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
  {
    term: 'Renyi: the upper end lies outside the bound',
    proof: 'renyi.md 2',
    file: 'src/law/renyi-region.ts',
    find: 'if (orders.every((order) => excess(pair, order) >= roundingOf(pair, order))) return pair;',
    put: 'if (orders.every((order) => excess(pair, order) >= -1)) return movedBy(point, -1e-9, both);',
    tests: [
      [REGION, 'δ(0) of ρ-zCDP is the advantage at which the order 1 meets ρ: δ log((1 + δ)/(1 − δ)) = ρ'],
    ],
  },
  {
    term: 'Renyi: the pair named meets every bound, whatever the search overlooked',
    proof: 'renyi.md 1',
    file: 'src/law/renyi-region.ts',
    find: 'if (tight.excess <= -roundingOf(pair, tight.order)) return pair;',
    put: 'return pair;',
    tests: [[REGION, 'a search that overlooks an order finds no pair that breaks it']],
  },
  {
    term: 'Renyi: bounded range is an eighth of the square',
    proof: 'renyi.md 4',
    file: 'src/mechanism/kinds/bounded-range.ts',
    find: 'rho: (m) => (m.epsilon * m.epsilon) / 8,',
    put: 'rho: (m) => (m.epsilon * m.epsilon) / 10,',
    tests: [
      ['test/account/attained.test.ts', 'many releases of bounded range are also concentrated, ε²/8 each'],
    ],
  },
  {
    term: 'convert: lines of a curve by the delta of their own slope',
    file: 'src/convert/to-curve.ts',
    find: 'const hidden = -expm1(profile.logDelta(epsilon).upper);',
    put: 'const hidden = -expm1(profile.logDelta(1.05 * epsilon).upper);',
    tests: [['test/convert/convert.test.ts', TWO]],
  },
  {
    term: 'convert: a curve by both of its lines',
    file: 'src/convert/to-curve.ts',
    find: 'Math.max(hidden - exp(epsilon) * alpha, exp(-epsilon) * (hidden - alpha)) - 4e-16;',
    put: 'hidden - exp(epsilon) * alpha;',
    tests: [['test/convert/convert.test.ts', TWO]],
  },
  {
    term: 'regret of a polygon: from above by the largest mu',
    proof: 'regret.md 2',
    file: 'src/measure/polygon.ts',
    find: 'const most = rests(mu.upper, slopes.slice());',
    put: 'const most = rests(mu.lower, slopes.slice());',
    tests: [[REGRET, POLYGON]],
  },
  {
    term: 'regret of a polygon: at the slopes of all segments',
    proof: 'regret.md 2',
    file: 'src/measure/polygon.ts',
    find: 'for (let k = 0; k < slopes.length; k++) slopes[k] = slopeAt(from + k);',
    put: 'for (let k = 0; k < slopes.length; k++) slopes[k] = 1.3 * slopeAt(from + k);',
    tests: [[REGRET, POLYGON]],
  },
  {
    term: 'tier: outside a wide window the Gaussian may be above the curve',
    proof: 'regret.md 3',
    file: 'src/measure/measure.ts',
    find: 'const settled = alphaMin < TIER_LIMIT || regret.lower >= TIER_LIMIT || !known;',
    put: 'const settled = true;',
    tests: [[REGRET, '%s, window number %#']],
  },
  {
    term: 'risk: the odds of the predictive value',
    proof: 'risk.md 1',
    file: RISKS,
    find: 'const odds = ((1 - prior) / prior) * falsePositiveRate;',
    put: 'const odds = 1.1 * ((1 - prior) / prior) * falsePositiveRate;',
    tests: [
      [RISK, 'no test of a finite pair beats the bounds, and the best one attains them'],
      [RISK, 'membership of a Gaussian of mu %d is what its closed forms say'],
    ],
  },
  {
    term: 'risk: a baseline is of the world without the record',
    proof: 'risk.md 2',
    file: RISKS,
    find: "return directed ? runTradeoff(subject, 'remove') : asTradeoff(subject);",
    put: "return directed ? runTradeoff(subject, 'add') : asTradeoff(subject);",
    tests: [[RISK, 'a baseline belongs to the world without the record']],
  },
  {
    term: 'risk: all secrets, once for each record',
    proof: 'risk.md 3',
    file: RISKS,
    find: 'groupPrivacy(f, secrets).at',
    put: 'groupPrivacy(f, secrets - 1).at',
    tests: [[RISK, 'secrets of several records under a Gaussian: k records are k times its mu']],
  },
  {
    term: 'risk: one of several secrets by the union bound',
    proof: 'risk.md 3',
    file: RISKS,
    find: 'const any = scaled(one, secrets, 1);',
    put: 'const any = scaled(one, 1, 1);',
    tests: [[RISK, 'secrets of several records under a Gaussian: k records are k times its mu']],
  },
  {
    term: 'risk: every record may be singled out',
    proof: 'risk.md 4',
    file: RISKS,
    find: 'const most = scaled(f.reconstruction(weight), size, 1);',
    put: 'const most = scaled(f.reconstruction(weight), size / 2, 1);',
    tests: [[RISK, 'singling out, enumerated']],
  },
  {
    term: 'convert: the logarithm of a stated delta is rounded',
    file: 'src/convert/guarantee.ts',
    find: 'return aroundLog(impliedLogDelta(line.epsilon, log(line.delta), epsilon));',
    put: 'return exactly(impliedLogDelta(line.epsilon, log(line.delta), epsilon));',
    tests: [['test/account/rounding-of-ends.test.ts', 'a small δ is not less than itself, nor more']],
  },
  {
    term: 'a group of links: slopes are added without loss',
    file: 'src/tradeoff/support-lines.ts',
    find: 'const epsilon = sum.value + ROUNDING * length;',
    put: 'const epsilon = length * UP;',
    tests: [
      ['test/tradeoff/support-lines.test.ts', 'of a thousand links are no steeper than all of them together'],
    ],
  },
  {
    term: 'head: cells that the budget leaves open are still under the upper end',
    file: 'src/profile/staircase.ts',
    find: 'for (const k of open) if (!reaches(this.upper, right[k], high[k])) this.raiseUpper(right[k], high[k]);',
    put: 'if (size === 1) for (const k of open) this.raiseUpper(right[k], high[k]);',
    tests: [
      ['test/measure/head.test.ts', 'a maximum inside a range: with a budget of %i tests it lies within'],
    ],
  },
  {
    term: 'head: tests that wait are counted in the budget',
    file: 'src/profile/staircase.ts',
    find: 'this.tests + this.due + tests <= this.options.budget',
    put: 'this.tests + tests <= this.options.budget',
    tests: [['test/measure/head.test.ts', 'a budget of %i tests is not overrun']],
  },
];
