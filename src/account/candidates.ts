import { boundedRangeBelow, boundedRangeSteps, choicesOfRange } from '../bounds/bounded-range.js';
import { adaptiveChoice, type ChosenSteps } from '../bounds/chosen-steps.js';
import { basicEpsilon, kairouzEpsilon } from '../bounds/composition.js';
import { choicesOfDrawn, drawnPureSteps } from '../bounds/drawn-pure.js';
import { fixedSizeAbove, fixedSizeSteps } from '../bounds/fixed-size.js';
import { guaranteedBelow, guaranteedSteps } from '../bounds/guaranteed-steps.js';
import { keptOf } from '../bounds/kept-moments.js';
import { areByTransform } from '../bounds/renyi.js';
import { curveOf, epsilonFromDivergences, logDeltaFromDivergences } from '../bounds/renyi-accountant.js';
import { type TwoOutputsBelow, twoCandidates, twoOutputsBelow } from '../bounds/two-outputs.js';
import type { Kernel } from '../kernel/kernel.js';
import { kindOf } from '../mechanism/pairs.js';
import { greatest, least } from '../numeric/extremes.js';
import { differenceBelow, sumAbove } from '../numeric/log-arithmetic.js';
import { Lazy } from '../numeric/lru-cache.js';
import { attempt, charge } from '../numeric/meter.js';
import { exp, log } from '../numeric/scalar.js';
import { crossing, turningPoint } from '../numeric/solve.js';
import type { AllBounds, Bounds, Stated } from './stated.js';

/** The bounds of one theorem; undefined if it says nothing about the run. Called when a bound of the run is first asked for. */
type Candidate = (stated: Stated) => Bounds | undefined;

/** Largest number of distinct steps for bounds by Rényi divergences, and of those among them whose divergences take transforms. Only speed depends on them. */
const [MOST_STEPS, MOST_TRANSFORMS] = [4096, 128];
/** Largest ε at which bounds are solved for ε. */
const LARGEST = 1e6;
/** Share of the remaining allowance of work that a candidate may spend on one bound. */
const CANDIDATE_SHARE = 0.9;
/** Price of Rényi divergences of one distinct step at some sixty orders, in units of work. */
const RENYI_STEP = 2e4;

/** Bounds by theorems with which wide answers are intersected. Each costs little compared with a method, and charges the meter of work for it. */
const CANDIDATES: readonly Candidate[] = [
  // Rényi divergences add up over steps; the best of some sixty orders is converted by Canonne, Kamath, Steinke 2020, prop. 12
  ({ steps, isWhole, options: { adjacency } }) => {
    if (!isWhole || steps.length === 0 || steps.length > MOST_STEPS) return undefined;
    if (steps.length > MOST_TRANSFORMS && steps.filter(areByTransform).length > MOST_TRANSFORMS)
      return undefined;
    const { divergence, lost } = keptOf(steps, adjacency);
    const price = RENYI_STEP * steps.length;
    return {
      epsilonAbove: (logDelta) => {
        charge(price);
        const left = differenceBelow(logDelta, log(lost));
        return left > -Infinity ? epsilonFromDivergences(divergence, left, 'tight').value : Infinity;
      },
      logDeltaAbove: (epsilon) => {
        charge(price);
        return withLost(logDeltaFromDivergences(divergence, epsilon, 'tight').value, lost);
      },
      curveAbove: () => {
        charge(price);
        const curve = curveOf(divergence);
        return (epsilon) => withLost(curve(epsilon), lost);
      },
    };
  },
  // Basic composition, sums of ε and of δ; and Kairouz, Oh, Viswanath 2015 for steps known to be (ε, δ)-DP
  ({ steps, isWhole }) => {
    if (!isWhole || steps.length === 0 || steps.length > MOST_STEPS) return undefined;
    if (steps.some(({ mechanism }) => mechanism.kind === 'select')) return undefined;
    return {
      epsilonAbove: (logDelta) => {
        charge(1e3 * steps.length);
        const delta = exp(logDelta);
        const known = kairouzEpsilon(steps, delta);
        return known ?? (delta > 0 ? basicEpsilon(steps, delta) : Infinity);
      },
    };
  },
  // Steps of bounded range, such as the exponential mechanism, chosen adaptively (Dong, Durfee, Rogers 2020): docs/proofs/bounded-range.md, 1 to 5
  ({ steps, isWhole, engine }) => {
    const same = isWhole ? boundedRangeSteps(steps) : undefined;
    if (same === undefined) return undefined;
    return boundsOfChoice(engine.kernel, choicesOfRange(same), boundedRangeBelow(same));
  },
  // Adaptively chosen ε-DP releases on samples of a fixed size: docs/proofs/bounded-range.md, 6
  ({ steps, isWhole, engine }) => {
    const same = isWhole ? drawnPureSteps(steps) : undefined;
    return same && boundsOfChoice(engine.kernel, choicesOfDrawn(same));
  },
  // Lower bounds by the same two outputs in every step, those of the largest δ at the ε asked: docs/proofs/noisy-max.md, 2, and renyi.md, 11
  ({ steps, raw, isWhole, options: { adjacency } }) => {
    const candidates = isWhole ? twoCandidates(steps) : undefined;
    const guaranteed = candidates ? undefined : guaranteedSteps(raw, adjacency);
    if (candidates) return boundsBelow(twoOutputsBelow(candidates, candidates.ratiosAt));
    return guaranteed && boundsBelow(guaranteedBelow(guaranteed));
  },
  // Samples of a fixed size, with or without replacement, with adaptively chosen gradients: docs/proofs/fixed-size.md
  ({ steps, raw, isWhole, engine }) => {
    // fixedSizeAbove counts the probability of numbers of copies that pairs leave out; other kinds must leave out nothing
    const areCopies = raw.every(({ mechanism }) => mechanism.kind === 'with-replacement');
    const same = fixedSizeSteps(steps, isWhole || areCopies);
    if (same === undefined) return undefined;
    const { logDelta, epsilon } = fixedSizeAbove(engine.kernel, same);
    return { logDeltaAbove: logDelta, epsilonAbove: epsilon, curveAbove: () => logDelta };
  },
  // Bounds that a kind states for whole runs (`Kind.between`), such as moments of binned matrices, docs/proofs/factorisations.md, 9 to 11
  ({ raw }) => {
    const asked = raw.find(({ mechanism }) => kindOf(mechanism).between)?.mechanism;
    if (asked === undefined || raw.some(({ sampling }) => sampling !== 'all')) return undefined;
    const { above, below } = kindOf(asked).between!(raw);
    const search = { guess: 1, ceiling: LARGEST, relative: 1e-7 };
    return {
      logDeltaAbove: above,
      logDeltaBelow: below,
      epsilonAbove: (at) => crossing((epsilon) => above(epsilon) - at, search).high,
      epsilonBelow: (at) => Math.max(0, crossing((epsilon) => below(epsilon) - at, search).low),
    };
  },
];

