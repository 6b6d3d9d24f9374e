import { ellipseHeight, ellipseReach, logRuleError } from '../../../numeric/bernstein-ellipse.js';
import { INVERSE_PI } from '../../../numeric/constants.js';
import { gaussLegendre, type Rule } from '../../../numeric/gauss-legendre.js';
import { logSum } from '../../../numeric/log-arithmetic.js';
import { exp, expm1, log } from '../../../numeric/scalar.js';
import type { PanelLaw } from '../step/spectral-law.js';
import type { CountedSpectrum, LinePlan, RealAxis } from './contour-plan.js';
import type { Functional } from './line-table.js';

/** Ellipses tried around a panel, the nodes it may have and those up to which a longer one is tried next. */
const RHOS = [1.7, 2.3, 3.2] as const;
const MOST_NODES = 32;
const ROOMY = 26;
/** Nodes of a line of panels, at most. */
const LONGEST = 2 ** 14;
/** Halvings of a panel before the line is given up. */
const MAX_HALVINGS = 30;
/** Rules tried for one line, at most. */
const MAX_TRIED = 800;
/** Each panel errs by at most this share (a logarithm) of the level. */
const SHARE = -3;
/** The ladder of ends. */
const GROWTH = 1.25;
const MAX_ENDS = 400;
/** The contour begins on the axis, between its line and the pole at 1: halfway as often as needed, up to this often. */
const MAX_BEGINNINGS = 24;
/** An ellipse in boxes: from where, in units of its axis along the line, and the share of the other axis that it has there. */
const BOXES = [
  { from: -1, across: 0.6 },
  { from: -0.8, across: 0.92 },
  { from: -0.39, across: 1 },
] as const;

/** Frequencies, or tilts, under one Gauss–Legendre rule. */
interface Panel {
  readonly from: number;
  readonly half: number;
  readonly rule: Rule;
}

/** A quantity at either end of a window of x: convex in between, so that no value exceeds the larger. */
type Ends = readonly [number, number];

/** Bounds of what the sums of a line of panels lack, over M(c) e^{−(c−a)x}. */
export interface PanelLayout {
  readonly panels: readonly Panel[];
  /** The contour's part on the real axis, from `gap.begin` to c. */
  readonly segment: readonly Panel[];
  readonly gap: Gap;
  readonly nodes: number;
  /** The x that it serves. */
  readonly window: Ends;
  /** By the rules, for δ and for the rates. */
  readonly delta: Ends;
  readonly rate: Ends;
  /** Beyond the last panel. */
  readonly beyondDelta: number;
  readonly beyondRate: number;
}

/** What is asked at an end of a window: x, and δ and the rates over M(c) e^{−(c−a)x}, guessed, as logarithms. */
interface Wanted {
  readonly x: number;
  readonly delta: number;
  readonly rate: number;
}

/** The laws of a run on a line of panels. */
export interface PanelRun {
  readonly c: number;
  readonly laws: readonly { readonly law: PanelLaw; readonly count: number }[];
  readonly spectra: readonly CountedSpectrum[];
  readonly axis: RealAxis;
}

export function panelRun(laws: readonly CountedSpectrum[], axis: RealAxis, c: number): PanelRun | undefined {
  const steps = laws.reduce((sum, { count }) => sum + count, 0);
  const made: { law: PanelLaw; count: number }[] = [];
  for (const { law, count } of laws) {
    const panels = law.panels?.(c, steps);
    if (panels === undefined) return undefined;
    made.push({ law: panels, count });
  }
  return axis.at(c).value < Infinity ? { c, laws: made, spectra: laws, axis } : undefined;
}

/**
 * Panels on Re z = c for a window of x, each as long as its rule allows; undefined where they would have too many nodes.
 *
 * Rules err by the largest |F| on an ellipse around their panel (`logRuleError`). The ellipse lies in boxes c ± b, Im z ≥ τ; on either side of c
 * ∏|M̃_j|^{T_j}|e^{−zx}| is at most its bound at c or at c ± b (`PanelLaw.within`; e^{−cx} is log-linear), and |1/z|, |1/(z − 1)| at most one over the
 * distance from 0, or 1.
 */
