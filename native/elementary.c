/*
 * The elementary functions of JavaScript that the script calls, in one text for every system: the methods and constants of fdlibm,
 * which V8 has as well, so that `verify` finds the same digits here as under Node. npm run test:doors compares them.
 * IEEE doubles, rounding to nearest, no contraction. Errors below one unit in the last place.
 *
 * Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
 * Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
 */
#define GDP_ELEMENTARY_ITSELF
#include "elementary.h"

#include <stdint.h>
#include <string.h>

static uint64_t bits_of(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits;
}

static double of_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, 8);
  return x;
}

static int32_t high(double x) { return (int32_t)(bits_of(x) >> 32); }
static uint32_t low(double x) { return (uint32_t)bits_of(x); }
static double with_high(double x, uint32_t word) { return of_bits((uint64_t)word << 32 | low(x)); }
static double without_low(double x) { return of_bits(bits_of(x) & 0xffffffff00000000u); }
/* 2^k of a normal double. */
static double power2(int k) { return of_bits((uint64_t)(1023 + k) << 52); }

static const double LN2_HI = 6.93147180369123816490e-01, LN2_LO = 1.90821492927058770002e-10;
static const double INV_LN2 = 1.44269504088896338700e+00;
static const double TWO54 = 0x1p54;

static const double P1 = 1.66666666666666019037e-01, P2 = -2.77777777770155933842e-03, P3 = 6.61375632143793436117e-05,
                    P4 = -1.65339022054652515390e-06, P5 = 4.13813679705723846039e-08;

double gdp_exp(double x) {
  int32_t hx = high(x) & 0x7fffffff, k = 0;
  int negative = high(x) < 0;
  double hi = 0, lo = 0;
  if (hx >= 0x40862e42) {
    if (hx >= 0x7ff00000) return x != x ? x : negative ? 0 : x;
    if (x > 7.09782712893383973096e+02) return INFINITY;
    if (x < -7.45133219101941108420e+02) return 0;
  }
  if (hx > 0x3fd62e42) {
    if (hx < 0x3ff0a2b2) {
      if (x == 1) return 2.718281828459045;
      k = negative ? -1 : 1;
      hi = x - k * LN2_HI;
      lo = k * LN2_LO;
    } else {
      k = (int32_t)(INV_LN2 * x + (negative ? -0.5 : 0.5));
      hi = x - k * LN2_HI;
      lo = k * LN2_LO;
    }
    x = hi - lo;
  } else if (hx < 0x3e300000)
    return 1 + x;
  double t = x * x, c = x - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5))));
  if (k == 0) return 1 - ((x * c) / (c - 2) - x);
  double y = 1 - ((lo - (x * c) / (2 - c)) - hi);
  if (k == 1024) return y * 2 * 0x1p1023;
  return k >= -1021 ? y * power2(k) : y * power2(k + 1000) * 0x1p-1000;
}

static const double Q1 = -3.33333333333331316428e-02, Q2 = 1.58730158725481460165e-03, Q3 = -7.93650757867487942473e-05,
                    Q4 = 4.00821782732936239552e-06, Q5 = -2.01099218183624371326e-07;

double gdp_expm1(double x) {
  int32_t hx = high(x) & 0x7fffffff, k = 0;
  int negative = high(x) < 0;
  double c = 0;
  if (hx >= 0x4043687a) {
    if (hx >= 0x7ff00000) return x != x ? x : negative ? -1 : x;
    if (x > 7.09782712893383973096e+02) return INFINITY;
    if (negative) return -1;
  }
  if (hx > 0x3fd62e42) {
    k = hx < 0x3ff0a2b2 ? (negative ? -1 : 1) : (int32_t)(INV_LN2 * x + (negative ? -0.5 : 0.5));
    double hi = x - k * LN2_HI, lo = k * LN2_LO;
    x = hi - lo;
    c = (hi - x) - lo;
  } else if (hx < 0x3c900000)
    return x;
  double hfx = 0.5 * x, hxs = x * hfx;
  double r1 = 1 + hxs * (Q1 + hxs * (Q2 + hxs * (Q3 + hxs * (Q4 + hxs * Q5))));
  double t = 3 - r1 * hfx, e = hxs * ((r1 - t) / (6 - x * t));
  if (k == 0) return x - (x * e - hxs);
  e = x * (e - c) - c;
  e -= hxs;
  if (k == -1) return 0.5 * (x - e) - 0.5;
  if (k == 1) return x < -0.25 ? -2 * (e - (x + 0.5)) : 1 + 2 * (x - e);
  if (k <= -2 || k > 56) {
    double y = 1 - (e - x);
    y = k == 1024 ? y * 2 * 0x1p1023 : y * power2(k);
    return y - 1;
  }
  if (k < 20) return (with_high(1, 0x3ff00000 - (0x200000 >> k)) - (e - x)) * power2(k);
  double y = x - (e + power2(-k));
  return (y + 1) * power2(k);
}

