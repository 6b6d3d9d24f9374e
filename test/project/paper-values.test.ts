import { describe, expect, test } from 'vitest';
import { convert, probabilisticDp } from '../../src/convert/index.js';
import * as lib from '../../src/index.js';
import type { Bracket } from '../../src/numeric/bracket.js';
import { normalCdf, normalQuantile } from '../../src/numeric/scalar.js';
import { wasm } from '../helpers/runs.js';

/**
 * What the papers' formulas give, by closed forms written out here or by mpmath at 40 digits, beside what the library answers. What stands
 * in `docs/papers.md` with a value of its own, or has a table of goldens (noise of one release, Rényi regions, regret), is not repeated.
 */
type Row = readonly [item: string, found: () => Bracket | number, exact: number, slack?: number];

const run = (mechanism: lib.Mechanism) => lib.account(wasm, mechanism, { adjacency: 'add-remove' });
const laplace = (epsilon: number) => lib.laplace({ scale: 1 / epsilon, sensitivity: 1 });
const [exp, log, log1p, expm1, sqrt, E] = [Math.exp, Math.log, Math.log1p, Math.expm1, Math.sqrt, Math.E];
/** δ_μ(ε) by GDP cor. 2.13, by the host's exponential. */
const deltaGdp = (mu: number, epsilon: number) =>
  normalCdf(-epsilon / mu + mu / 2) - exp(epsilon) * normalCdf(-epsilon / mu - mu / 2);
const G = (mu: number, alpha: number) => normalCdf(-normalQuantile(alpha) - mu);
/** f_{ε,δ}(α) by GDP eq. 3. */
const fed = (epsilon: number, delta: number, alpha: number) =>
  Math.max(0, 1 - delta - exp(epsilon) * alpha, exp(-epsilon) * (1 - delta - alpha));

const IAM: readonly Row[] = [
  ...[0, 0.25, 0.5, 0.75, 0.9, 0.99].map((epsilon): Row => {
    // δ₀ + (1 − δ₀)(e − e^ε)/(1 + e) for (1, δ₀)
    const delta = 1e-5 + ((1 - 1e-5) * (E - exp(epsilon))) / (1 + E);
    return [
      `theorem 2.1 at ε = ${epsilon}`,
      () => run(lib.approximateDp({ epsilon: 1, delta: 1e-5 })).delta(epsilon),
      delta,
      1e-15,
    ];
  }),
  ...[
    [1, 0.5],
    [1, 3],
    [0.1, 0.05],
    [3, 10],
  ].map(
    ([mu, epsilon]): Row => [
      `equation 1, μ = ${mu}, ε = ${epsilon}`,
      () => lib.gaussianTradeoff(mu).delta(epsilon),
      deltaGdp(mu, epsilon),
      1e-13,
    ],
  ),
  ...[0.5, 1, 2, 5].map(
    (epsilon): Row => [
      `theorem 5.1, ε = ${epsilon}`,
      () => convert(wasm, lib.pureDp({ epsilon }), { kind: 'gdp' }).values[0],
      -2 * normalQuantile(1 / (1 + exp(epsilon))),
      1e-12,
    ],
  ),
  ...[0, 0.7, 1.9].map(
    (epsilon): Row => [
      `definition 4.1 of Laplace noise 2, ε = ${epsilon}: δ of its G`,
      () => {
        const { lower, upper } = lib.gdpTransform(run(laplace(2)), epsilon);
        return { lower: deltaGdp(lower, epsilon), upper: deltaGdp(upper, epsilon) };
      },
      -expm1((epsilon - 2) / 2),
      1e-12,
    ],
  ),
  ...[0.1, 0.5, 0.9].map(
    (rate): Row => [
      `section 4.3, Laplace noise 1 at rate ${rate}, ε = 0.05`,
      () => {
        const { lower, upper } = lib.poissonAmplified(run(laplace(1)), { rate }).logDelta(0.05);
        return { lower: exp(lower), upper: exp(upper) };
      },
      rate * -expm1((log1p(expm1(0.05) / rate) - 1) / 2),
      1e-13,
    ],
  ),
  [
    'theorem 3.3: μ_t of the SGD family is A/(√2 σ)',
    () => lib.identify(lib.sgdFamilyProfile({ A: 3, B: 2, sigma: 1.5 })).tailMu as Bracket,
    sqrt(2),
    1e-12,
  ],
  ...[
    [0.5, 4],
    [2, 1],
  ].map(
    ([rho]): Row => [
      `section 3: μ_t of ${rho}-zCDP`,
      () => lib.identify(run(lib.zcdp({ rho }))).tailMu as Bracket,
      sqrt(2 * rho),
      1e-12,
    ],
  ),
];

