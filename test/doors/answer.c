/* libgdp in C as a door (ask.py). */
#include "gdp.h"

#include <stdio.h>
#include <string.h>

int main(void) {
  static char line[1 << 20];
  gdp *it = gdp_open();
  while (fgets(line, sizeof line, stdin) != NULL) {
    line[strcspn(line, "\n")] = '\0';
    char *said = gdp_ask(it, line);
    puts(said == NULL ? "" : said);
    fflush(stdout);
    gdp_free(said);
  }
  gdp_close(it);
  return 0;
}
