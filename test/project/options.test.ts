import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { InputTypeError } from '../../src/errors.js';
import * as root from '../../src/index.js';
import { wasm } from '../helpers/runs.js';

const module = new WebAssembly.Module(readFileSync('build/kernel.wasm'));

/** Every public entry, and what it exports. */
const ENTRIES = {
  '.': root,
  './audit': await import('../../src/audit/index.js'),
  './budget': await import('../../src/node/ledger-file.js'),
  './compare': await import('../../src/accountants/index.js'),
  './convert': await import('../../src/convert/index.js'),
  './lint': await import('../../src/lint/index.js'),
  './plot': await import('../../src/plot/index.js'),
  './read': await import('../../src/read/index.js'),
  './report': await import('../../src/report/index.js'),
  './sweep': await import('../../src/sweep/index.js'),
  './threads': await import('../../src/node/thread-pool.js'),
} as const;

const { './audit': audits } = ENTRIES;
const { './compare': compare, './convert': conversions, './lint': linting } = ENTRIES;
const { './budget': budgets } = ENTRIES;
const { './plot': plots, './report': reports, './sweep': sweeps, './threads': threads } = ENTRIES;

interface Call {
  /** A right set of options, and others with those that exclude or replace some of it. */
  readonly options: readonly object[];
  readonly call: (options: never) => unknown;
}

const call = <T extends object>(run: (options: T) => unknown, ...options: readonly NoInfer<T>[]): Call => ({
  options,
  call: run as (options: never) => unknown,
});

const gaussian = root.gaussian({ noiseMultiplier: 2 });
const run = root.account(wasm, gaussian, { adjacency: 'add-remove' });
const f = root.gaussianTradeoff(1);
const request = { epsilon: 1, delta: 1e-5, sensitivity: 1 };
const head = { epsilonHead: 1, resolution: 10, seed: 1, exhaustive: false, maxTests: 1000 };
const accounting = {
  adjacency: 'add-remove',
  tolerance: 1e-6,
  maxGridLength: 2 ** 16,
  method: 'auto',
} as const;
const knob: root.Knob = {
  name: 'noise',
  least: 1,
  most: 10,
  whole: false,
  larger: 'more-private',
  mechanismAt: (noiseMultiplier) => root.gaussian({ noiseMultiplier }),
  guess: (mu) => 1 / mu,
};
const calibrated = (target: root.Target) =>
  root.calibrate(wasm, knob, target, { adjacency: 'add-remove', tolerance: 1e-2 });
const style = { digits: 3, brackets: true };
const details = Object.fromEntries(
  Object.keys(reports.report(run).details).map((name) => [
    name,
    ['datasetSize', 'recordsPerPerson'].includes(name) ? 1 : 'text',
  ]),
);
const plot = {
  title: 'a plot',
  description: 'lines',
  axes: { x: { label: 'x' }, y: { label: 'y' } },
  series: [{ name: 'line', points: [[0, 0] as const, [1, 1] as const] }],
  bands: [],
  width: 300,
  height: 300,
};
const grid = {
  over: { sigma: [2] },
  mechanism: { kind: 'gaussian', noiseMultiplier: '$sigma' },
  adjacency: 'add-remove',
  delta: [],
  epsilon: [1],
  measure: false,
  alphaMin: 1e-10,
  tolerance: 1e-6,
  maxGridLength: 2 ** 16,
  method: 'auto',
};
const pools: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(pools.map((pool) => pool.close())));
const folder = mkdtempSync(join(tmpdir(), 'gdp-options-'));
afterAll(() => rmSync(folder, { recursive: true }));
let ledgers = 0;
const ledgerFile = (budget: root.PrivacyBudget = { kind: 'gdp', mu: 1 }) =>
  budgets.LedgerFile.create(join(folder, `${ledgers++}`), budget);
