/* ε and δ of a run of DP-SGD over libgdp, for C. Link with -lgdp; gdp.h is beside the library. */
#ifndef GDP_EPSILON_H
#define GDP_EPSILON_H

#include "gdp.h"

/* Two numbers between which the exact one lies. */
typedef struct {
  double lower, upper;
} gdp_bracket;

typedef struct {
  double noise_multiplier, sampling_rate;
  long steps;
} gdp_run;

/*
 * Puts ε at `delta`, or δ at `epsilon`, into `found`. Nought, or not nought where the question is refused: `message` then holds
 * the library's sentence, cut to `room` bytes.
 */
int gdp_epsilon(gdp *it, gdp_run run, double delta, gdp_bracket *found, char *message, size_t room);
int gdp_delta(gdp *it, gdp_run run, double epsilon, gdp_bracket *found, char *message, size_t room);

#endif
