#include "gdp_epsilon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number of JSON, or "Infinity", at the first `name` in a text. */
static int number_at(const char *text, const char *name, double *value) {
  const char *at = strstr(text, name);
  if (at == NULL) return 1;
  at += strlen(name);
  if (strncmp(at, "\"Infinity\"", 10) == 0) {
    *value = INFINITY;
    return 0;
  }
  char *end;
  *value = strtod(at, &end);
  return end == at;
}

/* The string of JSON at the first "message", without its escapes. */
static void message_of(const char *text, char *message, size_t room) {
  const char *at = strstr(text, "\"message\":\"");
  size_t n = 0;
  for (at = at == NULL ? "" : at + 11; *at != '\0' && *at != '"' && n + 1 < room; at++) {
    if (*at == '\\' && at[1] != '\0') at++;
    message[n++] = *at;
  }
  if (room > 0) message[n] = '\0';
}

static int ask(gdp *it, const char *method, const char *at, double value, gdp_run run, gdp_bracket *found, char *message, size_t room) {
  char request[400], name[40];
  snprintf(request, sizeof request,
           "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{\"noise-multiplier\":\"%.17g\",\"sampling-rate\":\"%.17g\","
           "\"steps\":%ld,\"%s\":\"%.17g\"}}",
           method, run.noise_multiplier, run.sampling_rate, run.steps, at, value);
  char *said = gdp_ask(it, request);
  if (said == NULL) {
    snprintf(message, room, "no memory for an answer");
    return 1;
  }
  snprintf(name, sizeof name, "\"%s\":{\"lower\":", method);
  const char *bracket = strstr(said, name);
  int failed = bracket == NULL || number_at(bracket, "\"lower\":", &found->lower) || number_at(bracket, "\"upper\":", &found->upper);
  if (failed) message_of(said, message, room);
  gdp_free(said);
  return failed;
}

int gdp_epsilon(gdp *it, gdp_run run, double delta, gdp_bracket *found, char *message, size_t room) {
  return ask(it, "epsilon", "delta", delta, run, found, message, room);
}

int gdp_delta(gdp *it, gdp_run run, double epsilon, gdp_bracket *found, char *message, size_t room) {
  return ask(it, "delta", "epsilon", epsilon, run, found, message, room);
}
