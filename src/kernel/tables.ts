/**
 * The tables of exp, log and the error functions. They are computed once, on first use, by double-double arithmetic (+ − × ÷ of float64) alone.
 * Both engines use one array, so their tables hold the same bits. The JavaScript engine and the WebAssembly one copy it into their memory.
 *
 * Error of every entry: half an ulp plus less than 1e-17 relative. Time: a few milliseconds, once.
 */
import {
  DIVIDED_TABLE,
  ERFC_CELLS,
  ERFC_END,
  ERFC_SCALE,
  ERFC_TABLE,
  ERFCX_TABLE,
  EXP_TABLE,
  LN2,
  LN2_LOW,
  LOG_CELLS,
  LOG_ERFC_CELLS,
  LOG_ERFC_ORIGIN,
  LOG_ERFC_TABLE,
  LOG_ORIGIN,
  LOG_TABLE,
  RATIO_TABLE,
  TABLE_LENGTH,
  TWO_OVER_SQRT_PI,
  TWO_OVER_SQRT_PI_LOW,
} from './constants.js';
import { add, type Dd, divide, divideBy, multiply, scale, twoProduct } from './double-double.js';
import { ERFCX_COEFFICIENTS } from './erfcx-table.js';
import { DIVIDED, RATIO } from './mills-table.js';

/** Spacing of the grid of the error-function tables. */
const STEP = 1 / 128;
/** Index of log's cell that holds 1. */
const LOG_CELL_OF_1 = 159;
/**
 * The reciprocal 1/c of each cell of log, one base-36 digit a cell. The digit less 17 is its distance, in units, from the multiple of the unit
 * nearest to 1/m, m the middle of the cell. The unit is 2⁻¹⁸, or 2⁻¹⁰ within four cells of 1. `logInverses` of scripts/lib/log-cells.mjs finds
 * them.
 */
export const LOG_INVERSES =
  'csb4lp3wkc7klhn8p7p2mq875c8d9f2t67m5b11wjqlpbump3rsmsar4ltndu4ccor5gmj541h6cfkvr97luf2a839teg4e3aubgjcekln8hsngp59oouw7tqqfflh1hovt7qkt1fvge59bwx9kwj11d3ohghhghiihhagdwvimwwcn4rehrd9rl82ksgdmusf2eolqnql93ainhuh4wq21ehfhbjt2nnhqfn3l3js7945kb4hnsp8ofma7sg5pi';

let cached: Float64Array | undefined;
let complete = false;

/** All tables in one array, whose layout is in `constants.ts`. Those of erfc and log erfc may not be filled yet. Treat as read-only. */
export function specialTables(): Float64Array {
  cached ??= buildTables();
  return cached;
}

/** All tables in one array, those of erfc and log erfc filled: for functions that read these. */
export function errorTables(): Float64Array {
  const table = specialTables();
  if (!complete) {
    fillError(table);
    complete = true;
  }
  return table;
}

/** e^x for |x| ≤ 0.01 by 14 terms of its Taylor series. Error: a few roundings of 2⁻¹⁰⁴. */
function smallExp(x: Dd): Dd {
  let sum: Dd = { hi: 1, lo: 0 };
  let term = sum;
  for (let n = 1; n <= 14; n++) {
    term = divideBy(multiply(term, x), n);
    sum = add(sum, term);
  }
  return sum;
}

/** The tables, those of erfc and log erfc still zeros. Errors: those of each table. */
function buildTables(): Float64Array {
  const table = new Float64Array(TABLE_LENGTH);
  fillExp(table);
  fillLog(table);
  table.set(ERFCX_COEFFICIENTS, ERFCX_TABLE);
  table.set(RATIO, RATIO_TABLE);
  table.set(DIVIDED, DIVIDED_TABLE);
  return table;
}

/** The tables of erfc and log erfc. Entries have half an ulp and less than 1e-17 relative error. */
function fillError(table: Float64Array): void {
  const gauss = gaussianValues();
  const tail = erfcValues(gauss);
  for (let k = 0; k <= ERFC_CELLS; k++) {
    table[ERFC_TABLE + 2 * k] = tail[k].hi;
    table[ERFC_TABLE + 2 * k + 1] = gauss[k].hi;
  }
  fillLogErfc(table, gauss, tail);
}

/** 2^(j/256), j < 256, by repeated multiplication with 2^(1/256). Relative error: 256 roundings of 2⁻¹⁰⁴ at most. */
function fillExp(table: Float64Array): void {
  const high = new Uint32Array(table.buffer);
  const ratio = smallExp({ hi: LN2 / 256, lo: LN2_LOW / 256 });
  let value: Dd = { hi: 1, lo: 0 };
  for (let j = 0; j < 256; j++) {
    const entry = EXP_TABLE + 2 * j;
    table[entry] = value.hi;
    high[2 * entry + 1] -= j << 12;
    table[entry + 1] = value.lo / value.hi;
    value = multiply(value, ratio);
  }
}

