import type { WholeRun } from './whole-run.js';

/**
 * Answers about a run in both directions, the worse of which counts. `WholeRun` has each by one kernel call. `WholeBetween` asks about two runs
 * with fewer distinct steps.
 */
export interface WholeAnswers extends Pick<WholeRun, 'epsilon' | 'measure' | 'logDelta' | 'logPower'> {
  /**
   * Number of groups into which similar steps are merged. In each group all steps are replaced by the worst, or by the best. Undefined if none are
   * merged.
   */
  readonly groups?: number | undefined;
  /** Set if no other method would narrow the answers of this run. */
  readonly isFinal?: boolean;
}

/** Widths of a bracket above which a call counts as unanswered: relative for ε and μ, absolute for log δ. Only speed and width depend on them. */
export const UNANSWERED: Readonly<Record<'relative' | 'log', number>> = { relative: 0.5, log: 3 };

/**
 * The width that a bracket must have so that no other method is asked. If `isFinal` is set, merged steps leave less open than other methods would,
 * so any answer suffices.
 */
export function enoughOf(
  whole: WholeAnswers | undefined,
  width: number,
  of: keyof typeof UNANSWERED = 'relative',
): number {
  return whole?.isFinal ? UNANSWERED[of] : width;
}
