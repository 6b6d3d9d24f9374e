"""Gauss-Legendre rules on [-1, 1] in the precision that mpmath is set to: for the generators beside it."""

from mpmath import mp, mpf


def gauss(n):
    """The nodes and weights of the rule of n nodes."""
    nodes = []
    for k in range(1, n + 1):
        x = mp.cos(mp.pi * (k - mpf(1) / 4) / (n + mpf(1) / 2))
        for _ in range(9):
            p0, p1 = mpf(1), x
            for j in range(1, n):
                p0, p1 = p1, ((2 * j + 1) * x * p1 - j * p0) / (j + 1)
            slope = n * (x * p1 - p0) / (x * x - 1)
            x -= p1 / slope
        nodes.append((x, 2 / ((1 - x * x) * slope**2)))
    return nodes