const GDP: readonly Row[] = [
  ...[0.01, 0.3, 0.8].flatMap((alpha): Row[] => [
    [`equation 6, G_1.5(${alpha})`, () => lib.gaussianTradeoff(1.5).fnr(alpha), G(1.5, alpha), 1e-14],
    [
      `equation 3, f_{0.7, 0.01}(${alpha})`,
      () => lib.approximateDpTradeoff(0.7, 0.01).fnr(alpha),
      fed(0.7, 0.01, alpha),
      1e-14,
    ],
    [
      `theorem 2.14, groups of 3 of G_0.4 at ${alpha}`,
      () => lib.groupPrivacy(lib.gaussianTradeoff(0.4), 3).fnr(alpha),
      G(1.2, alpha),
      1e-9,
    ],
    [
      `corollary 3.3, G_1 ⊗ G_2 ⊗ G_2 at ${alpha}`,
      () => lib.tensor(wasm, [1, 2, 2].map(lib.gaussianTradeoff)).fnr(alpha),
      G(3, alpha),
      1e-12,
    ],
    [
      `section 4, G_1 mixed with Id at rate 0.2, at ${alpha}`,
      () => lib.mixWithIdentity(lib.gaussianTradeoff(1), 0.2).fnr(alpha),
      0.2 * G(1, alpha) + 0.8 * (1 - alpha),
      1e-9,
    ],
    [
      `proposition 2.8, sup of f_{ε,δ(ε)} of two points at ${alpha}`,
      () =>
        run(
          lib.tabulated({
            points: [
              { epsilon: 0.2, delta: 0.1 },
              { epsilon: 1, delta: 0.001 },
            ],
          }),
        ).tradeoff(alpha),
      Math.max(fed(0.2, 0.1, alpha), fed(1, 0.001, alpha)),
      1e-12,
    ],
    [
      // T(Lap(0, 1), Lap(s, 1)): e^{−s}-powers before, in and after the middle
      `section 2.5, Laplace shifted by 0.8 at ${alpha}`,
      () => lib.laplaceTradeoff(0.8).fnr(alpha),
      alpha < exp(-0.8) / 2
        ? 1 - exp(0.8) * alpha
        : alpha <= 0.5
          ? exp(-0.8) / 4 / alpha
          : exp(-0.8) * (1 - alpha),
      1e-9,
    ],
  ]),
  [
    'theorem 3.2, f_{0,0.1} ⊗ f_{0,0.2} at 0.3',
    () => lib.tensor(wasm, [0.1, 0.2].map(lib.uniformShiftTradeoff)).fnr(0.3),
    0.72 - 0.3,
    1e-12,
  ],
  ...[0.2, 1].map(
    (epsilon): Row => [
      `section 2.4, δ of Laplace noise 1 at ${epsilon}`,
      () => lib.laplaceTradeoff(1).delta(epsilon),
      Math.max(0, -expm1((epsilon - 1) / 2)),
      1e-13,
    ],
  ),
  [
    'section 5: the limit of uniform batches',
    () => lib.dpSgdLimits({ noiseMultiplier: 1.3, samplingRate: 256 / 60000, steps: 3516 }).poisson,
    (256 / 60000) * sqrt(3516 * expm1(1.3 ** -2)),
    1e-12,
  ],
];

const GM: readonly Row[] = [
  ...[1e-3, 1e-5, 1e-8].map(
    (delta): Row => [
      `equation 1 (Dwork 2006), ε = 0.5, δ = ${delta}`,
      () => lib.classicalSigma('dwork-2006', { epsilon: 0.5, delta }).sigma,
      sqrt(2 * log(2 / delta)) / 0.5,
      1e-9,
    ],
  ),
  ...[
    [0.5, 1e-3],
    [2, 1e-6],
    [20, 1e-2],
  ].flatMap(([epsilon, delta]): Row[] => {
    const sigma = () => lib.optimalSigma({ epsilon, delta });
    return [
      [
        `theorem 2, δ of the optimum at (${epsilon}, ${delta}) over δ`,
        () => {
          const found = sigma();
          const [lower, upper] = typeof found === 'number' ? [found, found] : [found.lower, found.upper];
          return { lower: deltaGdp(1 / upper, epsilon) / delta, upper: deltaGdp(1 / lower, epsilon) / delta };
        },
        1,
        1e-9,
      ],
    ];
  }),
  [
    'lemma 3: (1, 1e-3)-pDP is (1, 1e-3)-DP, and refined at 0',
    () =>
      convert(wasm, probabilisticDp({ epsilon: 1, delta: 1e-3 }), { kind: 'approximate-dp', epsilon: 0 })
        .values[0],
    1e-3 + ((1 - 1e-3) * (E - 1)) / (1 + E),
    1e-14,
  ],
  [
    'lemma 15 i, sensitivities and noises',
    () =>
      lib.measure(run(lib.compose([2, 1, 4].map((sigma) => lib.gaussian({ noiseMultiplier: sigma }))))).mu,
    sqrt(1 / 4 + 1 + 1 / 16),
    1e-12,
  ],
  ...[
    [0.5, 2],
    [1, 0.3],
    [2, 6],
  ].map(
    ([mu, epsilon]): Row => [
      `lemma 15 ii, μ = ${mu}, ε = ${epsilon}`,
      () =>
        convert(wasm, run(lib.gaussian({ noiseMultiplier: 1 / mu })), { kind: 'probabilistic-dp', epsilon })
          .values[0],
      normalCdf(mu / 2 - epsilon / mu) + normalCdf(-mu / 2 - epsilon / mu),
      1e-13,
    ],
  ),
];