static const double L1 = 6.666666666666735130e-01, L2 = 3.999999999940941908e-01, L3 = 2.857142874366239149e-01,
                    L4 = 2.222219843214978396e-01, L5 = 1.818357216161805012e-01, L6 = 1.531383769920937332e-01,
                    L7 = 1.479819860511658591e-01;

double gdp_log(double x) {
  int32_t hx = high(x), k = 0;
  if (hx < 0x00100000) {
    if (x == 0) return -INFINITY;
    if (hx < 0) return NAN;
    k = -54;
    x *= TWO54;
    hx = high(x);
  }
  if (hx >= 0x7ff00000) return x + x;
  k += (hx >> 20) - 1023;
  hx &= 0x000fffff;
  int32_t i = (hx + 0x95f64) & 0x100000;
  x = with_high(x, (uint32_t)(hx | (i ^ 0x3ff00000)));
  k += i >> 20;
  double f = x - 1, dk = k;
  if ((0x000fffff & (2 + hx)) < 3) {
    if (f == 0) return k == 0 ? 0 : dk * LN2_HI + dk * LN2_LO;
    double R = f * f * (0.5 - 0.33333333333333333 * f);
    return k == 0 ? f - R : dk * LN2_HI - ((R - dk * LN2_LO) - f);
  }
  double s = f / (2 + f), z = s * s, w = z * z;
  double t1 = w * (L2 + w * (L4 + w * L6)), t2 = z * (L1 + w * (L3 + w * (L5 + w * L7))), R = t2 + t1;
  if (((hx - 0x6147a) | (0x6b851 - hx)) > 0) {
    double hfsq = 0.5 * f * f;
    return k == 0 ? f - (hfsq - s * (hfsq + R)) : dk * LN2_HI - ((hfsq - (s * (hfsq + R) + dk * LN2_LO)) - f);
  }
  return k == 0 ? f - s * (f - R) : dk * LN2_HI - ((s * (f - R) - dk * LN2_LO) - f);
}

double gdp_log1p(double x) {
  int32_t hx = high(x), ax = hx & 0x7fffffff, k = 1, hu = 1;
  double f = 0, c = 0;
  if (hx < 0x3fda827a) {
    if (ax >= 0x3ff00000) return x == -1 ? -INFINITY : NAN;
    if (ax < 0x3e200000) return ax < 0x3c900000 ? x : x - x * x * 0.5;
    if (hx > 0 || hx <= (int32_t)0xbfd2bec4) {
      k = 0;
      f = x;
    }
  }
  if (hx >= 0x7ff00000) return x + x;
  if (k != 0) {
    double u = hx < 0x43400000 ? 1 + x : x;
    hu = high(u);
    k = (hu >> 20) - 1023;
    if (hx < 0x43400000) c = (k > 0 ? 1 - (u - x) : x - (u - 1)) / u;
    hu &= 0x000fffff;
    if (hu < 0x6a09e)
      u = with_high(u, (uint32_t)(hu | 0x3ff00000));
    else {
      k++;
      u = with_high(u, (uint32_t)(hu | 0x3fe00000));
      hu = (0x00100000 - hu) >> 2;
    }
    f = u - 1;
  }
  double hfsq = 0.5 * f * f, dk = k;
  if (hu == 0) {
    if (f == 0) return k == 0 ? 0 : dk * LN2_HI + (c + dk * LN2_LO);
    double R = hfsq * (1 - 0.66666666666666666 * f);
    return k == 0 ? f - R : dk * LN2_HI - ((R - (dk * LN2_LO + c)) - f);
  }
  double s = f / (2 + f), z = s * s;
  double R = z * (L1 + z * (L2 + z * (L3 + z * (L4 + z * (L5 + z * (L6 + z * L7))))));
  return k == 0 ? f - (hfsq - s * (hfsq + R)) : dk * LN2_HI - ((hfsq - (s * (hfsq + R) + (dk * LN2_LO + c))) - f);
}

