# Asks the accountant of this process: a JSON-RPC request as text, the response as text (src/door.c).

# Bytes of a request at most, as much as gdp reads of a file.
LONGEST_REQUEST <- 64 * 2^20

refuse <- function(message) stop(condition(message, "gdp_refused", "error"))
fail <- function(message) stop(condition(message, "gdp_failure", "error"))

condition <- function(message, class, kind) {
  structure(class = c(class, kind, "condition"), list(message = message, call = NULL))
}

# Asks one question.
#
# method: a command of gdp; params: its options by name, with underscores; `input` for what FILE holds, `inputBase64` for its bytes, `operands` for
# names of what `files` holds. The result holds `answer` (or `text`), `exitCode` and `notes`. An error of class gdp_refused is what gdp refuses,
# one of class gdp_failure that there is no answer; never a number in its place.
ask_gdp <- function(method, params, warn = TRUE) {
  message <- response_to(request_of(method, params))
  if (!is.null(message$error)) raise(message$error)
  if (!is.list(message$result)) fail("gdp-kernel gave an answer that is none")
  if (warn) for (note in message$result$notes) message(condition(paste0("gdp-kernel: ", in_r(note), "\n"), "gdp_note", "message"))
  message$result
}

request_of <- function(method, params, id = 1L) {
  given <- Filter(Negate(is.null), params)
  parts <- vapply(names(given), function(name) {
    value <- given[[name]]
    if (name == "operands") value <- as.list(value)
    paste0(quoted(gsub("_", "-", name, fixed = TRUE)), ":", to_json(value, if (name == "input") "run" else name))
  }, "")
  line <- sprintf('{"jsonrpc":"2.0","id":%d,"method":%s,"params":{%s}}', id, quoted(method), paste(parts, collapse = ","))
  size <- nchar(line, "bytes")
  if (size > LONGEST_REQUEST) {
    refuse(sprintf("what \"%s\" was asked takes %.0f bytes, and at most %.0f can be asked at once", method, size, LONGEST_REQUEST))
  }
  line
}

response_to <- function(line) jsonlite::fromJSON(.Call(C_ask, enc2utf8(line)), simplifyVector = FALSE)

raise <- function(error) {
  text <- in_r(error$message)
  if (identical(error$code, -32602L)) refuse(text) else fail(text)
}

# A sentence of gdp with the names of R's arguments.
in_r <- function(text) {
  options <- regmatches(text, gregexpr("--[a-z]+(-[a-z]+)*", text))[[1L]]
  for (option in unique(options[order(-nchar(options))])) {
    text <- gsub(option, gsub("-", "_", substring(option, 3L), fixed = TRUE), text, fixed = TRUE)
  }
  text <- sub("^\"for\"", "\"unknown\"", text)
  sub("^standard input: ", "run: ", gsub("\"standard input\"", "the run", text, fixed = TRUE))
}

.onUnload <- function(libpath) {
  .Call(C_close_accountant)
  library.dynam.unload("gdpkernel", libpath)
}

#' @useDynLib gdpkernel, .registration = TRUE, .fixes = "C_"
NULL