const REP: readonly Row[] = [
  ...[0.3, 1, 4].map(
    (mu): Row => [
      `equation 14, advantage of G_${mu}`,
      () => lib.gaussianTradeoff(mu).advantage(),
      2 * normalCdf(mu / 2) - 1,
      1e-13,
    ],
  ),
  ...[0.001, 0.1].map(
    (baseline): Row => [
      `reconstruction from ${baseline} of G_2`,
      () => lib.gaussianTradeoff(2).reconstruction(baseline),
      1 - G(2, baseline),
      1e-12,
    ],
  ),
  ...[1, 3].map(
    (mu): Row => [
      `definition 2.10, Δ(Id, G_${mu}) is half the advantage`,
      () => lib.deltaDivergence(lib.perfectPrivacy(), lib.gaussianTradeoff(mu)),
      normalCdf(mu / 2) - 0.5,
      1e-9,
    ],
  ),
  [
    'equation 11, breakpoints (0.05, 0.6), (0.4, 0.1)',
    () =>
      lib.measure(
        lib.breakpoints([
          { alpha: 0.05, beta: 0.6 },
          { alpha: 0.4, beta: 0.1 },
        ]),
      ).mu,
    -normalQuantile(0.4) - normalQuantile(0.1),
    1e-12,
  ],
  [
    'algorithm 1, two binomial laws of 3 trials: the power at 1/8 of rejecting on 3',
    () => lib.lossPmf({ x: [1, 3, 3, 1].map((c) => c / 8), y: [1, 6, 12, 8].map((c) => c / 27) }).tpr(1 / 8),
    8 / 27,
    1e-14,
  ],
  ...[0.1, 1, 5].map(
    (epsilon): Row => [
      `section 6, ${epsilon}-bounded range to zCDP`,
      () => convert(wasm, run(lib.boundedRange({ epsilon })), { kind: 'zcdp' }).values[0].upper,
      epsilon ** 2 / 8,
      1e-14,
    ],
  ),
  ...[0.1, 1, 5].map(
    (epsilon): Row => [
      `pure DP ${epsilon} to zCDP: the divergence of order 1 of randomised response`,
      () => convert(wasm, lib.pureDp({ epsilon }), { kind: 'zcdp' }).values[0],
      (epsilon * (exp(epsilon) - 1)) / (exp(epsilon) + 1),
      1e-13,
    ],
  ),
  [
    'table 2, μ at the N = 60,000 that explains the printed 1.307',
    () =>
      lib.measure(run(lib.dpSgd({ noiseMultiplier: 9.4, samplingRate: 2 ** 14 / 60000, steps: 2000 }))).mu,
    1.306778,
    2e-6,
  ],
];

const PAPERS: readonly { paper: string; rows: readonly Row[] }[] = [
  { paper: 'IAM', rows: IAM },
  { paper: 'GDP', rows: GDP },
  { paper: 'GM', rows: GM },
  { paper: 'REP', rows: REP },
];

describe.each(PAPERS)('$paper', ({ rows }) => {
  const cases = rows.map(([item, found, exact, slack = 0]) => ({ item, found, exact, slack }));
  test.each(cases)('$item', ({ found, exact, slack }) => {
    const value = found();
    const bracket = typeof value === 'number' ? { lower: value, upper: value } : value;
    expect(bracket).toContainValue(exact, { absolute: slack });
    expect(bracket).toBeNoWiderThan(Math.max(2e-6 * Math.abs(exact), 4 * slack));
  });
});

test('no two rows are the same', () => {
  const items = [...IAM, ...GDP, ...GM, ...REP].map(([item]) => item);
  expect(new Set(items).size).toBe(items.length);
  expect(items.length).toBeGreaterThanOrEqual(75);
});
