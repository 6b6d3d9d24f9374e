/** log M(c + iτ) for two bins: S/2 = e^{(Y₁+Y₂)/2} cosh((Y₁−Y₂)/2), two independent normals, by a sum on the real line. */
export function twoBins(mu: number, c: number, tau: number): { re: number; im: number } {
  const half = (mu * mu) / 2;
  const h = mu / 40;
  const center = c > 0 ? c * half : 0;
  let [re, im, top] = [0, 0, 0];
  for (let pass = 0; pass < 2; pass++) {
    if (pass === 0) top = -Infinity;
    for (let x = -center - 14 * mu; x < center + 14 * mu; x += h) {
      const l = Math.log(Math.cosh(x));
      const height = c * l - (x * x) / (2 * half);
      if (pass === 0) top = Math.max(top, height);
      else {
        re += Math.exp(height - top) * Math.cos(tau * l);
        im += Math.exp(height - top) * Math.sin(tau * l);
      }
    }
  }
  const lead = { re: -c * half + ((c * c - tau * tau) * half) / 2, im: -tau * half + c * tau * half };
  const norm = Math.log(h / Math.sqrt(2 * Math.PI * half)) + top;
  return { re: lead.re + 0.5 * Math.log(re * re + im * im) + norm, im: lead.im + Math.atan2(im, re) };
}
