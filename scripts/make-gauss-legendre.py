#!/usr/bin/env python3
"""Nodes and weights of the 32-point Gauss-Legendre rule on [-1, 1]: the roots of P_32 and 2/((1 - x^2) P_32'(x)^2),
computed with 60 digits (mpmath) and rounded to double. Exact for polynomials up to degree 63.

usage: python3 scripts/make-gauss-legendre.py   (writes src/spectral/gauss-legendre.ts)
"""
from mpmath import mp, mpf, cos, pi

mp.dps = 60
N = 32


def legendre(x):
    """P_N(x) and its derivative."""
    before, here = mpf(1), x
    for k in range(1, N):
        before, here = here, ((2 * k + 1) * x * here - k * before) / (k + 1)
    return here, N * (x * here - before) / (x * x - 1)


nodes, weights = [], []
for k in range(N // 2, 0, -1):
    x = cos(pi * (k - mpf(1) / 4) / (N + mpf(1) / 2))
    for _ in range(8):
        p, slope = legendre(x)
        x -= p / slope
    _, slope = legendre(x)
    nodes.append(float(x))
    weights.append(float(2 / ((1 - x * x) * slope**2)))
assert abs(2 * sum(map(mpf, weights)) - 2) < 1e-15


def rows(values):
    return "\n".join(f"  {v!r}," for v in values)


with open("src/spectral/gauss-legendre.ts", "w") as out:
    out.write(
        f"""/**
 * The {N}-point Gauss–Legendre rule on [−1, 1], each number rounded to double: positive nodes, ascending, and their weights;
 * the rule is symmetric. Written by scripts/make-gauss-legendre.py.
 */
export const GAUSS_NODES = [
{rows(nodes)}
] as const;
export const GAUSS_WEIGHTS = [
{rows(weights)}
] as const;
"""
    )
