/*
 * kernel.wasm in C: ε, δ and μ of DP-SGD without JavaScript. wasm2c makes kernel.h and kernel.c of the module; wasm-rt.h and wasm-rt.c stand in native/.
 * docs/host-kernel.md describes the functions of the module. One instance serves one thread.
 */
#ifndef GDP_KERNEL_H
#define GDP_KERNEL_H

#include "kernel.h"

#include <setjmp.h>
#include <string.h>

/* Steps of the Gaussian mechanism: noise as a multiple of the sensitivity, the rate of a Poisson sample (1: none), how many steps. */
typedef struct {
  double noise_multiplier, sampling_rate, steps;
} gdp_phase;

/* A bracket that contains the exact value, and the units of work that it cost. */
typedef struct {
  double lower, upper, work;
} gdp_bracket;

/* How a question ends. Without an answer the bracket is that of what is known: nothing. */
typedef enum {
  GDP_ANSWERED,
  GDP_NOT_ANSWERED, /* the whole accountant has other methods: libgdp, gdp.wasm */
  GDP_LIMITED,      /* the allowance was spent */
  GDP_REFUSED       /* a number is none of a run or a question: both ends are NaN */
} gdp_end;

typedef double gdp_function(w2c_kernel *, double, double, double);

/* Asks w2c_kernel_gdp_run_epsilon, _delta or _mu of phases: at δ, ε or the least error rate, for a relative width, within an allowance of units. */
static inline gdp_end gdp_ask_run(w2c_kernel *kernel, gdp_function *question, const gdp_phase *phases, unsigned count,
                                  double at, double tolerance, double allowance, gdp_bracket *found) {
  *found = (gdp_bracket){0, 1.0 / 0.0, 0};
  unsigned address = w2c_kernel_gdp_run(kernel, count);
  if (address == 0) return GDP_NOT_ANSWERED;
  memcpy(w2c_kernel_memory(kernel)->data + address + 64, phases, count * sizeof *phases);
  jmp_buf trapped, *outer = gdp_trap_to;
  volatile double end = GDP_NOT_ANSWERED;
  gdp_trap_to = &trapped;
  /* a question without room for its numbers traps, and leaves nothing behind */
  if (setjmp(trapped) == 0) {
    end = question(kernel, at, tolerance, allowance);
    memcpy(found, w2c_kernel_memory(kernel)->data + address, sizeof *found);
  }
  gdp_trap_to = outer;
  return (gdp_end)(int)end;
}

#endif
