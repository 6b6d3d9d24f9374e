/* The lines of README.md build this. With a file of "question at count noise rate steps …" a line it answers each. */
#include "gdp_kernel.h"

#include <stdio.h>

#define PHASES 64

static gdp_function *question_of(char name) {
  if (name == 'd') return w2c_kernel_gdp_run_delta;
  return name == 'm' ? w2c_kernel_gdp_run_mu : w2c_kernel_gdp_run_epsilon;
}

static int answer_lines(w2c_kernel *kernel, const char *path) {
  FILE *file = fopen(path, "r");
  if (file == NULL) return 2;
  char name[10];
  double at;
  unsigned count;
  while (fscanf(file, "%9s %lf %u", name, &at, &count) == 3 && count <= PHASES) {
    gdp_phase phases[PHASES];
    for (unsigned i = 0; i < count; i++)
      if (fscanf(file, "%lf %lf %lf", &phases[i].noise_multiplier, &phases[i].sampling_rate, &phases[i].steps) != 3) return 2;
    gdp_bracket found;
    int end = gdp_ask_run(kernel, question_of(name[0]), phases, count, at, 1e-6, 1e9, &found);
    printf("%d %.17g %.17g\n", end, found.lower, found.upper);
  }
  fclose(file);
  return 0;
}

int main(int argc, char **argv) {
  w2c_kernel kernel;
  wasm2c_kernel_instantiate(&kernel);
  if (argc > 1) return answer_lines(&kernel, argv[1]);
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
