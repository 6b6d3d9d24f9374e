/** Certified differential-privacy accounting: every number is a bracket that contains the exact value. */
export { account } from './account/account.js';
export type { ComposedRun } from './account/composed-run.js';
export { loadEngine } from './account/load-engine.js';
export type { AccountOptions, TimedOptions } from './account/options.js';
export * from './budget/index.js';
export * from './calibrate/calibrate.js';
export type { Allowed, Unknown } from './calibrate/goal.js';
export { calibrateShares } from './calibrate/shares.js';
export {
  type Share,
  type UnknownName,
  unknownIn,
  unknownOf,
} from './calibrate/unknown.js';
export { type Certificate, certify } from './certificate/certificate.js';
export { type Verification, verify } from './certificate/verify.js';
export type { Engine, EngineOptions } from './engine.js';
export { InputRangeError, InputSyntaxError, InputTypeError, isInputError } from './errors.js';
export type { GaussianRequest } from './gaussian-mechanism/gaussian-noise.js';
export {
  type Classical,
  type ClassicalSigma,
  type ClassicalWarning,
  classicalSigma,
  classicalThreshold,
  type GaussianNoise,
  gaussianNoises,
  mechanism1Sigma,
  mechanism2Sigma,
  mechanism3Sigma,
  mechanism4Sigma,
  optimalSigma,
  pdpOptimalSigma,
} from './gaussian-mechanism/gaussian-noise.js';
export type { CyclicPart, Kernel } from './kernel/kernel.js';
export type { Breakpoint } from './law/polygon.js';
export * from './measure/amplify.js';
export * from './measure/clip-and-rectify.js';
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
} from './measure/head.js';
export { type Estimated, type Identification, type Identified, identify } from './measure/identify.js';
export { type MeasureOptions, measure } from './measure/measure.js';
export type { Measurement } from './measure/measurement.js';
export {
  type SampleOptions,
  withoutReplacementAmplified,
  withReplacementAmplified,
} from './measure/sampled.js';
export type { Adjacency } from './mechanism/adjacency.js';
export {
  type BandMf,
  bandMf,
  type FixedBatches,
  fixedBatches,
  type Places,
  type TreeAggregation,
  treeAggregation,
} from './mechanism/fixed-order.js';
export { type IteratePhase, type IteratePhases, iteratePhases } from './mechanism/iterate-phases.js';
export { type AdaptiveClipping, adaptiveClipping } from './mechanism/kinds/adaptive-clipping.js';
export { type BallsAndBins, ballsAndBins } from './mechanism/kinds/balls-and-bins.js';
export { type BinnedMatrix, binnedMatrix } from './mechanism/kinds/binned-matrix.js';
export { type BoundedRange, boundedRange } from './mechanism/kinds/bounded-range.js';
export { type CappedPoisson, cappedPoisson } from './mechanism/kinds/capped-poisson.js';
export { type DiscreteGaussian, discreteGaussian } from './mechanism/kinds/discrete-gaussian.js';
export {
  type DiscreteGaussianVector,
  discreteGaussianVector,
} from './mechanism/kinds/discrete-gaussian-vector.js';
export { type DiscreteLaplace, discreteLaplace } from './mechanism/kinds/discrete-laplace.js';
export { type DividedSgd, dividedSgd } from './mechanism/kinds/divided-sgd.js';
export {
  type ApproximateDp,
  approximateDp,
  type PureDp,
  pureDp,
  type RandomizedResponse,
  randomizedResponse,
  type Tabulated,
  tabulated,
} from './mechanism/kinds/epsilon-delta.js';
export { type Gaussian, type Gdp, gaussian, gdp } from './mechanism/kinds/gaussian.js';
export {
  type GaussianMixture,
  gaussianMixture,
  type ReplacedGaussian,
  replacedGaussian,
} from './mechanism/kinds/gaussian-mixture.js';
export { type Binomial, binomial, type Skellam, skellam } from './mechanism/kinds/integer-noise.js';
export { joint } from './mechanism/kinds/joint.js';
export { type Laplace, laplace } from './mechanism/kinds/laplace.js';
export {
  type ContractionOptions,
  contractionOf,
  type LastIterate,
  lastIterate,
} from './mechanism/kinds/last-iterate.js';
export { type MatrixMechanism, matrixMechanism } from './mechanism/kinds/matrix-mechanism.js';
export { type NoisyMax, noisyMax } from './mechanism/kinds/noisy-max.js';
export { parallel } from './mechanism/kinds/parallel.js';
export { randomAllocation } from './mechanism/kinds/random-allocation.js';
export { type Mcdp, mcdp, type Rdp, rdp, type Tcdp, tcdp, type Zcdp, zcdp } from './mechanism/kinds/renyi.js';
export { type Select, select } from './mechanism/kinds/select.js';
export { type ShuffleModel, shuffleModel } from './mechanism/kinds/shuffle-model.js';
export { type Shuffled, shuffled } from './mechanism/kinds/shuffled.js';
export { type TradeoffPoints, tradeoffPoints } from './mechanism/kinds/trade-off.js';
export { type WithReplacement, withReplacement } from './mechanism/kinds/with-replacement.js';
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
export { type NoiseScale, noiseMultiplierOf } from './mechanism/noise-multiplier.js';
export type { Basic, Joint } from './mechanism/pairs.js';
export { factsOf, MECHANISM_KINDS, type MechanismFacts, parseMechanism } from './mechanism/parse.js';
export type { Tries } from './mechanism/tries.js';
export type { Bracket, Brackets } from './numeric/bracket.js';
export { iceaProfile, sgdFamilyProfile } from './profile/examples.js';
export { type CallbackOptions, type Profile, profileOf, profileOfRun, type Tail } from './profile/profile.js';
export {
  leastNoise,
  type NoiseFormula,
  type Peak,
  profileFromNoise,
  refinedProfile,
} from './profile/refine.js';
export type { Alternative, Report, RunSampling } from './report/report-types.js';
export { type Risk, type RiskOptions, risk } from './risk/risk.js';
export type { ErrorBudget, Method } from './run/method.js';
export * from './streaming/streaming-accountant.js';
export type { LogProfile } from './tradeoff/algebra.js';
export * from './tradeoff/algebra.js';
export * from './tradeoff/clt.js';
export * from './tradeoff/compare.js';
export * from './tradeoff/constructors.js';
export { groupPrivacy } from './tradeoff/group-privacy.js';
export { deltaDivergence } from './tradeoff/largest-gap.js';
export type { Subject } from './tradeoff/subject.js';
export { type CountedTradeoff, type TensorOptions, tensor } from './tradeoff/tensor.js';
export { type Factor, TradeoffFunction } from './tradeoff/tradeoff-function.js';
export { VERSION } from './version.js';