export function layPanels(run: PanelRun, { saddle, level, ends }: LinePlan): PanelLayout | undefined {
  const wanted = ends.map(({ x, logDelta, logFpr }): Wanted => {
    const base = saddle.cumulant.value - saddle.s * x;
    const rate = Math.min(logFpr + x, logSum(logDelta, logFpr + x));
    return { x, delta: Math.min(0, logDelta - base), rate: Math.min(0, rate - base) };
  });
  const end = endOf(run, {
    delta: level * exp(Math.min(...wanted.map(({ delta }) => delta))),
    rate: level * exp(Math.min(...wanted.map(({ rate }) => rate))),
  });
  if (end === undefined) return undefined;
  const window = [wanted[0], wanted[wanted.length - 1]] as const;
  // a panel of h takes some h·x nodes
  if (!(end.tau * window[1].x < 2 * LONGEST)) return undefined;
  const logLevel = log(level);
  const gap = gapOf(run, window, logLevel);
  const sums: Sums = { delta: [0, 0], rate: [0, 0], nodes: 0, tried: 0 };
  const segment = segmentFrom(run, gap.begin, window, logLevel, sums);
  const panels = segment && panelsUpTo(run, end.tau, saddle.scale, window, logLevel, sums);
  if (segment === undefined || panels === undefined) return undefined;
  const shaped = withFewShapes(panels);
  const { delta, rate } = sums;
  return {
    delta,
    rate,
    nodes: [...shaped, ...segment].reduce((sum, { rule }) => sum + rule.node.length, 0),
    panels: shaped,
    segment,
    gap,
    window: [window[0].x, window[1].x],
    beyondDelta: end.delta,
    beyondRate: end.rate,
  };
}

/** The same panels, those of one length under the largest rule among them: what sums over panels of one shape share costs more than a few nodes. */
function withFewShapes(panels: readonly Panel[]): Panel[] {
  const largest = new Map<number, Rule>();
  for (const { half, rule } of panels) {
    const known = largest.get(half);
    if (known === undefined || known.node.length < rule.node.length) largest.set(half, rule);
  }
  return panels.map((panel) => ({ ...panel, rule: largest.get(panel.half) ?? panel.rule }));
}

/** What rules add up to. */
interface Sums {
  readonly delta: [number, number];
  readonly rate: [number, number];
  nodes: number;
  /** Rules tried. */
  tried: number;
}

function addRule(sums: Sums, { n, delta, rate }: PanelRule): boolean {
  for (const at of [0, 1] as const) {
    sums.delta[at] += exp(delta[at]);
    sums.rate[at] += exp(rate[at]);
  }
  sums.nodes += n;
  return sums.nodes <= LONGEST;
}

/** The tilt nearest to c at which the gap between M and M̃ is small, of those that halve the distance to 1. */
function gapOf(run: PanelRun, wanted: readonly [Wanted, Wanted], logLevel: number): Gap {
  const { value } = run.axis.at(run.c);
  const s = run.c - 1;
  for (let k = 0; ; k++) {
    const gap = gapFrom(run, 1 + s / 2 ** k);
    const small = wanted.every(({ x, delta, rate }) => {
      const base = value - s * x;
      return (
        log(gapAt(gap, 'delta', x, base)) <= logLevel + SHARE + delta &&
        log(gapAt(gap, 'power', x, base)) <= logLevel + SHARE + rate &&
        log(gapAt(gap, 'falsePositive', x, base - x)) <= logLevel + SHARE + rate
      );
    });
    if (small || k >= MAX_BEGINNINGS) return gap;
  }
}

/** Panels on the axis from `begin` to c, each about as long as it is far from the pole at 1. */
function segmentFrom(
  run: PanelRun,
  begin: number,
  wanted: readonly [Wanted, Wanted],
  logLevel: number,
  sums: Sums,
): Panel[] | undefined {
  const segment: Panel[] = [];
  let half = (begin - 1) / 2;
  for (let from = begin; from < run.c * (1 - 1e-15); ) {
    half = Math.min((from - 1) / 2, 2 * half, (run.c - from) / 2);
    let found: PanelRule | undefined;
    for (let i = 0; found === undefined; i++) {
      if (i > MAX_HALVINGS || sums.tried++ > MAX_TRIED) return undefined;
      if (i > 0) half /= 2;
      found = axisRuleFor(run, from, half, wanted, logLevel);
    }
    if (!addRule(sums, found)) return undefined;
    segment.push({ from, half, rule: gaussLegendre(found.n) });
    from = from + 2 * half;
  }
  return segment;
}

