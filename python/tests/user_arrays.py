"""A user's arrays and tables, as type checkers read them where NumPy and pandas are installed."""

import numpy as np
import pandas as pd
from gdp_kernel import Account, Bracket, Brackets, batch, calibrate

run = Account([(2, 1, 30)])
row: Brackets = run.epsilon(np.array([1e-5, 1e-6]))
number: Bracket = run.epsilon(np.float64(1e-5))
single: Bracket = run.epsilon(np.float32(1e-5))
series: Brackets = run.epsilon(pd.Series([1e-5]))
frame = pd.DataFrame({"sigma": [2.0], "q": [1.0], "iterations": [30]})
answered: pd.DataFrame = batch(frame, delta=1e-5)
account = Account.dp_sgd(noise_multiplier=np.float32(2), sampling_rate=np.float64(1), steps=np.int64(30))
noise: float = calibrate(epsilon=np.float64(2), sampling_rate=1, steps=30).value
