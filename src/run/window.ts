/** The default `alphaMin`: μ is the smallest for error rates that are both at least this. */
export const USUAL_ALPHA_MIN = 1e-10;