double gdp_log2(double x) {
  static const double INV_HI = 1.44269504072144627571e+00, INV_LO = 1.67517131648865118353e-10;
  int32_t hx = high(x), k = 0;
  if (hx < 0x00100000) {
    if (x == 0) return -INFINITY;
    if (hx < 0) return NAN;
    k = -54;
    x *= TWO54;
    hx = high(x);
  }
  if (hx >= 0x7ff00000) return x + x;
  if (x == 1) return 0;
  k += (hx >> 20) - 1023;
  hx &= 0x000fffff;
  int32_t i = (hx + 0x95f64) & 0x100000;
  x = with_high(x, (uint32_t)(hx | (i ^ 0x3ff00000)));
  k += i >> 20;
  double y = k, f = x - 1, hfsq = 0.5 * f * f;
  double s = f / (2 + f), z = s * s, w = z * z;
  double t1 = w * (L2 + w * (L4 + w * L6)), t2 = z * (L1 + w * (L3 + w * (L5 + w * L7)));
  double r = s * (hfsq + (t2 + t1)), hi = without_low(f - hfsq), lo = ((f - hi) - hfsq) + r;
  double value_hi = hi * INV_HI, value_lo = (lo + hi) * INV_LO + lo * INV_HI;
  double sum = y + value_hi;
  value_lo += (y - sum) + value_hi;
  return value_lo + sum;
}

double gdp_log10(double x) {
  static const double IVLN10 = 4.34294481903251816668e-01, LOG10_2HI = 3.01029995663611771306e-01,
                      LOG10_2LO = 3.69423907715893078616e-13;
  int32_t hx = high(x), k = 0;
  if (hx < 0x00100000) {
    if (x == 0) return -INFINITY;
    if (hx < 0) return NAN;
    k = -54;
    x *= TWO54;
    hx = high(x);
  }
  if (hx >= 0x7ff00000) return x + x;
  if (x == 1) return 0;
  k += (hx >> 20) - 1023;
  int32_t i = k < 0;
  double y = k + i;
  x = with_high(x, (uint32_t)((hx & 0x000fffff) | ((0x3ff - i) << 20)));
  double z = y * LOG10_2LO + IVLN10 * gdp_log(x);
  return z + y * LOG10_2HI;
}

/* sin of x + y, |x| ≤ π/4, y its tail. */
static double sine(double x, double y) {
  static const double S1 = -1.66666666666666324348e-01, S2 = 8.33333333332248946124e-03, S3 = -1.98412698298579493134e-04,
                      S4 = 2.75573137070700676789e-06, S5 = -2.50507602534068634195e-08, S6 = 1.58969099521155010221e-10;
  if ((high(x) & 0x7fffffff) < 0x3e400000) return x;
  double z = x * x, v = z * x, r = S2 + z * (S3 + z * (S4 + z * (S5 + z * S6)));
  return y == 0 ? x + v * (S1 + z * r) : x - ((z * (0.5 * y - v * r) - y) - v * S1);
}

static double cosine(double x, double y) {
  static const double C1 = 4.16666666666666019037e-02, C2 = -1.38888888888741095749e-03, C3 = 2.48015872894767294178e-05,
                      C4 = -2.75573143513906633035e-07, C5 = 2.08757232129817482790e-09, C6 = -1.13596475577881948265e-11;
  int32_t ix = high(x) & 0x7fffffff;
  if (ix < 0x3e400000) return 1;
  double z = x * x, r = z * (C1 + z * (C2 + z * (C3 + z * (C4 + z * (C5 + z * C6)))));
  if (ix < 0x3fd33333) return 1 - (0.5 * z - (z * r - x * y));
  double qx = ix > 0x3fe90000 ? 0.28125 : of_bits((uint64_t)(uint32_t)(ix - 0x00200000) << 32);
  double hz = 0.5 * z - qx, a = 1 - qx;
  return a - (hz - (z * r - x * y));
}

