import { atomicPair } from '../law/atomic-pair.js';
import { tabulatedAtoms } from '../law/tabulated-atoms.js';
import { approximateDp, gdp } from '../mechanism/kinds/index.js';
import { kindOf, pairOf } from '../mechanism/pairs.js';
import { bracket, exactly } from '../numeric/bracket.js';
import { least } from '../numeric/extremes.js';
import { log } from '../numeric/scalar.js';
import { aroundLog, type Profile } from '../profile/profile.js';
import { impliedLogDelta } from '../profile/refine.js';
import { quadraticCeiling } from '../profile/tail.js';
import type { DirectedRun, Vertices } from '../run/directed-run.js';
import { gaussianRun } from '../run/gaussian-run.js';
import { nothingRun } from '../run/trivial-runs.js';
import type { Guarantee } from './guarantee.js';

/** What a conversion starts from: the curve of all that the guarantee implies. */
export interface ConversionSource {
  readonly name: string;
  readonly profile: Profile;
  /** The dominating pair, where there is one with that curve. */
  readonly run?: DirectedRun;
  /** The vertices of its trade-off curve, where that is a polygon. */
  readonly vertices?: Vertices | undefined;
  /** The guarantee is ε-DP with this ε; ∞ if it is for none. */
  readonly pure: number;
  /** The run is ρ-zCDP with this ρ; left out where none is known. */
  readonly rho?: number;
  /** Upper bound of its Rényi divergence of an order, of a run. */
  readonly renyi?: (order: number) => number;
  /** Both roles of a pair that is the subject's own: what is said of its loss is said of the subject's. */
  readonly pairs?: readonly DirectedRun[];
  readonly guarantee?: Guarantee;
}

/** The profile of everything a guarantee implies. */
export function sourceOf(guarantee: Guarantee): ConversionSource {
  switch (guarantee.kind) {
    case 'zcdp':
    case 'rdp':
    case 'tcdp':
    case 'mcdp':
      return renyiSource(guarantee);
    case 'probabilistic-dp': {
      const { epsilon, delta } = guarantee;
      return { ...sourceOf(approximateDp({ epsilon, delta })), name: guarantee.kind, guarantee };
    }
    default: {
      const run = runOf(guarantee);
      const pure = largestLoss(guarantee);
      return {
        name: guarantee.kind,
        run,
        vertices: run.vertices,
        pure,
        guarantee,
        profile: profileOfPair(guarantee, run, pure),
      };
    }
  }
}

type Paired = Extract<Guarantee, { kind: 'pure-dp' | 'approximate-dp' | 'gdp' | 'tabulated' | 'trade-off' }>;

function runOf(guarantee: Paired): DirectedRun {
  switch (guarantee.kind) {
    case 'gdp':
      return gaussianRun(guarantee.mu);
    case 'tabulated':
      return atomicPair(tabulatedAtoms(guarantee.points)).forward;
    case 'trade-off':
      return pairOf(guarantee).forward;
    default:
      if (guarantee.epsilon === 0 && (guarantee.kind === 'pure-dp' || guarantee.delta === 0))
        return nothingRun;
      return pairOf(guarantee).forward;
  }
}

function largestLoss(guarantee: Paired): number {
  switch (guarantee.kind) {
    case 'gdp':
      return guarantee.mu === 0 ? 0 : Infinity;
    case 'pure-dp':
      return guarantee.epsilon;
    case 'approximate-dp':
      return guarantee.delta === 0 ? guarantee.epsilon : Infinity;
    case 'trade-off': {
      const { largest, infinity } = pairOf(guarantee);
      return infinity > 0 ? Infinity : Math.max(0, largest) * (1 + 1e-15) + 1e-15;
    }
    default: {
      const vanishing = guarantee.points.filter(({ delta }) => delta === 0);
      return least(vanishing.map(({ epsilon }) => Math.max(0, epsilon)));
    }
  }
}

function profileOfPair(guarantee: Paired, run: DirectedRun, pure: number): Profile {
  const gaussian = guarantee.kind === 'gdp';
  const mu = gaussian ? guarantee.mu : pure < Infinity ? 0 : Infinity;
  const otherwise =
    pure < Infinity
      ? 'the privacy loss is bounded'
      : 'with some probability an output identifies the record beyond doubt';
  return {
    title: guarantee.kind,
    standing: 'bound',
    adjacency: 'unstated',
    symmetric: true,
    tail: {
      mu: exactly(mu),
      reason: gaussian ? 'it is what is stated' : otherwise,
      ceiling: (epsilon) => (gaussian ? mu : epsilon >= pure ? 0 : Infinity),
    },
    ...(gaussian && { gaussianMu: exactly(mu) }),
    logDelta: (epsilon) => {
      if (epsilon >= pure) return exactly(-Infinity);
      if (guarantee.kind === 'pure-dp' || guarantee.kind === 'approximate-dp') {
        const logDelta = guarantee.kind === 'pure-dp' ? -Infinity : log(guarantee.delta);
        if (epsilon >= guarantee.epsilon) return exactly(logDelta);
        return aroundLog(impliedLogDelta(guarantee.epsilon, logDelta, epsilon));
      }
      return run.logDelta(epsilon);
    },
  };
}

/** Rényi guarantees: the curve of all that meets them, as an account has it. */
function renyiSource(
  guarantee: Extract<Guarantee, { kind: 'zcdp' | 'rdp' | 'tcdp' | 'mcdp' }>,
): ConversionSource {
  if (kindOf(guarantee).isSilent?.(guarantee))
    return { ...sourceOf(gdp({ mu: 0 })), name: guarantee.kind, guarantee };
  const rho =
    guarantee.kind === 'zcdp' || guarantee.kind === 'mcdp' ? kindOf(guarantee).rho?.(guarantee) : undefined;
  const run = pairOf(guarantee).forward;
  return {
    name: guarantee.kind,
    run,
    pure: Infinity,
    guarantee,
    profile: {
      title: guarantee.kind,
      standing: 'bound',
      adjacency: 'unstated',
      symmetric: true,
      tail: rho === undefined ? RDP_TAIL : zcdpTail(rho),
      logDelta: (epsilon) => run.logDelta(epsilon),
    },
  };
}

const RDP_TAIL: Profile['tail'] = {
  mu: exactly(Infinity),
  reason: 'Renyi divergences at finitely many orders bound large losses only exponentially',
  ceiling: () => Infinity,
};

function zcdpTail(rho: number): Profile['tail'] {
  // N(0, σ²) with Δ/σ = μ has divergence αμ²/2 at order α
  const mu = Math.sqrt(2 * rho);
  const spread = mu * (1 + 1e-15);
  return {
    mu: bracket(mu * (1 - 1e-15), spread),
    reason: 'log delta falls as -epsilon^2/(4 rho)',
    // log δ ≤ −(ε − ρ)²/4ρ for ε ≥ ρ
    ceiling: (epsilon) =>
      epsilon >= rho ? quadraticCeiling({ spread, linear: 0.5, constant: -rho / 4 }, epsilon) : Infinity,
  };
}
