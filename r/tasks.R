# Ten common tasks and a data frame of 100,000 runs, timed: seconds by the clock, and of processor time in R and its processes. Then the memory
# of 10,000 questions.
library(gdpkernel)

cpu <- function() sum(proc.time()[c(1:2, 4:5)])
timed <- function(name, task) {
  before <- c(proc.time()[["elapsed"]], cpu())
  force(task)
  spent <- c(proc.time()[["elapsed"]], cpu()) - before
  cat(sprintf("| %s | %.2f | %.2f |\n", name, spent[[2]], spent[[1]]))
}
state <- tempfile(fileext = ".json")
writeLines('{"history": [[1.3, 0.004, 5000], [0.9, 0.004, 500]], "mechanism": "rdp"}', state)
run <- account(noise_multiplier = 1.1, sampling_rate = 0.01, steps = 1000)
cat("| task | CPU s | clock s |\n|---|---|---|\n")
timed("the first answer: epsilon of a run by its numbers", epsilon(run))
timed("epsilon of an Opacus state, at three deltas", epsilon(state, c(1e-4, 1e-5, 1e-6)))
timed("delta at ten epsilons", delta(run, 1:10 / 5))
timed("mu and its regret", mu(run))
timed("the trade-off function, drawn", {
  grDevices::pdf(NULL)
  plot(run)
  grDevices::dev.off()
})
timed("the noise for epsilon 2", calibrate(epsilon = 2, delta = 1e-5, sampling_rate = 0.01, steps = 1000))
timed("the most steps for epsilon 2", calibrate("steps", epsilon = 2, delta = 1e-5, sampling_rate = 0.01, noise_multiplier = 1))
timed("a report in HTML", report(run, "html"))
timed("an audit", audit(list(kind = "threshold", falsePositives = 5, nonMembers = 1000, truePositives = 100, members = 1000)))
timed("the least mu above 1,000 points", {
  set.seed(1)
  alpha <- stats::runif(1000)
  mu_above(alpha, pmin(1, pmax(1e-3, 1 - alpha - 0.3 * stats::runif(1000))))
})
set.seed(1)
many <- data.frame(
  id = seq_len(1e5), noise_multiplier = sample(c(0.9, 1, 1.1, 1.3), 1e5, TRUE), sampling_rate = 0.01, steps = sample(1:50 * 100, 1e5, TRUE)
)
timed("a data frame of 100,000 runs, 200 of them distinct", {
  found <- batch(many)
  stopifnot(nrow(found) == 1e5, !anyNA(found[["epsilon_at_1e-5_upper"]]), identical(found$id, many$id))
  at <- 12345
  alone <- epsilon(do.call(account, as.list(many[at, -1])))
  stopifnot(identical(alone$upper, found[["epsilon_at_1e-5_upper"]][[at]]))
})

held <- function() scan("/proc/self/statm", quiet = TRUE)[[2L]] * 4096 / 1e6
ask <- function(count) {
  for (i in seq_len(count)) {
    run <- account(noise_multiplier = 0.8 + (i %% 97) / 50, sampling_rate = 0.01, steps = 100 + i %% 31)
    switch(i %% 4 + 1, epsilon(run), delta(run, 1), mu(run), tryCatch(epsilon(run, 2), gdp_refused = identity))
  }
}
ask(4000)
before <- held()
ask(10000)
grown <- held() - before
cat(sprintf("memory after 10,000 questions: %.1f MB, %.1f MB more than before them\n", held(), grown))
stopifnot(grown < 4)
