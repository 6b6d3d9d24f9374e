/** The n-fold product of `one`, n ≥ 1, by repeated squaring. */
export function bySquares<T>(one: T, n: number, times: (a: T, b: T) => T): T {
  let [square, left] = [one, n];
  for (; left % 2 === 0; left /= 2) square = times(square, square);
  let whole = square;
  while (left > 1) {
    left = Math.floor(left / 2);
    square = times(square, square);
    if (left % 2 === 1) whole = times(whole, square);
  }
  return whole;
}

/** x^n for an integer n ≥ 0, by repeated squaring. Ensures: a relative error of at most n roundings. */
export function wholePower(x: number, n: number): number {
  if (n === 0) return 1;
  const half = wholePower(x * x, Math.floor(n / 2));
  return n % 2 === 1 ? x * half : half;
}
