"""Composed Laplace noise and bounded-range mechanisms: log delta, log FPR and log TPR in 60 digits.

    python3 make-box-runs.py > box-runs.json

e^{y/2} P is a constant density v/(2 e0) on (-e0, e0) and two atoms a. Its n-fold convolution is expanded into
truncated powers (Irwin-Hall, alternating signs) in 200 digits, with the kernels 2 sinh(x/2), e^{-x/2} and
e^{x/2} integrated as power series: nothing is shared with sums of B-splines.
"""

import json

from mpmath import binomial, exp, factorial, log, mp, mpf, nstr, sinh

mp.dps = 200


def coefficients(n, m):
    """Of E^p, p = 0 ... n, in (E + 1)^{n-m} (E - 1)^m."""
    poly = [mpf(1)]
    for k in range(n):
        sign = 1 if k < n - m else -1
        poly = [sign * a + b for a, b in zip(poly + [0], [0] + poly)]
    return poly


def repeated(x, m, odd, even):
    """The m-fold integral from 0 of sum_r h_r x^r/r!, h_r = odd or even times 2^-r, at x > 0."""
    total, r = mpf(0), 0
    term = x**m / factorial(m)
    while r < 8 or term > mpf(10) ** -150 * total:
        total += term * (odd if r % 2 else even)
        r += 1
        term *= x / (2 * (m + r))
    return total


def run(kind, e0, n, epsilons):
    e0 = mpf(e0)
    if kind == "laplace":
        v, a = e0 * exp(-e0 / 2) / 2, exp(-e0 / 2) / 2
    else:
        v, a = e0 / (2 * sinh(e0 / 2)), mpf(0)
    weights = []
    for m in range(n + 1):
        scale = binomial(n, m) * (v / (2 * e0)) ** m * (a ** (n - m) if n > m else 1)
        weights.append([scale * c for c in coefficients(n, m)] if scale else None)
    rows = []
    for epsilon in epsilons:
        epsilon = mpf(epsilon)
        sums = []
        for odd, even in ((2, 0), (-1, 1), (1, 1)):
            total = mpf(0)
            for m, row in enumerate(weights):
                if row is None:
                    continue
                for p, weight in enumerate(row):
                    x = (2 * p - n) * e0 - epsilon
                    if x > 0:
                        total += weight * repeated(x, m, odd, even)
            sums.append(total)
        delta, fpr, tpr = (
            exp(epsilon / 2) * sums[0],
            exp(-epsilon / 2) * sums[1],
            exp(epsilon / 2) * sums[2],
        )
        rows.append([str(epsilon)] + [nstr(log(one), 25) for one in (delta, fpr, tpr)])
    return {"kind": kind, "epsilon0": str(e0), "count": n, "rows": [[float(row[0])] + row[1:] for row in rows]}


def doubles(top, shares):
    # epsilons are doubles, off the atoms
    return [float(top * share) for share in shares]


SHARES = (0.0173, 0.0531, 0.117, 0.313, 0.511, 0.833, 0.9713, 0.999371)
CASES = [
    ("laplace", 0.2, 50),
    ("laplace", 1.0, 2),
    ("laplace", 1.0, 3),
    ("laplace", 0.01, 120),
    ("laplace", 3.0, 12),
    ("laplace", 0.001, 2),
    ("laplace", 8.0, 5),
    ("bounded-range", 1.0, 2),
    ("bounded-range", 0.3, 40),
    ("bounded-range", 4.0, 9),
]

print(json.dumps([run(kind, e0, n, doubles(e0 * n, SHARES)) for kind, e0, n in CASES], indent=1))