/* 2/π in words of 24 bits. */
static const int32_t TWO_OVER_PI[66] = {
    0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041, 0xFE5163, 0xABDEBB, 0xC561B7,
    0x246E3A, 0x424DD2, 0xE00649, 0x2EEA09, 0xD1921C, 0xFE1DEB, 0x1CB129, 0xA73EE8, 0x8235F5, 0x2EBB44, 0x84E99C,
    0x7026B4, 0x5F7E41, 0x3991D6, 0x398353, 0x39F49C, 0x845F8B, 0xBDF928, 0x3B1FF8, 0x97FFDE, 0x05980F, 0xEF2F11,
    0x8B5A0A, 0x6D1F6D, 0x367ECF, 0x27CB09, 0xB74F46, 0x3F669E, 0x5FEA2D, 0x7527BA, 0xC7EBE5, 0xF17B3D, 0x0739F7,
    0x8A5292, 0xEA6BFB, 0x5FB11F, 0x8D5D08, 0x560330, 0x46FC7B, 0x6BABF0, 0xCFBC20, 0x9AF436, 0x1DA9E3, 0x91615E,
    0xE61B08, 0x659985, 0x5F14A0, 0x68408D, 0xFFD880, 0x4D7327, 0x310606, 0x1556CA, 0x73A8C9, 0x60E27B, 0xC08C6B,
};

/* π/2 in pieces of 24 bits. */
static const double PIO2[8] = {
    1.57079625129699707031e+00, 7.54978941586159635335e-08, 5.39030252995776476554e-15, 3.28200341580791294123e-22,
    1.27065575308067607349e-29, 1.22933308981111328932e-36, 2.73370053816464559624e-44, 2.16741683877804819444e-51,
};

typedef struct {
  double f[20], q[20];
  int32_t iq[20];
  int jz, q0, ih;
} reduction;

/* The product's digits of 24 bits, and what is left above them. */
static double digits_of(reduction *of) {
  double z = of->q[of->jz];
  for (int i = 0, j = of->jz; j > 0; i++, j--) {
    double carried = (double)(int32_t)(0x1p-24 * z);
    of->iq[i] = (int32_t)(z - 0x1p24 * carried);
    z = of->q[j - 1] + carried;
  }
  z = ldexp(z, of->q0);
  return z - 8 * floor(z * 0.125);
}

/* Takes the fraction to its distance from the next whole number, where that is nearer. */
static double complement(reduction *of, double z) {
  int carry = 0;
  for (int i = 0; i < of->jz; i++) {
    int32_t digit = of->iq[i];
    if (carry)
      of->iq[i] = 0xffffff - digit;
    else if (digit != 0) {
      carry = 1;
      of->iq[i] = 0x1000000 - digit;
    }
  }
  if (of->q0 == 1) of->iq[of->jz - 1] &= 0x7fffff;
  if (of->q0 == 2) of->iq[of->jz - 1] &= 0x3fffff;
  if (of->ih != 2) return z;
  return carry ? (1 - z) - ldexp(1, of->q0) : 1 - z;
}

/* The digits times π/2, as two doubles. */
static void times_half_pi(reduction *of, double z, double y[2]) {
  if (z == 0) {
    of->jz--;
    of->q0 -= 24;
    while (of->iq[of->jz] == 0) {
      of->jz--;
      of->q0 -= 24;
    }
  } else {
    z = ldexp(z, -of->q0);
    if (z >= 0x1p24) {
      double carried = (double)(int32_t)(0x1p-24 * z);
      of->iq[of->jz] = (int32_t)(z - 0x1p24 * carried);
      of->jz++;
      of->q0 += 24;
      of->iq[of->jz] = (int32_t)carried;
    } else
      of->iq[of->jz] = (int32_t)z;
  }
  double scale = ldexp(1, of->q0), fq[20], sum = 0;
  int jz = of->jz;
  for (int i = jz; i >= 0; i--) {
    of->q[i] = scale * of->iq[i];
    scale *= 0x1p-24;
  }
  for (int i = jz; i >= 0; i--) {
    double part = 0;
    for (int k = 0; k <= 4 && k <= jz - i; k++) part += PIO2[k] * of->q[i + k];
    fq[jz - i] = part;
  }
  for (int i = jz; i >= 0; i--) sum += fq[i];
  y[0] = of->ih == 0 ? sum : -sum;
  sum = fq[0] - sum;
  for (int i = 1; i <= jz; i++) sum += fq[i];
  y[1] = of->ih == 0 ? sum : -sum;
}