/**
 * The cells of log's argument, from LOG_ORIGIN on; each is 4096 units of the double's high word. 1/c has few bits, c is near the cell's middle. In
 * the cell that holds 1 and the one below it c = 1; from there log c is added up cell by cell (`logRatio`). Error of log c: less than 1e-17.
 */
function fillLog(table: Float64Array): void {
  const edges = new Float64Array(1);
  const high = new Uint32Array(edges.buffer);
  const edge = (i: number): number => {
    high[1] = LOG_ORIGIN + (i << 12);
    return edges[0];
  };
  for (const direction of [1, -1]) {
    let value: Dd = { hi: 0, lo: 0 };
    let last = 1;
    const start = direction > 0 ? LOG_CELL_OF_1 : LOG_CELL_OF_1 - 1;
    for (let i = start; i >= 0 && i < LOG_CELLS; i += direction) {
      const middle = 0.5 * (edge(i) + edge(i + 1));
      const unit = Math.abs(i - start) <= 4 ? 2 ** -10 : 2 ** -18;
      const above = Number.parseInt(LOG_INVERSES[i], 36) - 17;
      const inverse = i === start ? 1 : (Math.round(1 / (middle * unit)) + above) * unit;
      value = add(value, logRatio(last, inverse));
      last = inverse;
      const { hi, lo } = add(value, { hi: excess(inverse), lo: 0 });
      const head = Math.round(hi * 2 ** 42) / 2 ** 42;
      table.set([inverse, 1 / inverse], LOG_TABLE + 2 * i);
      table.set([head, hi - head + lo], LOG_TABLE + 2 * (LOG_CELLS + i));
    }
  }
}

/** x·c − 1 for the double c nearest to 1/x, so that log c = log(1/x) + this. Exact but for a rounding. */
function excess(x: number): number {
  const { hi, lo } = twoProduct(x, 1 / x);
  return hi - 1 + lo;
}

/**
 * log(a/b) = 2 atanh s, s = (a − b)/(a + b), for the reciprocals of neighbouring cells. |s| < 0.003, so the series stops at s⁹. a and b have few
 * bits, so sum and difference are exact.
 */
function logRatio(a: number, b: number): Dd {
  const s = divide({ hi: a - b, lo: 0 }, { hi: a + b, lo: 0 });
  const z = s.hi * s.hi;
  const tail = s.hi * z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z / 9)));
  return scale(add(s, { hi: tail, lo: 0 }), 2);
}

/**
 * 2¹²⁸·2/√π·e^{−r²} at r = k/128, from e^{−(k+1)²/2¹⁴} = e^{−k²/2¹⁴}·e^{−(2k+1)/2¹⁴}. The second factor is a running product too. Relative error ≤
 * k² 2⁻¹⁰⁴ < 7e-25.
 */
function gaussianValues(): Dd[] {
  const step = smallExp({ hi: -1 / 8192, lo: 0 });
  let factor = smallExp({ hi: -1 / 16384, lo: 0 });
  let value: Dd = { hi: TWO_OVER_SQRT_PI * ERFC_SCALE, lo: TWO_OVER_SQRT_PI_LOW * ERFC_SCALE };
  const values: Dd[] = [];
  for (let k = 0; k <= ERFC_CELLS; k++) {
    values.push(value);
    value = multiply(value, factor);
    factor = multiply(factor, step);
  }
  return values;
}

/**
 * 2¹²⁸·erfc(r) at r = k/128: the trapezoidal sum of 2/√π e^{−t²} from the largest r inward, with Euler–Maclaurin corrections. All terms of the sum
 * are positive, in double-double; the corrections are doubles. At the largest r it is the asymptotic series (terms omitted below 1e-30). Relative
 * error: 1e-17 and half an ulp.
 */
function erfcValues(gauss: readonly Dd[]): Dd[] {
  const values: Dd[] = new Array(ERFC_CELLS + 1);
  let series: Dd = { hi: 1, lo: 0 };
  let term = series;
  for (let n = 1; n <= 14; n++) {
    term = divideBy(scale(term, -(2 * n - 1)), 2 * ERFC_END * ERFC_END);
    series = add(series, term);
  }
  const end = divideBy(multiply(gauss[ERFC_CELLS], series), 2 * ERFC_END);
  values[ERFC_CELLS] = end;
  let sum = add(end, { hi: -gaussianCorrection(ERFC_CELLS, gauss[ERFC_CELLS].hi), lo: 0 });
  sum = add(sum, scale(gauss[ERFC_CELLS], 0.5 * STEP));
  for (let k = ERFC_CELLS - 1; k >= 0; k--) {
    const trapezoid = add(sum, scale(gauss[k], 0.5 * STEP));
    values[k] = add(trapezoid, { hi: gaussianCorrection(k, gauss[k].hi), lo: 0 });
    sum = add(sum, scale(gauss[k], STEP));
  }
  return values;
}

