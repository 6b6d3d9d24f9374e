"""Fits the polynomials of src/kernel/constants.ts and src/kernel/erfcx-table.ts with mpmath.

Usage: python3 scripts/fit-polynomials.py constants   prints the literals of constants.ts
       python3 scripts/fit-polynomials.py erfcx       writes src/kernel/erfcx-table.ts, with --stdout to standard output

Every fit interpolates at Chebyshev nodes with 60 digits, then rounds each coefficient to double.
"""
import sys
from pathlib import Path
from mpmath import mp, mpf, cos, pi, log, exp, erfc, sqrt, chop, matrix, lu_solve, sin

mp.dps = 60


def chebyshev_fit(f, a, b, degree):
    """Monomial coefficients (in the centred variable given by f) of the Chebyshev interpolant on [a, b]."""
    n = degree + 1
    nodes = [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * i + 1) / (2 * n)) for i in range(n)]
    system = matrix(n, n)
    for i, x in enumerate(nodes):
        for j in range(n):
            system[i, j] = x ** j
    coefficients = lu_solve(system, matrix([f(x) for x in nodes]))
    return [coefficients[j] for j in range(n)]


def worst(f, coefficients, a, b, points=200):
    rounded = [mpf(float(c)) for c in coefficients]
    error = mpf(0)
    for i in range(points + 1):
        x = a + (b - a) * mpf(i) / points
        value = sum(c * x ** j for j, c in enumerate(rounded))
        error = max(error, abs(value / f(x) - 1))
    return float(error)


def shortened(value, tolerance):
    """The shortest decimal within tolerance of value: digits that change nothing only make the package larger."""
    digits = 1
    while digits < 16 and abs(mpf(f"{float(value):.{digits}e}") - value) > tolerance:
        digits += 1
    return mpf(float(f"{float(value):.{digits}e}"))


def emit(name, values):
    for i, value in enumerate(values):
        print(f'export const {name}{i} = {float(value)!r};')


def split(value, bits):
    """value = hi + lo with hi of `bits` leading bits."""
    e = int(mp.floor(mp.log(abs(value), 2))) + 1
    scale = mpf(2) ** (bits - e)
    hi = mp.floor(value * scale) / scale
    return hi, value - hi


def constants():
    ln2 = log(2)
    hi, lo = split(ln2 / 256, 34)
    print('// exp', float(256 / ln2).__repr__())
    print('LN2_256_HI', float(hi).__repr__(), 'LN2_256_LO', float(lo).__repr__())
    hi, lo = split(ln2, 32)
    print('LN2_HI', float(hi).__repr__(), 'LN2_LO', float(lo).__repr__())
    for name, v in [('LN2', ln2), ('PI', pi), ('SQRT1_2', 1 / sqrt(2)), ('SQRT2', sqrt(2)),
                    ('TWO_OVER_SQRT_PI', 2 / sqrt(pi)), ('LOG_4PI', log(4 * pi)), ('LN2_256', ln2 / 256)]:
        d = mpf(float(v))
        print(f'{name} = {float(v)!r}; {name}_LOW = {float(v - d)!r}')
    # log(1 + r) = r - r^2/2 + r^3 Q(r)
    def q(r):
        return mpf(1) / 3 if r == 0 else (log(1 + r) - r + r * r / 2) / r ** 3
    fit = chebyshev_fit(q, mpf(-0.0026), mpf(0.003), 3)
    print('// log, relative fit error of Q', worst(q, fit, mpf(-0.0026), mpf(0.003)))
    for i, value in enumerate(fit):
        print(f'export const LOG_{i + 3} = {float(value)!r};')
    for i in range(10):
        print('SIN', i, repr(float((-1) ** i * pi ** (2 * i + 1) / mp.factorial(2 * i + 1))),
              'COS', repr(float((-1) ** i * pi ** (2 * i) / mp.factorial(2 * i))))


def erfcx_mp(x):
    return exp(x * x) * erfc(x)


def erfcx():
    rows = []
    error = 0
    for j in range(64):
        def f(u, j=j):
            t = mpf(j) + mpf(1) / 2 + u
            if t <= 0:
                return 1 / (64 * sqrt(pi))
            x = 64 / t - 1
            if x > 40:  # asymptotic series; its 40 terms are below 1e-40 there
                s, term = mpf(1), mpf(1)
                for n in range(1, 40):
                    term *= -(2 * n - 1) / (2 * x * x)
                    s += term
                return s / (x * sqrt(pi)) / t
            return erfcx_mp(x) / t
        a, b = mpf(-1) / 2, mpf(1) / 2
        fit = chebyshev_fit(f, a, b, 7)
        fit = [fit[0]] + [shortened(c, fit[0] * mpf(2) ** i * mpf(10) ** -19) for i, c in enumerate(fit)][1:]
        error = max(error, worst(f, fit, a, b, 40))
        rows.append('  ' + ', '.join(repr(float(c)) for c in fit) + ',')
    text = f'''/**
 * Coefficients c of erfcx(x) = t·Σ_i c[8j + i] uⁱ, x ≥ 0. Here t = 64/(1 + x), j = ⌊t⌋ and u = t − j − ½.
 *
 * Chebyshev interpolants of degree 7 on 64 cells. With the coefficients rounded to double the worst
 * relative error of a cell is {error:.2g}. The substitution follows M. M. Shepherd and J. G. Laframboise,
 * Math. Comp. 36 (1981) 249–253. Made by `python3 scripts/fit-polynomials.py erfcx`.
 */
// biome-ignore format: generated table
export const ERFCX_COEFFICIENTS: readonly number[] = [
''' + '\n'.join(rows) + '\n];\n'
    if '--stdout' in sys.argv:
        sys.stdout.write(text)
        return
    Path(__file__).resolve().parent.parent.joinpath('src/kernel/erfcx-table.ts').write_text(text)
    print('erfcx worst relative fit error', error)


{'constants': constants, 'erfcx': erfcx}[sys.argv[1]]()
