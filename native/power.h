/*
 * Included before every file of QuickJS: powers that the script takes are those of JavaScript's own engines in every C library.
 * Squares are products, powers of two are exact. The script takes no other function from Math whose last digit an answer shows.
 */
#ifndef GDP_POWER_H
#define GDP_POWER_H

#include <math.h>

static inline double gdp_power(double x, double y) {
  if (y == 2) return x * x;
  if (x == 2 && y == floor(y) && fabs(y) < 2000) return ldexp(1, (int)y);
  return pow(x, y);
}

#define pow gdp_power

#endif
