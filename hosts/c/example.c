#include "gdp_epsilon.h"

#include <stdio.h>

int main(void) {
  gdp *it = gdp_open();
  if (it == NULL) return 2;
  gdp_bracket epsilon;
  char message[200];
  if (gdp_epsilon(it, (gdp_run){1.1, 0.01, 1000}, 1e-5, &epsilon, message, sizeof message) == 0)
    printf("epsilon is in [%.17g, %.17g]\n", epsilon.lower, epsilon.upper);
  if (gdp_epsilon(it, (gdp_run){1.1, 2, 1000}, 1e-5, &epsilon, message, sizeof message) != 0) printf("%s\n", message);
  gdp_close(it);
  return 0;
}
