export interface HostPhase {
  readonly noise: number;
  readonly rate: number;
  readonly steps: number;
}

export type HostQuestion = 'epsilon' | 'delta' | 'mu';

/** How a question ended (docs/host-kernel.md), and the first numbers of its answer. */
export interface HostAnswer {
  readonly end: number;
  readonly lower: number;
  readonly upper: number;
  readonly work: number;
}

export interface HostExports {
  readonly memory: WebAssembly.Memory;
  gdp_run(phases: number): number;
  gdp_run_epsilon(delta: number, tolerance: number, allowance: number): number;
  gdp_run_delta(epsilon: number, tolerance: number, allowance: number): number;
  gdp_run_mu(alpha: number, tolerance: number, allowance: number): number;
}

export interface StatedVector {
  readonly id: string;
  readonly phases: readonly HostPhase[];
  readonly quantity: HostQuestion;
  readonly at: number;
  readonly value: number;
}

export const host: HostExports;
export function askHost(
  phases: readonly HostPhase[],
  question: HostQuestion,
  at: number,
  options?: { readonly tolerance?: number; readonly allowance?: number },
): HostAnswer;
export function statedVectors(): StatedVector[];
