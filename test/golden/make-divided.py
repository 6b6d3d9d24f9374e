"""Goldens of test/mechanism/divided-sgd.test.ts: delta(eps) of noise alone whose scale is rho against 1, by mpmath's incomplete gamma function."""

from mpmath import exp, gammainc, log, mp, mpf, nstr

mp.dps = 40


def deltas(n, excess, eps):
    """x ~ Gamma(n/2) with the record, rho^2 times that without; the loss falls with x."""
    k, square, eps = mpf(n) / 2, (1 + mpf(excess)) ** 2, mpf(eps)
    below = lambda t: gammainc(k, 0, t, regularized=True)
    end = lambda loss: (k * log(square) - loss) / (1 - 1 / square)
    remove = below(end(eps)) - exp(eps) * below(end(eps) / square)
    add = 1 - below(end(-eps) / square) - exp(eps) * (1 - below(end(-eps)))
    return remove, add


for n, excess in [(400, "0.02"), (1000, "0.05"), (20000, "0.01")]:
    for eps in [0, 1, 4]:
        print([n, float(excess), eps, *(float(nstr(x, 12)) for x in deltas(n, excess, eps))])
