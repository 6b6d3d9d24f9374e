/** Names of functions and of several letters; all else of letters is a product of one-letter variables. */
export const NAMES: readonly string[];
/** One formula, on a line of its own. */
export function displayMath(source: string): string;
/** A formula within text, which may be broken before each of its relations. */
export function inlineMath(source: string, after?: string): string;
