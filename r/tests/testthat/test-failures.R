test_that("bad input is named by R's arguments", {
  run <- account(RUN)
  refused <- function(object, message) expect_error(object, message, fixed = TRUE, class = "gdp_refused")
  refused(epsilon(run, 2), '"delta" must be a number in [0, 1], got "2"')
  refused(epsilon(run, NaN), '"delta" must be a number in [0, 1], got "NaN"')
  refused(epsilon(run, "a"), '"delta" must be a number')
  refused(mu(run, 7), '"alpha_min" must be a number in (0, 0.5), got 7')
  refused(account("state.jsn"), 'run: there is no file "state.jsn"')
  refused(audit("counts.json"), 'evidence: there is no file "counts.json"')
  refused(lint("claim.json"), 'claim: there is no file "claim.json"')
  refused(verify(1), "certificate must be a path, a text or a list, got numeric")
  refused(account(tempdir()), "is a directory, not a file")
  refused(calibrate("stepz", epsilon = 1, delta = 1e-5), '"unknown" must be one of')
  refused(batch(data.frame(noise_multiplier = 1, sampling_rate = 1, steps = 1), workers = 0), '"workers" must be a whole number of at least 1, got 0')
  refused(account(noise_multiplier = 1, sampling_rate = 2, steps = 10), '"sampling_rate" must be a number in [0, 1], got 2')
  refused(account(noise_multiplier = 1, sampling_rate = 0.1, steps = 10.9), '"steps" must be a whole number >= 0, got 10.9')
  refused(account(noise_multiplier = 1), "sampling_rate is missing")
  refused(account(sum), "run must be a path, a text or a list, got function")
  refused(epsilon("{"), "run: it is not valid JSON")
  refused(epsilon(list(history = list(list(sum, 1, 1)))), "run$history[[1]][[1]] must be made of numbers")
  refused(epsilon(account(RUN, method = "magic")), '"method" must be one of')
  refused(hull(c(0.1, 2), c(0.5, 0.1)), '"alpha" must be numbers in [0, 1]')
  refused(report(run, titel = "x"), 'did you mean "title"')
  refused(audit(data.frame(a = 1)), "the columns score and member")
  refused(batch(data.frame(a = 1)), 'data needs a column "noise_multiplier"')
  refused(epsilon(list(history = list())), "run: its history is empty")
  expect_identical(epsilon(account(list(history = list()), allow_empty_history = TRUE))$upper, 0)
})

test_that("long requests are answered, and too long ones refused", {
  title <- strrep("x", 5e6)
  expect_match(unclass(report(RUN, title = title)), "differentially private")
  expect_error(report(RUN, title = strrep("x", 2^26)), "at most 67108864 can be asked at once", class = "gdp_refused")
})

test_that("hostile requests are refused, and the next question is answered", {
  wanted <- epsilon(RUN)
  expect_error(epsilon(strrep("[", 2e5)), "nested", class = "condition")
  expect_error(raise(response_to("no json")$error), "not valid JSON", class = "gdp_failure")
  bytes <- "\xff"
  Encoding(bytes) <- "UTF-8"
  expect_error(raise(response_to(bytes)$error), "not UTF-8", class = "gdp_failure")
  expect_error(.Call(C_ask, 1), "a request is one text")
  expect_error(ask_gdp("sweep", list()), "there is no method \"sweep\"", class = "gdp_failure")
  expect_identical(epsilon(RUN), wanted)
})

test_that("a limit of time ends a question, and the next one is answered", {
  slow <- list(kind = "compose", parts = lapply(1:4000, function(i) list(kind = "laplace", scale = 1 + i / 7, sensitivity = 1)))
  wanted <- epsilon(RUN)
  expect_error(
    {
      setTimeLimit(elapsed = 0.5, transient = TRUE)
      epsilon(account(slow, method = "grid", tolerance = 1e-9))
    },
    "elapsed time limit"
  )
  setTimeLimit()
  expect_identical(epsilon(RUN), wanted)
})

test_that("an interrupt ends a question and reaches its handler", {
  skip_on_os("windows")
  code <- c(
    "library(gdpkernel)",
    "parts <- lapply(1:4000, function(i) list(kind = 'laplace', scale = 1 + i / 7, sensitivity = 1))",
    "slow <- account(list(kind = 'compose', parts = parts), method = 'grid', tolerance = 1e-9)",
    "system(sprintf('(sleep 0.5; kill -INT %d) &', Sys.getpid()))",
    "said <- tryCatch(epsilon(slow)$upper, interrupt = function(condition) 'interrupted')",
    "cat(said, epsilon(list(kind = 'gdp', mu = 0))$upper, '\n')"
  )
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  expect_identical(trimws(system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE)), "interrupted 0")
})

test_that("a process that is forked has an accountant of its own", {
  skip_on_os("windows")
  wanted <- epsilon(RUN)
  found <- parallel::mclapply(1:2, function(i) epsilon(RUN), mc.cores = 2)
  expect_identical(found, list(wanted, wanted))
  expect_identical(epsilon(RUN), wanted)
})

test_that("memory does not grow with questions", {
  skip_if_not(file.exists("/proc/self/statm"), "the system does not say what a process holds")
  code <- c(
    "library(gdpkernel)",
    "held <- function() scan('/proc/self/statm', quiet = TRUE)[[2L]] * 4096",
    "run <- account(list(history = list(c(2, 1, 30))))",
    "ask <- function(times) for (i in seq_len(times)) epsilon(run)",
    "ask(1000)",
    "before <- held()",
    "ask(1500)",
    "cat(held() - before)"
  )
  script <- tempfile(fileext = ".R")
  writeLines(code, script)
  said <- system2(file.path(R.home("bin"), "Rscript"), script, stdout = TRUE, stderr = FALSE)
  expect_lt(as.double(said[[length(said)]]), 4e6)
})
