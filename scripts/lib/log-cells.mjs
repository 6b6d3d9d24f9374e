// Which 1/c the cells of log have: LOG_INVERSES of src/kernel/tables.ts.

/** x·c − 1 for c = 1/x as a double, exactly. */
function excess(x) {
  const c = 1 / x;
  const hi = x * c;
  const [a, b] = [x, c].map((v) => {
    const t = 134217729 * v;
    return t - (t - v);
  });
  return hi - 1 + (a * b - hi + a * (c - b) + (x - a) * b + (x - a) * (c - b));
}

/**
 * A digit to base 36 for each cell: how many units its 1/c is above the multiple nearest to that of the middle, plus 17. A cell is 4096 units of
 * the high word, from `origin` on. Units are 2⁻¹⁸, or 2⁻¹⁰ within four cells of 1, where a product with the distance from c is then exact. Of the
 * multiples near by, that one is taken whose reciprocal, as a double, is nearest to the exact one.
 */
export function logInverses(origin, cells, cellOf1) {
  const edges = new Float64Array(1);
  const high = new Uint32Array(edges.buffer);
  const edge = (i) => {
    high[1] = origin + (i << 12);
    return edges[0];
  };
  return Array.from({ length: cells }, (_, i) => {
    const near = Math.min(Math.abs(i - cellOf1), Math.abs(i - cellOf1 + 1)) <= 4;
    const unit = near ? 2 ** -10 : 2 ** -18;
    const reach = near ? 2 ** -10 : 2 ** -14;
    const x = 0.5 * (edge(i) + edge(i + 1));
    const nearest = Math.round(1 / (x * unit));
    let best = nearest;
    for (let m = Math.ceil((1 / x - reach) / unit); m * unit <= 1 / x + reach; m++) {
      if (Math.abs(excess(m * unit)) < Math.abs(excess(best * unit))) best = m;
    }
    return (best - nearest + 17).toString(36);
  }).join('');
}
