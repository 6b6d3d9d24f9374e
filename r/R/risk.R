#' What the best attack on one record reaches
#'
#' The risks hold for the record that is most at risk, and for every attack.
#'
#' @param x An [account()], or what it takes as `run`.
#' @param prior Probabilities before the release that the record was used.
#' @param fpr False positive rates of a membership test.
#' @param baseline Best chances of guessing a secret without the release.
#' @param secrets Numbers of records whose secrets are guessed together, from 2; or nothing.
#' @param singling_out A weight of a predicate and the number of records of which it is to meet one, as in `c(1e-6, 50000)`; or nothing.
#' @return [brackets] with the columns `risk` (`advantage`, `true positive rate`, `Bayes error`, `positive predictive value`, `reconstruction`,
#'   `all secrets`, `any secret`, `singling out`), `prior`, `fpr`, `baseline` and `secrets` (what it is at, else `NA`). `upper` is the safe
#'   end, of the Bayes error `lower`. What is bounded from above alone has the lower end 0.
#' @examples
#' risk(account(noise_multiplier = 1.1, sampling_rate = 0.01, steps = 1000))
#' @export
risk <- function(x, prior = 0.5, fpr = c(0.001, 0.01, 0.1), baseline = c(1e-6, 0.001, 0.1), secrets = NULL, singling_out = NULL) {
  x <- as_account(x)
  if (!is.null(singling_out)) singling_out <- paste(vapply(singling_out, number_text, ""), collapse = ",")
  options <- list(prior = prior, fpr = fpr, baseline = baseline, secrets = secrets, singling_out = singling_out)
  answer <- ask_gdp("risk", c(x$source, x$options, options))$answer
  rows <- c(
    list(list("advantage", answer$advantage)),
    lapply(answer$truePositiveRate, function(each) list("true positive rate", each$truePositiveRate, fpr = each$falsePositiveRate)),
    lapply(answer$bayesError, function(each) list("Bayes error", each$bayesError, prior = each$prior)),
    lapply(answer$positivePredictiveValue, function(each) {
      list("positive predictive value", each$positivePredictiveValue, prior = each$prior, fpr = each$falsePositiveRate)
    }),
    lapply(answer$reconstruction, function(each) list("reconstruction", each$reconstruction, baseline = each$baseline)),
    lapply(answer$severalSecrets, function(each) list("all secrets", each$all, baseline = each$baseline, secrets = each$secrets)),
    lapply(answer$severalSecrets, function(each) list("any secret", each$any, baseline = each$baseline, secrets = each$secrets)),
    if (!is.null(answer$singlingOut)) list(list("singling out", answer$singlingOut$singlingOut))
  )
  at <- function(name) vapply(rows, function(row) as_number(row[[name]]), 0)
  of <- data.frame(
    risk = vapply(rows, function(row) row[[1L]], ""),
    prior = at("prior"), fpr = at("fpr"), baseline = at("baseline"), secrets = at("secrets")
  )
  found <- brackets("value", of, lapply(rows, function(row) row[[2L]]))
  found$lower[is.na(found$lower)] <- 0
  found
}
