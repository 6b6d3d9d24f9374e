/** The default `alphaMin`: μ is the least that holds where false positive and false negative rate are both at least this. */
export const USUAL_ALPHA_MIN = 1e-10;