/** B_{2m}/(2m)!, m = 1 … 8. */
const EULER_MACLAURIN = [
  1 / 12,
  -1 / 720,
  1 / 30240,
  -1 / 1209600,
  1 / 47900160,
  -691 / 1307674368000,
  1 / 74724249600,
  -3617 / 10670622842880000,
];

/**
 * The Euler–Maclaurin correction of a trapezoidal sum of step s for ∫_r^∞ f, f(t) = `value`·e^{−(t²−r²)}, at r = k/128: Σ_{m≤8}
 * B_{2m}/(2m)!·s^{2m}·f^{(2m−1)}(r). The derivatives follow f^{(n+1)} = −2r f^{(n)} − 2n f^{(n−1)}. The next term is below 1e-20 relative.
 */
function gaussianCorrection(k: number, value: number): number {
  const slope = -2 * k * STEP * STEP;
  let previous = STEP * value;
  let current = slope * previous; // s^{n+1} f^{(n)}, n = 1
  let sum = 0;
  for (let m = 0; m < EULER_MACLAURIN.length; m++) {
    sum += EULER_MACLAURIN[m] * current;
    for (let n = 2 * m + 1; n <= 2 * m + 2; n++) {
      const next = slope * current - 2 * n * STEP * STEP * previous;
      previous = current;
      current = next;
    }
  }
  return sum;
}

/**
 * log erfc(r) = −∫₀^r h with h = 2/√π·e^{−r²}/erfc(r), by the trapezoidal rule on the grid k/128. The Euler–Maclaurin corrections are s²/12 h′,
 * s⁴/720 h‴, s⁶/30240 h⁽⁵⁾ (next term below 1e-23). log erfc(0) = 0 exactly, so values near it keep their relative accuracy. For r < 0, erfc(r) = 2
 * − erfc(|r|).
 */
function fillLogErfc(table: Float64Array, gauss: readonly Dd[], tail: readonly Dd[]): void {
  const two: Dd = { hi: 2 * ERFC_SCALE, lo: 0 };
  const hazard = (k: number): Dd =>
    k < 0 ? divide(gauss[-k], add(two, { hi: -tail[-k].hi, lo: -tail[-k].lo })) : divide(gauss[k], tail[k]);
  const put = (k: number, value: number, h: number): void => {
    table[LOG_ERFC_TABLE + 2 * (LOG_ERFC_ORIGIN + k)] = value;
    table[LOG_ERFC_TABLE + 2 * (LOG_ERFC_ORIGIN + k) + 1] = h;
  };
  const origin = hazard(0);
  const originCorrection = hazardCorrection(0, origin);
  put(0, 0, origin.hi);
  for (const direction of [1, -1]) {
    const last = direction > 0 ? LOG_ERFC_CELLS - LOG_ERFC_ORIGIN : LOG_ERFC_ORIGIN;
    let sum = scale(origin, 0.5); // the trapezoidal sum without the half term at its last node
    for (let j = 1; j <= last; j++) {
      const h = hazard(direction * j);
      const trapezoid = add(sum, scale(h, 0.5));
      const ends = hazardCorrection(direction * j, h) - originCorrection;
      put(direction * j, add(scale(trapezoid, -direction * STEP), { hi: ends, lo: 0 }).hi, h.hi);
      sum = add(sum, h);
    }
  }
}

/**
 * The Euler–Maclaurin correction s²/12 h′ − s⁴/720 h‴ + s⁶/30240 h⁽⁵⁾ at r = k/128, h = 2/√π·e^{−r²}/erfc(r) given. The derivatives are Taylor
 * coefficients of h′ = h·g, g = h − 2r. The next term is below 1e-23.
 */
function hazardCorrection(k: number, hazard: Dd): number {
  const h = hazard.hi;
  const g = add(hazard, { hi: -2 * k * STEP, lo: 0 }).hi;
  const c1 = h * g;
  const g1 = c1 - 2;
  const c2 = (h * g1 + c1 * g) / 2;
  const c3 = (h * c2 + c1 * g1 + c2 * g) / 3;
  const c4 = (h * c3 + c1 * c2 + c2 * g1 + c3 * g) / 4;
  const c5 = (h * c4 + c1 * c3 + c2 * c2 + c3 * g1 + c4 * g) / 5;
  const s2 = STEP * STEP;
  return s2 * (c1 / 12 - s2 * (c3 / 120 - (s2 * c5) / 252));
}
