/* hosts/kernel as a door (ask.py): "question at count noise rate steps …" a line, answered by how it ended and the bits of both ends. */
#include "gdp_kernel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define PHASES 64

static gdp_function *question_of(char name) {
  if (name == 'd') return w2c_kernel_gdp_run_delta;
  return name == 'm' ? w2c_kernel_gdp_run_mu : w2c_kernel_gdp_run_epsilon;
}

static void print_bits(double x, char after) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  if (isnan(x))
    printf("nan%c", after);
  else
    printf("%016" PRIx64 "%c", bits, after);
}

int main(void) {
  w2c_kernel kernel;
  wasm2c_kernel_instantiate(&kernel);
  char name[10];
  double at;
  unsigned count;
  while (scanf("%9s %lf %u", name, &at, &count) == 3 && count <= PHASES) {
    gdp_phase phases[PHASES];
    for (unsigned i = 0; i < count; i++)
      if (scanf("%lf %lf %lf", &phases[i].noise_multiplier, &phases[i].sampling_rate, &phases[i].steps) != 3) return 2;
    gdp_bracket found;
    int end = gdp_ask_run(&kernel, question_of(name[0]), phases, count, at, 1e-6, 1e9, &found);
    printf("%d ", end);
    print_bits(found.lower, ' ');
    print_bits(found.upper, '\n');
    fflush(stdout);
  }
  wasm2c_kernel_free(&kernel);
  return 0;
}
