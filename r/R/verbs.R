#' The least noise, or the most data or steps, that meets a target
#'
#' @param unknown What is solved for: `"noise_multiplier"`, `"sampling_rate"`, `"steps"`, `"epochs"`, `"bins"`, `"records_per_person"` or
#'   `"laplace_scale"`. With a `run` that has a `"?"`, `NULL`.
#' @param epsilon,delta,mu The target: (epsilon, delta)-differential privacy, or mu on the window of error rates from `alpha_min`.
#' @param sampling_rate,noise_multiplier,steps,sensitivity The rest of the run, of which nothing is assumed: the probability that a record is in a
#'   batch, noise over clipping norm, the number of steps or queries, the L1 sensitivity of a Laplace query.
#' @param run A mechanism or a history with `"?"` in place of a number; or, with `unknown`, what was run before: the answer comes on top.
#' @param ... Further options of `gdp calibrate`, such as `alpha_min`, `advantage`, `tpr` and `fpr`, `rho`, `adjacency`.
#' @param x,object A calibration.
#' @return An object of class `gdp_calibration` with `unknown`, `value` and `achieved`, the [brackets] of what it has.
#' @examples
#' calibrate(epsilon = 2, delta = 1e-5, sampling_rate = 0.01, steps = 1000)
#' @export
calibrate <- function(unknown = if (is.null(run)) "noise_multiplier", epsilon = NULL, delta = NULL, mu = NULL, sampling_rate = NULL,
                      noise_multiplier = NULL, steps = NULL, sensitivity = NULL, run = NULL, ...) {
  name <- gsub("-", "_", if (is.null(unknown)) "" else unknown, fixed = TRUE)
  rest <- list(
    sampling_rate = sampling_rate, noise_multiplier = noise_multiplier, steps = steps, sensitivity = sensitivity
  )
  needed <- list(
    noise_multiplier = c("steps", "sampling_rate"), sampling_rate = c("noise_multiplier", "steps"),
    steps = c("noise_multiplier", "sampling_rate"), laplace_scale = c("steps", "sensitivity")
  )[[name]]
  told <- !is.null(run) || any(c("sampling", "batch_size", "dataset_size", "bins", "epochs") %in% names(list(...)))
  missing <- needed[vapply(rest[needed], is.null, NA)]
  if (!told && length(missing) > 0L) refuse(sprintf("calibrate needs %s", paste(missing, collapse = " and ")))
  target <- list(epsilon = epsilon, delta = delta, mu = mu)
  source <- if (is.null(run)) list() else source_of(run)
  solved <- if (is.null(unknown)) list() else list("for" = gsub("_", "-", name, fixed = TRUE))
  answer <- ask_gdp("calibrate", c(source, solved, target, rest, list(...)))$answer
  if (!isTRUE(answer$reached)) refuse(paste("out of reach:", answer$reason))
  names <- names(answer$achieved)
  achieved <- brackets("achieved", data.frame(of = names), unname(answer$achieved))
  structure(
    list(unknown = answer$unknown, value = as_number(answer$value), achieved = achieved),
    class = "gdp_calibration"
  )
}

#' @rdname calibrate
#' @export
format.gdp_calibration <- function(x, ...) sprintf("%s %s", x$unknown, base::format(x$value, digits = 10))

#' @rdname calibrate
#' @export
print.gdp_calibration <- function(x, ...) {
  cat(format.gdp_calibration(x), "\n", sep = "")
  print(x$achieved)
  invisible(x)
}

#' @rdname calibrate
#' @export
summary.gdp_calibration <- function(object, ...) object$achieved

#' @rdname calibrate
#' @param row.names,optional As in [as.data.frame()].
#' @export
as.data.frame.gdp_calibration <- function(x, row.names = NULL, optional = FALSE, ...) {
  cbind(data.frame(unknown = x$unknown, value = x$value), as.data.frame(x$achieved))
}