function axisRuleFor(
  run: PanelRun,
  from: number,
  half: number,
  wanted: readonly [Wanted, Wanted],
  logLevel: number,
): PanelRule | undefined {
  let best: PanelRule | undefined;
  for (const rho of RHOS) {
    const along = ellipseReach(half, rho);
    const height = ellipseHeight(half, rho);
    const low = from + half - along;
    if (!(low > 1)) continue;
    const sizes = ([low, from + half + along] as const).map((tilt) => {
      let sum = 0;
      for (const { law, count } of run.laws) sum += count * law.along(tilt, height);
      return { tilt, sum: sum + 1e-12 * (1 + Math.abs(sum)) };
    });
    const at = ({ x }: Wanted): number => Math.max(...sizes.map(({ tilt, sum }) => sum - (tilt - run.c) * x));
    const near = -log(low - 1);
    const size = [at(wanted[0]), at(wanted[1])] as const;
    const delta = [size[0] + near - log(low), size[1] + near - log(low)] as const;
    const rate = [size[0] + Math.max(near, -log(low)), size[1] + Math.max(near, -log(low))] as const;
    best = betterRule(best, { rho, half, delta, rate }, wanted, logLevel);
  }
  return best;
}

/** Where the line may end, and (1/π)∫ of |φ|/τ² and |φ|/τ beyond. */
function endOf(
  { laws }: PanelRun,
  small: { delta: number; rate: number },
): { tau: number; delta: number; rate: number } | undefined {
  const taus: number[] = [];
  const logs: number[] = [];
  let far = { log: 0, power: 0 };
  for (let tau = 0.5; ; tau *= GROWTH) {
    if (taus.length >= MAX_ENDS) return undefined;
    far = { log: 0, power: 0 };
    let own = 0;
    for (const { law, count } of laws) {
      const { log: value, power } = law.beyond(tau);
      far.log += count * value;
      far.power += count * power;
      own += count * Math.min(0, ...law.within(0, tau));
    }
    taus.push(tau);
    logs.push(Math.min(own, far.log) + 1e-9);
    const rest = (exp(far.log) / far.power) * (1 + far.power);
    if (far.power > 0 && rest < 0.01 * Math.min(small.delta, small.rate)) break;
  }
  let rate = (INVERSE_PI * exp(far.log)) / far.power;
  let i = taus.length - 1;
  let found = { tau: taus[i], delta: (INVERSE_PI * exp(logs[i])) / taus[i], rate };
  while (--i >= 0) {
    const delta = (INVERSE_PI * exp(logs[i])) / taus[i];
    rate += INVERSE_PI * exp(logs[i]) * (GROWTH - 1);
    if (!(delta <= small.delta && rate <= small.rate)) break;
    found = { tau: taus[i], delta, rate };
  }
  return found;
}

function panelsUpTo(
  run: PanelRun,
  end: number,
  scale: number,
  wanted: readonly [Wanted, Wanted],
  logLevel: number,
  sums: Sums,
): Panel[] | undefined {
  const panels: Panel[] = [];
  let half = Math.min(1 / scale, 0.5 * (run.c - 1));
  let grow = 1;
  for (let tau = 0; tau < end; ) {
    half *= grow;
    let found: PanelRule | undefined;
    for (let i = 0; found === undefined; i++) {
      if (i > MAX_HALVINGS || sums.tried++ > MAX_TRIED) return undefined;
      if (i > 0) half *= grow > 1 && i === 1 ? 1 / grow : 0.6;
      half = Math.min(half, 0.5 * (end - tau) * (1 + 1e-9));
      found = ruleFor(run, tau, half, wanted, logLevel);
      if (found !== undefined) grow = i === 0 && found.n <= ROOMY ? (found.n <= 16 ? 2 : 1.4) : 1;
    }
    if (!addRule(sums, found)) return undefined;
    panels.push({ from: tau, half, rule: gaussLegendre(found.n) });
    tau += 2 * half;
  }
  return panels;
}

/** Nodes of a panel, and logarithms of what its rule errs by at most. */
interface PanelRule {
  readonly n: number;
  readonly delta: Ends;
  readonly rate: Ends;
}

/** The rule for a panel; undefined where it would take too many nodes. */
function ruleFor(
  run: PanelRun,
  from: number,
  half: number,
  wanted: readonly [Wanted, Wanted],
  logLevel: number,
): PanelRule | undefined {
  let best: PanelRule | undefined;
  for (const rho of RHOS) {
    const along = ellipseReach(half, rho);
    const across = ellipseHeight(half, rho);
    const delta: [number, number] = [-Infinity, -Infinity];
    const rate: [number, number] = [-Infinity, -Infinity];
    for (const box of BOXES) {
      const tau = Math.max(0, from + half + box.from * along);
      const b = box.across * across;
      const away = (a: number): number => -log(Math.max(tau, run.c - b - a));
      const sizes = sizesOn(run, b, tau, [wanted[0].x, wanted[1].x]);
      for (const at of [0, 1] as const) {
        delta[at] = Math.max(delta[at], sizes[at] + away(1) + away(0));
        rate[at] = Math.max(rate[at], sizes[at] + Math.max(away(1), away(0)));
      }
    }
    best = betterRule(best, { rho, half, delta, rate }, wanted, logLevel);
  }
  return best;
}

