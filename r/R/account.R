#' The account of a run
#'
#' Says what was run. Nothing is computed before it is asked for.
#'
#' @param run What was run: the path of a file (an Opacus state, a checkpoint, a DpEvent, ...), the text of one, or its data as a list, such as
#'   `list(kind = "gaussian", noiseMultiplier = 2)` or `list(history = matrix(c(1.1, 0.01, 1000), 1))`.
#' @param noise_multiplier,sampling_rate,steps In place of `run`, DP-SGD with Poisson batches: noise over clipping norm, the probability that a
#'   record is in a batch, in \[0, 1\], and the number of optimisation steps.
#' @param adjacency `"add-remove"`, `"replace-one"` or `"zero-out"`; by default what the run says, else add-remove.
#' @param tolerance Relative width of brackets to aim at, 1e-6 by default.
#' @param method `"auto"`, `"closed-form"`, `"spectral"` or `"grid"`.
#' @param allow_empty_history Whether a history without steps is a run that released nothing. By default it is refused, since Opacus'
#'   GaussianAccountant of 1.1 to 1.3 empties its history when it is asked for epsilon.
#' @param x,object An account.
#' @param alpha_min As in [mu()].
#' @param ... Passed on.
#' @return An object of class `gdp_account`, to be asked by [epsilon()], [delta()], [mu()], [tradeoff()] and [report()]. Its `summary` and
#'   `as.data.frame` hold epsilon at 1e-5 and mu, and its `plot` is the trade-off function.
#' @section Errors: What cannot be answered is an error of class `gdp_refused`, in a sentence that names the argument; where there is no answer
#'   (no memory, say) it is one of class `gdp_failure`. A number never stands in for one. What the accountant assumed is a message of class
#'   `gdp_note`.
#' @examples
#' run <- account(noise_multiplier = 1.1, sampling_rate = 0.01, steps = 1000)
#' summary(run)
#' @export
account <- function(run, noise_multiplier, sampling_rate, steps, adjacency = NULL, tolerance = NULL, method = NULL,
                    allow_empty_history = FALSE) {
  phase <- !c(noise_multiplier = missing(noise_multiplier), sampling_rate = missing(sampling_rate), steps = missing(steps))
  if (missing(run)) {
    if (!all(phase)) {
      refuse(sprintf("account needs a run, or noise_multiplier, sampling_rate and steps: %s is missing", names(phase)[!phase][[1L]]))
    }
    source <- list(input = dp_sgd(noise_multiplier, sampling_rate, steps))
    called <- sprintf("DP-SGD, noise multiplier %s, sampling rate %s, %s steps", noise_multiplier, sampling_rate, steps)
  } else {
    if (any(phase)) refuse(sprintf("give either run or %s, not both", names(phase)[phase][[1L]]))
    source <- source_of(run)
    called <- if (is.null(source$inputBase64)) "what was given" else run
  }
  empty <- if (isTRUE(allow_empty_history)) TRUE
  options <- list(adjacency = adjacency, tolerance = tolerance, method = method, allow_empty_history = empty)
  structure(list(source = source, options = options, called = called), class = "gdp_account")
}

dp_sgd <- function(noise_multiplier, sampling_rate, steps) {
  require_number("noise_multiplier", noise_multiplier, "a finite number >= 0", function(x) x >= 0 && x < Inf)
  require_number("sampling_rate", sampling_rate, "a number in [0, 1]", function(x) x >= 0 && x <= 1)
  require_number("steps", steps, "a whole number >= 0", function(x) x >= 0 && x == floor(x) && x < Inf)
  list(kind = "dp-sgd", noiseMultiplier = noise_multiplier, samplingRate = sampling_rate, steps = steps)
}

require_number <- function(name, value, expected, holds) {
  met <- is.numeric(value) && length(value) == 1L && !is.na(value) && holds(value)
  if (!met) refuse(sprintf('"%s" must be %s, got %s', name, expected, paste(deparse(value, 60L)[[1L]])))
}

