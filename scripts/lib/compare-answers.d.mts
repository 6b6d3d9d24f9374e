type Said = { readonly lower: number; readonly upper: number } | { readonly error: string };
interface Judged {
  readonly apart: boolean;
  readonly lost: boolean;
  readonly width: number;
  readonly was: number;
}
interface Row {
  readonly family: string;
  readonly cpu: readonly number[];
  readonly answers: readonly Judged[];
}
export const PROMISED: number;
export function widthOf(bracket: { readonly lower: number; readonly upper: number }): number;
export function judged(before: Said, after: Said, tolerance?: number): Judged;
export function percentile(numbers: readonly number[], share: number): number;
export function summary(rows: readonly Row[]): string;