const opened = ledgerFile();
const cost = { kind: 'gdp', mu: 0.1 } as const;
const claim = { epsilon: 1, delta: 1e-5, noiseMultiplier: 5, samplingRate: 0.01, steps: 10 };
const counts = {
  kind: 'threshold',
  falsePositives: 5,
  nonMembers: 100,
  truePositives: 50,
  members: 100,
} as const;
const first = (rows: AsyncGenerator<unknown>) => rows.next();

/** What takes options, by the name it is exported under; parts of options under a name of their own. */
const CALLS: Readonly<Record<string, Call>> = {
  account: call((o: root.TimedOptions) => root.account(wasm, gaussian, o), { ...accounting, maxTime: 1e9 }),
  loadEngine: call(root.loadEngine, { kernel: 'reference', module }),
  loadEngineSync: call(root.loadEngineSync, { kernel: 'reference', module }),
  calibrate: call((o: root.CalibrateOptions) => root.calibrate(wasm, knob, { rho: 0.1 }, o), {
    ...accounting,
    tolerance: 1e-2,
  }),
  'calibrate: target': call(
    calibrated,
    { epsilon: 1, delta: 1e-5 },
    { mu: 0.5, alphaMin: 1e-6 },
    { advantage: 0.2 },
    { truePositiveRate: 0.5, falsePositiveRate: 0.1 },
    { rho: 0.1 },
    { renyi: 0.1, order: 2 },
    { tradeoff: root.gaussianTradeoff(0.5), alphaMin: 1e-3 },
  ),
  'calibrate: knob': call(
    (o: root.Knob) => root.calibrate(wasm, o, { rho: 0.1 }, { adjacency: 'add-remove' }),
    knob,
  ),
  noiseMultiplierKnob: call(root.noiseMultiplierKnob, { samplingRate: 0.1, steps: 2 }),
  samplingRateKnob: call(root.samplingRateKnob, { noiseMultiplier: 1, steps: 2 }),
  stepsKnob: call(root.stepsKnob, { noiseMultiplier: 1, samplingRate: 0.1 }),
  laplaceScaleKnob: call(root.laplaceScaleKnob, { sensitivity: 1, count: 2 }),
  certify: call((o: { epsilon: number }) => root.certify(run, o), { epsilon: 1 }),
  clipAndRectify: call(root.clipAndRectify, { lower: 0, upper: 1, epsilonHead: 1, mu: 1 }),
  poissonAmplified: call((o: root.PoissonOptions) => root.poissonAmplified(run, o), {
    rate: 0.5,
    direction: 'both',
  }),
  samplingRateForWindow: call((o: root.WindowRateOptions) => root.samplingRateForWindow(wasm, run, o), {
    mu: 1,
    alphaMin: 1e-3,
    tolerance: 0.1,
  }),
  samplingRateFor: call((o: root.RateOptions) => root.samplingRateFor(wasm, run, o), {
    mu: 1,
    tolerance: 0.1,
    epsilonHead: 1,
    seed: 1,
    maxTests: 1000,
  }),
  classicalSigma: call((o: root.GaussianRequest) => root.classicalSigma('dwork-2014', o), request),
  mechanism1Sigma: call(root.mechanism1Sigma, request),
  mechanism2Sigma: call(root.mechanism2Sigma, request),
  mechanism3Sigma: call(root.mechanism3Sigma, request),
  mechanism4Sigma: call(root.mechanism4Sigma, request),
  pdpOptimalSigma: call(root.pdpOptimalSigma, request),
  optimalSigma: call(root.optimalSigma, request),
  gaussianNoises: call(root.gaussianNoises, request),
  measure: call(
    (o: root.MeasureOptions) => root.measure(run, o),
    { alphaMin: 1e-6, engine: wasm },
    { logAlphaMin: -20 },
  ),
  measureHead: call((o: root.HeadOptions) => root.measureHead(wasm, run, o), head),
  measureHeadAsync: call((o: root.AsyncHeadOptions) => root.measureHeadAsync(wasm, run, o), {
    ...head,
    signal: new AbortController().signal,
    onProgress: () => {},
  }),
  isHeadGdp: call(
    (o: root.HeadOptions & { epsilonHead: number; mu: number }) => root.isHeadGdp(wasm, run, o),
    { ...head, mu: 1 },
  ),
  isTailGdp: call((o: { epsilonTail: number; mu: number }) => root.isTailGdp(run, o), {
    epsilonTail: 1,
    mu: 1,
  }),
  transformCurve: call(
    (o: { epsilonHead: number; points?: number; engine?: root.Engine }) => root.transformCurve(run, o),
    { epsilonHead: 1, points: 3, engine: wasm },
  ),
  gaussian: call(root.gaussian, { noiseMultiplier: 1 }),
  laplace: call(root.laplace, { scale: 1, sensitivity: 1 }),
  discreteGaussian: call(root.discreteGaussian, { sigma: 1, sensitivity: 1 }),
  discreteLaplace: call(root.discreteLaplace, { scale: 1, sensitivity: 1 }),
  randomizedResponse: call(root.randomizedResponse, { epsilon: 1, categories: 2 }),
  pureDp: call(root.pureDp, { epsilon: 1 }),
  approximateDp: call(root.approximateDp, { epsilon: 1, delta: 0.1 }),
  gdp: call(root.gdp, { mu: 1 }),
  zcdp: call(root.zcdp, { rho: 1 }),
  tcdp: call(root.tcdp, { rho: 1, omega: 8 }),
  noisyMax: call(root.noisyMax, { epsilon: 1 }),
  matrixMechanism: call(
    root.matrixMechanism,
    { noiseMultiplier: 2, column: [1, 0.5], steps: 9, participations: 2, separation: 3, places: 'kept' },
    { noiseMultiplier: 2, matrix: [[1]] },
  ),
  fixedBatches: call(root.fixedBatches, { noiseMultiplier: 2, bins: 5, places: 'kept' }),
  bandMf: call(root.bandMf, { noiseMultiplier: 2, samplingRate: 0.1, bands: 4, steps: 9, places: 'kept' }),
  treeAggregation: call(root.treeAggregation, { noiseMultiplier: 2, steps: 9, places: 'kept' }),
  mcdp: call(root.mcdp, { mean: 1, tau: 1 }),
  rdp: call(root.rdp, { points: [{ order: 2, epsilon: 1 }] }),
  'rdp: point': call((o: { order: number; epsilon: number }) => root.rdp({ points: [o] }), {
    order: 2,
    epsilon: 1,
  }),
  boundedRange: call(root.boundedRange, { epsilon: 1 }),
  tabulated: call(root.tabulated, { points: [{ epsilon: 1, delta: 0.1 }] }),
  'tabulated: point': call((o: { epsilon: number; delta: number }) => root.tabulated({ points: [o] }), {
    epsilon: 1,
    delta: 0.1,
  }),
  gaussianMixture: call(root.gaussianMixture, {
    noiseMultiplier: 1,
    sensitivities: [0, 1],
    probabilities: [0.5, 0.5],
  }),
  ballsAndBins: call(root.ballsAndBins, { noiseMultiplier: 1, bins: 10, visited: 3 }),
  shuffled: call(root.shuffled, { noiseMultiplier: 1, bins: 10, leftOut: 0.1 }),
  cappedPoisson: call(root.cappedPoisson, { noiseMultiplier: 1, rate: 0.1, datasetSize: 100, batchCap: 15 }),
  replacedGaussian: call(root.replacedGaussian, { noiseMultiplier: 1, rate: 0.1 }),
  breakpoints: call((o: { alpha: number; beta: number }) => root.breakpoints([o]), { alpha: 0.1, beta: 0.5 }),
  withoutReplacementAmplified: call(
    (o: root.SampleOptions) =>
      root.withoutReplacementAmplified(root.account(wasm, gaussian, { adjacency: 'replace-one' }), o),
    { sampleSize: 1, datasetSize: 10 },
  ),
  withReplacementAmplified: call(
    (o: root.SampleOptions) =>
      root.withReplacementAmplified(root.account(wasm, gaussian, { adjacency: 'replace-one' }), o),
    { sampleSize: 1, datasetSize: 10 },
  ),
  approximateDpClt: call((o: root.ApproximateDpPart) => root.approximateDpClt([o]), {
    epsilon: 1,
    delta: 0.1,
    count: 2,
  }),
  lossPmf: call(root.lossPmf, { x: [0.5, 0.5], y: [0.25, 0.75] }),
  select: call(root.select, { runs: { kind: 'poisson', mean: 2 }, inner: gaussian }),
  'select: runs': call(
    (o: root.Tries) => root.select({ runs: o, inner: gaussian }),
    { kind: 'poisson', mean: 2 },
    { kind: 'negative-binomial', eta: 1, gamma: 0.5 },
    { kind: 'negative-binomial', eta: 1, mean: 2 },
    { kind: 'binomial', trials: 3, probability: 0.5 },
    { kind: 'fixed', count: 2 },
    { kind: 'table', probabilities: [0.5, 0.5] },
  ),
  dpSgd: call(root.dpSgd, { noiseMultiplier: 1, samplingRate: 0.1, steps: 2, recordsPerPerson: 2 }),
  poissonSubsampled: call((o: { rate: number }) => root.poissonSubsampled(gaussian, o), { rate: 0.1 }),
  withoutReplacement: call(
    (o: { sampleSize: number; datasetSize: number }) => root.withoutReplacement(gaussian, o),
    { sampleSize: 1, datasetSize: 10 },
  ),
  parseMechanism: call(root.parseMechanism, { kind: 'laplace', scale: 1, sensitivity: 1 }),
  sgdFamilyProfile: call(root.sgdFamilyProfile, { A: 1, B: 2, sigma: 1 }),
  iceaProfile: call(root.iceaProfile, { messages: 2, users: 10 }),
  profileOf: call((o: root.CallbackOptions) => root.profileOf(() => 0.1, o), {
    title: 'a curve',
    adjacency: 'add-remove',
    logarithmic: false,
  }),
  profileFromNoise: call(root.profileFromNoise, { noise: () => 1, sigma: 2, title: 'noise' }),
  leastNoise: call(root.leastNoise, { epsilon: 0.2, delta: 0.1, noise: () => 1 }),
  'StreamingAccountant.start': call((o: root.StreamOptions) => root.StreamingAccountant.start(wasm, o), {
    adjacency: 'add-remove',
    adaptiveParameters: true,
    budget: { kind: 'gdp', mu: 1 },
  }),
  'StreamingAccountant.measure': call(
    (o: root.MeasureOptions) => root.StreamingAccountant.start(wasm, { adjacency: 'add-remove' }).measure(o),
    { alphaMin: 1e-6, engine: wasm },
    { logAlphaMin: -20 },
  ),
  'StreamingAccountant.wouldExceed': call(
    (o: root.Budget) => root.StreamingAccountant.start(wasm, { adjacency: 'add-remove' }).wouldExceed(o),
    { epsilon: 1, delta: 0.1 },
  ),
  'PrivacyLedger.open': call(
    root.PrivacyLedger.open,
    { kind: 'gdp', mu: 1 },
    { kind: 'approximate-dp', epsilon: 1, delta: 0.1, slack: 0.01 },
    { kind: 'zcdp', rho: 1 },
  ),
  'PrivacyLedger.open: point': call(
    (o: root.RenyiPoint) => root.PrivacyLedger.open({ kind: 'rdp', points: [o] }),
    { order: 2, epsilon: 1 },
  ),
  'PrivacyLedger.spend': call(
    (o: root.SpendOptions) => root.PrivacyLedger.open({ kind: 'gdp', mu: 1 }).spend(cost, o),
    { count: 1 },
  ),
  'PrivacyLedger.spend: spending': call(
    (o: root.Spending) => root.PrivacyLedger.open({ kind: 'gdp', mu: 1 }).spend(o),
    cost,
  ),
  'PrivacyLedger.odometer': call(
    (o: { delta: number }) => root.PrivacyLedger.open({ kind: 'gdp', mu: 1 }).odometer(o),
    { delta: 0.1 },
  ),
  'LedgerFile.create': call((o: root.PrivacyBudget) => ledgerFile(o), { kind: 'gdp', mu: 1 }),
  'LedgerFile.open': call((o: { readOnly?: boolean }) => budgets.LedgerFile.open(join(folder, '0'), o), {
    readOnly: true,
  }),
  'LedgerFile.spend': call(
    (o: { count?: number; id?: string }) => opened.spend({ kind: 'gdp', mu: 1e-3 }, o),
    { count: 1, id: 'one' },
  ),
  'LedgerFile.odometer': call((o: { delta: number }) => opened.odometer(o), { delta: 0.1 }),
  compare: call((o: root.CompareOptions) => root.compare(f, f, o), { logAlphaMin: -20 }),
  isAtLeast: call((o: root.CompareOptions) => root.isAtLeast(f, f, o), { logAlphaMin: -20 }),
  dpSgdLimits: call(root.dpSgdLimits, { noiseMultiplier: 1, samplingRate: 0.1, steps: 2 }),
  tensor: call((o: root.TensorOptions) => root.tensor(wasm, [f], o), { tolerance: 1e-5 }),
  'tensor: function': call((o: root.CountedTradeoff) => root.tensor(wasm, [o]), { f, count: 1 }),
  compareAccountants: call(
    (o: Parameters<typeof compare.compareAccountants>[2]) => compare.compareAccountants(wasm, gaussian, o),
    { ...accounting, delta: 1e-5 },
    { ...accounting, epsilon: 1 },
  ),
  convert: call(
    (o: Parameters<typeof conversions.convert>[2]) => conversions.convert(wasm, root.zcdp({ rho: 0.5 }), o),
    { kind: 'approximate-dp', delta: 1e-5 },
    { kind: 'approximate-dp', epsilon: 1 },
    { kind: 'rdp', orders: [2] },
    { kind: 'tabulated', epsilons: [1] },
    { kind: 'trade-off', alphas: [0.1] },
    { kind: 'zcdp' },
  ),
  tradeoffPoints: call(conversions.tradeoffPoints, { points: [{ alpha: 0.1, beta: 0.5 }], linear: false }),
  'tradeoffPoints: point': call(
    (o: { alpha: number; beta: number }) => conversions.tradeoffPoints({ points: [o] }),
    { alpha: 0.1, beta: 0.5 },
  ),
  probabilisticDp: call(conversions.probabilisticDp, { epsilon: 1, delta: 0.1 }),
  parseGuarantee: call(conversions.parseGuarantee, { kind: 'approximate-dp', epsilon: 1, delta: 0.1 }),
  lint: call((o: Parameters<typeof linting.lint>[2] & {}) => linting.lint(wasm, { epsilon: 1 }, o), {
    run: { mechanism: gaussian, facts: {}, notes: [], format: 'mechanism' } as never,
    tolerance: 1e-3,
  }),
  parseClaim: call(linting.parseClaim, claim),
  audit: call((o: NonNullable<Parameters<typeof audits.audit>[1]>) => audits.audit(counts, o), {
    confidence: 0.9,
    deltas: [1e-5],
    claim: { mu: 1 },
  }),
  'audit: claim': call(
    (o: { mu: number } | { epsilon: number; delta: number }) => audits.audit(counts, { claim: o }),
    { epsilon: 1, delta: 1e-5 },
    { mu: 1 },
  ),
  parseEvidence: call(
    audits.parseEvidence,
    counts,
    { kind: 'one-run', canaries: 10, guesses: 5, correct: 4 },
    { kind: 'scores', nonMembers: [1, 2], members: [2, 3], thresholds: [2] },
    { kind: 'scores', nonMembers: [1, 2], members: [2, 3], split: { nonMembers: 1, members: 1 } },
  ),
  'parseEvidence: split': call(
    (o: object) => audits.parseEvidence({ kind: 'scores', nonMembers: [1, 2], members: [2, 3], split: o }),
    { nonMembers: 1, members: 1 },
  ),
  auditPlot: call((o: object) => plots.auditPlot(audits.audit(counts), o), { claim: { mu: 1 } }),
  tradeoffPlot: call((o: object) => plots.tradeoffPlot(run, o), {
    scale: 'linear',
    measurement: root.measure(run),
  }),
  profilePlot: call((o: object) => plots.profilePlot(run, o), {
    deltaMin: 1e-5,
    measurement: root.measure(run),
  }),
  gdptPlot: call((o: object) => plots.gdptPlot(run, o), {
    against: 'alpha',
    measurement: root.measure(run),
  }),
  linePlot: call(plots.linePlot, plot),
  'linePlot: axes': call((o: (typeof plot)['axes']) => plots.linePlot({ ...plot, axes: o }), plot.axes),
  'linePlot: axis': call(
    (o: (typeof plot)['axes']['x']) => plots.linePlot({ ...plot, axes: { ...plot.axes, x: o } }),
    { label: 'x', scale: 'linear', min: 0, max: 1 } as { label: string },
  ),
  'linePlot: series': call(
    (o: Parameters<typeof plots.linePlot>[0]['series'][number]) => plots.linePlot({ ...plot, series: [o] }),
    { name: 'line', points: [[0, 0]], style: 'solid', marks: false, colour: 0 },
  ),
  'linePlot: band': call(
    (o: NonNullable<Parameters<typeof plots.linePlot>[0]['bands']>[number]) =>
      plots.linePlot({ ...plot, bands: [o] }),
    { name: 'band', points: [[0, 0, 1]], colour: 0 },
  ),
  report: call(
    (o: NonNullable<Parameters<typeof reports.report>[1]>) => reports.report(run, o),
    {
      title: 'report',
      deltas: [1e-5],
      details: {},
      alternatives: [],
      alphaMin: 1e-6,
      engine: wasm,
      audit: audits.audit(counts),
      sameNoise: reports.sameNoise(wasm, run),
    },
    { logAlphaMin: -20 },
  ),
  sameNoise: call(
    (o: NonNullable<Parameters<typeof reports.sameNoise>[2]>) => reports.sameNoise(wasm, run, o),
    { delta: 1e-5, recordsPerPerson: 2 },
  ),
  'report: details': call((o: object) => reports.report(run, { details: o }), details),
  alternatives: call((o: { deltas?: number[]; alphaMin?: number }) => reports.alternatives(wasm, run, o), {
    deltas: [1e-5],
    alphaMin: 1e-6,
  }),
  reportHtml: call((o: { figures?: []; digits?: number }) => reports.reportHtml(reports.report(run), o), {
    figures: [],
    ...style,
  }),
  reportMarkdown: call((o: typeof style) => reports.reportMarkdown(reports.report(run), o), style),
  formatReport: call((o: typeof style) => reports.formatReport(reports.report(run), o), style),
  parseSweepGrid: call(sweeps.parseSweepGrid, grid),
  'parseSweepGrid: range': call((o: object) => sweeps.parseSweepGrid({ ...grid, over: { sigma: o } }), {
    from: 1,
    to: 2,
    count: 2,
    scale: 'log',
  }),
  sweep: call(
    (o: NonNullable<Parameters<typeof sweeps.sweep>[2]>) =>
      first(sweeps.sweep(sweeps.inlinePool(wasm), sweeps.parseSweepGrid(grid), o)),
    { shard: { index: 0, count: 1 }, skip: 0, signal: new AbortController().signal, onProgress: () => {} },
  ),
  'sweep: shard': call(
    (o: { index: number; count: number }) =>
      first(sweeps.sweep(sweeps.inlinePool(wasm), sweeps.parseSweepGrid(grid), { shard: o })),
    { index: 0, count: 1 },
  ),
  webWorkerPool: call(sweeps.webWorkerPool, {
    createWorker: () => ({}) as Worker,
    workers: 1,
    kernel: 'reference',
  }),
  threadPool: call(
    async (o: Parameters<typeof threads.threadPool>[0]) => {
      pools.push(await threads.threadPool(o));
    },
    { workers: 1, kernel: 'reference' },
  ),
};

