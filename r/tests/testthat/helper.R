# The vectors of the conformance pack: beside the tests in the package as built, in their own folder in a checkout.
vectors <- function(group) {
  file <- c(file.path("vectors", paste0(group, ".jsonl")), file.path("../../../conformance/vectors", paste0(group, ".jsonl")))
  file <- file[file.exists(file)]
  if (length(file) == 0L) stop("the vectors are not there")
  lapply(readLines(file[[1L]]), jsonlite::fromJSON, simplifyVector = FALSE)
}

RUN <- list(kind = "repeat", count = 30, inner = list(kind = "gaussian", noiseMultiplier = 2))
