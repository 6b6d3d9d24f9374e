# One child process that answers questions: gdp serve --stdio, a JSON-RPC message a line.

# The oldest Node that runs the accountant.
MINIMUM_NODE <- "20.19"
# Bytes of a request at most, as much as gdp reads of a file.
LONGEST_REQUEST <- 64 * 2^20

state <- new.env(parent = emptyenv())

refuse <- function(message) stop(condition(message, "gdp_refused", "error"))
fail <- function(message) stop(condition(message, "gdp_failure", "error"))

condition <- function(message, class, kind) {
  structure(class = c(class, kind, "condition"), list(message = message, call = NULL))
}

# Asks the child, which is started when it is first needed, and again where it has ended.
#
# method: a command of gdp; params: its options by name, with underscores; `input` for what FILE holds, `operands` for names of files.
# The result holds `answer` (or `text`), `exitCode` and `notes`. An error of class gdp_refused is what gdp refuses, one of class
# gdp_failure that there is no answer; never a number in its place.
ask_gdp <- function(method, params, warn = TRUE) {
  given <- Filter(Negate(is.null), params)
  parts <- vapply(names(given), function(name) {
    value <- given[[name]]
    if (name == "operands") value <- as.list(value)
    paste0(quoted(gsub("_", "-", name, fixed = TRUE)), ":", to_json(value, if (name == "input") "run" else name))
  }, "")
  child <- child_process()
  state$id <- state$id + 1
  line <- sprintf(
    '{"jsonrpc":"2.0","id":%d,"method":%s,"params":{%s}}\n', state$id, quoted(method), paste(parts, collapse = ",")
  )
  size <- nchar(line, "bytes")
  if (size > LONGEST_REQUEST) {
    refuse(sprintf("what \"%s\" was asked takes %d bytes, and at most %d can be asked at once", method, size, LONGEST_REQUEST))
  }
  answered <- FALSE
  # whoever interrupts a question does not wait for its answer
  on.exit(if (!answered) close_child())
  send(child, line)
  message <- answer_of(child, state$id)
  answered <- TRUE
  if (!is.null(message$error)) {
    text <- in_r(message$error$message)
    if (identical(message$error$code, -32602L)) refuse(text) else fail(text)
  }
  if (!is.list(message$result)) fail("gdp-kernel gave an answer that is none")
  if (warn) for (note in message$result$notes) message(condition(paste0("gdp-kernel: ", in_r(note), "\n"), "gdp_note", "message"))
  message$result
}

send <- function(child, line) {
  left <- charToRaw(enc2utf8(line))
  while (length(left) > 0L) {
    left <- tryCatch(child$write_input(left), error = function(error) fail(gone(child)))
    if (length(left) > 0L) take_output(child, 20L)
  }
}

# The message that answers the request of an id. One without an id may be about it: nobody is left waiting for what never comes.
answer_of <- function(child, id) {
  repeat {
    while (length(state$lines) > 0L) {
      message <- jsonlite::fromJSON(state$lines[[1L]], simplifyVector = FALSE)
      state$lines <- state$lines[-1L]
      if (is.null(message$method) && (is.null(message$id) || identical(as.double(message$id), as.double(id)))) return(message)
    }
    if (!take_output(child, 1000L) && !child$is_alive() && !take_output(child, 0L)) fail(gone(child))
  }
}

# Reads what the child has written; whether there was any.
take_output <- function(child, milliseconds) {
  child$poll_io(milliseconds)
  text <- tryCatch(child$read_output(), error = function(error) "")
  if (!nzchar(text)) return(FALSE)
  state$partial <- c(state$partial, text)
  if (grepl("\n", text, fixed = TRUE)) {
    parts <- strsplit(paste0(paste(state$partial, collapse = ""), "."), "\n", fixed = TRUE)[[1L]]
    state$lines <- c(state$lines, parts[-length(parts)])
    state$partial <- substr(parts[[length(parts)]], 1L, nchar(parts[[length(parts)]]) - 1L)
  }
  TRUE
}

gone <- function(child) {
  status <- tryCatch(child$get_exit_status(), error = function(error) NULL)
  paste0("gdp-kernel's process ended before it answered", if (!is.null(status)) sprintf(" (exit code %d)", status))
}

# The child of this process; one that another process started, before a fork, is left alone.
child_process <- function() {
  own <- identical(state$pid, Sys.getpid())
  if (own && !is.null(state$child) && state$child$is_alive()) return(state$child)
  if (!own) state$foreign <- c(state$foreign, state$child)
  state$pid <- Sys.getpid()
  state$lines <- character()
  state$partial <- character()
  state$id <- 0
  arguments <- c(script_path(), "serve", "--stdio", "--workers", "2", "--progress", "0", "--max-line", number_text(LONGEST_REQUEST))
  state$child <- processx::process$new(
    node_path(), arguments, stdin = "|", stdout = "|", stderr = NULL, encoding = "UTF-8", cleanup = TRUE
  )
  state$child
}

close_child <- function() {
  if (identical(state$pid, Sys.getpid()) && !is.null(state$child)) state$child$kill()
  state$child <- NULL
}

node_path <- function() {
  name <- Sys.getenv("GDP_KERNEL_NODE", "node")
  path <- unname(Sys.which(name))
  needs <- sprintf("gdpkernel needs Node %s or newer", MINIMUM_NODE)
  if (!nzchar(path)) {
    fail(sprintf("%s, and there is no \"%s\" on the PATH: install it, or name it in GDP_KERNEL_NODE", needs, name))
  }
  said <- tryCatch(trimws(processx::run(path, "--version", timeout = 60)$stdout), error = function(error) "")
  version <- sub("^v", "", said)
  if (!grepl("^[0-9]+[.][0-9]+[.][0-9]+", version) || utils::compareVersion(version, MINIMUM_NODE) < 0) {
    fail(sprintf("%s, and %s is %s", needs, path, if (nzchar(said)) said else "no Node"))
  }
  path
}

# The command line: what the package carries, or what GDP_KERNEL_CLI names.
script_path <- function() {
  path <- Sys.getenv("GDP_KERNEL_CLI", system.file("bundle", "cli.js", package = "gdpkernel"))
  if (!nzchar(path) || !file.exists(path)) fail("gdpkernel is not whole: bundle/cli.js is missing")
  path
}

# A sentence of gdp with the names of R's arguments.
in_r <- function(text) {
  options <- regmatches(text, gregexpr("--[a-z]+(-[a-z]+)*", text))[[1L]]
  for (option in unique(options[order(-nchar(options))])) {
    text <- gsub(option, gsub("-", "_", substring(option, 3L), fixed = TRUE), text, fixed = TRUE)
  }
  sub("^standard input: ", "run: ", text)
}

.onUnload <- function(libpath) close_child()
