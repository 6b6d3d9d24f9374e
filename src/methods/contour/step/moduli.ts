import type { Kernel } from '../../../kernel/kernel.js';
import { type KernelTable, MODULUS_ROWS } from '../../../kernel/kernel-table.js';
import { exp, log } from '../../../numeric/scalar.js';

/** Terms below e^{this} are left out, and counted as that. Width alone hangs on it. */
const FLOOR = -72;
const LEAST = exp(FLOOR);

/**
 * Σ_j e^{size_j − τα_j} and its truncation error: a bound of |φ(τ)| from outputs off the real axis. Their angles α_j are at least 0. It falls with τ, so that it holds
 * for every larger τ.
 */
export class Moduli {
  /** @param table The sizes and the angles, as `Kernel.pathModuli` makes them. */
  constructor(
    private readonly kernel: Kernel,
    private readonly table: KernelTable,
    private readonly truncationError: number,
  ) {}

  /** log of the bound at each τ ≥ 0, and beyond it. */
  logsAt(taus: Float64Array): Float64Array {
    const { kernel, table, truncationError } = this;
    const logs = kernel.modulusSums(table, taus, FLOOR);
    const left = truncationError + (table.values.length / MODULUS_ROWS) * LEAST;
    for (let i = 0; i < logs.length; i++) logs[i] = log(logs[i] * (1 + 1e-12) + left) + 1e-14;
    return logs;
  }
}
