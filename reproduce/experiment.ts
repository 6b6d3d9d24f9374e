import {
  type AccountOptions,
  account,
  type Bracket,
  type ComposedRun,
  type Engine,
  type Mechanism,
} from '../src/index.js';
import { exp, log } from '../src/numeric/scalar.js';
import type { LinePlot } from '../src/plot/index.js';

/** The papers whose tables and figures are reproduced. */
export const PAPERS = {
  IAM: 'Y. Liu, K. Sun, L. Kong, B. Jiang. Identification, Amplification and Measurement: A bridge to Gaussian Differential Privacy. NeurIPS 2022.',
  GDP: 'J. Dong, A. Roth, W. J. Su. Gaussian Differential Privacy. J. R. Stat. Soc. B 84 (2022).',
  GM: 'J. Zhao et al. Reviewing and Improving the Gaussian Mechanism for Differential Privacy. arXiv:1911.12060.',
  REP: 'J. F. Gomez, B. Kulynych, G. Kaissis et al. (ε, δ) Considered Harmful: Best Practices for Reporting Differential Privacy Guarantees. arXiv:2503.10945, version 1 (2025). Later versions have another title and were not read; “printed” is of this one.',
} as const;

export type Paper = keyof typeof PAPERS;

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export interface Figure extends LinePlot {
  /** File name without extension, unique. */
  readonly name: string;
}

/** A statement of a paper that does not stand. */
export interface Erratum {
  readonly where: string;
  readonly printed: string;
  readonly exact: string;
  /** By how much, why, and which way it errs. */
  readonly why: string;
}

/** What an experiment found, ours beside theirs. */
export interface Findings {
  /** What was computed, with which parameters, where the paper leaves that open. */
  readonly setting?: string;
  /** Whether the paper's numbers stand, and where not, why. */
  readonly verdict: string;
  readonly tables?: readonly Table[];
  readonly figures?: readonly Figure[];
  readonly errata?: readonly Erratum[];
  /** The numbers behind the text, by name: independent computations are compared with them. */
  readonly numbers?: Readonly<Record<string, Bracket>>;
}

/** One table or figure of a paper, made again. */
export interface Experiment {
  readonly paper: Paper;
  /** What it is called there: 'Table 3'. */
  readonly exhibit: string;
  readonly title: string;
  run(engine: Engine): Findings | Promise<Findings>;
}

/** A run under add/remove adjacency, unless told otherwise. */
export function runOf(
  engine: Engine,
  mechanism: Mechanism,
  options: Partial<AccountOptions> = {},
): ComposedRun {
  return account(engine, mechanism, { adjacency: 'add-remove', ...options });
}

/** Decimals to which both ends of a bracket round alike, at most `digits` after the point. */
export function shared({ lower, upper }: Bracket, digits = 6): string {
  if (lower === Infinity) return '∞';
  if (lower === 0 && upper === 0) return '0';
  for (let d = digits; d > 0; d--) {
    if (lower.toFixed(d) === upper.toFixed(d)) return upper.toFixed(d);
  }
  return `${lower.toPrecision(4)} … ${upper.toPrecision(4)}`;
}

/** The same with significant digits, for small numbers. */
export function significant({ lower, upper }: Bracket, digits = 4): string {
  if (lower === 0) return `at most ${scientific(upper, 2)}`;
  for (let d = digits; d > 0; d--) {
    if (lower.toPrecision(d) === upper.toPrecision(d)) return scientific(upper, d);
  }
  return `${scientific(lower, 3)} … ${scientific(upper, 3)}`;
}

function scientific(value: number, digits: number): string {
  return value >= 1e-3 ? value.toPrecision(digits) : value.toExponential(digits - 1);
}

/** As papers write probabilities: 0.1 and 0.01, and powers of ten below. */
export function probability(value: number): string {
  return value >= 0.01 ? String(value) : value.toExponential();
}

/** `count` numbers from `from` to `to`, evenly or by equal factors. */
export function ladder(
  from: number,
  to: number,
  count: number,
  scale: 'linear' | 'log' = 'linear',
): number[] {
  const ratio = scale === 'log' ? log(to / from) : 0;
  return Array.from({ length: count }, (_, i) => {
    const t = i / (count - 1);
    return scale === 'log' ? from * exp(t * ratio) : from + (to - from) * t;
  });
}
