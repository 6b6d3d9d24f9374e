/** Conversions between the ways to state a guarantee. */
export type { Conversion } from './conversion.js';
export { type ConversionTarget, convert } from './convert.js';
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
} from './guarantee.js';
