/* Milliseconds of FFTW on N reals, least and median of as many as fit into the time: a round trip (r2c, then c2r), or a
   convolution (two r2c, the product of the spectra, c2r).
   Usage: fftw N MILLISECONDS WISDOM_FILE [convolve]; the plans are measured once and kept in the file. */
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
  if (argc != 4 && argc != 5) return 2;
  const int n = atoi(argv[1]), convolve = argc == 5;
  const double budget = atof(argv[2]);
  double *x = fftw_alloc_real(n), *y = fftw_alloc_real(n), *out = fftw_alloc_real(n);
  fftw_complex *s = fftw_alloc_complex(n / 2 + 1), *t = fftw_alloc_complex(n / 2 + 1);
  fftw_import_wisdom_from_filename(argv[3]);
  const fftw_plan forward = fftw_plan_dft_r2c_1d(n, x, s, FFTW_MEASURE);
  const fftw_plan backward = fftw_plan_dft_c2r_1d(n, s, x, FFTW_MEASURE);
  if (!fftw_export_wisdom_to_filename(argv[3])) return 1;
  for (int i = 0; i < n; i++) x[i] = y[i] = convolve && i >= n / 2 ? 0 : (double)(i % 1021) / n;
  const double end = now() + budget;
  int rounds = 0;
  do {
    const double start = now();
    fftw_execute(forward);
    if (convolve) {
      fftw_execute_dft_r2c(forward, y, t);
      for (int k = 0; k <= n / 2; k++) {
        const double re = (s[k][0] * t[k][0] - s[k][1] * t[k][1]) / n;
        s[k][1] = (s[k][0] * t[k][1] + s[k][1] * t[k][0]) / n;
        s[k][0] = re;
      }
      fftw_execute_dft_c2r(backward, s, out);
    } else fftw_execute(backward);
    seen[rounds++] = now() - start;
    if (!convolve)
      for (int i = 0; i < n; i++) x[i] /= n;
  } while (rounds < MOST && now() < end);
  qsort(seen, rounds, sizeof seen[0], ascending);
  printf("%.9g %.9g\n", seen[0], seen[rounds / 2]);
  return 0;
}