/* x = Σx[i]·2^(e0 − 24i), three digits, from π/2·n: Payne and Hanek. */
static int reduce_large(const double x[3], int jx, int e0, double y[2]) {
  reduction of;
  const int jk = 4;
  int jv = (e0 - 3) / 24 < 0 ? 0 : (e0 - 3) / 24, n;
  of.q0 = e0 - 24 * (jv + 1);
  for (int i = 0; i <= jx + jk; i++) of.f[i] = jv - jx + i < 0 ? 0 : TWO_OVER_PI[jv - jx + i];
  for (int i = 0; i <= jk; i++) {
    of.q[i] = 0;
    for (int j = 0; j <= jx; j++) of.q[i] += x[j] * of.f[jx + i - j];
  }
  of.jz = jk;
  for (;;) {
    double z = digits_of(&of);
    n = (int)z;
    z -= n;
    of.ih = 0;
    if (of.q0 > 0) {
      int32_t i = of.iq[of.jz - 1] >> (24 - of.q0);
      n += i;
      of.iq[of.jz - 1] -= i << (24 - of.q0);
      of.ih = of.iq[of.jz - 1] >> (23 - of.q0);
    } else if (of.q0 == 0)
      of.ih = of.iq[of.jz - 1] >> 23;
    else if (z >= 0.5)
      of.ih = 2;
    if (of.ih > 0) {
      n++;
      z = complement(&of, z);
    }
    int32_t any = 0;
    for (int i = of.jz - 1; i >= jk; i--) any |= of.iq[i];
    if (z != 0 || any != 0) {
      times_half_pi(&of, z, y);
      return n;
    }
    int more = 1;
    while (of.iq[jk - more] == 0) more++;
    for (int i = of.jz + 1; i <= of.jz + more; i++) {
      of.f[jx + i] = TWO_OVER_PI[jv + i];
      of.q[i] = 0;
      for (int j = 0; j <= jx; j++) of.q[i] += x[j] * of.f[jx + i - j];
    }
    of.jz += more;
  }
}

/* x − n·π/2 as two doubles, for |x| ≤ 2^19·π/2: Cody and Waite, in as many parts as cancel. */
static int reduce_medium(double t, int32_t ix, double y[2]) {
  static const double PART1 = 1.57079632673412561417e+00, TAIL1 = 6.07710050650619224932e-11, PART2 = 6.07710050630396597660e-11,
                      TAIL2 = 2.02226624879595063154e-21, PART3 = 2.02226624871116645580e-21, TAIL3 = 8.47842766036889956997e-32;
  int n = (int)(t * 6.36619772367581382433e-01 + 0.5), j = ix >> 20;
  double fn = n, r = t - fn * PART1, w = fn * TAIL1;
  y[0] = r - w;
  if (n >= 32 || ix == high(fn * 1.5707963267948966)) {
    if (j - ((high(y[0]) >> 20) & 0x7ff) > 16) {
      t = r;
      w = fn * PART2;
      r = t - w;
      w = fn * TAIL2 - ((t - r) - w);
      y[0] = r - w;
      if (j - ((high(y[0]) >> 20) & 0x7ff) > 49) {
        t = r;
        w = fn * PART3;
        r = t - w;
        w = fn * TAIL3 - ((t - r) - w);
        y[0] = r - w;
      }
    }
  }
  y[1] = (r - y[0]) - w;
  return n;
}

