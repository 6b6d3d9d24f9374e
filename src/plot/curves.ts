import type { ComposedRun } from '../account/composed-run.js';
import type { Bracket } from '../numeric/bracket.js';
import { exp, log, normalCdf, normalQuantileLog } from '../numeric/scalar.js';

/** A point of a curve of brackets: the value at `x` is between `lower` and `upper`. */
export interface CurvePoint extends Bracket {
  readonly x: number;
}

/** `count` numbers from `low` to `high`, evenly spaced. */
export function evenly(low: number, high: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => low + ((high - low) * i) / (count - 1));
}

/** `count` numbers from `low` > 0 to `high`, evenly spaced in the logarithm. */
export function evenlyInLog(low: number, high: number, count: number): number[] {
  const inner = evenly(log(low), log(high), count).slice(1, -1);
  return [low, ...inner.map(exp), high];
}

/** The bracket at each x. Together they count as one question, whose work is limited. */
export function curveOf(run: ComposedRun, xs: readonly number[], ask: (x: number) => Bracket): CurvePoint[] {
  return run.question(() => xs.map((x) => ({ x, ...ask(x) })));
}

/** The μ for which G_μ passes through (α, f(α)). Ensures: the bracket holds that μ up to a few rounding errors; it is only drawn. */
export function muByAlpha(run: ComposedRun, alpha: number): Bracket {
  const { lower, upper } = run.curve.logTpr(log(alpha));
  const z = -normalQuantileLog(log(alpha));
  return { lower: z + normalQuantileLog(lower), upper: z + normalQuantileLog(upper) };
}

/** 1 − G_μ(α) = Φ(Φ⁻¹(α) + μ), with a small relative error where it is small. */
export function gaussianPower(mu: number, alpha: number): number {
  if (alpha <= 0) return 0;
  return alpha >= 1 ? 1 : normalCdf(normalQuantileLog(log(alpha)) + mu);
}
