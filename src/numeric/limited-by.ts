/**
 * What bounds the width of an answer: the tolerance that was asked for, which it reaches; the effort, of which more may narrow it; or theory: no theorem or
 * method known here tells what is between its ends.
 */
export type LimitedBy = 'tolerance' | 'effort' | 'theory';

const BY_WIDTH: readonly LimitedBy[] = ['tolerance', 'theory', 'effort'];

/** What bounds the wider of several answers: effort before theory, as it is what can be mended. */
export function widest(...each: readonly LimitedBy[]): LimitedBy {
  return BY_WIDTH[Math.max(0, ...each.map((one) => BY_WIDTH.indexOf(one)))];
}

/** What bounds the width of an answer, in words. */
export const LIMITED_BY: Readonly<Record<LimitedBy, string>> = {
  tolerance: 'brackets are as narrow as asked for',
  effort: 'effort spent: more of it may narrow the brackets',
  theory: 'between these no theorem is known',
};

/** What was asked, whether more effort might answer it better, and by how much a longer FFT might. */
export interface Apart<T> {
  readonly value: T;
  readonly limited: boolean;
  readonly short: number;
}