/** Exported, and without options: what they take is told by its place, or is data from elsewhere checked by other tests. */
const WITHOUT = new Set(
  `AlreadySpent approximateDpTradeoff berryEsseen BudgetExceeded classicalThreshold claimOf cltFunctionals cltMu compose ConversionRefused convexHull
  deltaDivergence factsOf gaussianTradeoff gdpTransform groupPrivacy identify inlinePool InputRangeError
  InputSyntaxError InputTypeError inverse isInputError laplaceTradeoff LedgerFile mixWithIdentity parseOpacusState perfectPrivacy PrivacyLedger
  profileOfRun profileTradeoff recognise refinedProfile renyiDivergence repeat reportFigures reportJson
  parseScoresCsv runTradeoff StreamingAccountant subsample sweepColumns symmetrise TradeoffFunction
  uniformShiftTradeoff verify`.split(/\s+/),
);

async function thrown(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Every way to leave out a letter, double one or swap two. */
function misspellings(name: string): string[] {
  const found = new Set<string>();
  for (let i = 0; i < name.length; i++) {
    found.add(name.slice(0, i) + name.slice(i + 1));
    found.add(name.slice(0, i + 1) + name.slice(i));
    found.add(name.slice(0, i) + (name[i + 1] ?? '') + name[i] + name.slice(i + 2));
  }
  found.delete('');
  return [...found].filter((each) => each !== name);
}

test('every export of every entry is known to take options or not', () => {
  for (const [entry, exported] of Object.entries(ENTRIES)) {
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value === 'function' && !Object.hasOwn(CALLS, name))
        expect(WITHOUT, `${name} of ${entry}`).toContain(name);
    }
  }
});

