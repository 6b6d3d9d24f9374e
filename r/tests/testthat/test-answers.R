test_that("vectors in are vectors out, in the order they were asked", {
  run <- account(RUN)
  found <- epsilon(run, c(1e-6, 1e-5, 1e-6))
  expect_equal(found$delta, c(1e-6, 1e-5, 1e-6))
  expect_identical(found$upper[[1L]], epsilon(run, 1e-6)$upper)
  expect_true(all(found$lower <= found$upper))
  expect_identical(nrow(epsilon(run, numeric())), 0L)
  expect_identical(epsilon(account(list(kind = "gaussian", noiseMultiplier = 0)), 1e-5)$upper, Inf)
  expect_identical(names(tradeoff(run, 0.1)), c("alpha", "lower", "upper"))
  expect_equal(mu(run)$upper[[1L]], sqrt(30) / 2, tolerance = 1e-9)
})

test_that("a run is a path, a text, a list, a matrix, numbers", {
  file <- tempfile(fileext = ".json")
  writeLines('{"history": [[2, 1, 30]]}', file)
  wanted <- epsilon(list(kind = "dp-sgd", noiseMultiplier = 2, samplingRate = 1, steps = 30))
  for (run in list(file, '{"history": [[2, 1, 30]]}', list(history = matrix(c(2, 1, 30), 1)), list(history = list(c(2, 1, 30))))) {
    expect_identical(epsilon(run), wanted)
  }
  expect_identical(epsilon(account(noise_multiplier = 2, sampling_rate = 1, steps = 30)), wanted)
  # all the bits of a number arrive
  expect_identical(mu(gdp(1 / 3))$lower[[1L]] <= 1 / 3, TRUE)
  expect_equal(mu(gdp(1 / 3))$upper[[1L]], 1 / 3, tolerance = 1e-12)
})

test_that("classes show and convert", {
  run <- account(RUN, tolerance = 1e-5)
  expect_output(print(run), "<account of what was given, tolerance 1e-05>", fixed = TRUE)
  expect_output(print(epsilon(run)), "[14.82994, 14.82995]", fixed = TRUE)
  expect_identical(class(as.data.frame(epsilon(run))), "data.frame")
  expect_output(print(summary(run)), "mu for error rates from 1e-10")
  expect_identical(names(as.data.frame(run)), c("quantity", "lower", "upper"))
  expect_identical(summary(epsilon(run, c(1e-5, 1e-6)))$answers, 2L)
  file <- tempfile(fileext = ".pdf")
  grDevices::pdf(file)
  expect_invisible(plot(run))
  plot(tradeoff(run, c(0, 0.1, 1)), gdp(1))
  plot(epsilon(run, 10^-(3:8)))
  grDevices::dev.off()
  expect_gt(file.size(file), 4000)
  expect_output(print(report(run, unit = "one patient")), "one patient")
  out <- tempfile(fileext = ".html")
  report(run, "html", file = out)
  expect_match(paste(readLines(out, warn = FALSE), collapse = "\n"), "<svg", fixed = TRUE)
})

test_that("formats are rounded outwards", {
  x <- c(1.51536191666, 0.000123456789, 123456.789, 1e-300, 2, 0.1 + 0.2)
  for (digits in 1:9) {
    expect_true(all(as.double(outward(x, digits, floor)) <= x))
    expect_true(all(as.double(outward(x, digits, ceiling)) >= x))
    expect_true(all(abs(as.double(outward(x, digits, floor)) / x - 1) < 10^(1 - digits)))
  }
  # the doubles 1.1 and 0.1 are above these decimals, 0.3 is below
  expect_identical(outward(c(1.1, 0.1, 0.3, 2, 0, Inf), 7, ceiling), c("1.100001", "0.1000001", "0.3", "2", "0", "Inf"))
  expect_identical(outward(c(1.1, 0.1, 0.3, -0.1, 9.9999999), 7, floor), c("1.1", "0.1", "0.2999999", "-0.1000001", "9.999999"))
  expect_identical(outward(c(9.9999999, 1e-5, 0.001234567891), 7, ceiling), c("10", "1.000001e-05", "0.001234568"))
})

