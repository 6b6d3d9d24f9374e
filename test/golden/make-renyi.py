"""Writes renyi.json: the largest delta(eps) of any pair with Renyi divergence D at order alpha, searched for over pairs
with two outputs (Asoodeh et al. 2020) in mpmath: the primal side of what the library bounds by duality.
Run: python3 make-renyi.py"""
import json
import os
from mpmath import mp, mpf, exp, log, sqrt

mp.dps = 40


def largest_q(alpha, budget, u):
    """The largest q with q u^alpha + (1-uq)^alpha (1-q)^(1-alpha) <= budget; the sum is convex in q and 1 at 0."""
    def total(q):
        return q * u**alpha + (1 - u * q) ** alpha * (1 - q) ** (1 - alpha)

    low, high = mpf(0), 1 / u
    if total(high) <= budget:
        return high
    for _ in range(140):
        mid = (low + high) / 2
        if total(mid) <= budget:
            low = mid
        else:
            high = mid
    return low


def optimum(alpha, divergence, eps):
    alpha, eps = mpf(alpha), mpf(eps)
    budget = exp((alpha - 1) * mpf(divergence))

    def delta(t):
        u = exp(eps + exp(t))
        return largest_q(alpha, budget, u) * (u - exp(eps))

    grid = [mpf(i) / 4 for i in range(-40, 13)]
    values = [delta(t) for t in grid]
    k = max(range(len(grid)), key=lambda i: values[i])
    a, b = grid[max(0, k - 1)], grid[min(len(grid) - 1, k + 1)]
    ratio = (sqrt(5) - 1) / 2
    for _ in range(60):
        c, d = b - ratio * (b - a), a + ratio * (b - a)
        if delta(c) > delta(d):
            b = d
        else:
            a = c
    return delta((a + b) / 2)


cases = [("2", "1", "0.5"), ("2", "0.1", "0"), ("8", "1", "2"), ("1.5", "0.3", "1"), ("3", "0.01", "0.05"), ("32", "2", "3"), ("4", "0.5", "0.1"), ("1.05", "0.2", "0.5"), ("200", "1", "1.3"), ("16", "0.02", "0.6")]
out = [
    {"order": float(a), "divergence": float(d), "epsilon": float(e), "logDelta": mp.nstr(log(optimum(a, d, e)), 17)}
    for a, d, e in cases
]
with open(os.path.join(os.path.dirname(__file__), "renyi.json"), "w") as file:
    json.dump(out, file, indent=1)
    file.write("\n")
