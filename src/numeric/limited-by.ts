/**
 * What limits the width of an answer. 'tolerance': it is as narrow as asked for. 'effort': more work may narrow it. 'theory': no method of this library
 * can narrow it.
 */
export type LimitedBy = 'tolerance' | 'effort' | 'theory';

/** The limits in ascending order of their precedence in `widest`. */
const BY_WIDTH: readonly LimitedBy[] = ['tolerance', 'theory', 'effort'];

/** The limit of several answers together: effort takes precedence over theory, as the user can raise it. */
export function widest(...each: readonly LimitedBy[]): LimitedBy {
  return BY_WIDTH[Math.max(0, ...each.map((one) => BY_WIDTH.indexOf(one)))];
}

/** What limits the width of an answer, in words. */
export const LIMITED_BY: Readonly<Record<LimitedBy, string>> = {
  tolerance: 'brackets are as narrow as asked for',
  effort: 'effort spent: more of it may narrow the brackets',
  theory: 'between these no theorem is known',
};

/** An answer, whether more effort might narrow it (`limited`), and by how much a longer FFT might (`short`). */
export interface Apart<T> {
  readonly value: T;
  readonly limited: boolean;
  readonly short: number;
}
