"""Writes near-certain.json: log delta(eps) where delta is nearly 1, and 1 - delta(0) where delta(0) is nearly 0, in mpmath (50 digits),
with nothing of the library in it. Run: python3 make-near-certain.py

Compositions of sampled Gaussian steps by one integral of the moments of a step. With (P, Q) the pair and M(z) = E_P[e^{zL}],
  1 - delta(eps) = E_P[min(e^L, e^eps)] = 1/(2 pi i) int_{c - i oo}^{c + i oo} M(z)^T e^{eps (1 - z)} / (z (1 - z)) dz,  0 < c < 1,
the transform of min(e^l, e^eps) on its strip. Both integrals are trapezoidal sums, which converge geometrically; each is taken
again with half the spacing, and the two have to agree.
"""
import json
import os
from mpmath import mp, mpf, mpc, exp, log, log1p, expm1, erfc, sqrt, pi, findroot

mp.dps = 50


def ncdf(x):
    return erfc(-x / sqrt(2)) / 2


def delta_gdp(mu, eps):
    return ncdf(mu / 2 - eps / mu) - exp(eps) * ncdf(-mu / 2 - eps / mu)


def moment(z, mu, q, h):
    """E_P[(1 - q + q e^{mu x - mu^2/2})^z], x ~ N(0, 1): all of the mass of the integrand lies in [-14, 14 + mu]."""
    total = mpc(0)
    n = int(14 / h)
    for i in range(-n, n + int(mu / h) + 1):
        x = i * h
        total += exp(-x * x / 2 + z * loss(i, mu, q, h))
    return total * h / sqrt(2 * pi)


known = {}


def loss(i, mu, q, h):
    key = (i, mu, q, h)
    if key not in known:
        known[key] = log(1 - q + q * exp(mu * i * h - mu * mu / 2))
    return known[key]


def complement(mu, q, steps, eps, exchanged, h, dt):
    """1 - delta(eps) of (P, Q), or of (Q, P): then M'(z) = M(1 - z)."""
    c = mpf(1) / 2
    total = mpf(0)
    k = 0
    while True:
        z = mpc(c, k * dt)
        m = moment(1 - z if exchanged else z, mu, q, h)
        term = (m ** steps * exp(eps * (1 - z)) / (z * (1 - z))).real
        total += term / (2 if k == 0 else 1)
        if k > 2 and abs(m) ** steps < mpf(10) ** -28 * abs(total):
            return total * dt / pi
        k += 1


def dp_sgd(sigma, q, steps, eps):
    mu, q, eps = 1 / mpf(sigma), mpf(q), mpf(eps)
    ends = []
    for exchanged in (False, True):
        dt = mpf(1) / 40
        once = complement(mu, q, steps, eps, exchanged, mpf(1) / 8, dt)
        again = complement(mu, q, steps, eps, exchanged, mpf(1) / 11, dt / 2)
        assert abs(once / again - 1) < mpf(10) ** -22, (once, again)
        ends.append(again)
    # the worse direction has the larger delta
    return min(ends)


def laplace(eps0, eps):
    """1 - delta(eps) = e^eps (1 - delta(-eps)), delta(x) = 1 - e^{(x - eps0)/2} for 0 <= x <= eps0."""
    return exp(mpf(eps)) * exp((-mpf(eps) - eps0) / 2) if eps < 0 else exp((mpf(eps) - eps0) / 2)


def without_replacement(sigma, share, eps):
    """The curve C_p of the doubled Gaussian is its own mirror image: delta(x) = p delta_mu(log(1 + (e^x - 1)/p)), x >= 0."""
    x = -mpf(eps)
    s = log1p(expm1(x) / share)
    return exp(-x) * (1 - share * delta_gdp(2 / mpf(sigma), s))


def rdp_two(bound, eps):
    """One order, 2, both ways: the largest pi - e^x alpha of pairs with two outputs. Both bounds hold with equality there."""
    x, b = -mpf(eps), exp(mpf(bound))
    # with a = alpha and r = 1 - pi, both about 1/b; the unknowns are scaled by b
    f = lambda u, v: (
        (1 - v / b) ** 2 / (u / b) / b + (v / b) ** 2 / (1 - u / b) / b - 1,
        (1 - u / b) ** 2 / (v / b) / b + (u / b) ** 2 / (1 - v / b) / b - 1,
    )
    u, v = findroot(f, (mpf(1), mpf(1)))
    return exp(-x) * (v / b + exp(x) * u / b)


def bounded_range(eps0):
    """1 - (e^{eps0/2} - 1)^2 / (e^{eps0} - 1)."""
    return 2 / (exp(mpf(eps0) / 2) + 1)


def main():
    deltas, advantages = [], []

    def put(json_, adjacency, eps, rest):
        value = log1p(-rest)
        deltas.append({"mechanism": json_, "adjacency": adjacency, "epsilon": eps, "logDelta": mp.nstr(value, 25)})

    for steps, eps in [(1800, -1.0), (2000, -1.0), (2400, -1e-3), (5606, -1e-3), (800, -3.5)]:
        sgd = {"kind": "dp-sgd", "noiseMultiplier": 2, "samplingRate": 0.5, "steps": steps}
        put(sgd, "add-remove", eps, dp_sgd(2, 0.5, steps, eps))
    for scale, eps in [(0.1470561713183215, -9.019158429539964), (0.1, -1e-9), (0.02, -3.0), (0.01, 0.0)]:
        put({"kind": "laplace", "scale": scale, "sensitivity": 1}, "replace-one", eps, laplace(2 / mpf(scale), eps))
    for epsilon in (40.0, 300.0):
        put({"kind": "bounded-range", "epsilon": epsilon}, "add-remove", 0.0, bounded_range(epsilon))
    wor = lambda sigma, m, n: {
        "kind": "without-replacement",
        "sampleSize": m,
        "datasetSize": n,
        "inner": {"kind": "gaussian", "noiseMultiplier": sigma},
    }
    for sigma, m, n, eps in [(0.5798414708038744, 5, 6, -26.871888191752596), (0.2, 9, 10, -5.0)]:
        put(wor(sigma, m, n), "replace-one", eps, without_replacement(sigma, mpf(m) / n, eps))
    for bound, eps in [(33.85, -4.12), (50.0, -0.5)]:
        rdp = {"kind": "rdp", "points": [{"order": 2, "epsilon": bound}]}
        put(rdp, "replace-one", eps, rdp_two(bound, eps))

    for sigma, q in [(3.1584725948257275, 6.34623988729716e-7), (0.7, 3e-9), (5.0, 1e-3)]:
        advantage = mpf(q) * delta_gdp(1 / mpf(sigma), mpf(0))
        sgd = {"kind": "dp-sgd", "noiseMultiplier": sigma, "samplingRate": q, "steps": 1}
        advantages.append({"mechanism": sgd, "oneMinusAdvantage": mp.nstr(1 - advantage, 30)})

    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "near-certain.json"), "w") as file:
        json.dump({"deltas": deltas, "advantages": advantages}, file, indent=1)
        file.write("\n")


main()
