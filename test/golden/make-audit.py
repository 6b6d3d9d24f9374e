"""Bounds of audits to 20 digits, by formulas of their own in 40: test/golden/audit.json.

Clopper-Pearson limits by bisection of the incomplete beta function; (epsilon, delta) of one run by sums of binomial
probabilities; mu and p-values of one run by the recursion in mpmath.
"""

import json
from pathlib import Path

from mpmath import betainc, binomial, erfc, erfinv, exp, log, mp, mpf, nstr, sqrt

mp.dps = 40


def bisect(low, high, turned, rounds=130):
    """The point at which `turned` becomes true."""
    low, high = mpf(low), mpf(high)
    for _ in range(rounds):
        middle = (low + high) / 2
        if turned(middle):
            high = middle
        else:
            low = middle
    return (low + high) / 2


def cdf(z):
    return erfc(-z / sqrt(2)) / 2


def quantile(p):
    return sqrt(2) * erfinv(2 * p - 1)


def limit(s, n, level):
    if s == n:
        return mpf(1)
    return bisect(0, 1, lambda x: betainc(n - s, s + 1, 0, 1 - x, regularized=True) <= level)


def threshold(fp, n0, tp, n1, level, delta):
    fpr = limit(fp, n0, level / 2)
    tpr = 1 - limit(n1 - tp, n1, level / 2)
    return {
        "counts": [fp, n0, tp, n1],
        "fprUpper": nstr(fpr, 20),
        "tprLower": nstr(tpr, 20),
        "mu": nstr(quantile(tpr) - quantile(fpr), 20),
        "remove": nstr(log((tpr - delta) / fpr), 20),
        "add": nstr(max(mpf(0), log((1 - fpr - delta) / (1 - tpr))), 20),
    }


def p_value(m, r, v, epsilon, delta):
    p = 1 / (1 + exp(-epsilon))
    mass = [binomial(r, j) * p**j * (1 - p) ** (r - j) for j in range(r + 1)]
    beta = sum(mass[v:])
    tail, best = mpf(0), mpf(0)
    for i in range(1, v + 1):
        tail += mass[v - i]
        best = max(best, tail / i)
    return min(mpf(1), beta + 2 * m * delta * best)


def refuted(m, r, v, mu, level):
    right, wrong = level * v / m, level * (r - v) / mpf(m)
    for i in range(v - 1, -1, -1):
        new = max(wrong, cdf(quantile(min(right, 1 - mpf(10) ** -38)) - mu))
        if new == wrong:
            break
        right = min(mpf(1), right + mpf(i) / (r - i) * (new - wrong))
        wrong = new
    return right + wrong > mpf(r) / m


LEVEL = 1 - mpf(0.95)
DELTA = mpf(1e-5)
one_runs = []
for m, r, v in [(1000, 100, 95), (5000, 200, 170), (100, 20, 20)]:
    one_runs.append(
        {
            "counts": [m, r, v],
            "pure": nstr(bisect(0, 20, lambda e: p_value(m, r, v, e, 0) > LEVEL, 80), 20),
            "approximate": nstr(bisect(0, 20, lambda e: p_value(m, r, v, e, DELTA) > LEVEL, 80), 20),
            "mu": nstr(bisect(0, 5, lambda mu: not refuted(m, r, v, mu, LEVEL), 60), 16),
        }
    )
data = {
    "thresholds": [
        threshold(5, 1000, 100, 1000, LEVEL, DELTA),
        threshold(0, 500, 50, 500, LEVEL, DELTA),
        threshold(900, 1000, 995, 1000, LEVEL, DELTA),
        threshold(3, 20, 20, 20, LEVEL, DELTA),
    ],
    "oneRuns": one_runs,
    "pValues": [
        [1000, 100, v, 1, float(DELTA), nstr(p_value(1000, 100, v, 1, DELTA), 20)] for v in (95, 80)
    ],
    "pValuesOfGaussians": [
        [1000, 100, 95, float(mu), nstr(exp(bisect(-40, 0, lambda a: refuted(1000, 100, 95, mu, exp(a)), 60)), 14)]
        for mu in (mpf("0.25"), mpf("0.5"), mpf("0.75"), mpf(1))
    ],
}
Path(__file__).with_name("audit.json").write_text(json.dumps(data, indent=2) + "\n")