/** The fewest nodes with which the rule on an ellipse errs little enough, if they are fewer than `best`'s. */
function betterRule(
  best: PanelRule | undefined,
  { rho, half, delta, rate }: { rho: number; half: number; delta: Ends; rate: Ends },
  wanted: readonly [Wanted, Wanted],
  logLevel: number,
): PanelRule | undefined {
  const logRho = log(rho);
  const factor = logRuleError(half * INVERSE_PI, rho, 0) + 1e-9;
  let needed = 2;
  for (const at of [0, 1] as const) {
    const excess = Math.max(delta[at] - wanted[at].delta, rate[at] - wanted[at].rate);
    needed = Math.max(needed, (excess + factor - logLevel - SHARE) / (2 * logRho));
  }
  const n = 2 * Math.ceil(needed / 2);
  if (!(n <= MOST_NODES) || (best !== undefined && n >= best.n)) return best;
  const fall = factor - 2 * n * logRho;
  return { n, delta: [delta[0] + fall, delta[1] + fall], rate: [rate[0] + fall, rate[1] + fall] };
}

/** log of sup |∏ M̃_j^{T_j} e^{−(z−c)x}|/M(c) over |Re z − c| ≤ b, |Im z| ≥ τ at both ends of the window. */
function sizesOn({ laws }: PanelRun, b: number, tau: number, xs: Ends): Ends {
  let [above, below] = [0, 0];
  for (const { law, count } of laws) {
    const [right, left] = law.within(b, tau);
    above += count * right;
    below += count * left;
  }
  const slack = 1e-12 * (1 + Math.abs(above) + Math.abs(below));
  const at = (x: number): number => Math.max(above - b * x, below + b * x) + slack;
  return [at(xs[0]), at(xs[1])];
}

/**
 * What δ or a rate at x lacks by at most as M gives way to M̃ on a contour that begins on the axis: an absolute bound. D = ∏ M_j^{T_j} − ∏ M̃_j^{T_j} is
 * entire, and on the axis M is real: with g = e^{−(z−a)x} r(z),
 *   (1/π) Im ∫_{c}^{c+i∞} ∏ M^T g dz = (1/π) Im ∫ ∏ M̃^T g dz from `begin` along the axis to c and up, + (1/π) Im ∫ Dg dz from `begin` up.
 * There |D| ≤ ∏ M_j^{T_j}(exp(Σ T_j gap_j/M_j) − 1), and with s = begin − a
 *   ∫_0^∞ dτ/(|z||z − 1|) ≤ (asinh(begin/s) + 1)/begin,   ∫_0^∞ min(1, 1/(τ·rate)) dτ/|z − a| ≤ asinh(1/(rate·s)) + 1.
 */
interface Gap {
  readonly begin: number;
  /** log of an upper bound of ∏ M_j^{T_j} at `begin`. */
  readonly logM: number;
  /** Bounds of |D|/∏ M_j^{T_j} ∫|r|dτ/π, by functional. */
  readonly share: Readonly<Record<Functional, number>>;
}

function gapFrom({ laws, spectra, axis }: PanelRun, begin: number): Gap {
  let share = 0;
  let rate = Infinity;
  for (const [i, { law, count }] of laws.entries()) {
    const gap = law.gap(begin);
    if (gap.log === -Infinity) continue;
    const { value, error } = spectra[i].law.cumulant(begin, 1);
    share += value < Infinity ? count * exp(gap.log - value + error) : Infinity;
    rate = Math.min(rate, gap.rate);
  }
  const { value, error } = axis.at(begin);
  const asinh = (t: number): number => log(t + Math.sqrt(1 + t * t));
  const size = share === 0 ? 0 : expm1(share) * INVERSE_PI * (1 + 1e-9);
  const rates = (s: number): number => size * (asinh(1 / (rate * s)) + 1);
  return {
    begin,
    logM: share === 0 ? -Infinity : size < Infinity ? value + error : Infinity,
    share: {
      delta: (size * (asinh(begin / (begin - 1)) + 1)) / begin,
      power: rates(begin - 1),
      falsePositive: rates(begin),
    },
  };
}

/** The bound at x over e^{base}. */
export function gapAt({ begin, logM, share }: Gap, functional: Functional, x: number, base: number): number {
  if (logM === -Infinity) return 0;
  const s = begin - (functional === 'falsePositive' ? 0 : 1);
  return exp(logM - s * x - base) * share[functional];
}