# The run as a request has it: what its file holds, as text, data or bytes.
source_of <- function(run, name = "run") {
  if (inherits(run, "gdp_account")) refuse("run is an account already")
  if (!is.character(run)) {
    if (!is.list(run)) refuse(sprintf("%s must be a path, a text or a list, got %s", name, class(run)[[1L]]))
    return(list(input = run))
  }
  if (length(run) != 1L || is.na(run)) refuse(paste(name, "must be one text"))
  if (is_content(run)) list(input = run) else list(inputBase64 = base64_of(content_of(run, name)))
}

# Whether a text is what a file holds, and not its name.
is_content <- function(text) {
  !nzchar(trimws(text)) || grepl("\n", text, fixed = TRUE) || grepl("^\\s*[[{(\"']|^[[:alnum:]_.]*[(]", text)
}

# The bytes of a file. Of a large checkpoint the pickle alone: the weights beside it say nothing of the run.
content_of <- function(run, name) {
  path <- path.expand(run)
  if (!file.exists(path)) refuse(sprintf("%s: there is no file \"%s\"", name, run))
  if (dir.exists(path)) refuse(sprintf("%s: \"%s\" is a directory, not a file", name, run))
  if (file.size(path) > LARGE) path <- pickle_in(path)
  readBin(path, "raw", file.size(path))
}

# Bytes of a file from which on it is looked into.
LARGE <- 2^22

pickle_in <- function(path) {
  if (!identical(readBin(path, "raw", 2L), charToRaw("PK"))) return(path)
  pickle <- grep("(^|/)data[.]pkl$", utils::unzip(path, list = TRUE)$Name, value = TRUE)
  if (length(pickle) == 0L) path else utils::unzip(path, pickle[[1L]], exdir = tempfile("gdp-"), junkpaths = TRUE)
}

base64_of <- function(bytes) gsub("\n", "", jsonlite::base64_enc(bytes), fixed = TRUE)

# What the file of a run or a claim would hold, as base64: for requests about several files.
as_file <- function(run, name) {
  if (inherits(run, "gdp_account")) {
    if (!is.null(run$source$inputBase64)) return(run$source$inputBase64)
    run <- run$source$input
  } else if (is.character(run) && length(run) == 1L && !is_content(run)) {
    return(base64_of(content_of(run, name)))
  }
  base64_of(charToRaw(enc2utf8(if (is.character(run)) run else to_json(run, name))))
}

ask_account <- function(x, method, ..., warn = TRUE) ask_gdp(method, c(x$source, x$options, list(...)), warn)

# The answers at each of some values.
ask_each <- function(x, method, option, values, answered) {
  if (length(values) == 0L) return(list())
  if (!is.numeric(values)) refuse(sprintf('"%s" must be a number, got %s', option, class(values)[[1L]]))
  found <- ask_gdp(method, c(x$source, x$options, setNames(list(values), option)))$answer
  each <- lapply(if (is.null(found$results)) list(found) else found$results, function(each) each[[answered]])
  structure(each, limited_by = found$limitedBy)
}

asked <- function(name, values) setNames(data.frame(as.double(values)), name)

#' Epsilon, delta, mu and the trade-off function of a run
#'
#' @param x An [account()], or what it takes as `run`.
#' @param delta Deltas in \[0, 1\].
#' @param epsilon Finite numbers.
#' @param alpha_min Smallest error rate that mu speaks of, in (0, 0.5).
#' @param alpha False positive rates in \[0, 1\]; by default a grid for a drawing.
#' @return [brackets]: of the epsilon at each delta, of the delta at each epsilon, of mu and its regret, of the least false negative rate of an
#'   attack at each false positive rate. Their attribute `limited_by` says what bounds the widest: `"tolerance"`, `"effort"`, or `"theory"`, as between
#'   its ends no theorem is known.
#' @examples
#' run <- account(noise_multiplier = 1.1, sampling_rate = 0.01, steps = 1000)
#' epsilon(run, c(1e-5, 1e-6))
#' delta(run, 1)
#' mu(run)
#' tradeoff(run, c(0.01, 0.1))
#' @export
epsilon <- function(x, delta = 1e-5) {
  x <- as_account(x)
  brackets("epsilon", asked("delta", delta), ask_each(x, "epsilon", "delta", delta, "epsilon"))
}

