"""Mistakes that type checkers are to find: each line is an error to ``mypy --strict`` and to pyright."""

from gdp_kernel import Account, calibrate

run = Account([(2, 1, 30)], adjacency="add-remove")
run.epsilon(1e-5).uper  # error
run.epsilon([1e-5]).uper  # error
Account([(2, 1, 30)], adjacency="add_remove")  # error
Account.dp_sgd(noise_multiplier=2, samplingrate=1, steps=30)  # error
calibrate(epsilon=2, steps="many")  # error
run.epsilon("1e-5")  # error
run.report("out.html")  # error
