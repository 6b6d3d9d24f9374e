import {
  type AccountOptions,
  account,
  type Bracket,
  type ComposedRun,
  type Engine,
  type Mechanism,
} from '../src/index.js';
import type { LinePlot } from '../src/plot/index.js';

/** The papers whose tables and figures are reproduced. */
export const PAPERS = {
  IAM: 'Y. Liu, K. Sun, L. Kong, B. Jiang. Identification, Amplification and Measurement: A bridge to Gaussian Differential Privacy. NeurIPS 2022.',
  GDP: 'J. Dong, A. Roth, W. J. Su. Gaussian Differential Privacy. J. R. Stat. Soc. B 84 (2022).',
  GM: 'J. Zhao et al. Reviewing and Improving the Gaussian Mechanism for Differential Privacy. arXiv:1911.12060.',
  REP: 'J. F. Gomez, B. Kulynych, G. Kaissis et al. (ε, δ) Considered Harmful: Best Practices for Reporting Differential Privacy Guarantees. 2025.',
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

/** What an experiment found, ours beside theirs. */
export interface Findings {
  /** Whether the paper's numbers stand, and where not, why: one to three sentences. */
  readonly verdict: string;
  readonly tables?: readonly Table[];
  readonly figures?: readonly Figure[];
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

/** Digits of a bracket that both its ends share, at most `digits` after the point. */
export function shared({ lower, upper }: Bracket, digits = 6): string {
  if (lower === Infinity) return '∞';
  if (lower === 0 && upper === 0) return '0';
  for (let d = digits; d > 0; d--) {
    if (lower.toFixed(d) === upper.toFixed(d)) return upper.toFixed(d);
  }
  return `${lower.toPrecision(4)} … ${upper.toPrecision(4)}`;
}

/** `count` numbers from `from` to `to`, evenly or by equal factors. */
export function ladder(from: number, to: number, count: number, log = false): number[] {
  return Array.from({ length: count }, (_, i) => {
    const t = i / (count - 1);
    return log ? from * (to / from) ** t : from + (to - from) * t;
  });
}
