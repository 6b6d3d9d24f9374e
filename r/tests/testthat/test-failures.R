test_that("bad input is named by R's arguments", {
  skip_without_node()
  run <- account(RUN)
  refused <- function(object, message) expect_error(object, message, fixed = TRUE, class = "gdp_refused")
  refused(epsilon(run, 2), '"delta" must be a number in [0, 1], got "2"')
  refused(epsilon(run, NaN), '"delta" must be a number in [0, 1], got "NaN"')
  refused(epsilon(run, "a"), '"delta" must be a number')
  refused(mu(run, 7), '"alpha_min" must be a number in (0, 0.5), got 7')
  refused(account("state.jsn"), 'run: there is no file "state.jsn"')
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

test_that("a child that is killed gives an error, and the next question an answer", {
  skip_without_node()
  wanted <- epsilon(RUN)
  child <- state$child
  child$kill()
  expect_identical(epsilon(RUN), wanted)
  expect_false(identical(state$child$get_pid(), child$get_pid()))
  # killed while it works: a process of the system that waits a little
  slow <- list(kind = "compose", parts = lapply(1:4000, function(i) list(kind = "laplace", scale = 1 + i / 7, sensitivity = 1)))
  epsilon(RUN)
  killer <- processx::process$new("sh", c("-c", sprintf("sleep 0.4; kill -9 %d", state$child$get_pid())))
  expect_error(
    epsilon(account(slow, method = "grid", tolerance = 1e-9)), "process ended before it answered",
    class = "gdp_failure"
  )
  killer$wait()
  expect_identical(epsilon(RUN), wanted)
})

test_that("long requests are answered, and too long ones refused", {
  skip_without_node()
  title <- strrep("x", 5e6)
  expect_match(unclass(report(RUN, title = title)), "differentially private")
  expect_error(report(RUN, title = strrep("x", 2^26)), "at most 67108864 can be asked at once", class = "gdp_refused")
})

test_that("an error of nobody leaves nobody waiting", {
  skip_without_node()
  epsilon(RUN)
  send(state$child, "no json\n")
  expect_error(epsilon(RUN), "not valid JSON", class = "gdp_failure")
  close_child()
  expect_identical(nrow(epsilon(RUN)), 1L)
})

test_that("without Node one sentence says so", {
  old <- Sys.getenv("GDP_KERNEL_NODE", NA)
  on.exit(if (is.na(old)) Sys.unsetenv("GDP_KERNEL_NODE") else Sys.setenv(GDP_KERNEL_NODE = old))
  close_child()
  Sys.setenv(GDP_KERNEL_NODE = "no-such-node")
  expect_error(
    epsilon(RUN), "gdpkernel needs Node 20.19 or newer, and there is no \"no-such-node\" on the PATH",
    fixed = TRUE, class = "gdp_failure"
  )
  expect_false(node_available())
  skip_on_os("windows")
  fake <- tempfile()
  writeLines(c("#!/bin/sh", "echo v18.20.4"), fake)
  Sys.chmod(fake, "755")
  Sys.setenv(GDP_KERNEL_NODE = fake)
  expect_error(epsilon(RUN), sprintf("and %s is v18.20.4", fake), fixed = TRUE, class = "gdp_failure")
})

test_that("the child ends with the session", {
  skip_without_node()
  skip_on_os("windows")
  code <- "suppressMessages(gdpkernel::epsilon(list(kind = 'gdp', mu = 1))); cat(gdpkernel:::state$child$get_pid())"
  said <- system2(file.path(R.home("bin"), "Rscript"), c("-e", shQuote(code)), stdout = TRUE)
  pid <- as.integer(said[[length(said)]])
  expect_false(is.na(pid))
  for (i in 1:50) if (file.exists(file.path("/proc", pid))) Sys.sleep(0.1)
  expect_false(file.exists(file.path("/proc", pid, "stat")) && dir.exists("/proc/self"))
})

test_that("a process that is forked has a child of its own", {
  skip_without_node()
  skip_on_os("windows")
  wanted <- epsilon(RUN)
  found <- parallel::mclapply(1:2, function(i) epsilon(RUN), mc.cores = 2)
  expect_identical(found, list(wanted, wanted))
  expect_identical(epsilon(RUN), wanted)
})
