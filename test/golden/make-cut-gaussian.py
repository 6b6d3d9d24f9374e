"""Exact values for test/methods/contour/cut-gaussian.test.ts, by mpmath at 34 digits: python3 test/golden/make-cut-gaussian.py > test/golden/cut-gaussian.json

M(z) = integral over x <= cut of phi(x) u(x)^z, u = 1 - q + q e^{mu x - mu^2/2}; the masses that the cut takes from P and Q; and Gauss-Legendre rules on [0, 1].
"""

import json

from mpmath import cos, exp, legendre, log, mp, mpc, mpf, ncdf, pi, quad, sqrt

mp.dps = 34


def text(value):
    return mp.nstr(value, 25)


def transform(mu, q, cut, z):
    def integrand(x):
        u = 1 - q + q * exp(mu * x - mu * mu / 2)
        return exp(-x * x / 2 + z * log(u)) / sqrt(2 * pi)

    low = min(mpf(0), z.real * mu) - 13
    edges = [low + (cut - low) * k / 32 for k in range(33)]
    return quad(integrand, edges)


def cases():
    for sigma, q, cut, c in [
        ("1", "0.01", 8, "2.5"),
        ("1.18", "0.000435", 7.5, "120"),
        ("0.571", "0.000311", 8.5, "5.85"),
        ("3.95", "0.000132", 8.25, "1750"),
        ("9.4", "0.32768", 9, "4.1"),
        ("0.45", "0.1", 10, "-3.5"),
        ("2", "0.05", 9, "-40"),
        ("1.73", "0.000149", 12, "0.5"),
    ]:
        mu, q = mpf(1 / float(sigma)), mpf(float(q))
        x = mpf(cut)
        m = transform(mu, q, x, mpc(mpf(float(c)), 0)).real
        line = []
        for turn in ["0.3", "3", "30"]:
            # in units of the largest loss
            top = log(1 - q + q * exp(mu * x - mu * mu / 2))
            tau = mpf(float(mpf(turn) / top))
            value = transform(mu, q, x, mpc(mpf(float(c)), tau)) / m
            line.append([float(tau), text(value.real), text(value.imag)])
        lost_p = ncdf(-x)
        yield {
            "sigma": float(sigma),
            "q": float(q),
            "cut": cut,
            "c": float(c),
            "logM": text(log(m)),
            "line": line,
            "logLostP": text(log(lost_p)),
            "logLostQ": text(log((1 - q) * lost_p + q * ncdf(mu - x))),
        }


def rule(n):
    nodes = []
    for k in range(n):
        x = cos(pi * (k + mpf(3) / 4) / (n + mpf(1) / 2))
        for _ in range(8):
            slope = n * (x * legendre(n, x) - legendre(n - 1, x)) / (x * x - 1)
            x -= legendre(n, x) / slope
        nodes.append([text((1 - x) / 2), text(1 / ((1 - x * x) * slope * slope))])
    return nodes


print(json.dumps({"steps": list(cases()), "rules": {str(n): rule(n) for n in (8, 12, 20, 24, 32)}}, indent=1))
