/**
 * A finite measure on the lattice {step·i}: `mass[k]` at loss step·(first + k), and `infinity` at +∞.
 *
 * Read as the Q-law of a privacy loss: δ(ε) = infinity + Σ mass (1 − e^{ε−x})⁺. Such curves need not
 * come from a pair of probabilities: if δ_A ≤ δ_B at every real ε then δ_{A⊗C} ≤ δ_{B⊗C}, because
 * δ_{A⊗C}(ε) = E_{w∼C}[δ_A(ε − w)]. So raising any mass keeps an upper bound an upper bound, lowering
 * any mass keeps a lower bound a lower bound, through every composition; that is how rounding is paid.
 */
export interface LatticeMeasure {
  readonly step: number;
  readonly first: number;
  readonly mass: Float64Array;
  readonly infinity: number;
}
