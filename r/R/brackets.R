#' Brackets
#'
#' What is asked is answered by brackets: a data frame with a row for each value that was asked, and two columns `lower` and `upper`, which
#' contain the exact value. `upper` is the end to publish for epsilon, delta and mu, `lower` for the trade-off function.
#'
#' @param x,object Brackets.
#' @param digits Significant digits. Ends are rounded outwards.
#' @param ... Passed on.
#' @return `format` gives texts such as `"[1.515, 1.516]"`, `summary` the widest bracket, `print` and `plot` their first argument, invisibly.
#' @examples
#' run <- account(noise_multiplier = 1.1, sampling_rate = 0.01, steps = 1000)
#' epsilon(run, c(1e-5, 1e-6))
#' epsilon(run, 1e-5)$upper
#' @name brackets
NULL

# One column of what was asked, and the ends; `kind` is what they are of.
brackets <- function(kind, asked, found) {
  ends <- data.frame(
    lower = vapply(found, function(each) as_number(each$lower), 0),
    upper = vapply(found, function(each) as_number(each$upper), 0)
  )
  structure(cbind(asked, ends), class = c("gdp_brackets", "data.frame"), kind = kind, limited_by = attr(found, "limited_by"))
}

#' @rdname brackets
#' @export
format.gdp_brackets <- function(x, digits = 7, ...) {
  paste0("[", outward(x$lower, digits, floor), ", ", outward(x$upper, digits, ceiling), "]")
}

# Numbers rounded to so many significant digits, at most 15, towards one side of the double itself, not of its shortest decimal.
outward <- function(x, digits, side) {
  digits <- min(digits, 15)
  vapply(x, function(each) {
    if (!is.finite(each) || each == 0) return(base::format(each))
    # 100 digits decide every comparison with a decimal of fewer
    written <- sprintf("%.99e", abs(each))
    all <- sub(".", "", sub("e.*", "", written), fixed = TRUE)
    kept <- as.double(substr(all, 1, digits))
    larger <- (side(0.5) == 1) == (each > 0)
    if (larger && grepl("[1-9]", substring(all, digits + 1))) kept <- kept + 1
    power <- as.integer(sub(".*e", "", written)) - digits + 1
    base::format(sign(each) * as.double(sprintf("%.0fe%d", kept, as.integer(power))), digits = digits)
  }, "")
}

#' @rdname brackets
#' @export
print.gdp_brackets <- function(x, digits = 7, ...) {
  asked <- setdiff(names(x), c("lower", "upper"))
  shown <- as.data.frame(unclass(x)[asked])
  shown[[attr(x, "kind")]] <- format.gdp_brackets(x, digits)
  print(shown, row.names = FALSE, ...)
  invisible(x)
}

#' @rdname brackets
#' @export
summary.gdp_brackets <- function(object, ...) {
  width <- object$upper - object$lower
  data.frame(
    answers = nrow(object), lowest = min(object$lower), highest = max(object$upper),
    widest = if (any(is.finite(width))) max(width[is.finite(width)]) else NA_real_
  )
}

#' @rdname brackets
#' @param row.names,optional As in [as.data.frame()].
#' @export
as.data.frame.gdp_brackets <- function(x, row.names = NULL, optional = FALSE, ...) {
  structure(unclass(x), class = "data.frame", kind = NULL)
}

#' @rdname brackets
#' @export
plot.gdp_brackets <- function(x, ...) {
  asked <- setdiff(names(x), c("lower", "upper"))[[1L]]
  ends <- c(x$lower, x$upper)
  graphics::plot(
    range(x[[asked]]), range(ends[is.finite(ends)]),
    type = "n", xlab = asked, ylab = attr(x, "kind"), log = if (asked == "delta" && all(x[[asked]] > 0)) "x" else "", ...
  )
  graphics::segments(x[[asked]], x$lower, x[[asked]], x$upper)
  graphics::points(x[[asked]], x$upper, pch = 25, bg = "black", cex = 0.7)
  graphics::points(x[[asked]], x$lower, pch = 24, bg = "black", cex = 0.7)
  invisible(x)
}
