"""
Last iterates of convex training, and matrix mechanisms on two balls-and-bins batches. Two computations each; no value is kept unless they agree to 22 digits.
"""

from common import *
from lists import ask
from sampled import gl_panel

MINORANT = "least shifts by a convex minorant, error function"
LINEAR = "linear steps that attain it, quadrature of the density of the excess"
DIFFERENCE = "quadrature over the difference of the bins, their rest in closed form"
SECOND = "quadrature over the second bin, the first in closed form"


def by_minorant(batches, epochs, c):
    """The record adds 1 at the last batch of each epoch; the slopes of the greatest convex minorant are the least shifts."""
    x, y, power, points = mpf(0), mpf(0), mpf(1), [(mpf(0), mpf(0))]
    for k in range(1, batches * epochs + 1):
        power *= mpf(c)
        x += power**-2
        y += 1 / power if k % batches == 0 else 0
        points.append((x, y))
    hull = []
    slope = lambda p, q: (q[1] - p[1]) / (q[0] - p[0])
    for point in points:
        while len(hull) > 1 and slope(hull[-2], hull[-1]) >= slope(hull[-1], point):
            hull.pop()
        hull.append(point)
    return sqrt(sum((q[1] - p[1]) ** 2 / (q[0] - p[0]) for p, q in zip(hull, hull[1:])))


def by_linear_steps(batches, epochs, c):
    """x <- f x + noise, f = 0 before the record's first step and the best f at the last."""
    steps = batches * epochs
    mean, variance = mpf(0), mpf(0)
    for k in range(1, steps):
        f = mpf(0) if k <= batches else mpf(c)
        mean = f * mean + (1 if k % batches == 0 else 0)
        variance = f * f * variance + 1
    if epochs == 1:
        return mpf(1)
    f = mpf(c) if batches == 1 else mean / variance
    assert f <= mpf(c)
    return (f * mean + 1) / sqrt(f * f * variance + 1)


def gaussian_delta(mu):
    return lambda e: normal_cdf(mu / 2 - e / mu) - exp(e) * normal_cdf(-mu / 2 - e / mu)


def gaussian_excess(mu):
    """The mass of one world over e^epsilon times that of the other, beyond the threshold."""
    return lambda e: tail_quadrature(lambda z: density(z, mu) - exp(e) * density(z), e / mu + mu / 2, min(1, 1 / (1 + mu + e / mu)))


def last_iterates(pack):
    for sigma, batches, epochs, c in [(2.0, 1, 10, 0.9375), (1.5, 1, 100, 1.0), (1.0, 10, 5, 1.0), (0.75, 20, 4, 0.96875), (4.0, 3, 7, 0.5), (1.25, 50, 8, 0.9921875)]:
        run = {"kind": "last-iterate", "noiseMultiplier": sigma, "batches": batches, "epochs": epochs, "contraction": c}
        for adjacency, times in (("zero-out", 1), ("replace-one", 2)):
            pair = (
                gaussian_delta(times * by_minorant(batches, epochs, c) / mpf(sigma)),
                gaussian_excess(times * by_linear_steps(batches, epochs, c) / mpf(sigma)),
            )
            ask(pack, "last-iterate", run, pair, (0.25, 1.0), (1e-5,), (MINORANT, LINEAR), adjacency)


def products(column, steps, sigma):
    """Of the moves of two bins, in units of the noise."""
    moves = [[sum(mpf(column[t - s]) for s in range(j, steps, 2) if 0 <= t - s < len(column)) for t in range(steps)] for j in (0, 1)]
    dot = lambda u, v: sum(p * q for p, q in zip(u, v)) / mpf(sigma) ** 2
    return dot(moves[0], moves[0]), dot(moves[0], moves[1]), dot(moves[1], moves[1])


def excess(mean_log, deviation, level):
    """E (e^Y - level)^+ and E (level - e^Y)^+ of Y ~ N(mean_log, deviation^2)."""
    mean = exp(mean_log + deviation**2 / 2)
    if level <= 0:
        return mean - level, mpf(0)
    z = (mean_log - log(level)) / deviation
    return mean * normal_cdf(z + deviation) - level * normal_cdf(z), level * normal_cdf(-z) - mean * normal_cdf(-z - deviation)


def worst_of(rest, cuts):
    """The larger direction: removing, and adding, which is e^epsilon times a shortfall of the ratio below e^-epsilon."""

    def delta(e):
        sums = []
        for side, level in ((0, exp(e)), (1, exp(-e))):
            at = cuts(level)
            total = sum(gl_panel(lambda x: rest(x, level)[side], a, b) for a, b in zip(at, at[1:]))
            sums.append(total * (1 if side == 0 else exp(e)))
        return max(sums)

    return delta


def binned_matrices(pack):
    for sigma, column, steps in [(3.0, [1.0, 0.5], 6), (4.0, [1.0, 0.5, 0.25, 0.125], 20), (6.0, [1.0, 0.75, 0.5], 31), (2.5, [1.0], 2)]:
        a, c, b = products(column, steps, sigma)
        v = a + b - 2 * c
        slope = (c - b) / v

        def over_difference(d, level):
            scale = (exp(d - a / 2) + exp(-b / 2)) / 2
            each = excess(slope * d, sqrt(b - slope**2 * v), level / scale)
            return [x * scale * density(d, 0, sqrt(v)) for x in each]

        def over_second(y, level):
            each = excess(c / b * y - a / 2 - log(2), sqrt(a - c * c / b), level - exp(y - b / 2) / 2)
            return [x * density(y, 0, sqrt(b)) for x in each]

        plain = sorted(sqrt(v) * mpf(k) / 2 for k in range(-36, 45))

        def kinked(level):
            kink = log(2 * level) + b / 2
            return sorted([sqrt(b) * mpf(k) / 2 for k in range(-36, 45)] + [kink] + [kink - sqrt(b) * mpf(2) ** -k for k in range(2, 12)])

        run = {"kind": "binned-matrix", "noiseMultiplier": sigma, "column": column, "steps": steps, "bins": 2}
        pair = worst_of(over_difference, lambda _: plain), worst_of(over_second, kinked)
        ask(pack, "binned-matrix", run, pair, (0.0, 0.125, 0.5, 1.0, 1.5), (), (DIFFERENCE, SECOND))