#' The page to publish
#'
#' @param x An [account()], or what it takes as `run`.
#' @param format `"text"`, `"markdown"`, `"html"` or `"json"`.
#' @param file A file to write to, which is then returned; or nothing.
#' @param ... Options of `gdp report`, such as `title`, `unit`, `dataset`, `delta`.
#' @return The report as one text, of class `gdp_report`, which `print` shows; with `file`, its name, invisibly.
#' @examples
#' report(gdp(1), unit = "one patient")
#' @export
report <- function(x, format = "text", file = NULL, ...) {
  x <- as_account(x)
  result <- ask_gdp("report", c(x$source, x$options, list(format = format, json = FALSE, ...)))
  text <- result$text
  if (is.null(text)) text <- jsonlite::toJSON(result$answer, auto_unbox = TRUE, digits = NA, pretty = TRUE)
  text <- structure(as.character(text), class = "gdp_report")
  if (is.null(file)) return(text)
  writeLines(enc2utf8(unclass(text)), file, sep = "", useBytes = TRUE)
  invisible(file)
}

#' @export
print.gdp_report <- function(x, ...) {
  cat(unclass(x), sep = "")
  invisible(x)
}

#' What an attack proves
#'
#' @param evidence Counts or scores of an attack: a list as `schema/evidence.schema.json` has it, such as `list(kind = "threshold",
#'   falsePositives = 5, nonMembers = 1000, truePositives = 100, members = 1000)`; a data frame with the columns `score` and `member`; the path
#'   of a file of either; or its text.
#' @param claim What is claimed: an [account()], or a list of `epsilon` and `delta`, or of `mu`; or nothing.
#' @param delta Deltas to bound epsilon at.
#' @param confidence Of the bounds.
#' @param x,object An audit.
#' @param ... Passed on.
#' @return An object of class `gdp_audit` with `mu` and `epsilon`, [brackets] of lower bounds, `p_value`, a bracket or `NULL`, `verdict`, and
#'   `assumed`.
#' @examples
#' counts <- list(
#'   kind = "threshold", falsePositives = 5, nonMembers = 1000, truePositives = 100, members = 1000
#' )
#' audit(counts, claim = list(epsilon = 1, delta = 1e-5))
#' @export
audit <- function(evidence, claim = NULL, delta = 1e-5, confidence = 0.95) {
  if (is.data.frame(evidence)) {
    if (!all(c("score", "member") %in% names(evidence))) refuse("evidence must have the columns score and member")
    rows <- paste(vapply(evidence$score, number_text, ""), as.integer(as.logical(evidence$member)), sep = ",")
    evidence <- paste(c("score,member", rows, ""), collapse = "\n")
  }
  files <- list(evidence = as_file(evidence, "evidence"))
  if (!is.null(claim)) files$claim <- as_file(claim, "claim")
  params <- list(operands = "evidence", files = files, claim = names(files)[-1L][1L], delta = delta, confidence = confidence)
  if (is.null(claim)) params$claim <- NULL
  found <- ask_gdp("audit", params)$answer
  deltas <- vapply(found$epsilonLower, function(each) as_number(each$delta), 0)
  structure(list(
    mu = brackets("mu", data.frame(confidence = confidence), list(found$muLower)),
    epsilon = brackets("epsilon", data.frame(delta = deltas), lapply(found$epsilonLower, function(each) each$epsilon)),
    p_value = if (is.null(found$pValue)) NULL else brackets("p_value", data.frame(confidence = confidence), list(found$pValue)),
    verdict = found$verdict, assumed = unlist(found$assumed)
  ), class = "gdp_audit")
}

#' @rdname audit
#' @export
format.gdp_audit <- function(x, ...) {
  bounds <- sprintf("epsilon at delta %g at least %s", x$epsilon$delta, outward(x$epsilon$lower, 4, floor))
  c(sprintf("verdict: %s", x$verdict), sprintf("mu at least %s", outward(x$mu$lower, 4, floor)), bounds)
}

#' @rdname audit
#' @export
print.gdp_audit <- function(x, ...) {
  cat(format.gdp_audit(x), paste("provided that", x$assumed), sep = "\n")
  invisible(x)
}

#' @rdname audit
#' @export
summary.gdp_audit <- function(object, ...) as.data.frame.gdp_audit(object)

#' @rdname audit
#' @param row.names,optional As in [as.data.frame()].
#' @export
as.data.frame.gdp_audit <- function(x, row.names = NULL, optional = FALSE, ...) {
  of <- c("mu", sprintf("epsilon at %g", x$epsilon$delta))
  data.frame(at_least = of, lower = c(x$mu$lower, x$epsilon$lower), upper = c(x$mu$upper, x$epsilon$upper))
}