test_that("curves have their names", {
  expect_equal(tradeoff(gdp(1), 0.05)$lower, pnorm(qnorm(0.95) - 1), tolerance = 1e-9)
  alpha <- c(0.01, 0.2, 0.5)
  expect_equal(tradeoff(approx_dp(1, 0.1), alpha)$lower, pmax(0, 0.9 - exp(1) * alpha, exp(-1) * (0.9 - alpha)), tolerance = 1e-9)
  expect_equal(tradeoff(laplace(1), 0.1)$lower, 1 - exp(1) * 0.1, tolerance = 1e-9)
})

test_that("the hull is convex, below all points, and through its corners", {
  set.seed(1)
  alpha <- runif(50)
  beta <- pmin(1, pmax(0.01, 1 - alpha - 0.3 * runif(50)))
  corners <- hull(alpha, beta)
  expect_true(all(diff(diff(corners$beta) / diff(corners$alpha)) > 0))
  expect_true(all(approx(corners$alpha, corners$beta, alpha)$y <= beta + 1e-12))
  inner <- corners[corners$alpha > 0 & corners$alpha < 1, ]
  expect_true(all(paste(inner$alpha, inner$beta) %in% paste(alpha, beta)))
  found <- mu_above(alpha, beta)
  # its curve is nowhere above the hull, and touches a corner; nothing is below the exact maximum over corners
  expect_equal(found$upper, max(qnorm(1 - inner$alpha) - qnorm(inner$beta)), tolerance = 1e-9)
  expect_equal(mu_above(0.1, 0.5)$upper, qnorm(0.9), tolerance = 1e-9)
  expect_equal(mu_above(c(0, 0.5), c(1, 0.5))$upper, 0, tolerance = 1e-12)
  expect_error(mu_above(0.5, 0), "no mu: with some probability", class = "gdp_refused")
})

test_that("calibrations meet their target", {
  found <- calibrate("steps", epsilon = 2, delta = 1e-5, noise_multiplier = 2, sampling_rate = 1)
  at <- function(steps) epsilon(account(noise_multiplier = 2, sampling_rate = 1, steps = steps))
  expect_lte(at(found$value)$upper, 2)
  expect_gt(at(found$value + 1)$lower, 2)
  expect_output(print(found), "steps")
  whole <- calibrate("steps", epsilon = 2, delta = 1e-5, noise_multiplier = 20, sampling_rate = 1)$value
  history <- list(list(20, 1, 10), list(20, 1, "?"))
  expect_equal(calibrate(epsilon = 2, delta = 1e-5, run = list(history = history))$value, whole - 10)
  expect_equal(calibrate("steps", epsilon = 2, delta = 1e-5, run = list(history = history[1]))$value, whole - 10)
  expect_error(calibrate(epsilon = 2, delta = 1e-5), "calibrate needs steps and sampling_rate", class = "gdp_refused")
  expect_error(calibrate(epsilon = 1, delta = 0, sampling_rate = 0.1, steps = 1), "out of reach", class = "gdp_refused")
})

test_that("audits bound what an attack shows", {
  counts <- list(kind = "threshold", falsePositives = 5, nonMembers = 1000, truePositives = 100, members = 1000)
  found <- audit(counts, claim = list(epsilon = 0.1, delta = 1e-5))
  expect_identical(found$verdict, "refuted")
  expect_equal(found$epsilon$lower, 1.954338744, tolerance = 1e-8)
  expect_output(print(found), "provided that")
  scores <- data.frame(score = c(rnorm(200), rnorm(200, 5)), member = rep(c(FALSE, TRUE), each = 200))
  expect_gt(audit(scores)$mu$lower, 1)
})