/**
 * Bounds of adaptively chosen steps. Upper bounds are those of the dynamic programme over choices (docs/proofs/bounded-range.md, 1 to 3). Lower
 * bounds are those of the choices that it finds, and of one choice `kept` in all steps.
 *
 * Ensures: upper bounds are no less than δ(ε) or ε of the worst adaptive choice, lower bounds no more.
 *
 * @param kept Lower bounds by the same choice in all steps.
 */
function boundsOfChoice(kernel: Kernel, steps: ChosenSteps, kept?: TwoOutputsBelow): Bounds {
  const adaptive = adaptiveChoice(kernel, steps);
  if (adaptive === undefined) return kept ? boundsBelow(kept) : {};
  const { largest, above, below, epsilonAbove } = adaptive;
  return {
    logDeltaBelow: (epsilon) => Math.max(kept?.logDelta(epsilon) ?? -Infinity, below(epsilon)),
    epsilonBelow: (at) => {
      const low = kept?.epsilon(at) ?? 0;
      if (!(largest > 0)) return low;
      const near = low > 0 ? { guess: low, reach: 1e-2 * low } : { guess: largest / 8 };
      const search = { ...near, ceiling: largest, relative: 1e-5 };
      return Math.max(low, turningPoint((epsilon) => below(epsilon) <= at, search).low);
    },
    logDeltaAbove: above,
    epsilonAbove,
    curveAbove: () => above,
  };
}

/** Lower bounds alone, of δ(ε) and of ε. */
function boundsBelow({ logDelta, epsilon }: TwoOutputsBelow): Bounds {
  return { logDeltaBelow: logDelta, epsilonBelow: epsilon };
}

/** An upper bound of log(e^{logDelta} + lost), at most 0: the mass `lost` of outputs left out is added to δ. */
function withLost(logDelta: number, lost: number): number {
  return lost === 0 ? logDelta : sumAbove(logDelta, log(lost));
}

/** The least upper and the largest lower bounds by the theorems of `CANDIDATES` that apply to a run. Ensures: upper bounds are no less, and lower bounds no more, than the exact value. */
export function candidatesOf(stated: Stated): AllBounds {
  const all = CANDIDATES.map((boundsOf) => new Lazy(() => boundsOf(stated) ?? {}));
  // a candidate that exhausts its share of the allowance answers nothing; the others are still asked
  const each = (ask: (bounds: Bounds) => number | undefined, none: number): number[] =>
    all.map((bounds) =>
      attempt(
        CANDIDATE_SHARE,
        () => ask(bounds.value) ?? none,
        () => none,
      ),
    );
  const lowest = (ask: (bounds: Bounds) => number | undefined, none: number): number =>
    least(each(ask, none), none);
  const most = (ask: (bounds: Bounds) => number | undefined, none: number): number =>
    greatest(each(ask, none), none);
  return {
    epsilonAbove: (logDelta) => lowest(({ epsilonAbove }) => epsilonAbove?.(logDelta), Infinity),
    epsilonBelow: (logDelta) => most(({ epsilonBelow }) => epsilonBelow?.(logDelta), 0),
    logDeltaAbove: (epsilon) => lowest(({ logDeltaAbove }) => logDeltaAbove?.(epsilon), 0),
    logDeltaBelow: (epsilon) => most(({ logDeltaBelow }) => logDeltaBelow?.(epsilon), -Infinity),
    // here candidates have no shares of the allowance: if one of many values cannot be paid for, the question ends
    curveAbove: () => {
      const curves = all.flatMap(({ value }) => value.curveAbove?.() ?? []);
      return (epsilon) =>
        least(
          curves.map((curve) => curve(epsilon)),
          0,
        );
    },
  };
}
