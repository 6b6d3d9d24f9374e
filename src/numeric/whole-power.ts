/** x^n for a whole n ≥ 0, by squares: within n roundings. */
export function wholePower(x: number, n: number): number {
  if (n === 0) return 1;
  const half = wholePower(x * x, Math.floor(n / 2));
  return n % 2 === 1 ? x * half : half;
}
