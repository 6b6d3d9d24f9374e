import { readFileSync } from 'node:fs';
import type { Cost } from './costs.js';
import type { Share } from './shares.js';
import type { FirstAnswers, StartUp } from './start-up.js';
import type { Timing } from './timing.js';

export interface Row {
  readonly name: string;
  readonly size: number | null;
  readonly times: Readonly<Record<string, Timing>>;
  /** How many times faster the WebAssembly engine is than the other, by least times. */
  readonly ratio: number;
  readonly rival?: string;
  readonly goal?: number;
}

/** bench/results.json. Tells the processor and the versions, not whose machine it is. */
export interface Results {
  readonly seed: number;
  /** Time given to each function. */
  readonly milliseconds: number;
  readonly version: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly arch: string;
    readonly platform: string;
    /** Processes that wanted a processor, over the last five minutes of the run. */
    readonly load: number;
  };
  readonly versions: { readonly node: string; readonly v8: string };
  readonly startUp: StartUp;
  /** Not in older results. */
  readonly firstAnswers?: FirstAnswers;
  readonly kernels: readonly Row[];
  readonly rivals: readonly Row[];
  /** Rivals that were not measured, and why. */
  readonly absent: readonly string[];
  readonly jobs: readonly Row[];
  /** Not in older results. */
  readonly shares?: readonly Share[];
  readonly costs: readonly Cost[];
}

/** @throws Error if the file holds something else than the results of this bench. */
export function readResults(path: string): Results {
  const found: Results = JSON.parse(readFileSync(path, 'utf8'));
  for (const part of ['kernels', 'rivals', 'jobs', 'costs'] as const) {
    if (!Array.isArray(found[part]))
      throw new Error(`${path} holds no results of this bench: "${part}" is missing`);
  }
  return { ...found, absent: found.absent ?? [] };
}

/** Every result as text. */
export function tables({ startUp, kernels, rivals, absent, jobs, shares = [], costs }: Results): string {
  return [
    cells('least ms', 'wasm', 'reference', 'ratio'),
    ...kernels.map(against),
    ...jobs.map(against),
    '\n',
    rivalTable({ rivals, absent }),
    '\n',
    cells('cold import to first answer', 'ms'),
    cells('a Gaussian', startUp.gaussian.toFixed(1)),
    cells('the CIFAR-10 run', startUp.cifar10.toFixed(1)),
    shareTable(shares),
    ...costs.map(
      ({ quantity, of, unit, points }) =>
        `\n${of}, ${unit}\n${points.map(([x, cost]) => cells(`  ${quantity} ${x}`, cost.toPrecision(4))).join('')}`,
    ),
  ].join('');
}

/** The kernel's share of each verb as text. */
export function shareTable(shares: readonly Share[]): string {
  const line = ({ verb, milliseconds, share, calls }: Share): string =>
    cells(verb, milliseconds.toFixed(2), `${(100 * share).toFixed(1)} %`, String(calls));
  return ['\n', cells('verb', 'ms', 'in the kernel', 'calls'), ...shares.map(line)].join('');
}

/** The contests as text. */
export function rivalTable({ rivals, absent }: Pick<Results, 'rivals' | 'absent'>): string {
  const named = rivals.map((row) => ({ ...row, name: `${row.name} / ${row.rival}` }));
  const missing = absent.map((what) => `not measured: ${what}\n`);
  return [cells('least ms', 'wasm', 'rival', 'ratio'), ...named.map(against), ...missing].join('');
}

function cells(...columns: string[]): string {
  return `${columns.map((text, i) => (i === 0 ? text.padEnd(72) : text.padStart(12))).join('')}\n`;
}

function against(row: Row): string {
  const ms = (timing: Timing | undefined) => (timing === undefined ? '' : timing.least.toPrecision(4));
  const theirs = row.times['reference'] ?? row.times['rival'];
  return cells(row.name, ms(row.times['wasm']), ms(theirs), row.ratio.toFixed(2));
}
