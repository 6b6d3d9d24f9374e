/* cc -O2 -I. example.c gdp_epsilon.c -L. -lgdp -Wl,-rpath,. -o example && ./example. With a file of requests it answers each of its lines. */
#include "gdp_epsilon.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Answers the lines of a file, one a line. */
static int answer_lines(gdp *it, const char *path) {
  FILE *file = fopen(path, "rb");
  char *line = malloc(1 << 20);
  if (file == NULL || line == NULL) return 2;
  while (fgets(line, 1 << 20, file) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *said = gdp_ask(it, line);
    puts(said == NULL ? "" : said);
    gdp_free(said);
  }
  free(line);
  fclose(file);
  return 0;
}

int main(int argc, char **argv) {
  gdp *it = gdp_open();
  if (it == NULL) return 2;
  if (argc > 1) return answer_lines(it, argv[1]);
  gdp_bracket epsilon;
  char message[200];
  if (gdp_epsilon(it, (gdp_run){1.1, 0.01, 1000}, 1e-5, &epsilon, message, sizeof message) == 0)
    printf("epsilon is in [%.17g, %.17g]\n", epsilon.lower, epsilon.upper);
  if (gdp_epsilon(it, (gdp_run){1.1, 2, 1000}, 1e-5, &epsilon, message, sizeof message) != 0) printf("%s\n", message);
  gdp_close(it);
  return 0;
}
