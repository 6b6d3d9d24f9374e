/** The m-th coefficient of e^{ah}(1 + Σ r_k h^k)^n, and of the same with |r_k| replaced by a majorant. */
export function power(
  [re, im, majorant]: Float64Array[],
  n: number,
  a: number,
  b: Float64Array[],
): { re: number; im: number; most: number } {
  const m = re.length - 1;
  raise([re, im, majorant], n, b);
  let [x, y, z] = [0, 0, 0];
  for (let j = 0, factor = 1; j <= m; j++) {
    x += factor * b[0][m - j];
    y += factor * b[1][m - j];
    z += factor * b[2][m - j];
    factor *= a / (j + 1);
    if (factor === 0) break;
  }
  return { re: x, im: y, most: z };
}

/** (1 + Σ r_k h^k)^n, and the same of the majorants, into b. */
export function raise([re, im, majorant]: Float64Array[], n: number, b: Float64Array[]): void {
  for (const one of b) one.fill(0);
  b[0][0] = b[2][0] = 1;
  if (byRecurrence(re.length - 1, n)) miller(re, im, majorant, n, b);
  else for (let i = 0; i < n; i++) multiply(re, im, majorant, b);
}

/** Terms that `power` takes with m coefficients. */
export function powerTerms(m: number, n: number): number {
  return ((m * (m + 1)) / 2) * (byRecurrence(m, n) ? 1 : n);
}

/** Whether no factor of the recurrence is below 0. */
function byRecurrence(m: number, n: number): boolean {
  return m <= n + 1;
}

/** Miller's recurrence b_i = (1/i) Σ ((n+1)k − i) r_k b_{i−k}: all factors ≥ 0 for i ≤ n + 1. */
function miller(
  re: Float64Array,
  im: Float64Array,
  majorant: Float64Array,
  n: number,
  [x, y, z]: Float64Array[],
): void {
  for (let i = 1; i < re.length; i++) {
    let [p, q, r] = [0, 0, 0];
    for (let k = 1; k <= i; k++) {
      const factor = (n + 1) * k - i;
      p += factor * (re[k] * x[i - k] - im[k] * y[i - k]);
      q += factor * (re[k] * y[i - k] + im[k] * x[i - k]);
      r += factor * majorant[k] * z[i - k];
    }
    x[i] = p / i;
    y[i] = q / i;
    z[i] = r / i;
  }
}

/** One factor 1 + Σ r_k h^k more. */
function multiply(
  re: Float64Array,
  im: Float64Array,
  majorant: Float64Array,
  [x, y, z]: Float64Array[],
): void {
  for (let i = re.length - 1; i > 0; i--) {
    for (let k = 1; k <= i; k++) {
      x[i] += re[k] * x[i - k] - im[k] * y[i - k];
      y[i] += re[k] * y[i - k] + im[k] * x[i - k];
      z[i] += majorant[k] * z[i - k];
    }
  }
}
