#include "gdp_kernel.h"

#include <stdio.h>

int main(void) {
  w2c_kernel kernel;
  wasm2c_kernel_instantiate(&kernel);
  gdp_phase run[] = {{1.1, 0.01, 1000}, {1.3, 0.02, 500}};
  gdp_bracket epsilon;
  if (gdp_ask_run(&kernel, w2c_kernel_gdp_run_epsilon, run, 2, 1e-5, 1e-6, 1e9, &epsilon) == GDP_ANSWERED)
    printf("epsilon is in [%.17g, %.17g]\n", epsilon.lower, epsilon.upper);
  run[1].sampling_rate = 2;
  if (gdp_ask_run(&kernel, w2c_kernel_gdp_run_epsilon, run, 2, 1e-5, 1e-6, 1e9, &epsilon) == GDP_REFUSED)
    printf("a rate of 2 is refused\n");
  wasm2c_kernel_free(&kernel);
  return 0;
}
