/** Conversions between the ways to state a guarantee. */
export { type TradeoffPoints, tradeoffPoints } from '../mechanism/kinds/trade-off.js';
export { type ConversionTarget, convert } from './convert.js';
export {
  type ApproximateZcdp,
  type Conversion,
  ConversionRefused,
  FROM_KINDS,
  GUARANTEE_KINDS,
  type Guarantee,
  type GuaranteeKind,
  type ProbabilisticDp,
  parseGuarantee,
  probabilisticDp,
} from './guarantee.js';
