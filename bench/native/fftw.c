/* Milliseconds of one FFTW round trip (r2c, then c2r) of N reals, least and median of as many as fit into the time.
   Usage: fftw N MILLISECONDS WISDOM_FILE; the plan is measured once and kept in the file. */
#include <fftw3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MOST 100000
static double seen[MOST];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1e3 * t.tv_sec + 1e-6 * t.tv_nsec;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(int argc, char **argv) {
  if (argc != 4) return 2;
  const int n = atoi(argv[1]);
  const double budget = atof(argv[2]);
  double *x = fftw_alloc_real(n);
  fftw_complex *spectrum = fftw_alloc_complex(n / 2 + 1);
  fftw_import_wisdom_from_filename(argv[3]);
  const fftw_plan forward = fftw_plan_dft_r2c_1d(n, x, spectrum, FFTW_MEASURE);
  const fftw_plan backward = fftw_plan_dft_c2r_1d(n, spectrum, x, FFTW_MEASURE);
  if (!fftw_export_wisdom_to_filename(argv[3])) return 1;
  for (int i = 0; i < n; i++) x[i] = (double)(i % 1021) / n;
  const double end = now() + budget;
  int rounds = 0;
  do {
    const double start = now();
    fftw_execute(forward);
    fftw_execute(backward);
    seen[rounds++] = now() - start;
    for (int i = 0; i < n; i++) x[i] /= n;
  } while (rounds < MOST && now() < end);
  qsort(seen, rounds, sizeof seen[0], ascending);
  printf("%.9g %.9g\n", seen[0], seen[rounds / 2]);
  return 0;
}
