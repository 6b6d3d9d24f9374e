#' A privacy budget in a file that processes share
#'
#' A ledger on a local disk, which any number of processes may spend from, the command line `gdp budget` and Python among them. `budget_spend` pays
#' for a release before it is made, or refuses: then the release must not be made. A process that is killed at any moment leaves a true ledger.
#' At worst it paid for a release that it never made.
#'
#' With `per_record` the budget is that of each record of the data. `budget_charge` then charges the records of a release, each its own cost.
#' The release is to be made without those in `left_out`. What a record has spent, and who is left out, depends on the data: publish none of it.
#'
#' @param path The file. `budget_open` makes it.
#' @param budget What may be spent in all: `"pure-dp:1"`, `"approximate-dp:1,1e-5"`, `"gdp:0.5"`, `"zcdp:0.5"`, `"rdp:8=1.2,16=2.5"`, or a list
#'   as `list(kind = "gdp", mu = 0.5)`.
#' @param per_record Whether it is the budget of each record of the data, which `budget_charge` pays from.
#' @param cost What the release costs, in the same forms.
#' @param costs What a release costs each of its records, by name: `c("patient-7" = "gdp:0.02")`.
#' @param record Name of a record, to see what it has left.
#' @param count So many releases of that cost.
#' @param id Name of the release; one of the same name is refused.
#' @param delta Bounds the loss so far, but with that probability.
#' @return A list of `count`, the releases that were paid, and `left`, a data frame with the columns `sum`, `capacity`, `spent` and `left`: exact
#'   decimals, as texts. With `delta`, `epsilon` is the bound of the loss so far. Of `budget_charge`, `left_out` has the names of the records that
#'   must be left out of the release. What is not paid is an error of class `gdp_refused`.
#' @examples
#' ledger <- tempfile(fileext = ".log")
#' budget_open(ledger, "gdp:1")
#' budget_spend(ledger, "gdp:0.1", count = 50)$left
#' tryCatch(budget_spend(ledger, "gdp:1"), gdp_refused = conditionMessage)
#' records <- tempfile(fileext = ".log")
#' budget_open(records, "gdp:1", per_record = TRUE)
#' budget_charge(records, c(anna = "gdp:0.9", ben = "gdp:0.1"))$left_out
#' budget_charge(records, c(anna = "gdp:0.9", ben = "gdp:0.1"))$left_out
#' budget_left(records, record = "ben")$left
#' @export
budget_open <- function(path, budget, per_record = FALSE) {
  path <- ledger_path(path)
  if (file.exists(path)) refuse(paste0(path, ": it exists already; a ledger is never overwritten"))
  found <- ask_gdp("budget", c(list(operands = c("open", path), budget = budget, per_record = if (isTRUE(per_record)) TRUE), stamp()))
  require_written(path, .Call(C_make, path, paste0(path, ".", .Call(C_digits), ".partial"), found$files[[1L]]))
  invisible(standing(found))
}

#' @rdname budget_open
#' @export
budget_spend <- function(path, cost, count = NULL, id = NULL) {
  invisible(pay(path, list(spend = cost, count = count, id = id)))
}

#' @rdname budget_open
#' @export
budget_charge <- function(path, costs, id = NULL) {
  if (!is.character(costs) || is.null(names(costs))) refuse("costs must be texts with the names of records")
  text <- charToRaw(enc2utf8(paste0(names(costs), ",", costs, "\n", collapse = "")))
  pay(path, list(charges = "charges.csv", id = id), list(charges.csv = base64_of(text)))
}

pay <- function(path, options, files = list()) {
  path <- ledger_path(path)
  # the ledger knows a payment by its stamp, however often it is asked
  options <- c(options, stamp())
  before <- ""
  repeat {
    found <- ask_ledger("spend", path, options, files)
    if (!is.null(found$answer$refused)) refuse(in_r(found$answer$refused))
    if (is.null(found$files)) return(standing(found))
    # the line counts once it is read as the first after its record: where another came before, there is a new one
    line <- found$files[[1L]]
    if (identical(line, before)) refuse(paste0(path, ": a record that was written is not there"))
    require_written(path, .Call(C_append, path, line))
    before <- line
  }
}

#' @rdname budget_open
#' @export
budget_left <- function(path, delta = NULL, record = NULL) {
  path <- ledger_path(path)
  standing(ask_ledger("left", path, list(delta = delta, record = record)))
}

ledger_path <- function(path) {
  if (!is.character(path) || length(path) != 1L || is.na(path) || !nzchar(path)) refuse("path must be the name of a file")
  enc2native(normalizePath(path, mustWork = FALSE))
}

ask_ledger <- function(what, path, options, files = list()) {
  if (!file.exists(path)) refuse(sprintf('there is no file "%s"', path))
  held <- base64_of(readBin(path, "raw", file.size(path)))
  ask_gdp("budget", c(list(operands = c(what, path), files = c(setNames(list(held), path), files)), options))
}

stamp <- function() list(at = format(Sys.time(), "%Y-%m-%dT%H:%M:%OS3Z", tz = "UTC"), nonce = .Call(C_digits))

require_written <- function(path, said) if (!is.null(said)) refuse(sprintf("%s: it cannot be written: %s", path, said))

standing <- function(found) {
  column <- function(name) vapply(found$answer$readings, function(each) as.character(each[[name]]), "")
  names <- c("sum", "capacity", "spent", "left")
  c(
    list(count = found$answer$count, left = as.data.frame(setNames(lapply(names, column), names))),
    if (!is.null(found$answer$odometer)) list(epsilon = as_number(found$answer$odometer$epsilon)),
    if (!is.null(found$answer$leftOut)) list(left_out = as.character(unlist(found$answer$leftOut)))
  )
}
