import type { Bracket } from '../numeric/bracket.js';

/** Something wrong with a claim. */
export interface Finding {
  /** The rule's name: stable, for machines. */
  readonly id: string;
  /** 'error': the claim does not hold as it stands; 'warning': it may, but what was said does not show it. */
  readonly severity: 'error' | 'warning';
  /** What is wrong, with the numbers that show it. */
  readonly sentence: string;
  /** What the run supports: the quantity and its bracket. */
  readonly evidence: { readonly quantity: string; readonly bracket: Bracket };
  /** What to do, or to publish instead. */
  readonly wayOut: string;
}

/** Result of `lint`. */
export interface LintResult {
  /** What was found, in the order of the rules. */
  readonly findings: readonly Finding[];
  /** Rules that had what they need. */
  readonly checked: readonly string[];
  /** Rules that had not, and what was missing. */
  readonly skipped: readonly { readonly id: string; readonly needs: string }[];
}