/* n mod 4 and more, and x − n·π/2 as two doubles. */
static int reduced(double x, double y[2]) {
  int32_t ix = high(x) & 0x7fffffff;
  y[0] = x;
  y[1] = 0;
  if (ix <= 0x3fe921fb) return 0;
  int n;
  if (ix <= 0x413921fb)
    n = reduce_medium(fabs(x), ix, y);
  else {
    int e0 = (ix >> 20) - 1046, jx = 2;
    double z = of_bits((uint64_t)(uint32_t)(ix - (e0 << 20)) << 32 | low(x)), digits[3];
    for (int i = 0; i < 2; i++) {
      digits[i] = (double)(int32_t)z;
      z = (z - digits[i]) * 0x1p24;
    }
    digits[2] = z;
    while (digits[jx] == 0) jx--;
    n = reduce_large(digits, jx, e0, y);
  }
  if (high(x) >= 0) return n;
  y[0] = -y[0];
  y[1] = -y[1];
  return -n;
}

double gdp_sin(double x) {
  double y[2];
  if ((high(x) & 0x7fffffff) >= 0x7ff00000) return x - x;
  int n = reduced(x, y) & 3;
  double value = n & 1 ? cosine(y[0], y[1]) : sine(y[0], y[1]);
  return n & 2 ? -value : value;
}

double gdp_cos(double x) {
  double y[2];
  if ((high(x) & 0x7fffffff) >= 0x7ff00000) return x - x;
  int n = reduced(x, y) & 3;
  double value = n & 1 ? sine(y[0], y[1]) : cosine(y[0], y[1]);
  return n == 1 || n == 2 ? -value : value;
}

static double arctangent(double x) {
  static const double HI[4] = {4.63647609000806093515e-01, 7.85398163397448278999e-01, 9.82793723247329054082e-01,
                               1.57079632679489655800e+00};
  static const double LO[4] = {2.26987774529616870924e-17, 3.06161699786838301793e-17, 1.39033110312309984516e-17,
                               6.12323399573676603587e-17};
  static const double A[11] = {3.33333333333329318027e-01, -1.99999999998764832476e-01, 1.42857142725034663711e-01,
                               -1.11111104054623557880e-01, 9.09088713343650656196e-02, -7.69187620504482999495e-02,
                               6.66107313738753120669e-02, -5.83357013379057348645e-02, 4.97687799461593236017e-02,
                               -3.65315727442169155270e-02, 1.62858201153657823623e-02};
  int32_t ix = high(x) & 0x7fffffff;
  int id = -1, negative = high(x) < 0;
  if (x != x) return x;
  if (ix >= 0x44100000) return negative ? -HI[3] - LO[3] : HI[3] + LO[3];
  if (ix < 0x3e400000) return x;
  if (ix >= 0x3fdc0000) {
    x = fabs(x);
    if (ix < 0x3fe60000) {
      id = 0;
      x = (2 * x - 1) / (2 + x);
    } else if (ix < 0x3ff30000) {
      id = 1;
      x = (x - 1) / (x + 1);
    } else if (ix < 0x40038000) {
      id = 2;
      x = (x - 1.5) / (1 + 1.5 * x);
    } else {
      id = 3;
      x = -1 / x;
    }
  }
  double z = x * x, w = z * z;
  double s1 = z * (A[0] + w * (A[2] + w * (A[4] + w * (A[6] + w * (A[8] + w * A[10])))));
  double s2 = w * (A[1] + w * (A[3] + w * (A[5] + w * (A[7] + w * A[9]))));
  if (id < 0) return x - x * (s1 + s2);
  z = HI[id] - ((x * (s1 + s2) - LO[id]) - x);
  return negative ? -z : z;
}

