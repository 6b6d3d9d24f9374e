const BOUNDS = 'test/kernel/run-bounds.test.ts';
const ONE_SIDE = 'mu %d at %d: errors all to one side';
const SHORT = 'mu %d at %d: a period that is too short for its aliases';
const POLE = 'mu %d at %d: points on the other side of a pole';
const EARLY = 'mu %d at %d: a line that ends too early';
const PLANNED = 'mu %d at %d: as planned';
const WITHOUT = 'without outputs beyond %d deviations';
const LOG_M = 'log M good to e^-%d';
const ENDS = 'log M over outputs that end e^-%d deep';
const LINES = 'lines whose sums are good to e^-%d';
const PHI = 'phi at %d, on the axis and off it';
const DECAY = 'bounds of |phi| are none below it';
const PATHS = 'whose sums are good to e^-%d: none below |phi|';
const UNKNOWN = 'mu %d and %d at %d';
const BANDS = 'test/kernel/run-bands.test.ts';
const PHI_OF_BANDS = 'phi, and its bounds';
const COARSE = 'phi of which one law is good to a few digits';
const LEFT_OUT = 'sigma %d, q %d, %d steps, delta %d, mu² %d: bands left out that count';
const NO_LINE = 'sigma %d, q %d, %d steps, delta %d, mu² %d: lines left out that count';
const BAND = 'assembly/law/band.ts';
const ALL_BANDS = 'assembly/bound/bands.ts';
const CONTOUR = 'assembly/bound/contour.ts';
const SAMPLED = 'assembly/law/sampled-gaussian.ts';
const PATH = 'assembly/law/paths.ts';
const LAW = 'assembly/law/law.ts';

