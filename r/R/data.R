# What a request may hold, as JSON has it, and what an answer holds, as R has it.

#' @importFrom stats setNames
NULL

# A value as JSON. Numbers keep all their bits; NaN and infinities are the texts that gdp reads them by, and refuses with the place
# where they stand. A vector of one element is that element; a list of one is a list.
to_json <- function(value, place) {
  if (is.null(value)) return("null")
  if (is.data.frame(value)) value <- as.matrix(value)
  if (is.matrix(value)) {
    rows <- lapply(seq_len(nrow(value)), function(i) as.list(unname(value[i, ])))
    return(to_json(rows, place))
  }
  if (is.factor(value)) value <- as.character(value)
  if (is.list(value)) {
    named <- names(value)
    if (length(value) == 0L) return(if (is.null(named)) "[]" else "{}")
    parts <- vapply(seq_along(value), function(i) {
      at <- if (is.null(named)) sprintf("%s[[%d]]", place, i) else paste0(place, "$", named[[i]])
      to_json(value[[i]], at)
    }, "")
    if (is.null(named)) return(paste0("[", paste(parts, collapse = ","), "]"))
    return(paste0("{", paste(paste0(quoted(named), ":", parts), collapse = ","), "}"))
  }
  parts <- atoms(value, place)
  if (length(parts) == 1L) parts else paste0("[", paste(parts, collapse = ","), "]")
}

atoms <- function(value, place) {
  if (is.character(value) && !anyNA(value)) return(quoted(value))
  if (is.logical(value) && !anyNA(value)) return(ifelse(value, "true", "false"))
  if (is.numeric(value) || is.logical(value)) return(vapply(as.double(value), number_text, ""))
  refuse(sprintf("%s must be made of numbers, texts, lists and data frames, got %s", place, class(value)[[1L]]))
}

number_text <- function(x) {
  if (is.nan(x) || is.na(x)) return('"NaN"')
  if (is.infinite(x)) return(if (x > 0) '"Infinity"' else '"-Infinity"')
  sprintf("%.17g", x)
}

quoted <- function(text) {
  plain <- grepl("^[ !#-\\[\\]-~]*$", text, perl = TRUE)
  escaped <- vapply(enc2utf8(text[!plain]), function(each) as.character(jsonlite::toJSON(jsonlite::unbox(each))), "", USE.NAMES = FALSE)
  text[plain] <- sprintf("\"%s\"", text[plain])
  text[!plain] <- escaped
  text
}

# A number of an answer: JSON has no infinities.
as_number <- function(value) {
  if (is.null(value)) NA_real_ else if (is.character(value)) as.double(sub("Infinity", "Inf", value)) else as.double(value)
}
