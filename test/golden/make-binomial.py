"""Tails of the binomial law to 25 digits, by summing their terms in 60: test/golden/binomial.json.

Each row: trials, atLeast, logit, log P[Bin(trials, e^logit/(1 + e^logit)) >= atLeast]. logit is the double itself.
Clopper-Pearson rows: successes, trials, level, the upper limit.
"""

import json
import random
from pathlib import Path

from mpmath import betainc, exp, log, log1p, loggamma, mp, mpf, nstr

mp.dps = 60


def log_probability(n, k, t):
    t = mpf(t)
    log_p, log_q = -log1p(exp(-t)), -log1p(exp(t))
    return loggamma(n + 1) - loggamma(k + 1) - loggamma(n - k + 1) + k * log_p + (n - k) * log_q


def small_tail(n, k, t):
    """From k above the mean on."""
    odds = exp(mpf(t))
    term, total, j = mpf(1), mpf(1), k
    while j < n:
        term *= mpf(n - j) / (j + 1) * odds
        total += term
        j += 1
        if term < total * mpf(10) ** -45:
            break
    return log_probability(n, k, t) + log(total)


def upper_tail(n, k, t):
    mean = n / (1 + exp(-mpf(t)))
    if k > mean:
        return small_tail(n, k, t)
    return log1p(-exp(small_tail(n, n - k + 1, -t)))


def rows():
    random.seed(17)
    found = []
    for _ in range(500):
        n = round(10 ** random.uniform(0, 4.5))
        t = random.choice([random.gauss(0, 1), random.gauss(0, 4), random.uniform(-30, 30), random.uniform(-600, 600)])
        mean = float(n / (1 + exp(-mpf(t))))
        spread = (mean * (1 - mean / n)) ** 0.5
        k = random.choice([round(mean + random.gauss(0, 4) * spread), random.randint(1, n), n, 1])
        found.append((n, min(n, max(1, k)), t))
    found += [(1000, 1000, 0.0), (1000, 990, 0.0), (10**6, 501_000, 0.0), (10**6, 10, -14.0), (10**6, 999_000, 3.0)]
    found += [(10**8, 100, -15.0), (10**8, 50_020_000, 0.0), (1, 1, 0.3), (2, 1, -700.0), (2, 2, 700.0)]
    return [[n, k, t, nstr(upper_tail(n, k, t), 25)] for n, k, t in found]


def limits():
    """x with P[Bin(n, x) <= s] = level."""
    found = []
    for s, n, level in [(5, 1000, 0.025), (0, 500, 0.025), (450, 500, 0.025), (900, 1000, 0.025), (0, 1, 0.5), (3, 10, 1e-9)]:
        level = mpf(level)
        if s == 0:
            x = 1 - level ** (mpf(1) / n)
        else:
            low, high = mpf(s) / n, mpf(1)
            for _ in range(160):
                middle = (low + high) / 2
                if betainc(n - s, s + 1, 0, 1 - middle, regularized=True) > level:
                    low = middle
                else:
                    high = middle
            x = high
        found.append([s, n, float(level), nstr(x, 25)])
    return found


path = Path(__file__).parent / "binomial.json"
data = {"tails": rows(), "limits": limits()}
text = ",\n".join(f"    {json.dumps(row)}" for row in data["tails"])
more = ",\n".join(f"    {json.dumps(row)}" for row in data["limits"])
path.write_text(f'{{\n  "tails": [\n{text}\n  ],\n  "limits": [\n{more}\n  ]\n}}\n')
