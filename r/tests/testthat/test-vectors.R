# The exact values have 20 digits, of which R's doubles keep 16: an end may be on the wrong side by what they lose.
slack <- 2 * .Machine$double.eps

ask <- function(vector) {
  run <- tryCatch(
    account(as_list(vector$run), adjacency = vector$adjacency),
    gdp_refused = function(error) stop(error)
  )
  switch(vector$quantity,
    epsilon = epsilon(run, number(vector$at)),
    delta = delta(run, number(vector$at)),
    beta = tradeoff(run, number(vector$at)),
    mu = mu(run, number(vector$at))[1, ]
  )
}
as_list <- function(run) if (is.list(run)) run else list(run)
number <- function(x) if (is.character(x)) suppressWarnings(as.double(sub("Infinity", "Inf", x))) else if (is.null(x)) NA_real_ else x

test_that("every bracket contains the exact value, and is narrow", {
  asked <- 0
  for (group in c("gaussian", "one-step", "laplace", "pure-dp", "mixture", "phases", "replaced", "mu", "unlike", "balls-and-bins")) {
    # one in eight of the large groups: all of them are asked in JavaScript
    all <- vectors(group)
    for (vector in all[seq(1, length(all), by = if (length(all) > 40) 8 else 3)]) {
      found <- suppressMessages(ask(vector))
      exact <- as.double(vector$value)
      label <- paste(vector$id, format(found, digits = 17), vector$value)
      expect_true(found$lower <= exact * (1 + slack) && exact * (1 - slack) <= found$upper, label = label)
      expect_true(found$upper - found$lower <= 1e-5 * abs(exact) + 1e-300, label = label)
      asked <- asked + 1
    }
  }
  expect_gt(asked, 100)
})

test_that("bad input is refused, never answered", {
  refused <- 0
  for (vector in vectors("bad-input")) {
    if (!vector$quantity %in% c("epsilon", "delta", "beta", "mu")) next
    expect_error(suppressMessages(ask(vector)), class = "gdp_refused", label = vector$id)
    refused <- refused + 1
  }
  expect_gt(refused, 25)
})

test_that("noise is calibrated and attacks are bounded as exactly", {
  for (vector in vectors("calibration")[seq(1, 48, by = 12)]) {
    found <- calibrate(
      epsilon = vector$at$epsilon, delta = vector$at$delta, sampling_rate = vector$run$samplingRate, steps = vector$run$steps,
      tolerance = 1e-8
    )
    exact <- as.double(vector$value)
    expect_gte(found$value, exact * (1 - slack))
    expect_lte(found$value, exact * (1 + 1e-5))
  }
  for (vector in vectors("audit")[seq(1, 52, by = 13)]) {
    if (vector$quantity != "audit-epsilon") next
    found <- audit(vector$run, delta = vector$at$delta, confidence = vector$at$confidence)$epsilon
    expect_lte(found$lower, as.double(vector$value) * (1 + slack))
    expect_gte(found$upper, as.double(vector$value) * (1 - slack))
  }
})
