# The R package as a door, in a process of its own, as measured.mjs: Rscript door.R CORPUS OUT
words <- commandArgs(TRUE)
spent <- function() sum(proc.time()[1:2]) * 1000
lines <- readLines(words[[1L]], encoding = "UTF-8")
since <- spent()
invisible(loadNamespace("gdpkernel", "build/r/library"))
ask <- function(line) .Call(gdpkernel:::C_ask, line)
invisible(ask('{"jsonrpc":"2.0","id":1,"method":"rpc.discover"}'))
opened <- spent() - since
since <- spent()
invisible(ask(lines[[1L]]))
first <- spent() - since
memory <- as.double(sub("\\D*(\\d+).*", "\\1", grep("VmHWM", readLines("/proc/self/status"), value = TRUE))) / 1024
times <- double(length(lines))
answers <- character(length(lines))
for (i in seq_along(lines)) {
  since <- spent()
  answers[[i]] <- ask(lines[[i]])
  times[[i]] <- spent() - since
}
reverse <- rev(vapply(rev(lines), ask, "", USE.NAMES = FALSE))
jsonlite::write_json(list(answers = answers, reverse = reverse), words[[2L]])
cat(jsonlite::toJSON(list(open = opened, first = first, memory = memory, times = times), auto_unbox = TRUE))
