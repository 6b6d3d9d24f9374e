/** The smallest error rate that μ is about unless a window is given: both rates are at least this. */
export const USUAL_ALPHA_MIN = 1e-10;
