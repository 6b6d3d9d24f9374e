import type * as library from '../../src/index.js';

interface Case {
  readonly id: string;
  readonly family: string;
  readonly make: (lib: typeof library) => library.Mechanism;
  readonly settings: library.AccountOptions;
  readonly questions: readonly (readonly [string, number])[];
}
export const FAMILIES: Readonly<Record<string, { readonly share: number }>>;
export function population(seed: number, only?: string): readonly Case[];
