#!/usr/bin/env python3
"""Coefficients of the Mills ratio R(x) = sqrt(pi/2) erfcx(x/sqrt 2) for x >= -1/2, in y = 1/(x + 2).

RATIO: 64 cells around y = j/95, R = y * sum c[i] s^i, s = 95 y - j.
DIVIDED: 32 cells, chosen by y(a) = 1/(a + 2): cell j covers every pair a <= b with rint(46 y(a)) = j and
b - a <= 3/4 (a + 1). A row is [centre, c1 ... c15] with R = c0 + sum c[i] (y - centre)^i, so that
R(a) - R(b) = (y(a) - y(b)) * (divided difference of the polynomial).
Each is the Chebyshev interpolant, computed with 60 digits and rounded to double, or to fewer digits where that
changes less than 1e-19 of the result: they only make the package larger.

usage: python3 scripts/fit-mills.py   writes src/kernel/mills-table.ts, with --stdout to standard output
"""
import sys

from mpmath import mp, mpf, erfc, sqrt, exp, pi, cos, matrix, lu_solve

mp.dps = 60
RATIO_SCALE, RATIO_CELLS, RATIO_DEGREE = 95, 64, 7
DIVIDED_SCALE, DIVIDED_CELLS, DIVIDED_DEGREE = 46, 32, 15
SHIFT, LEAST = mpf(2), mpf("-0.5")


def mills(x):
    return sqrt(pi / 2) * exp(x * x / 2) * erfc(x / sqrt(mpf(2)))


def of_y(y):
    return mills(1 / y - SHIFT)


def interpolate(f, lo, hi, centre, scale, degree):
    n = degree + 1
    nodes = [(lo + hi) / 2 + (hi - lo) / 2 * cos(pi * (2 * k + 1) / (2 * n)) for k in range(n)]
    a = matrix(n, n)
    b = matrix(n, 1)
    for i, y in enumerate(nodes):
        v = mpf(1)
        for k in range(n):
            a[i, k] = v
            v *= (y - centre) * scale
        b[i] = f(y)
    return [mpf(float(c)) for c in lu_solve(a, b)]


def evaluate(c, s):
    v = mpf(0)
    for k in reversed(c):
        v = v * s + k
    return v


def shortened(value, tolerance):
    digits = 1
    while digits < 16 and abs(mpf(f"{float(value):.{digits}e}") - value) > tolerance:
        digits += 1
    return mpf(float(f"{float(value):.{digits}e}"))


def samples(lo, hi, n):
    return [lo + (hi - lo) * (2 * k + 1) / (2 * n) for k in range(n)]


ratio, worst_ratio = [], 0
for j in range(RATIO_CELLS):
    lo, hi = max(mpf(0), (j - mpf(0.5)) / RATIO_SCALE), (j + mpf(0.5)) / RATIO_SCALE
    c = interpolate(lambda y: of_y(y) / y, lo, hi, mpf(j) / RATIO_SCALE, RATIO_SCALE, RATIO_DEGREE)
    c = [c[0]] + [shortened(v, c[0] * mpf(2) ** (k + 1) * mpf("1e-19")) for k, v in enumerate(c[1:])]
    ratio.append([float(v) for v in c])
    for y in samples(lo, hi, 25):
        worst_ratio = max(worst_ratio, abs(evaluate(c, RATIO_SCALE * y - j) * y / of_y(y) - 1))

divided, worst_divided = [], 0
for j in range(DIVIDED_CELLS):
    first, hi = (j - mpf(0.5)) / DIVIDED_SCALE, min((j + mpf(0.5)) / DIVIDED_SCALE, 1 / (SHIFT + LEAST))
    if j == 0:
        lo = mpf(0)
    else:
        a = 1 / first - SHIFT
        lo = 1 / (a + (a + 1) * mpf(0.751) + SHIFT)
    centre = mpf(float((lo + hi) / 2))
    c = interpolate(of_y, lo, hi, centre, 1, DIVIDED_DEGREE)
    least = min((1 - (1 / y - SHIFT) * of_y(y)) / (y * y) for y in samples(lo, hi, 25))
    half = (hi - lo) / 2
    c = [c[0]] + [shortened(v, least * mpf("1e-19") / ((k + 1) * half ** k)) for k, v in enumerate(c[1:])]
    divided.append([float(centre)] + [float(v) for v in c[1:]])
    slope = [k * c[k] for k in range(1, len(c))]
    for y in samples(lo, hi, 25):
        x = 1 / y - SHIFT
        exact = (1 - x * mills(x)) / (y * y)
        worst_divided = max(worst_divided, abs(evaluate(slope, y - centre) / exact - 1))

notes = (
    f" * Mills ratio R(x) = √(π/2) erfcx(x/√2), x ≥ −½, by Chebyshev interpolants in y = 1/(x + 2), rounded to\n"
    f" * double. RATIO holds R/y in cells of y, DIVIDED coefficients of R that give (R(a) − R(b))/(y(a) − y(b)). Worst relative errors:\n"
    f" * {mp.nstr(worst_ratio, 2)} of R and {mp.nstr(worst_divided, 2)} of dR/dy. Made by `python3 scripts/fit-mills.py`, which documents both tables.\n"
)


def rows(table):
    return "".join("  " + ", ".join(repr(v) for v in row) + ",\n" for row in table)


text = (
    f"/**\n{notes} */\n"
    f"// biome-ignore format: generated table\nexport const RATIO: readonly number[] = [\n{rows(ratio)}];\n"
    f"// biome-ignore format: generated table\nexport const DIVIDED: readonly number[] = [\n{rows(divided)}];\n"
)
if "--stdout" in sys.argv:
    sys.stdout.write(text)
else:
    with open("src/kernel/mills-table.ts", "w") as out:
        out.write(text)
    print(notes)
