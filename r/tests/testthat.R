library(testthat)
library(gdpkernel)

test_check("gdpkernel")
