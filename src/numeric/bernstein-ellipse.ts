/** The Bernstein ellipse ρ around a panel: foci at the panel's ends, semi-axes half·(ρ ± 1/ρ)/2. */

/** Semi-axis along the panel. */
export function ellipseReach(half: number, rho: number): number {
  return (half * (rho + 1 / rho)) / 2;
}

/** Semi-axis across the panel. */
export function ellipseHeight(half: number, rho: number): number {
  return (half * (rho - 1 / rho)) / 2;
}
