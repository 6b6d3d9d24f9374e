"""
Risks of DP-SGD by riskcal beside those of gdp_kernel. riskcal discretises the loss from above (dp_accounting, 1e-4 apart), so its advantage is not
below the exact one. Its false negative rates are those of one direction, which may be above what holds for both: dp_accounting's own deltas give
the rates of gdp_kernel. Prints what differs, one line a number.
"""

import warnings

import numpy as np
from riskcal import analysis
from riskcal.calibration import dpsgd

import gdp_kernel

warnings.simplefilter("ignore")
RUNS = ((1.1, 0.01, 1000), (2.0, 0.1, 100), (9.4, 0.32768, 2000), (0.8, 0.001, 20000))
ALPHAS = (0.001, 0.01, 0.1, 0.5)
#: What riskcal's mesh may cost, and a rounding of closed forms.
MESH, ROUNDING = 2e-3, 1e-9


def beside(what, theirs, ours, below, above):
    if not ours.lower - below <= theirs <= ours.upper + above:
        print(f"{what}: riskcal has {theirs}, and gdp_kernel {ours}")


for noise, rate, steps in RUNS:
    what = f"noise {noise}, rate {rate}, {steps} steps"
    run = gdp_kernel.Account.dp_sgd(noise_multiplier=noise, sampling_rate=rate, steps=steps)
    sizes = {"noise_multiplier": noise, "sample_rate": rate, "num_steps": steps}
    beside(f"{what}: advantage", dpsgd.get_advantage_for_dpsgd(**sizes), run.advantage(), ROUNDING, MESH)
    found = dpsgd.get_beta_for_dpsgd(**sizes, alpha=np.array(ALPHAS))
    for alpha, beta, ours in zip(ALPHAS, found, run.tradeoff(list(ALPHAS))):
        beside(f"{what}: false negatives at {alpha}", beta, ours, MESH, MESH)

for mu in (0.1, 1.0, 3.0):
    run = gdp_kernel.Account([(1 / mu, 1, 1)])
    beside(f"mu {mu}: advantage", analysis.get_advantage_from_gdp(mu), run.advantage(), ROUNDING, ROUNDING)
    for alpha in ALPHAS:
        beside(f"mu {mu}: at {alpha}", analysis.get_beta_from_gdp(mu, alpha), run.tradeoff(alpha), ROUNDING, ROUNDING)

# the noise that riskcal finds is enough by its own tolerance
noise = dpsgd.find_noise_multiplier_for_advantage(0.2, sample_rate=0.01, num_steps=1000)
ours = gdp_kernel.calibrate(advantage=0.2, sampling_rate=0.01, steps=1000).noise_multiplier
if not abs(noise / ours - 1) < 0.02:
    print(f"noise for an advantage of 0.2: riskcal has {noise}, and gdp_kernel {ours}")
