# The R package as a door (ask.py).
invisible(loadNamespace("gdpkernel", "build/r/library"))
input <- file("stdin", "r")
while (length(line <- readLines(input, 1L, encoding = "UTF-8"))) cat(.Call(gdpkernel:::C_ask, line), "\n", sep = "")
