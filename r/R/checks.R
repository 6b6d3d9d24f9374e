#' Whether a run is Gaussian differential privacy, and what others say of it
#'
#' `identify` says whether the run is mu-GDP at all; `measure` brackets mu over epsilons from 0 up, for comparison (to publish mu, use [mu()]);
#' `compare` has what other accountants say; `amplify` is the run on a Poisson sample of the records.
#'
#' @param x An [account()], or what it takes as `run`.
#' @param epsilon_head Right end of the epsilons, which begin at 0.
#' @param resolution mu is bracketed to 1/`resolution`.
#' @param delta,epsilon Epsilon is compared at `delta`, or delta at `epsilon`.
#' @param rate,mu Sampling rate of the whole, or the mu to reach: the largest rate found is answered.
#' @return `identify` a list of `verdict`, `standing`, `tail_mu` ([brackets] or `NULL`) and `reason`; `measure` brackets with a column `of`;
#'   `compare` a data frame of `name`, `kind` (`exact`, `guarantee`: an upper bound, `approximation`: may be wrong), `lower`, `upper` and `source`, with
#'   the reasons of those that have no answer as attribute `unavailable`; `amplify` a list of `rate` and `mu`, brackets.
#' @examples
#' run <- account(list(history = list(c(2, 1, 30))))
#' identify(run)$verdict
#' measure(run, epsilon_head = 3)
#' compare(run)
#' amplify(run, rate = 0.1, epsilon_head = 1)
#' @export
identify <- function(x) {
  found <- ask_account(as_account(x), "identify")$answer
  tail <- if (!is.null(found$tailMu)) brackets("tail_mu", data.frame(of = "tail"), list(found$tailMu))
  list(verdict = found$verdict, standing = found$standing, tail_mu = tail, reason = found$reason)
}

#' @rdname identify
#' @export
measure <- function(x, epsilon_head = 10, resolution = 1000) {
  found <- ask_account(as_account(x), "measure", epsilon_head = epsilon_head, resolution = resolution)$answer
  of <- data.frame(of = c("head mu", "mu over all rates", "failure"))
  brackets("value", of, list(found$headMu, found$muAllRates, found$failure))
}

#' @rdname identify
#' @export
compare <- function(x, delta = if (is.null(epsilon)) 1e-5, epsilon = NULL) {
  found <- ask_account(as_account(x), "compare", delta = delta, epsilon = epsilon)$answer
  others <- found$baselines
  told <- function(name) vapply(others, function(each) each[[name]], "")
  value <- vapply(others, function(each) as_number(each$value), 0)
  table <- data.frame(
    name = c("gdp-kernel", told("name")), kind = c("exact", told("kind")), lower = c(as_number(found$exact$lower), value),
    upper = c(as_number(found$exact$upper), value), source = c("", told("source"))
  )
  reasons <- vapply(found$unavailable, function(each) each$reason, "")
  structure(table, unavailable = setNames(reasons, vapply(found$unavailable, function(each) each$name, "")))
}

#' @rdname identify
#' @export
amplify <- function(x, rate = NULL, mu = NULL, epsilon_head = 10, resolution = 1000) {
  found <- ask_account(as_account(x), "amplify", rate = rate, mu = mu, epsilon_head = epsilon_head, resolution = resolution)$answer
  if (identical(found$reachable, FALSE)) refuse(paste("out of reach:", found$reason))
  measured <- if (is.null(found$measured)) found else found$measured
  of <- data.frame(epsilon_head = as_number(measured$epsilonHead))
  list(rate = as_number(found$rate), mu = brackets("mu", of, list(measured$headMu)))
}

#' What is published, checked
#'
#' `lint` checks a claim against the run, or against the run that it describes; `certify` gives delta at an epsilon with what a second computation
#' needs, and `verify` is that computation, which shares no code with the first.
#'
#' @param claim What is published: a list such as `list(epsilon = 2, delta = 1e-5)`, or the path or text of a file.
#' @param run What was run: an [account()], or what it takes; or nothing, where the claim describes its run.
#' @param x An [account()], or what it takes as `run`.
#' @param epsilon Where delta is certified.
#' @param certificate What `certify` gave, or the path or text of a file.
#' @return `lint` a data frame of findings: `id`, `severity`, `sentence` and `way_out`, what to publish in its place; `certify` a list, as JSON has
#'   it; `verify` a list of `verdict` (`"confirmed"`, `"refuted"`, `"undecided"` or `"unsupported"`), `reason`, `log_delta` and `error`.
#' @examples
#' run <- account(list(history = list(c(2, 1, 30))))
#' lint(list(epsilon = 2, delta = 1e-5), run)$way_out
#' verify(certify(run, 8))$verdict
#' @export
lint <- function(claim, run = NULL) {
  params <- if (is.null(run)) source_of(claim, "claim") else {
    x <- as_account(run)
    c(x$source, x$options, list(claim = "claim", files = list(claim = as_file(claim, "claim"))))
  }
  found <- ask_gdp("lint", params)$answer$findings
  told <- function(name) vapply(found, function(each) each[[name]], "")
  data.frame(id = told("id"), severity = told("severity"), sentence = told("sentence"), way_out = told("wayOut"))
}

#' @rdname lint
#' @export
certify <- function(x, epsilon) ask_account(as_account(x), "certify", epsilon = epsilon)$answer

#' @rdname lint
#' @export
verify <- function(certificate) {
  found <- ask_gdp("verify", source_of(certificate, "certificate"))$answer
  list(verdict = found$verdict, reason = found$reason, log_delta = as_number(found$logDelta), error = as_number(found$error))
}

#' Guarantees of other kinds, and noise by formulas
#'
#' `convert` gives a guarantee that follows from another; `noise` the noise of one Gaussian release by published formulas, of which the first is the
#' least that serves.
#'
#' @param from A text such as `"zcdp:0.5"`, a list, or an [account()].
#' @param to `"pure-dp"`, `"approximate-dp"`, `"gdp"`, `"zcdp"`, `"rdp"`, `"tabulated"`, `"trade-off"` or `"probabilistic-dp"`.
#' @param ... `delta` or `epsilon`, for `"approximate-dp"`; `order` for `"rdp"`, `alpha` for `"trade-off"`, `count` for so many releases.
#' @param epsilon,delta The target.
#' @param sensitivity L2 sensitivity of the query.
#' @return `convert` a list of `guarantee`, `values` ([brackets]) and `theorem`; `noise` brackets with `name`, `gives` and `source`.
#' @examples
#' convert("zcdp:0.5", "approximate-dp", delta = 1e-6)$guarantee
#' noise(1, 1e-5)
#' @export
convert <- function(from, to, ...) {
  source <- if (inherits(from, "gdp_account")) from$source else if (is.list(from)) list(input = from) else list(from = from)
  found <- ask_gdp("convert", c(source, list(to = to, ...)))$answer
  if (!is.null(found$refused)) refuse(sprintf("%s is not converted into %s: %s", found$from, found$to, found$refused))
  values <- brackets("value", data.frame(number = seq_along(found$values)), found$values)
  list(guarantee = found$guarantee, values = values, theorem = found$theorem)
}

#' @rdname convert
#' @export
noise <- function(epsilon, delta, sensitivity = 1) {
  found <- ask_gdp("noise", list(epsilon = epsilon, delta = delta, sensitivity = sensitivity))$answer$noises
  told <- function(name) vapply(found, function(each) each[[name]], "")
  of <- data.frame(name = told("name"), gives = told("gives"), source = told("source"))
  brackets("sigma", of, lapply(found, function(each) each$sigma))
}
