#' Trade-off functions by their names
#'
#' In the manner of the package fdp: the curves that others are compared with, as accounts.
#'
#' @param mu The trade-off function between N(0, 1) and N(mu, 1); for `laplace`, between Laplace distributions of scale 1 whose means differ
#'   by `mu`.
#' @param epsilon,delta (epsilon, delta)-differential privacy.
#' @return An [account()].
#' @examples
#' tradeoff(gdp(1), c(0.05, 0.5))
#' plot(laplace(1))
#' @export
gdp <- function(mu) {
  require_number("mu", mu, "a number >= 0", function(x) x >= 0 && x < Inf)
  named(account(list(kind = "gdp", mu = mu)), sprintf("%g-GDP", mu))
}

#' @rdname gdp
#' @export
approx_dp <- function(epsilon, delta = 0) {
  require_number("epsilon", epsilon, "a number >= 0", function(x) x >= 0 && x < Inf)
  require_number("delta", delta, "a number in [0, 1)", function(x) x >= 0 && x < 1)
  run <- if (delta == 0) list(kind = "pure-dp", epsilon = epsilon) else list(kind = "approximate-dp", epsilon = epsilon, delta = delta)
  named(account(run), sprintf("(%g, %g)-DP", epsilon, delta))
}

#' @rdname gdp
#' @export
laplace <- function(mu) {
  require_number("mu", mu, "a positive number", function(x) x > 0 && x < Inf)
  named(account(list(kind = "laplace", scale = 1, sensitivity = mu)), sprintf("Laplace, %g", mu))
}

named <- function(account, name) {
  account$called <- name
  account
}

#' Points of a trade-off function
#'
#' `hull` is the trade-off function of some points: the greatest convex one that none of them is below, with (0, 1) and (1, 0) added.
#' `mu_above` is the least mu whose curve is nowhere above it: what can be certified as mu-GDP where the points are the breakpoints of the true
#' function, straight in between.
#'
#' @param alpha,beta False positive and false negative rates in \[0, 1\]; or `alpha` a matrix or data frame of two columns.
#' @return `hull` a data frame of the corners, `alpha` and `beta`; `mu_above` [brackets] of one row.
#' @examples
#' points <- data.frame(alpha = c(0.1, 0.3, 0.5), beta = c(0.5, 0.25, 0.2))
#' hull(points)
#' mu_above(points)
#' @export
hull <- function(alpha, beta = NULL) {
  points <- points_of(alpha, beta)
  points <- rbind(points, data.frame(alpha = c(0, 1), beta = c(1, 0)))
  points <- points[order(points$alpha, points$beta), ]
  points <- points[!duplicated(points$alpha), ]
  kept <- integer()
  for (i in seq_len(nrow(points))) {
    while (length(kept) >= 2L && !turns_up(points, kept[length(kept) - 1L], kept[length(kept)], i)) kept <- kept[-length(kept)]
    kept <- c(kept, i)
  }
  corners <- points[kept, ]
  rownames(corners) <- NULL
  corners
}

# Whether the middle one of three points is below the line of the others.
turns_up <- function(points, i, j, k) {
  x <- points$alpha
  y <- points$beta
  (x[j] - x[i]) * (y[k] - y[i]) > (y[j] - y[i]) * (x[k] - x[i])
}

points_of <- function(alpha, beta) {
  points <- if (is.null(beta)) as.data.frame(alpha)[, 1:2] else data.frame(alpha, beta)
  names(points) <- c("alpha", "beta")
  good <- vapply(points, function(each) is.numeric(each) && !anyNA(each) && all(each >= 0 & each <= 1), NA)
  if (!all(good) || nrow(points) == 0L) {
    refuse(sprintf('"%s" must be numbers in [0, 1], one or more', c(names(points)[!good], "alpha")[[1L]]))
  }
  points
}

#' @rdname hull
#' @export
mu_above <- function(alpha, beta = NULL) {
  corners <- hull(alpha, beta)
  inner <- corners[corners$alpha > 0 & corners$alpha < 1, ]
  points <- lapply(seq_len(nrow(inner)), function(i) as.list(inner[i, ]))
  if (length(points) == 0L) points <- list(list(alpha = 0.5, beta = 0.5))
  found <- ask_gdp("convert", list(input = list(kind = "trade-off", points = points), to = "gdp"), warn = FALSE)$answer
  if (is.null(found$values)) refuse(paste("there is no mu:", found$refused))
  brackets("mu", data.frame(points = nrow(corners)), found$values[1L])
}

#' @rdname epsilon
#' @param y Another trade-off function to draw, or nothing.
#' @param add Whether to draw into the plot that is there.
#' @param col Colour of the line.
#' @param ... Passed on to [plot()].
#' @details The plot shows both ends: a line of steps that the function is not below anywhere between the points, and straight lines that it is
#'   not above, filled in between.
#' @export
plot.gdp_tradeoff <- function(x, y = NULL, add = FALSE, col = "#0b5cad", ...) {
  x <- x[order(x$alpha), ]
  if (!add) {
    given <- list(...)
    default <- list(
      x = c(0, 1), y = c(0, 1), type = "n", asp = 1, xlab = "false positive rate", ylab = "least false negative rate", xaxs = "i", yaxs = "i"
    )
    do.call(graphics::plot, c(default[setdiff(names(default), names(given))], given))
    graphics::abline(1, -1, col = "grey70", lty = 3)
  }
  # a function that falls is at least its lower end at the next point, and one that is convex at most the chord of the upper ends
  n <- nrow(x)
  low_alpha <- if (n > 1L) c(rbind(x$alpha[-n], x$alpha[-1L])) else x$alpha
  low_beta <- if (n > 1L) rep(x$lower[-1L], each = 2L) else x$lower
  graphics::polygon(c(x$alpha, rev(low_alpha)), c(x$upper, rev(low_beta)), col = grDevices::adjustcolor(col, 0.25), border = NA)
  graphics::lines(low_alpha, low_beta, col = col)
  graphics::lines(x$alpha, x$upper, col = col)
  if (!is.null(y)) plot.gdp_tradeoff(if (inherits(y, "gdp_account")) tradeoff(y) else y, add = TRUE, col = "#b3541e")
  invisible(x)
}