double gdp_atan2(double y, double x) {
  static const double PI = 3.1415926535897931160e+00, PI_LO = 1.2246467991473531772e-16;
  int32_t hx = high(x), ix = hx & 0x7fffffff, hy = high(y), iy = hy & 0x7fffffff;
  if (x != x || y != y) return x + y;
  if (x == 1) return arctangent(y);
  int m = (hy < 0 ? 1 : 0) | (hx < 0 ? 2 : 0);
  if (y == 0) return m < 2 ? y : m == 2 ? PI : -PI;
  if (x == 0) return m & 1 ? -PI / 2 : PI / 2;
  if (ix == 0x7ff00000) {
    double size = iy == 0x7ff00000 ? (m < 2 ? PI / 4 : 3 * (PI / 4)) : m < 2 ? 0 : PI;
    return m & 1 ? -size : size;
  }
  if (iy == 0x7ff00000) return m & 1 ? -PI / 2 : PI / 2;
  int k = (iy - ix) >> 20;
  double z;
  if (k > 60) {
    z = PI / 2 + 0.5 * PI_LO;
    m &= 1;
  } else
    z = hx < 0 && k < -60 ? 0 : arctangent(fabs(y / x));
  if (m < 2) return m ? -z : z;
  return m == 2 ? PI - (z - PI_LO) : (z - PI_LO) - PI;
}

double gdp_tanh(double x) {
  double size = fabs(x), z;
  if (x != x) return x;
  if (size < 0x1p-28) return x;
  if (size >= 22)
    z = 1;
  else if (size >= 1)
    z = 1 - 2 / (gdp_expm1(2 * size) + 2);
  else {
    double t = gdp_expm1(-2 * size);
    z = -t / (t + 2);
  }
  return x < 0 ? -z : z;
}

/* As V8 has it: the sum of squares of the shares of the larger, compensated. */
double gdp_hypot(double x, double y) {
  double size = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
  if (isinf(x) || isinf(y)) return INFINITY;
  if (x != x || y != y) return NAN;
  if (size == 0) return 0;
  double a = fabs(x) / size, b = fabs(y) / size, sum = a * a;
  double first = 0 + sum, lost = (first - 0) - sum, summand = b * b - lost;
  return sqrt(first + summand) * size;
}

/* A number as two: the first has zeros in its lower half. */
typedef struct {
  double head, tail;
} pair;

/* log2 of a positive number, to more than a double. `many`: it is raised to a power beyond 2^31, so that it is near 1. */
static pair log2_pair(double ax, int many) {
  static const double BP[2] = {1, 1.5}, DP_H[2] = {0, 5.84962487220764160156e-01}, DP_L[2] = {0, 1.35003920212974897128e-08};
  static const double B1 = 5.99999999999994648725e-01, B2 = 4.28571428578550184252e-01, B3 = 3.33333329818377432918e-01,
                      B4 = 2.72728123808534006489e-01, B5 = 2.30660745775561754067e-01, B6 = 2.06975017800338417784e-01;
  static const double CP = 9.61796693925975554329e-01, CP_H = 9.61796700954437255859e-01, CP_L = -7.02846165095275826516e-09;
  static const double INV_H = 1.44269502162933349609e+00, INV_L = 1.92596299112661746887e-08;
  if (many) {
    double t = ax - 1, w = (t * t) * (0.5 - t * (0.3333333333333333333333 - t * 0.25));
    double u = INV_H * t, v = t * INV_L - w * INV_LN2, head = without_low(u + v);
    return (pair){head, v - (head - u)};
  }
  int n = 0, k;
  if (high(ax) < 0x00100000) {
    ax *= 0x1p53;
    n = -53;
  }
  int32_t ix = high(ax), j = ix & 0x000fffff;
  n += (ix >> 20) - 0x3ff;
  ix = j | 0x3ff00000;
  if (j <= 0x3988e)
    k = 0;
  else if (j < 0xbb67a)
    k = 1;
  else {
    k = 0;
    n++;
    ix -= 0x00100000;
  }
  ax = with_high(ax, (uint32_t)ix);
  double u = ax - BP[k], v = 1 / (ax + BP[k]), ss = u * v, s_h = without_low(ss);
  double t_h = of_bits((uint64_t)(uint32_t)(((ix >> 1) | 0x20000000) + 0x00080000 + (k << 18)) << 32);
  double t_l = ax - (t_h - BP[k]), s_l = v * ((u - s_h * t_h) - s_h * t_l), s2 = ss * ss;
  double r = s2 * s2 * (B1 + s2 * (B2 + s2 * (B3 + s2 * (B4 + s2 * (B5 + s2 * B6)))));
  r += s_l * (s_h + ss);
  s2 = s_h * s_h;
  t_h = without_low(3 + s2 + r);
  t_l = r - ((t_h - 3) - s2);
  u = s_h * t_h;
  v = s_l * t_h + t_l * ss;
  double p_h = without_low(u + v), p_l = v - (p_h - u), z_h = CP_H * p_h, z_l = CP_L * p_h + p_l * CP + DP_L[k], t = n;
  double head = without_low(((z_h + z_l) + DP_H[k]) + t);
  return (pair){head, z_l - (((head - t) - DP_H[k]) - z_h)};
}

