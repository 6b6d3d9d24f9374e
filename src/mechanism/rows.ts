import type { Mechanism } from './mechanism.js';

/** One row of a run's table: `count` Gaussian releases on a Poisson sample of rate `rate` (1: on all records). */
export interface MechanismRow {
  readonly noiseMultiplier: number;
  readonly rate: number;
  readonly count: number;
}

/** A mechanism flattened into rows, in order; parts that run 0 times are left in, with count 0. */
export function mechanismRows(mechanism: Mechanism): MechanismRow[] {
  const rows: MechanismRow[] = [];
  const visit = (part: Mechanism, count: number): void => {
    switch (part.kind) {
      case 'gaussian':
        rows.push({ noiseMultiplier: part.noiseMultiplier, rate: 1, count });
        break;
      case 'poisson-subsampled':
        rows.push({ noiseMultiplier: part.inner.noiseMultiplier, rate: part.rate, count });
        break;
      case 'repeat':
        visit(part.inner, count * part.count);
        break;
      case 'compose':
        for (const inner of part.parts) visit(inner, count);
        break;
    }
  };
  visit(mechanism, 1);
  return rows;
}
