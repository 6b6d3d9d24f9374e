import type { Bracket } from '../numeric/bracket.js';
import type { Guarantee, GuaranteeKind } from './guarantee.js';

/** Result of `convert`. */
export interface Conversion {
  /** What was converted, in words. */
  readonly from: string;
  /** Kind of guarantee asked for. */
  readonly to: GuaranteeKind;
  /** What holds: every number is on its safe side. */
  readonly guarantee: Guarantee;
  /**
   * For each number of the guarantee that was solved for: the best that follows from the source lies in here. The safe
   * end is the upper one, and for β of a trade-off curve the lower one.
   */
  readonly values: readonly Bracket[];
  /** What justifies it. */
  readonly theorem: string;
  /** What better known and weaker conversions give for the same number: guarantees too, for comparison. */
  readonly beside?: readonly { readonly name: string; readonly value: number }[];
}
