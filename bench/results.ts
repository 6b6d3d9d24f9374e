import type { Cost } from './costs.js';
import type { StartUp } from './start-up.js';
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
  readonly kernels: readonly Row[];
  readonly rivals: readonly Row[];
  readonly jobs: readonly Row[];
  readonly costs: readonly Cost[];
}

/** Every result as text. */
export function tables({ startUp, kernels, rivals, jobs, costs }: Results): string {
  const cells = (...columns: string[]) =>
    `${columns.map((text, i) => (i === 0 ? text.padEnd(52) : text.padStart(12))).join('')}\n`;
  const ms = (timing: Timing | undefined) => (timing === undefined ? '' : timing.least.toPrecision(4));
  const against = (row: Row) =>
    cells(
      row.name,
      ms(row.times['wasm']),
      ms(row.times['reference'] ?? row.times['rival']),
      row.ratio.toFixed(2),
    );
  return [
    cells('least ms', 'wasm', 'reference', 'ratio'),
    ...kernels.map(against),
    ...jobs.map(against),
    '\n',
    cells('least ms', 'wasm', 'rival', 'ratio'),
    ...rivals.map(against),
    '\n',
    cells('cold import to first answer', 'ms'),
    cells('a Gaussian', startUp.gaussian.toFixed(1)),
    cells('the CIFAR-10 run', startUp.cifar10.toFixed(1)),
    ...costs.map(
      ({ quantity, of, unit, points }) =>
        `\n${of}, ${unit}\n${points.map(([x, cost]) => cells(`  ${quantity} ${x}`, cost.toPrecision(4))).join('')}`,
    ),
  ].join('');
}
