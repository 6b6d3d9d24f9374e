/** Certified differential-privacy accounting: every number is a bracket that contains the exact value. */
export type { Bracket } from './bracket.js';
export { parseOpacusState } from './io/opacus.js';
export type { Kernel } from './kernel.js';
export {
  type Compose,
  compose,
  dpSgd,
  type Gaussian,
  gaussian,
  type Mechanism,
  type PoissonSubsampled,
  poissonSubsampled,
  type Repeat,
  repeat,
} from './mechanism/mechanism.js';
export { formatReport } from './report-text.js';
export type { Adjacency, Measurement, Method, Report } from './report-types.js';
export { VERSION } from './version.js';
