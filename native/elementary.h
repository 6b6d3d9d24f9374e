/* Included before every file of QuickJS: its Math takes these functions in place of the system's, so that no C library changes a bit. */
#ifndef GDP_ELEMENTARY_H
#define GDP_ELEMENTARY_H

#include <math.h>

double gdp_exp(double x);
double gdp_expm1(double x);
double gdp_log(double x);
double gdp_log1p(double x);
double gdp_log2(double x);
double gdp_log10(double x);
double gdp_sin(double x);
double gdp_cos(double x);
double gdp_atan2(double y, double x);
double gdp_tanh(double x);
double gdp_hypot(double x, double y);
double gdp_pow(double x, double y);

#ifndef GDP_ELEMENTARY_ITSELF
#define exp gdp_exp
#define expm1 gdp_expm1
#define log gdp_log
#define log1p gdp_log1p
#define log2 gdp_log2
#define log10 gdp_log10
#define sin gdp_sin
#define cos gdp_cos
#define atan2 gdp_atan2
#define tanh gdp_tanh
#define hypot gdp_hypot
#define pow gdp_pow
#endif

#endif
