"""Regret of randomised response and of Laplace noise, for test/tradeoff/regret.test.ts.

Delta = sup over epsilon >= 0 of (delta_mu(epsilon) - delta(epsilon))/(1 + e^epsilon), mu the smallest with
G_mu <= f, which for both mechanisms is the mu of their advantage. Run: python3 make-regret.py
"""
from mpmath import mp, mpf, exp, sqrt, erfinv, ncdf, nstr

mp.dps = 30


def delta_gdp(mu, e):
    return ncdf(mu / 2 - e / mu) - exp(e) * ncdf(-mu / 2 - e / mu)


def largest(g, low, high):
    """Maximum of g on [low, high]: a scan, then thirds around the best point."""
    n = 4000
    xs = [low + (high - low) * k / n for k in range(n + 1)]
    best = max(range(n + 1), key=lambda k: g(xs[k]))
    a, b = xs[max(0, best - 1)], xs[min(n, best + 1)]
    for _ in range(150):
        c, d = a + (b - a) / 3, b - (b - a) / 3
        if g(c) < g(d):
            a = c
        else:
            b = d
    return max(g(a), g(b))


def regret(eta, delta, top):
    mu = 2 * sqrt(2) * erfinv(eta)
    return largest(lambda e: (delta_gdp(mu, e) - delta(e)) / (1 + exp(e)), mpf(0), top)


for e0 in [mpf("0.2"), mpf(1), mpf(2), mpf(5)]:
    rr = regret((exp(e0) - 1) / (exp(e0) + 1), lambda e: max(mpf(0), (exp(e0) - exp(e)) / (1 + exp(e0))), 3 * e0)
    laplace = regret(1 - exp(-e0 / 2), lambda e: max(mpf(0), 1 - exp((e - e0) / 2)), 3 * e0)
    print(nstr(e0, 3), "randomised response", nstr(rr, 20), "Laplace", nstr(laplace, 20))
