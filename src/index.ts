/** Certified differential-privacy accounting: every number is a bracket that contains the exact value. */
export { type AccountOptions, account } from './account.js';
export {
  type PoissonOptions,
  poissonAmplified,
  type RateAnswer,
  type RateOptions,
  samplingRateFor,
} from './amplify.js';
export {
  type AccountantComparison,
  type Baseline,
  type CompareAccountantsOptions,
  compareAccountants,
} from './baselines/compare.js';
export { renyiDivergence } from './baselines/renyi.js';
export type { Bracket } from './bracket.js';
export {
  type Calibrated,
  type CalibrateOptions,
  type Calibration,
  calibrate,
  type DpSgdSettings,
  type Knob,
  laplaceScaleKnob,
  noiseMultiplierKnob,
  type OutOfReach,
  samplingRateKnob,
  stepsKnob,
  type Target,
} from './calibrate.js';
export { type Certificate, certify } from './certificate.js';
export {
  type ClipAndRectify,
  type ClipAndRectifyOptions,
  clipAndRectify,
  type RectifiedGuarantee,
} from './clip-and-rectify.js';
export { type Conversion, type ConversionTarget, convert } from './convert/convert.js';
export {
  ConversionRefused,
  GUARANTEE_KINDS,
  type Guarantee,
  type GuaranteeKind,
  type ProbabilisticDp,
  parseGuarantee,
  probabilisticDp,
  type TradeoffPoints,
  tradeoffPoints,
} from './convert/guarantee.js';
export { type Engine, type EngineOptions, loadEngine, loadEngineSync } from './engine.js';
export {
  type Classical,
  type ClassicalSigma,
  type ClassicalWarning,
  classicalSigma,
  classicalThreshold,
} from './gaussian-mechanism/classical.js';
export {
  mechanism1Sigma,
  mechanism2Sigma,
  mechanism3Sigma,
  mechanism4Sigma,
  pdpOptimalSigma,
} from './gaussian-mechanism/closed-forms.js';
export { optimalSigma } from './gaussian-mechanism/optimal.js';
export type { GaussianRequest } from './gaussian-mechanism/request.js';
export { type GaussianNoise, gaussianNoises } from './gaussian-mechanism/table.js';
export { type Estimated, type Identification, type Identified, identify } from './identify.js';
export type { ByteSource } from './io/byte-source.js';
export { parseOpacusState } from './io/opacus.js';
export { recognise } from './io/recognise.js';
export type { RecognisedRun, RunFacts, RunFormat } from './io/recognised.js';
export type { CyclicPart, Kernel } from './kernel.js';
export { type Claim, parseClaim } from './lint/claim.js';
export type { Finding, LintResult } from './lint/finding.js';
export { claimOf, LINT_RULES, type LintOptions, lint } from './lint/lint.js';
export { type MeasureOptions, measure } from './measure.js';
export {
  type AsyncHeadOptions,
  gdpTransform,
  type HeadMeasurement,
  type HeadOptions,
  isHeadGdp,
  isTailGdp,
  measureHead,
  measureHeadAsync,
  type TransformCurve,
  transformCurve,
} from './measure-head.js';
export * from './mechanism/basic.js';
export { factsOf, type MechanismFacts } from './mechanism/facts.js';
export {
  type Compose,
  compose,
  dpSgd,
  type Mechanism,
  type PoissonSubsampled,
  poissonSubsampled,
  type Repeat,
  repeat,
  type WithoutReplacement,
  withoutReplacement,
} from './mechanism/mechanism.js';
export { MECHANISM_KINDS, parseMechanism } from './mechanism/parse.js';
export { iceaProfile, sgdFamilyProfile } from './profile/examples.js';
export { type CallbackOptions, type Profile, profileOf, profileOfRun, type Tail } from './profile/profile.js';
export {
  leastNoise,
  type NoiseFormula,
  type Peak,
  profileFromNoise,
  refinedProfile,
} from './profile/refine.js';
export { alternatives } from './report/alternatives.js';
export type { CompleteDetails, Details } from './report/details.js';
export type { Figure } from './report/document.js';
export { reportHtml } from './report/html.js';
export { reportJson } from './report/json.js';
export { reportMarkdown } from './report/markdown.js';
export { formatReport } from './report/text.js';
export { type ReportOptions, report } from './report.js';
export type {
  Adjacency,
  Alternative,
  ErrorBudget,
  Measurement,
  Method,
  Report,
  RunSampling,
} from './report-types.js';
export type { ComposedRun } from './run/composed-run.js';
export {
  type Budget,
  StreamingAccountant,
  type StreamOptions,
} from './streaming/streaming-accountant.js';
export { parseSweepGrid, type SweepAxis, type SweepGrid } from './sweep/grid.js';
export { inlinePool, type SweepPool } from './sweep/pool.js';
export { type SweepCell, type SweepColumn, type SweepRow, sweepColumns } from './sweep/rows.js';
export type { Shard } from './sweep/shard.js';
export { type SweepOptions, sweep } from './sweep/sweep.js';
export { webWorkerPool } from './sweep/web-pool.js';
export {
  convexHull,
  inverse,
  mixWithIdentity,
  profileTradeoff,
  subsample,
  symmetrise,
} from './tradeoff/algebra.js';
export {
  type BerryEsseen,
  berryEsseen,
  type CltFunctionals,
  type CltLimit,
  type CountedFunctionals,
  cltFunctionals,
  cltMu,
  type DpSgdLimits,
  dpSgdLimits,
} from './tradeoff/clt.js';
export {
  type CompareOptions,
  type Comparison,
  compare,
  type Dominance,
  isAtLeast,
  type Witness,
} from './tradeoff/compare.js';
export {
  approximateDpTradeoff,
  type Breakpoint,
  gaussianTradeoff,
  laplaceTradeoff,
  perfectPrivacy,
  runTradeoff,
  tabulatedTradeoff,
  uniformShiftTradeoff,
} from './tradeoff/constructors.js';
export { deltaDivergence } from './tradeoff/delta-divergence.js';
export { groupPrivacy } from './tradeoff/group-privacy.js';
export type { LogProfile } from './tradeoff/profile-run.js';
export { type CountedTradeoff, type TensorOptions, tensor } from './tradeoff/tensor.js';
export { type Brackets, type Factor, TradeoffFunction } from './tradeoff/tradeoff-function.js';
export { type Verification, verify } from './verify.js';
export { VERSION } from './version.js';