#' @rdname epsilon
#' @export
delta <- function(x, epsilon) {
  x <- as_account(x)
  brackets("delta", asked("epsilon", epsilon), ask_each(x, "delta", "epsilon", epsilon, "delta"))
}

#' @rdname epsilon
#' @export
mu <- function(x, alpha_min = 1e-10) {
  require_number("alpha_min", alpha_min, "a number in (0, 0.5)", function(x) x > 0 && x < 0.5)
  found <- ask_account(as_account(x), "mu", alpha_min = alpha_min)$answer
  of <- data.frame(of = c("mu", "regret"), alpha_min = as_number(found$alphaMin))
  brackets("value", of, structure(list(found$mu, found$regret), limited_by = found$limitedBy))
}

#' @rdname epsilon
#' @export
tradeoff <- function(x, alpha = NULL) {
  x <- as_account(x)
  if (is.null(alpha)) {
    small <- 10^seq(-6, -2, length.out = 21)
    alpha <- sort(unique(c(0, small, seq(0.02, 0.98, by = 0.01), 1 - small, 1)))
  }
  found <- brackets("beta", asked("alpha", alpha), ask_each(x, "tradeoff", "alpha", alpha, "beta"))
  class(found) <- c("gdp_tradeoff", class(found))
  found
}

as_account <- function(x) if (inherits(x, "gdp_account")) x else account(x)

#' @rdname account
#' @export
print.gdp_account <- function(x, ...) {
  cat(format.gdp_account(x), "\n", sep = "")
  invisible(x)
}

#' @rdname account
#' @export
format.gdp_account <- function(x, ...) {
  given <- Filter(Negate(is.null), x$options)
  paste0("<account of ", x$called, paste0(sprintf(", %s %s", names(given), given), collapse = ""), ">")
}

#' @rdname account
#' @export
as.data.frame.gdp_account <- function(x, row.names = NULL, optional = FALSE, alpha_min = 1e-10, ...) {
  at <- epsilon(x, 1e-5)
  measured <- mu(x, alpha_min)
  data.frame(
    quantity = c("epsilon at delta 1e-5", sprintf("mu for error rates from %g", alpha_min), "regret"),
    lower = c(at$lower, measured$lower), upper = c(at$upper, measured$upper)
  )
}

#' @rdname account
#' @param row.names,optional As in [as.data.frame()].
#' @export
summary.gdp_account <- function(object, ...) {
  table <- as.data.frame.gdp_account(object, ...)
  brackets <- structure(table, class = c("gdp_brackets", "data.frame"), kind = "value")
  structure(list(account = object, table = brackets), class = "gdp_summary")
}

#' @export
print.gdp_summary <- function(x, ...) {
  print(x$account)
  print(x$table)
  invisible(x)
}

#' @rdname account
#' @export
plot.gdp_account <- function(x, ...) plot.gdp_tradeoff(tradeoff(x), ...)

#' The noise multiplier of a standard deviation
#'
#' `noise_std * mean_of / (clip_norm * sqrt(clip_groups))`, never rounded up.
#'
#' @param noise_std Standard deviation of the noise, 0 or more.
#' @param clip_norm Norm that gradients are clipped to, above 0.
#' @param clip_groups Layers or groups that are clipped to it each.
#' @param mean_of Records that the sum is divided by before noise is added; 1 where noise is added to the sum.
#' @returns One number; an error of class `gdp_refused` for what is no such scale.
#' @examples
#' noise_multiplier_of(0.012, 15, mean_of = 5000)
#' @export
noise_multiplier_of <- function(noise_std, clip_norm, clip_groups = 1, mean_of = 1) {
  scale <- list(noise_std = noise_std, clip_norm = clip_norm, clip_groups = clip_groups, mean_of = mean_of)
  answer <- ask_gdp("epsilon", c(scale, list(sampling_rate = 0, steps = 0)), FALSE)$answer
  as_number(answer$mechanism$inner$inner$noiseMultiplier)
}