/** Questions about whole runs, in one call of the kernel. @type {readonly import("../lib/mutants.mjs").Mutant[]} */
export const QUESTIONS = [
  {
    term: 'a question: rounding of a sum over a line',
    proof: 'contour.md 2',
    file: CONTOUR,
    find: 'const error = rounding + this.quadrature + this.truncation;',
    put: 'const error = this.quadrature + this.truncation;',
    tests: [[BOUNDS, ONE_SIDE]],
  },
  {
    term: 'a question: quadrature over outputs, of a sum over a line',
    proof: 'contour.md 4',
    file: CONTOUR,
    find: 'const error = rounding + this.quadrature + this.truncation;',
    put: 'const error = rounding + this.truncation;',
    tests: [[BOUNDS, ONE_SIDE]],
  },
  {
    term: 'a question: what a line leaves out',
    proof: 'contour.md 2',
    file: CONTOUR,
    find: 'const error = rounding + this.quadrature + this.truncation;',
    put: 'const error = rounding + this.quadrature;',
    tests: [[BOUNDS, EARLY]],
  },
  {
    term: 'a question: the error of log M at the line',
    file: CONTOUR,
    find: 'const baseError = this.logMError + U * terms;',
    put: 'const baseError = U * terms;',
    tests: [[BOUNDS, ONE_SIDE]],
  },
  {
    term: 'a question: aliases above the line',
    proof: 'contour.md 2',
    file: CONTOUR,
    find: 'value - error - aliasAbove - (known',
    put: 'value - error - (known',
    tests: [[BOUNDS, SHORT]],
  },
  {
    term: 'a question: aliases below the line',
    proof: 'contour.md 2',
    file: CONTOUR,
    find: '(known.isPartial ? 0 : aliasBelow)',
    put: '0',
    tests: [[BOUNDS, POLE]],
  },
  {
    term: 'a question: known aliases that are subtracted whole are too many',
    proof: 'contour.md 2',
    file: CONTOUR,
    find: 'value + error + (known.isPartial ? aliasBelow : 0)',
    put: 'value + error',
    tests: [[BOUNDS, POLE]],
  },
  {
    term: 'a question: at a tilt of 0 the bound is of what Q lacks',
    proof: 'contour.md 10',
    file: 'assembly/bound/aliases.ts',
    find: 'if (this.point >= 0) {',
    put: 'if (this.point > 0) {',
    tests: [[BOUNDS, 'mu %d at %d: a line beside the pole, a point at 0, and a period of x']],
  },
  {
    term: 'a question: masses of truncated laws are known to some digits',
    proof: 'contour.md 10',
    file: CONTOUR,
    find: '1.1 * expm1Of(baseError + known.relative)',
    put: '1.1 * expm1Of(baseError)',
    tests: [[BOUNDS, 'mu %d at %d: masses that are off by what they say']],
  },
  {
    term: 'a question: exchanged laws have no M where 1 - c is rounded',
    proof: 'contour.md 10',
    file: LAW,
    find: 'c === exactTilt(c) ? Exchanged.mirrored(this.inner.cumulant(1 - c)) : unknownCumulant()',
    put: 'Exchanged.mirrored(this.inner.cumulant(1 - c))',
    tests: [
      [BOUNDS, '1 - c is exact for the tilts that exchanged laws are asked at, and there is none elsewhere'],
    ],
  },
  {
    term: 'a question: known aliases are subtracted',
    proof: 'contour.md 2',
    file: CONTOUR,
    find: 'const value = sum - known.value;',
    put: 'const value = sum;',
    tests: [[BOUNDS, PLANNED]],
  },
  {
    term: 'a question: what truncated laws have lost joins the upper end',
    proof: 'contour.md 1',
    file: CONTOUR,
    find: 'const lost = this.run.logLostQ;',
    put: 'const lost = -Infinity;',
    tests: [[BOUNDS, WITHOUT]],
  },
  {
    term: 'a question: each step loses what truncation takes',
    proof: 'contour.md 1',
    file: LAW,
    find: 'logSum(this.logLostQ, log + logLostQ +',
    put: 'logSum(this.logLostQ, logLostQ +',
    tests: [[BOUNDS, WITHOUT]],
  },
  {
    term: 'a question: where a phase is not known, the bound takes the other law’s rounding',
    file: LAW,
    find: 'if (before < Infinity) sum += before + ruled;',
    put: '',
    tests: [[BOUNDS, UNKNOWN]],
  },
  {
    term: 'a question: and the rounding of the law that comes later',
    file: LAW,
    find: 'if (rounding < Infinity) sum += rounding + quadrature;',
    put: '',
    tests: [[BOUNDS, UNKNOWN]],
  },
  {
    term: 'a question: what nodes leave out of M − 1',
    proof: 'contour.md 7',
    file: SAMPLED,
    find: 'errors.truncation = outputs.leftOut(c, 0) + (1 + size) * outputs.ends;',
    put: '',
    tests: [[BOUNDS, ENDS]],
  },
  {
    term: 'a question: what the rule errs by for M − 1',
    proof: 'contour.md 8',
    file: SAMPLED,
    find: 'mass * outputs.ruleError(c, logOf(mass)) + (1 + 2 * size) * outputs.plain;',
    put: '0;',
    tests: [[BOUNDS, LOG_M]],
  },
  {
    term: 'a question: what the rule errs by for log M',
    proof: 'contour.md 4',
    file: SAMPLED,
    find: 'errors.quadrature = outputs.ruleError(c, value);',
    put: '',
    tests: [[BOUNDS, LOG_M]],
  },
  {
    term: 'a question: what sums over outputs err by on a line',
    proof: 'contour.md 4',
    file: SAMPLED,
    find: 'const missing = 2.1 * (rule +',
    put: 'const missing = 0 * (rule +',
    tests: [[BOUNDS, PHI]],
  },
  {
    term: 'a question: what sums off the axis err by on a line',
    proof: 'contour.md 6',
    file: PATH,
    find: 'const missing = 1.01 * nodes.errors.sum() +',
    put: 'const missing =',
    tests: [[BOUNDS, LINES]],
  },
  {
    term: 'a question: what a sum of moduli lacks',
    proof: 'contour.md 11',
    file: PATH,
    find: 'path.quadratureError = 1.01 * nodes.errors.sum();',
    put: 'path.quadratureError = 0;',
    tests: [[BOUNDS, PATHS]],
  },
  {
    term: 'a question: the variation of the density of losses',
    proof: 'contour.md 12',
    file: 'assembly/law/axis-decay.ts',
    find: 'return high + logOf(whole * INVERSE_SQRT_2PI) - logM + 4 * DENSITY_DOUBT;',
    put: 'return high + logOf(whole * INVERSE_SQRT_2PI) - logM - 3;',
    tests: [[BOUNDS, DECAY]],
  },
  {
    term: 'a band: R/U is known between two values, and so is log M',
    proof: 'contour.md 16',
    file: BAND,
    find: 'total.error += away + 8 * U',
    put: 'total.error += 8 * U',
    tests: [[BANDS, LOG_M]],
  },
  {
    term: 'a band: what sums over the steps below its end leave out on a line',
    proof: 'contour.md 6',
    file: BAND,
    find: 'storeF64(ratios, missing, 24);',
    put: 'storeF64(ratios, 0, 24);',
    tests: [[BANDS, COARSE]],
  },
  {
    term: 'a band: what sums over the steps in it leave out on a line',
    proof: 'contour.md 6',
    file: BAND,
    find: 'storeF64(ratios, missingPart, 32);',
    put: 'storeF64(ratios, 0, 32);',
    tests: [[BANDS, COARSE]],
  },
  {
    term: 'a band: |N| is bounded by as many terms as there are steps',
    proof: 'contour.md 16',
    file: BAND,
    find: 'logOf(phase.below.count) + ratio - this.logWhole',
    put: 'ratio - this.logWhole',
    tests: [[BANDS, PHI_OF_BANDS]],
  },
  {
    term: 'bands: all further in than the first line joins the upper end',
    proof: 'contour.md 16',
    file: ALL_BANDS,
    find: 'upper = logSum(upper, inner.mostBeyond(x));',
    put: '',
    tests: [[BANDS, LEFT_OUT]],
  },
  {
    term: 'bands: those without a line have the mass that lies beyond an end',
    proof: 'contour.md 16',
    file: ALL_BANDS,
    find: 'let most = end > 0 ? this.beyond(end - 1) : 0;',
    put: 'let most = end > 0 ? this.beyond(end - 1) - 20 : 0;',
    tests: [[BANDS, LEFT_OUT]],
  },
  {
    term: 'bands: Chernoff bounds those without a line',
    proof: 'contour.md 16',
    file: ALL_BANDS,
    find: 'Math.min(mass, bound.at(x))',
    put: 'Math.min(mass, bound.at(x) - 20)',
    tests: [[BANDS, NO_LINE]],
  },
  {
    term: 'bands: what the truncation of the run has lost joins the upper end',
    proof: 'contour.md 1',
    file: ALL_BANDS,
    find: 'let upper = this.whole.logLostQ;',
    put: 'let upper = -Infinity;',
    tests: [[BANDS, 'sigma %d, q %d, %d steps, delta %d, mu² %d: truncated early']],
  },
  {
    term: 'bands: the moments of the other direction, by two points',
    proof: 'contour.md 16',
    file: 'assembly/bound/chernoff.ts',
    find: 'const share = -expm1Of(-mu * mu);',
    put: 'const share = -0.5 * expm1Of(-mu * mu);',
    tests: [[BANDS, 'an inverse moment is no more than its bound, and near it']],
  },
];