/* sign·2^(p_h + p_l). */
static double exp2_pair(double sign, double p_h, double p_l) {
  static const double LG2 = 6.93147180559945286227e-01, LG2_H = 6.93147182464599609375e-01, LG2_L = -1.90465429995776804525e-09;
  double z = p_l + p_h;
  int32_t j = high(z), i = (int32_t)low(z), n = 0;
  if (j >= 0x40900000) {
    if (((j - 0x40900000) | i) != 0 || p_l + 8.0085662595372944372e-17 > z - p_h) return sign * INFINITY;
  } else if ((j & 0x7fffffff) >= 0x4090cc00) {
    if (((uint32_t)j - 0xc090cc00u | (uint32_t)i) != 0 || p_l <= z - p_h) return sign * 0;
  }
  i = j & 0x7fffffff;
  int k = (i >> 20) - 0x3ff;
  if (i > 0x3fe00000) {
    n = j + (0x00100000 >> (k + 1));
    k = ((n & 0x7fffffff) >> 20) - 0x3ff;
    p_h -= of_bits((uint64_t)(uint32_t)(n & ~(0x000fffff >> k)) << 32);
    n = ((n & 0x000fffff) | 0x00100000) >> (20 - k);
    if (j < 0) n = -n;
  }
  double t = without_low(p_l + p_h), u = t * LG2_H, v = (p_l - (t - p_h)) * LG2 + t * LG2_L;
  z = u + v;
  double w = v - (z - u);
  t = z * z;
  double t1 = z - t * (P1 + t * (P2 + t * (P3 + t * (P4 + t * P5)))), r = (z * t1) / (t1 - 2) - (w + z * w);
  z = 1 - (r - z);
  j = high(z) + (int32_t)((uint32_t)n << 20);
  return sign * ((j >> 20) <= 0 ? ldexp(z, n) : with_high(z, (uint32_t)j));
}

/* 0 where y is no whole number, 1 where it is odd, 2 where it is even. */
static int parity(double y) {
  double size = fabs(y);
  if (size >= 0x1p53) return 2;
  if (size < 1 || size != floor(size)) return 0;
  return fmod(size, 2) == 1 ? 1 : 2;
}

double gdp_pow(double x, double y) {
  double ax = fabs(x);
  if (y == 0) return 1;
  if (x != x || y != y) return NAN;
  if (isinf(y)) return ax == 1 ? NAN : (ax > 1) == (y > 0) ? INFINITY : 0;
  if (y == 1) return x;
  if (y == -1) return 1 / x;
  if (y == 2) return x * x;
  if (y == 0.5 && high(x) >= 0) return sqrt(x);
  int negative = high(x) < 0, whole = negative ? parity(y) : 2;
  if (ax == 0 || ax == 1 || isinf(x)) {
    double z = y < 0 ? 1 / ax : ax;
    if (!negative) return z;
    return ax == 1 && whole == 0 ? NAN : whole == 1 ? -z : z;
  }
  if (whole == 0) return NAN;
  double sign = negative && whole == 1 ? -1 : 1;
  int many = (high(y) & 0x7fffffff) > 0x41e00000;
  if (many) {
    int32_t ix = high(ax);
    if (ix < 0x3fefffff) return sign * (y < 0 ? INFINITY : 0);
    if (ix > 0x3ff00000) return sign * (y > 0 ? INFINITY : 0);
    if ((high(y) & 0x7fffffff) > 0x43f00000) return (ix >= 0x3ff00000) == (y > 0) ? INFINITY : 0;
  }
  pair of = log2_pair(ax, many);
  double y1 = without_low(y);
  return exp2_pair(sign, y1 * of.head, (y - y1) * of.head + y * of.tail);
}