describe.each(Object.entries(CALLS))('%s', (_, { options, call }) => {
  const ask = (given: object) => thrown(() => call(given as never));

  test('accepts its options', async () => {
    for (const given of options) expect(await ask(given)).toBeUndefined();
  });

  test('refuses each of them with a letter wrong, and says which was meant', async () => {
    const names = new Set(options.flatMap((each) => Object.keys(each)));
    for (const given of options) {
      for (const [name, value] of Object.entries(given)) {
        const { [name]: _, ...others } = given as Record<string, unknown>;
        for (const wrong of misspellings(name)) {
          if (names.has(wrong)) continue;
          const error = await ask({ ...others, [wrong]: value });
          expect(error, wrong).toBeInstanceOf(InputTypeError);
          // without its kind nothing is known of data
          if (name === 'kind') expect((error as Error).message).toContain('kind" must be one of ');
          else expect((error as Error).message).toContain(`${wrong}" is unknown: `);
          if (name.length > 2 && name !== 'kind')
            expect((error as Error).message).toContain(`did you mean "${name}"?`);
        }
      }
    }
  });

  test('names no option in its refusal that was not tried', async () => {
    const names = new Set(options.flatMap((each) => Object.keys(each)));
    const [given] = options;
    const { message } = (await ask({ ...given, qqqqqqqqq: 1 })) as Error;
    expect(message).toContain('qqqqqqqqq" is unknown: ');
    expect(message).not.toContain('did you mean');
    const listed = message
      .slice(message.search(/ (takes|has|have) /))
      .split(/\s+/)
      .slice(2);
    if (!claimed(message)) for (const name of listed) expect(names).toContain(name.replace(',', ''));
  });
});

/** A claim has more fields than one statement should. */
const claimed = (message: string) => message.includes('a claim has');
