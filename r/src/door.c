/*
 * The door of R: one request as text, one response. An accountant (gdp.h) is opened by the first question and closed with the package; a process
 * that was forked opens its own. A thread asks, while R looks for an interrupt twenty times a second.
 */
#include "gdp.h"
#include "ledger.h"

#include <R.h>
#include <R_ext/Rdynload.h>
#include <R_ext/Utils.h>
#include <Rinternals.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Bytes of the stack of a thread that asks; more than the library needs (gdp.h). */
#define STACK (4u << 20)
/* Nanoseconds between two looks at R's interrupts. */
#define LOOK 50000000L

static gdp *accountant;
static pid_t owner;

typedef struct {
  const char *request;
  char *said;
  int done;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t ended;
} question;

static void *answer(void *of) {
  question *asked = of;
  char *said = gdp_ask(accountant, asked->request);
  pthread_mutex_lock(&asked->lock);
  asked->said = said;
  asked->done = 1;
  pthread_cond_signal(&asked->ended);
  pthread_mutex_unlock(&asked->lock);
  return NULL;
}

/* Waits for a moment; whether the answer is there. */
static int waited(question *asked) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += LOOK;
  if (until.tv_nsec >= 1000000000L) {
    until.tv_sec += 1;
    until.tv_nsec -= 1000000000L;
  }
  pthread_mutex_lock(&asked->lock);
  int why = 0;
  while (!asked->done && why != ETIMEDOUT) why = pthread_cond_timedwait(&asked->ended, &asked->lock, &until);
  int done = asked->done;
  pthread_mutex_unlock(&asked->lock);
  return done;
}

static void end(question *asked) {
  pthread_join(asked->thread, NULL);
  pthread_cond_destroy(&asked->ended);
  pthread_mutex_destroy(&asked->lock);
}

static SEXP look(void *nothing) {
  (void)nothing;
  R_CheckUserInterrupt();
  return R_NilValue;
}

/* On the way out of an interrupted question: it is cancelled, and nobody is left asking. */
static void leave(void *of, Rboolean jumps) {
  question *asked = of;
  if (!jumps) return;
  do gdp_interrupt(accountant);
  while (!waited(asked));
  end(asked);
  gdp_free(asked->said);
  free(asked);
}

static int start(question *asked) {
  pthread_attr_t how;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, STACK);
#ifndef _WIN32
  /* signals are R's own thread's */
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
#endif
  int why = pthread_create(&asked->thread, &how, answer, asked);
#ifndef _WIN32
  pthread_sigmask(SIG_SETMASK, &before, NULL);
#endif
  pthread_attr_destroy(&how);
  return why;
}

static SEXP ask(SEXP request) {
  if (TYPEOF(request) != STRSXP || LENGTH(request) != 1) Rf_error("a request is one text");
  if (owner != getpid()) accountant = NULL;
  if (accountant == NULL) accountant = gdp_open();
  owner = getpid();
  question *asked = accountant == NULL ? NULL : calloc(1, sizeof *asked);
  if (asked == NULL) Rf_error("there is no memory for the accountant");
  asked->request = CHAR(STRING_ELT(request, 0));
  pthread_mutex_init(&asked->lock, NULL);
  pthread_cond_init(&asked->ended, NULL);
  if (start(asked) != 0) {
    free(asked);
    Rf_error("there is no thread for the accountant");
  }
  while (!waited(asked)) R_UnwindProtect(look, NULL, leave, asked, NULL);
  end(asked);
  char *said = asked->said;
  free(asked);
  if (said == NULL) Rf_error("there is no memory for the answer");
  SEXP text = PROTECT(Rf_mkCharCE(said, CE_UTF8));
  gdp_free(said);
  SEXP answered = Rf_ScalarString(text);
  UNPROTECT(1);
  return answered;
}

static SEXP close_accountant(void) {
  if (owner == getpid()) gdp_close(accountant);
  accountant = NULL;
  return R_NilValue;
}

static const char *text_of(SEXP x) { return CHAR(STRING_ELT(x, 0)); }

/* Why a file could not be written, or NULL. */
static SEXP system_says(int why) { return why == 0 ? R_NilValue : Rf_mkString(strerror(why)); }

static SEXP append(SEXP path, SEXP text) { return system_says(ledger_append(text_of(path), text_of(text))); }

static SEXP make(SEXP path, SEXP beside, SEXP text) { return system_says(ledger_make(text_of(path), text_of(beside), text_of(text))); }

static SEXP digits(void) {
  unsigned char bytes[8];
  char text[17];
  if (ledger_random(bytes, sizeof bytes) != 0) Rf_error("the system has no random numbers");
  for (int i = 0; i < 8; i++) snprintf(text + 2 * i, 3, "%02x", bytes[i]);
  return Rf_mkString(text);
}

static const R_CallMethodDef CALLS[] = {
    {"ask", (DL_FUNC)&ask, 1},       {"close_accountant", (DL_FUNC)&close_accountant, 0},
    {"append", (DL_FUNC)&append, 2}, {"make", (DL_FUNC)&make, 3},
    {"digits", (DL_FUNC)&digits, 0}, {NULL, NULL, 0}};

void R_init_gdpkernel(DllInfo *library) {
  R_registerRoutines(library, NULL, CALLS, NULL, NULL);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
