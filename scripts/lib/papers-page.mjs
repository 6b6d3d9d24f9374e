// docs/papers.md as text: what each paper defines or proves, the function that has it, the command, and an example that is run when the
// page is written. The test that checks the page runs every example again and holds it against the value given here, found independently.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Entries of the package, and their files. */
export const ENTRIES = {
  'gdp-kernel': 'index',
  'gdp-kernel/compare': 'compare',
  'gdp-kernel/convert': 'convert',
  'gdp-kernel/report': 'report',
  'gdp-kernel/read': 'read',
  'gdp-kernel/lint': 'lint',
  'gdp-kernel/audit': 'audit',
  'gdp-kernel/budget': 'budget',
  'gdp-kernel/sweep': 'sweep',
  'gdp-kernel/plot': 'plot',
};

/** The names that each module exports, those of values. */
export function exportsOf(modules) {
  return Object.fromEntries(
    Object.entries(modules).map(([entry, module]) => [entry, Object.keys(module).sort()]),
  );
}

/** The texts of src/. */
export function sources(root) {
  return readdirSync(join(root, 'src'), { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => readFileSync(join(root, 'src', file), 'utf8'));
}

const cli = (text) => `\`gdp ${text}\``;

/**
 * [item, functions, command or '', example, its value by another route, by how much the two may differ, where reproduced or what to know].
 * The example answers a bracket or a number.
 */
export const PAPERS = [
  [
    'IAM: Identification, amplification and measurement',
    [
      [
        'Theorem 2.1: the partial order of guarantees',
        ['approximateDp', 'refinedProfile', 'convert'],
        'convert --from approximate-dp:1,1e-5 --to approximate-dp --epsilon 0.5',
        'run(lib.approximateDp({ epsilon: 1, delta: 1e-5 })).delta(0.5)',
        0.28765626,
        1e-9,
        '',
      ],
      [
        'Appendix C: less noise by refinement',
        ['leastNoise', 'profileFromNoise'],
        '',
        'lib.leastNoise({ epsilon: 0.2, delta: Math.exp(-2), noise: (e, d) => -Math.log(d) / e }).noise',
        8.08572,
        1e-5,
        'a formula is a function: library only',
      ],
      [
        'Theorem 3.1, eq. 1: the Gaussian profile, far into its tail',
        ['gaussianTradeoff', 'loadEngine'],
        'delta g.json --epsilon 100',
        'lib.gaussianTradeoff(6).logDelta(100)',
        -98.12,
        5e-3,
        'figures 1 and 2',
      ],
      [
        'Definitions 3.1, 3.2: head and tail GDP',
        ['isHeadGdp', 'isTailGdp'],
        'measure --formula laplace:2 --mu 1.81',
        "lib.isHeadGdp(engine, run(lib.laplace({ scale: 0.5, sensitivity: 1 })), { epsilonHead: 3, mu: 1.81 }) === 'yes' ? 1 : 0",
        1,
        0,
        '',
      ],
      [
        'Theorems 3.2, 3.3: identification, the tail limit',
        ['identify'],
        'identify run.json',
        'lib.identify(run(lib.dpSgd({ noiseMultiplier: 9.4, samplingRate: 0.3, steps: 2000 }))).tailMu',
        4.757591,
        1e-6,
        'figure 1',
      ],
      [
        'Running examples: Laplace, the SGD family, ICEA, a table',
        ['laplace', 'sgdFamilyProfile', 'iceaProfile', 'tabulated', 'profileOf'],
        'identify --formula sgd-family:2,1,2',
        'lib.convert(engine, lib.sgdFamilyProfile({ A: 2, B: 1, sigma: 2 }), { kind: "gdp" }).values[0]',
        1.8563572885,
        1e-6,
        'figure 2',
      ],
      [
        'Definition 4.1: the Gaussian-DP transformation',
        ['gdpTransform', 'transformCurve'],
        'measure --formula laplace:2 --svg g.svg',
        'lib.gdpTransform(run(lib.laplace({ scale: 0.5, sensitivity: 1 })), 1)',
        1.685991,
        1e-6,
        'figure 2',
      ],
      [
        'Theorems 4.2, 4.3, algorithms 1 to 3: measurement by staircases',
        ['measureHead', 'measureHeadAsync'],
        'measure --formula laplace:2',
        'lib.measureHead(engine, run(lib.laplace({ scale: 0.5, sensitivity: 1 })), { epsilonHead: 3 }).headMu',
        1.800905193,
        1e-6,
        'the paper exchanges the two staircases',
      ],
      [
        'Theorem 4.4: clip and rectify',
        ['clipAndRectify'],
        'amplify run.json --clip -3,5',
        'lib.clipAndRectify({ lower: -3, upper: 5, epsilonHead: 10, mu: 1 }).scale',
        0.8,
        1e-12,
        '',
      ],
      [
        'Section 4.3: amplification by sampling (Balle, Barthe, Gaboardi, theorem 8)',
        ['poissonAmplified', 'samplingRateFor'],
        'amplify run.json --rate 0.5',
        'lib.measureHead(engine, lib.poissonAmplified(run(lib.laplace({ scale: 0.5, sensitivity: 1 })), { rate: 0.5 }), { epsilonHead: 3 }).headMu',
        0.97828,
        5e-6,
        '',
      ],
      [
        'The same: the ratio for a mu on a window of error rates',
        ['samplingRateForWindow'],
        'amplify run.json --mu 0.3 --alpha-min 1e-4',
        'lib.samplingRateForWindow(engine, run(lib.gaussian({ noiseMultiplier: 1 })), { mu: 0.3, alphaMin: 1e-4 }).rate',
        0.0675021834,
        1e-7,
        'a phase of a run: gdp calibrate a sampling rate to --mu',
      ],
      [
        'The same, theorem 9: without replacement',
        ['withoutReplacementAmplified', 'withoutReplacement'],
        '',
        'lib.withoutReplacementAmplified(lib.account(engine, lib.pureDp({ epsilon: 1 }), { adjacency: "replace-one" }), { sampleSize: 1, datasetSize: 2 }).logDelta(0)',
        Math.log((0.5 * (Math.E - 1)) / (Math.E + 1)),
        1e-12,
        '',
      ],
      [
        'The same, theorem 10: with replacement',
        ['withReplacementAmplified'],
        '',
        'lib.withReplacementAmplified(lib.account(engine, lib.pureDp({ epsilon: 1 }), { adjacency: "replace-one" }), { sampleSize: 1, datasetSize: 2 }).logDelta(0).upper',
        Math.log((0.5 * (Math.E - 1)) / (Math.E + 1)),
        1e-9,
        'an upper bound',
      ],
      [
        'Theorem 5.1: pure DP to GDP',
        ['pureDp', 'convert'],
        'convert --from pure-dp:1 --to gdp',
        'lib.convert(engine, lib.pureDp({ epsilon: 1 }), { kind: "gdp" }).values[0]',
        1.2320354,
        1e-7,
        'figures 3, 5',
      ],
      [
        'Figure 4: composition tables',
        ['compareAccountants', 'randomizedResponse', 'repeat'],
        'compare run.json',
        'lib.measure(run(lib.repeat(lib.randomizedResponse({ epsilon: 0.2 }), 50))).mu',
        1.42007918,
        1e-8,
        'all rows, Basic and RDP among them',
      ],
    ],
  ],
  [
    'GDP: Gaussian differential privacy',
    [
      [
        'Definition 2.1, eq. 6: trade-off functions, G_mu',
        [
          'gaussianTradeoff',
          'laplaceTradeoff',
          'uniformShiftTradeoff',
          'perfectPrivacy',
          'runTradeoff',
          'TradeoffFunction',
        ],
        'tradeoff g.json --alpha 0.5',
        'lib.gaussianTradeoff(1).fnr(0.5)',
        0.15865525393145707,
        1e-14,
        '',
      ],
      [
        'Proposition 2.5, eq. 3: f of (epsilon, delta)-DP',
        ['approximateDpTradeoff'],
        'tradeoff a.json',
        'lib.approximateDpTradeoff(1, 1e-5).fnr(0.1)',
        0.7281618171540954,
        1e-14,
        '',
      ],
      [
        'Proposition 2.4: inverse, symmetrisation, hull',
        ['inverse', 'symmetrise', 'convexHull'],
        'tradeoff a.json --direction add --symmetrise',
        'lib.convexHull(lib.gaussianTradeoff(1), lib.gaussianTradeoff(0.5)).fnr(0.5)',
        0.15865525393145707,
        1e-9,
        'of several: gdp tradeoff a.json b.json --hull; without --direction commands answer symmetric curves',
      ],
      [
        'Propositions 2.8, 2.11, 2.12: primal and dual',
        ['profileTradeoff', 'profileOfRun'],
        'delta f.json --epsilon 0',
        'lib.profileTradeoff((e) => lib.gaussianTradeoff(1).logDelta(e)).fnr(0.5)',
        0.15865525393145707,
        1e-6,
        '',
      ],
      [
        'Section 2.3: the order of guarantees',
        ['compare', 'isAtLeast'],
        '',
        "lib.isAtLeast(lib.gaussianTradeoff(0.5), lib.gaussianTradeoff(1)).holds === 'yes' ? 1 : 0",
        1,
        0,
        'a witness comes with a no: library only',
      ],
      [
        'Appendix B: lossless conversion to divergences',
        ['renyiDivergence', 'convert'],
        'convert run.json --to rdp --order 2',
        'lib.convert(engine, run(lib.dpSgd({ noiseMultiplier: 2, samplingRate: 0.1, steps: 1 })), { kind: "rdp", orders: [2] }).values[0].upper',
        Math.log1p(0.01 * Math.expm1(0.25)),
        1e-10,
        'from above',
      ],
      [
        'Theorem 2.14: group privacy',
        ['groupPrivacy'],
        'mu run.json --group 4',
        'lib.groupPrivacy(lib.approximateDpTradeoff(0.25, 0), 4).fnr(0.05)',
        0.8640859085770478,
        1e-9,
        'the limit of proposition 2.15 as a table',
      ],
      [
        'Definition 3.1, theorem 3.2: the product',
        ['tensor', 'account', 'compose'],
        'tradeoff a.json b.json --tensor',
        'lib.tensor(engine, [lib.gaussianTradeoff(1), lib.uniformShiftTradeoff(0.1)]).fnr(0.2)',
        0.366293,
        1e-6,
        '',
      ],
      [
        'Theorems 3.4, 3.5: functionals, Berry and Esseen, the limit',
        ['cltFunctionals', 'cltMu', 'berryEsseen'],
        'compare run.json',
        'lib.cltMu([{ functionals: lib.cltFunctionals(lib.gaussianTradeoff(0.1)), count: 100 }]).mu',
        1,
        1e-6,
        'figures 3 to 5',
      ],
      [
        'Theorem 3.7: the limit for (epsilon, delta)-DP',
        ['approximateDpClt'],
        '',
        'lib.approximateDpClt([{ epsilon: 0.05, delta: 1e-7, count: 100 }]).f.delta(1)',
        0.00683953,
        5e-9,
        'beside the exact value, next row',
      ],
      [
        'The same composition exactly',
        ['repeat', 'approximateDp'],
        'delta r.json --epsilon 1',
        'run(lib.repeat(lib.approximateDp({ epsilon: 0.05, delta: 1e-7 }), 100)).delta(1)',
        0.00658527,
        5e-9,
        '',
      ],
      [
        'Section 4, theorem 4.2: subsampling',
        ['subsample', 'mixWithIdentity'],
        '',
        'lib.subsample(lib.gaussianTradeoff(1), 0.5).fnr(0.1)',
        0.7554284,
        1e-6,
        'runs: poissonSubsampled, withoutReplacement',
      ],
      [
        'Section 5: DP-SGD and its limits',
        ['dpSgdLimits', 'dpSgd', 'poissonSubsampled'],
        'compare run.json',
        'lib.dpSgdLimits({ noiseMultiplier: 1, samplingRate: 0.01, steps: 10000 }).poisson',
        Math.sqrt(Math.E - 1),
        1e-12,
        'figure 1',
      ],
    ],
  ],
  [
    'GM: Reviewing and improving the Gaussian mechanism',
    [
      [
        'Equations 1, 2, theorem 1: the classical formulas and where they fail',
        ['classicalSigma', 'classicalThreshold'],
        'noise --epsilon 1 --delta 0.01',
        'lib.classicalSigma("dwork-2014", { epsilon: 1, delta: 0.01 }).sigma',
        3.107511,
        1e-6,
        'figures 1, 3',
      ],
      [
        'Theorem 2, algorithm 1: the optimal noise',
        ['optimalSigma', 'calibrate'],
        'noise --epsilon 0 --delta 1e-5',
        'lib.optimalSigma({ epsilon: 0, delta: 1e-5 })',
        39894.22804,
        1e-5,
        'theorem 3 is epsilon 0; table I',
      ],
      [
        'Theorems 4 to 9: Mechanisms 1 to 4 and the optimum for probabilistic DP',
        [
          'gaussianNoises',
          'mechanism1Sigma',
          'mechanism2Sigma',
          'mechanism3Sigma',
          'mechanism4Sigma',
          'pdpOptimalSigma',
        ],
        'noise --epsilon 10 --delta 0.01',
        'lib.gaussianNoises({ epsilon: 10, delta: 0.01 }).length',
        8,
        0,
        'tables II, III, figures 2, 4, 5',
      ],
      [
        'Lemmas 3, 4: DP and probabilistic DP',
        ['probabilisticDp', 'convert', 'parseGuarantee'],
        'convert --from probabilistic-dp:1,1e-6 --to approximate-dp --epsilon 1',
        'lib.convert(engine, lib.probabilisticDp({ epsilon: 1, delta: 1e-6 }), { kind: "approximate-dp", epsilon: 1 }).values[0]',
        1e-6,
        1e-18,
        '',
      ],
      [
        'Lemma 15 i: composition of Gaussians',
        ['gaussian', 'gdp'],
        'mu c.json',
        'lib.measure(run(lib.compose([lib.gdp({ mu: 0.5 }), lib.gdp({ mu: 1 }), lib.gdp({ mu: 0.25 })]))).mu',
        1.14564392374,
        1e-10,
        '',
      ],
      [
        'Lemma 15 ii: both tails of the composition',
        ['convert'],
        'convert g.json --to probabilistic-dp --epsilon 2',
        'lib.convert(engine, run(lib.gaussian({ noiseMultiplier: 2 })), { kind: "probabilistic-dp", epsilon: 2 }).values[0]',
        9.910581097573829e-5,
        1e-16,
        'of a pair given as a trade-off function: any',
      ],
      [
        'Section VII: zCDP, RDP',
        ['zcdp', 'rdp'],
        'convert --from zcdp:0.5 --to approximate-dp --epsilon 0.5',
        'lib.convert(engine, lib.zcdp({ rho: 0.5 }), { kind: "approximate-dp", epsilon: 0.5 }).values[0]',
        0.33774,
        1e-6,
        '',
      ],
      [
        'Section VII: tCDP',
        ['tcdp'],
        'convert --from tcdp:0.5,1.5 --to approximate-dp --epsilon 2',
        'run(lib.tcdp({ rho: 0.5, omega: 1.5 })).delta(2)',
        0.09494671565727608,
        1e-12,
        'exact, by the joint region of all orders up to omega',
      ],
      [
        'Section VII, lemma 7: mCDP',
        ['mcdp'],
        'convert --from mcdp:0.5,1 --to zcdp',
        'lib.convert(engine, lib.mcdp({ mean: 0.5, tau: 1 }), { kind: "zcdp" }).values[0].upper',
        0.5,
        1e-15,
        'from above by divergences, below lemma 7; the lower end is a Gaussian',
      ],
    ],
  ],
  [
    'REP: (ε, δ) considered harmful',
    [
      [
        'Definitions 2.1 to 2.6, A.7: curves and profiles of runs',
        ['account', 'measure'],
        'mu run.json',
        'lib.measure(run(lib.discreteGaussian({ sigma: 1, sensitivity: 1 }))).mu',
        1.04576012,
        1e-8,
        'table 2, figure 4',
      ],
      [
        'Appendix A.6: curves of (epsilon, delta), zCDP, RDP',
        ['convert', 'tradeoffPoints', 'ConversionRefused'],
        'tradeoff z.json --alpha 0.1',
        'run(lib.zcdp({ rho: 0.5 })).tradeoff(0.1)',
        0.5162717,
        2e-6,
        '',
      ],
      [
        'Algorithm 1, theorem A.10: f from two probability mass functions',
        ['lossPmf'],
        'mu pmf.csv',
        'lib.lossPmf({ x: [0.7, 0.2, 0.1], y: [0.1, 0.2, 0.7] }).fnr(0.1)',
        0.3,
        1e-14,
        'columns x, y',
      ],
      [
        'Equations 10, 11, 29: mu* from breakpoints',
        ['breakpoints', 'measure'],
        'mu curve.csv',
        'lib.measure(lib.breakpoints([{ alpha: 0.1, beta: 0.3 }, { alpha: 0.3, beta: 0.1 }])).mu',
        1.805952078,
        1e-9,
        'columns alpha, beta',
      ],
      [
        'Definition 2.10, algorithm 2: Delta and the regret',
        ['deltaDivergence'],
        'mu run.json',
        'lib.deltaDivergence(lib.perfectPrivacy(), lib.gaussianTradeoff(1))',
        0.1914624612740131,
        1e-9,
        'the symmetrised divergence is the larger of the two orders',
      ],
      [
        'The regret of randomised response',
        ['measure', 'pureDp'],
        'mu p.json',
        'lib.measure(run(lib.pureDp({ epsilon: 1 }))).regret',
        0.0575464,
        1e-6,
        'figure 4',
      ],
      [
        'Equation 14: advantage, and reconstruction',
        ['report', 'formatReport'],
        'report run.json',
        'lib.gaussianTradeoff(1).reconstruction(0.01)',
        0.0923621,
        1e-6,
        'figure 1',
      ],
      [
        'Tiers I and II: what to publish, and the code that reproduces it',
        ['report', 'reportJson', 'certify', 'verify'],
        'report run.json --json',
        'lib.report(run(lib.gaussian({ noiseMultiplier: 1 }))).fixedPoint',
        (1 - 0.3829249225480262) / 2,
        1e-9,
        'gdp epsilon report.json tells whether it is reproduced',
      ],
      [
        'Section 6: the exponential mechanism',
        ['boundedRange'],
        'convert b.json --to zcdp',
        'lib.convert(engine, run(lib.boundedRange({ epsilon: 1 })), { kind: "zcdp" }).values[0].upper',
        0.125,
        1e-15,
        '',
      ],
      [
        'Table 3: noise for a mu',
        ['calibrate', 'noiseMultiplierKnob'],
        'calibrate --mu 1 --sampling-rate 1 --steps 1',
        'lib.calibrate(engine, lib.noiseMultiplierKnob(), { tradeoff: lib.gaussianTradeoff(1), alphaMin: 1e-3 }, { adjacency: "add-remove" }).value',
        1,
        1e-2,
        'a curve is a target too, met from above',
      ],
    ],
  ],
];

/** @param lib The library, all entries; `engine` one of its engines; `documented` first sentences of docstrings by name, `entries` the exports by entry. */
export function papersPage(lib, engine, entries, documented) {
  const sections = PAPERS.map(([title, rows]) => {
    const lines = rows.map(
      ([item, functions, command, example, , , note]) =>
        `| ${[item, functions.map((name) => `\`${name}\``).join(', '), command === '' ? 'library only' : cli(command), `\`${example.replaceAll('|', '\\|')}\``, shown(answer(lib, engine, example)), note].join(' | ')} |`,
    );
    return `## ${title}\n\n| item | functions | command | example | answers | reproduced, or to know |\n| --- | --- | --- | --- | --- | --- |\n${lines.join('\n')}`;
  });
  const lists = Object.entries(entries).map(([entry, names]) => {
    const lines = names.map((name) => `- \`${name}\`: ${documented[name] ?? ''}`);
    return `### ${entry}\n\n${lines.join('\n')}`;
  });
  return `${[
    '# The papers, item by item',
    'What the papers define or prove, the function that has it, the command, and an example. Written by `npm run docs:papers`, which runs every example; a test holds each answer, a bracket, against a value found by another route; here it is printed to seven digits. In the examples `run(m)` is `account(engine, m, { adjacency: "add-remove" })`. Tables and figures as a whole are in [reproduction.md](reproduction.md).',
    ...sections,
    '## Every function of every entry',
    ...lists,
  ].join('\n\n')}\n`;
}

/** The answer of an example. */
export function answer(lib, engine, example) {
  const run = (mechanism) => lib.account(engine, mechanism, { adjacency: 'add-remove' });
  return new Function('lib', 'engine', 'run', `return ${example}`)(lib, engine, run);
}

/** Seven digits, to the nearest: brackets and their last bits are the tests' business. */
function shown(value) {
  const digits = (x) => String(Number(x.toPrecision(7)));
  if (typeof value === 'number') return digits(value);
  const [low, high] = [digits(value.lower), digits(value.upper)];
  return low === high ? low : `${low} to ${high}`;
}

/** First sentences of the docstrings of exported functions and classes, read from the sources. */
export function docstrings(texts) {
  const found = {};
  for (const text of texts)
    for (const [, comment, name] of text.matchAll(
      /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export (?:async )?(?:function\*?|class|const) (\w+)/g,
    )) {
      const plain = comment
        .replace(/^\s*\*? ?/gm, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      const thrown = plain.replace(/^@throws/, 'Throws').split(/ @\w+/)[0];
      found[name] ??= thrown.split(/(?<=[.:])\s(?=[A-Z(])/)[0].replaceAll('|', '\\|');
    }
  return found;
}
