#' A data frame of runs, each answered
#'
#' Each distinct run is asked about once, over several processes (package parallel): forks, or on Windows sessions of their own.
#'
#' @param data A data frame with a row a run: `noise_multiplier`, `sampling_rate` (or `sample_rate`) and `steps`; or a list column `history` of
#'   matrices, as in Opacus. An `id` is optional and comes back as it is.
#' @param delta,epsilon Epsilon is answered at each `delta`, delta at each `epsilon`.
#' @param mu Whether mu and its regret are answered.
#' @param workers Processes; by default the option `mc.cores`, or else the cores of the machine, but no more than a process for 16 distinct runs.
#' @return A data frame in the order of `data`: its `id`, `epsilon_at_1e-5_lower`, `epsilon_at_1e-5_upper` and so on, and `error`, why a row could
#'   not be answered: its brackets are `NA`. The answers do not depend on `workers`.
#' @examples
#' batch(data.frame(noise_multiplier = c(1, 2), sampling_rate = 0.01, steps = 1000), workers = 1)
#' @export
batch <- function(data, delta = NULL, epsilon = NULL, mu = FALSE, workers = NULL) {
  if (!is.data.frame(data) || nrow(data) == 0L) refuse("data must be a data frame with a row a run")
  if (is.null(delta) && is.null(epsilon) && !isTRUE(mu)) delta <- 1e-5
  questions <- questions_of(delta, epsilon, isTRUE(mu))
  runs <- runs_of(data)
  distinct <- unique(runs)
  answers <- over_cores(distinct, questions, workers_for(workers, length(distinct)))
  found <- table_of(answers, questions)[match(runs, distinct), , drop = FALSE]
  rownames(found) <- NULL
  if (is.null(data$id)) found else cbind(data["id"], found)
}

# What is asked of each run: a command, its options as JSON, and the names of its answers with the columns that they fill.
questions_of <- function(delta, epsilon, mu) {
  each <- function(command, option, values, answered, short) {
    lapply(values, function(value) {
      if (!is.numeric(value)) refuse(sprintf('"%s" must be a number, got %s', option, class(value)[[1L]]))
      columns <- setNames(answered, paste0(answered, "_at_", short(value)))
      list(command = command, options = sprintf('"%s":%s', option, number_text(value)), columns = columns)
    })
  }
  of_mu <- list(list(command = "mu", options = "", columns = c(mu = "mu", regret = "regret")))
  c(
    each("epsilon", "delta", delta, "epsilon", exponential), each("delta", "epsilon", epsilon, "delta", plain),
    if (mu) of_mu
  )
}

# A number in the name of a column, as gdp batch has it: a delta as 1e-5, an epsilon as 0.5.
exponential <- function(value) {
  for (digits in 0:16) {
    text <- sprintf("%.*e", digits, value)
    if (identical(as.double(text), as.double(value))) break
  }
  sub("e([-+])0*(?=[0-9])", "e\\1", text, perl = TRUE)
}
plain <- function(value) format(as.double(value), digits = 15)

# Each row as options in JSON.
runs_of <- function(data) {
  if (!is.null(data$history)) {
    return(sprintf('"input":{"history":%s}', vapply(data$history, to_json, "", place = "history")))
  }
  names(data)[names(data) == "sample_rate"] <- "sampling_rate"
  columns <- c("noise_multiplier", "sampling_rate", "steps")
  given <- vapply(columns, function(name) {
    if (!is.numeric(data[[name]])) refuse(sprintf('data needs a column "%s" of numbers, or a column "history"', name))
    levels <- unique(data[[name]])
    sprintf('"%s":%s', gsub("_", "-", name, fixed = TRUE), vapply(levels, number_text, ""))[match(data[[name]], levels)]
  }, character(nrow(data)))
  apply(matrix(given, nrow(data)), 1L, paste, collapse = ",")
}

workers_for <- function(workers, runs) {
  if (is.null(workers)) workers <- getOption("mc.cores")
  if (is.null(workers)) workers <- min(parallel::detectCores(), ceiling(runs / 16), na.rm = TRUE)
  require_number("workers", workers, "a whole number of at least 1", function(x) x >= 1 && x == floor(x))
  min(workers, runs)
}

# The answers of each run, in order.
over_cores <- function(runs, questions, workers) {
  if (workers == 1L) return(lapply(runs, answers_of, questions = questions))
  # in turn: those that take long stand together in a table
  share <- split(seq_along(runs), rep_len(seq_len(workers), length(runs)))
  asked <- lapply(share, function(at) runs[at])
  work <- function(part) lapply(part, answers_of, questions = questions)
  if (.Platform$OS.type == "windows") {
    cluster <- parallel::makePSOCKcluster(workers)
    on.exit(parallel::stopCluster(cluster))
    found <- parallel::parLapply(cluster, asked, work)
  } else {
    found <- parallel::mclapply(asked, work, mc.cores = workers, mc.preschedule = FALSE)
  }
  lost <- !vapply(found, is.list, NA)
  # a process that was killed: its questions have no effects, and are asked again here
  found[lost] <- lapply(asked[lost], work)
  unsplit(found, rep_len(seq_len(workers), length(runs)))
}

# The ends that fill the columns of a run, or why there are none.
answers_of <- function(run, questions) {
  lines <- vapply(seq_along(questions), function(i) {
    params <- paste0(run, if (nzchar(questions[[i]]$options)) ",", questions[[i]]$options)
    sprintf('{"jsonrpc":"2.0","id":%d,"method":"%s","params":{%s}}', i, questions[[i]]$command, params)
  }, "")
  ends <- list()
  for (message in response_to(paste0("[", paste(lines, collapse = ","), "]"))) {
    if (is.null(message$result)) return(in_r(message$error$message))
    columns <- questions[[message$id]]$columns
    for (name in names(columns)) ends[[name]] <- vapply(message$result$answer[[columns[[name]]]][c("lower", "upper")], as_number, 0)
  }
  ends
}

table_of <- function(answers, questions) {
  names <- unlist(lapply(questions, function(each) names(each$columns)))
  good <- vapply(answers, is.list, NA)
  ends <- lapply(names, function(name) {
    found <- matrix(NA_real_, length(answers), 2L)
    if (any(good)) found[good, ] <- t(vapply(answers[good], function(each) each[[name]], c(0, 0)))
    setNames(as.data.frame(found), paste0(name, c("_lower", "_upper")))
  })
  why <- rep(NA_character_, length(answers))
  why[!good] <- vapply(answers[!good], as.character, "")
  cbind(do.call(cbind, ends), error = why)
}