test_that("a data frame of runs is answered row by row", {
  data <- data.frame(id = c("007", "b", "c"), noise_multiplier = c(2, 2, -1), sampling_rate = 1, steps = c(30, 40, 30))
  found <- batch(data, delta = c(1e-5, 1e-6), workers = 1)
  expect_identical(found$id, data$id)
  wanted <- epsilon(account(noise_multiplier = 2, sampling_rate = 1, steps = 40), 1e-6)
  expect_identical(found[["epsilon_at_1e-6_upper"]][[2L]], wanted$upper)
  expect_identical(is.na(found[["epsilon_at_1e-5_lower"]]), c(FALSE, FALSE, TRUE))
  expect_match(found$error[[3L]], '"noise_multiplier" must be')
  expect_identical(found$error[1:2], c(NA_character_, NA_character_))
  histories <- data.frame(id = 1:2)
  histories$history <- list(matrix(c(2, 1, 30), 1), rbind(c(2, 1, 10), c(2, 1, 20)))
  both <- batch(histories, workers = 1)[["epsilon_at_1e-5_upper"]]
  expect_identical(both[[1L]], both[[2L]])
  phases <- function(history) list(history = history)
  all <- batch(histories, epsilon = c(0.5, 15), mu = TRUE, workers = 1)
  expect_identical(all[["delta_at_15_upper"]], rep(delta(phases(histories$history[[1L]]), 15)$upper, 2))
  expect_identical(all$mu_upper[[1L]], mu(phases(histories$history[[1L]]))$upper[[1L]])
})

test_that("columns have the names of gdp batch", {
  names <- names(table_of(list("no"), questions_of(c(1e-5, 0.001, 0.05, 1), c(0, 0.5, 15), TRUE)))
  at <- c("epsilon_at_1e-5", "epsilon_at_1e-3", "epsilon_at_5e-2", "epsilon_at_1e+0", "delta_at_0", "delta_at_0.5", "delta_at_15", "mu", "regret")
  expect_identical(names, c(paste0(rep(at, each = 2), c("_lower", "_upper")), "error"))
  expect_identical(exponential(1.25e-10), "1.25e-10")
})

test_that("a table has the same answers over several processes, and when one of them is killed", {
  data <- data.frame(noise_multiplier = rep(2 + 1:10 / 10, 2), sample_rate = 1, steps = 30)
  wanted <- batch(data, workers = 1)
  expect_identical(batch(data, workers = 2), wanted)
  skip_on_os("windows")
  home <- Sys.getpid()
  runs <- unique(runs_of(data))
  questions <- questions_of(1e-5, NULL, FALSE)
  whole <- answers_of
  local_mocked <- function(run, questions) if (Sys.getpid() != home && run == runs[[4L]]) tools::pskill(Sys.getpid(), 9L) else whole(run, questions)
  lossy <- over_cores
  environment(lossy) <- list2env(list(answers_of = local_mocked), parent = environment(over_cores))
  expect_identical(suppressWarnings(lossy(runs, questions, 2)), over_cores(runs, questions, 1))
})

test_that("risks are those of a Gaussian release in closed form", {
  found <- risk(gdp(1), prior = 0.5, fpr = c(0.01, 0.1), baseline = 0.001, secrets = 3, singling_out = c(1e-6, 1000))
  upper <- function(name) found$upper[found$risk == name]
  expect_equal(upper("advantage"), 2 * pnorm(0.5) - 1, tolerance = 1e-9)
  expect_equal(upper("true positive rate"), pnorm(qnorm(c(0.01, 0.1)) + 1), tolerance = 1e-9)
  expect_equal(found$fpr[found$risk == "true positive rate"], c(0.01, 0.1))
  expect_equal(upper("Bayes error"), pnorm(-0.5), tolerance = 1e-9)
  expect_equal(upper("reconstruction"), pnorm(qnorm(0.001) + 1), tolerance = 1e-9)
  expect_true(all(c("all secrets", "any secret", "singling out") %in% found$risk))
  expect_true(all(found$lower <= found$upper))
  expect_output(print(found), "positive predictive value")
  expect_error(risk(gdp(1), fpr = 2), '"fpr" must be a number in (0, 1)', fixed = TRUE, class = "gdp_refused")
})

test_that("noise by its standard deviation is a noise multiplier", {
  expect_identical(noise_multiplier_of(0.012, 15, mean_of = 5000), 4)
  expect_equal(noise_multiplier_of(3, 1.5, clip_groups = 16), 0.5)
  expect_error(noise_multiplier_of(1, 0), class = "gdp_refused")
})

test_that("every command is a function", {
  commands <- vapply(response_to('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}')$result$methods, function(each) each$name, "")
  commands <- sub("^budget$", "budget_spend", setdiff(commands, "rpc.discover"))
  expect_true(length(commands) > 15)
  expect_identical(setdiff(commands, getNamespaceExports("gdpkernel")), character())
})

test_that("a run is identified, compared, measured and amplified", {
  expect_identical(identify(RUN)$verdict, "gdp")
  expect_equal(identify(RUN)$tail_mu$upper, sqrt(30) / 2, tolerance = 1e-9)
  expect_equal(measure(RUN, epsilon_head = 3)$upper[[1L]], sqrt(30) / 2, tolerance = 1e-3)
  others <- compare(RUN)
  expect_identical(others$lower[[1L]], epsilon(RUN)$lower)
  guarantees <- others[others$kind == "guarantee", ]
  expect_true(nrow(guarantees) > 0 && all(guarantees$upper >= others$lower[[1L]]))
  expect_type(attr(others, "unavailable"), "character")
  expect_equal(compare(RUN, epsilon = 15)$upper[[1L]], delta(RUN, 15)$upper)
  sampled <- amplify(RUN, rate = 0.1, epsilon_head = 1)
  expect_true(sampled$mu$upper < 0.75 && sampled$mu$lower > 0.743)
  expect_lte(amplify(RUN, mu = 0.7, epsilon_head = 1)$mu$upper, 0.7)
})

test_that("claims are checked, and certificates confirmed", {
  expect_identical(lint(list(epsilon = 2, delta = 1e-5), RUN)$way_out, "publish epsilon 14.83 at delta 1e-5")
  right <- list(epsilon = 1.6, delta = 1e-5, noiseMultiplier = 1.1, samplingRate = 0.01, steps = 1000)
  expect_identical(nrow(lint(right)), 0L)
  certificate <- certify(RUN, 8)
  expect_identical(verify(certificate)$verdict, "confirmed")
  certificate$logDelta$lower <- certificate$logDelta$upper + 1
  certificate$logDelta$upper <- certificate$logDelta$upper + 2
  expect_identical(verify(certificate)$verdict, "refuted")
})

test_that("guarantees are converted, and noise has eight formulas", {
  found <- convert("zcdp:0.5", "approximate-dp", delta = 1e-6)
  expect_equal(found$guarantee$epsilon, 5.22153434, tolerance = 1e-8)
  expect_equal(convert(gdp(1), "gdp")$values$upper, 1, tolerance = 1e-12)
  expect_error(convert("zcdp:0.5", "pure-dp"), "is not converted into", class = "gdp_refused")
  formulas <- noise(1, 1e-5)
  expect_identical(nrow(formulas), 8L)
  expect_equal(formulas$upper[[1L]], 3.730632, tolerance = 1e-6)
})

test_that("a large checkpoint is read by its pickle alone", {
  skip_if(!nzchar(Sys.which("zip")), "there is no zip")
  folder <- tempfile()
  dir.create(file.path(folder, "archive"), recursive = TRUE)
  # a pickle of {"history": [(2.0, 1.0, 30)], "mechanism": "rdp"}, protocol 2
  number <- function(x) c(charToRaw("G"), writeBin(x, raw(), endian = "big"))
  text <- function(x) c(charToRaw("X"), writeBin(nchar(x), raw(), endian = "little"), charToRaw(x))
  phase <- c(number(2), number(1), charToRaw("K"), as.raw(30), as.raw(0x87))
  pickle <- c(
    as.raw(c(0x80, 2)), charToRaw("}("), text("history"), charToRaw("]"), phase, charToRaw("a"), text("mechanism"), text("rdp"), charToRaw("u.")
  )
  writeBin(pickle, file.path(folder, "archive", "data.pkl"))
  writeBin(as.raw(sample(0:255, 5e6, TRUE)), file.path(folder, "archive", "weights"))
  owd <- setwd(folder)
  on.exit(setwd(owd))
  utils::zip("run.pt", "archive", flags = "-qr0")
  expect_identical(epsilon("run.pt"), epsilon(list(history = list(c(2, 1, 30)))))
  expect_lt(nchar(account("run.pt")$source$inputBase64), 1000)
})
