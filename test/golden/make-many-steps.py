"""many-steps.json: log delta of Laplace, Gaussian and sampled Gaussian runs of 100 to 1e6 steps, for `verify`.

delta = (1/2 pi i) int M(z) e^{-(z - 1) epsilon} / (z (z - 1)) dz by trapezoids on Re z = c, in 50 digits. Laplace M in closed form; that of a
sampled Gaussian by trapezoids over the outputs; a Gaussian's delta in closed form. Spacings are halved until 15 digits stay.

    python3 test/golden/make-many-steps.py [rows.json]

With a file of rows {kind, e0 | s | s and q, n, epsilon} it prints log delta of each instead.
"""

import json
import sys

from mpmath import erfc, exp, expm1, log, log1p, mp, mpc, mpf, nstr, sqrt

mp.dps = 50


def laplace(e0):
    def m(z):
        w = z - mpf(1) / 2
        return exp(-e0 / 2) * (mp.cosh(w * e0) + mp.sinh(w * e0) / (2 * w))

    return m


def sampled(s, q, add):
    h = s / 5

    def m(z):
        z = 1 - z if add else z
        lo, hi = min(0, z.real) - 16 * s, max(1, z.real) + 16 * s
        d = min(h, 1 / (abs(z.imag) / s**2 + 1 / s) * 2)
        xs = [lo + k * d for k in range(int((hi - lo) / d) + 2)]
        total = sum(exp(-x * x / (2 * s * s) + z * log1p(q * expm1((2 * x - 1) / (2 * s * s)))) for x in xs)
        return total * d / (s * sqrt(2 * mp.pi))

    return m


def contour(m, n, epsilon):
    def exponent(c):
        return n * log(m(mpc(c))).real - (c - 1) * epsilon - log(c * (c - 1))

    lo, hi = log(mpf(10) ** -5), log(mpf(400))
    for _ in range(45):
        a, b = lo + (hi - lo) * mpf("0.382"), lo + (hi - lo) * mpf("0.618")
        if exponent(1 + exp(a)) < exponent(1 + exp(b)):
            hi = b
        else:
            lo = a
    c = 1 + exp((lo + hi) / 2)
    top = exponent(c)
    t = (c - 1) / 100
    wide = 1 / sqrt((exponent(c + t) - 2 * top + exponent(c - t)) / t**2)
    before = None
    h = wide / 3
    while True:
        total, small, k = mpf(0), 0, 0
        while small < 4 and k * h < 400 * wide:
            z = mpc(c, k * h)
            term = exp(n * log(m(z)) - (z - 1) * epsilon - top) / (z * (z - 1))
            total += term.real / (2 if k == 0 else 1)
            small = small + 1 if abs(term) < mpf(10) ** -22 * abs(total) else 0
            k += 1
        value = top + log(total * h / mp.pi)
        if before is not None and abs(value - before) < mpf(10) ** -15 * (1 + abs(value)):
            return value
        before, h = value, h / mpf("1.7")


def gaussian(s, n, epsilon):
    mu = sqrt(n) / s
    tail = lambda x: erfc(x / sqrt(2)) / 2
    return log(tail(epsilon / mu - mu / 2) - exp(epsilon) * tail(epsilon / mu + mu / 2))


def log_delta(row):
    n, epsilon = mpf(row["n"]), mpf(row["epsilon"])
    if row["kind"] == "laplace":
        return contour(laplace(mpf(row["e0"])), n, epsilon)
    if row["kind"] == "gauss":
        return gaussian(mpf(row["s"]), n, epsilon)
    s, q = mpf(row["s"]), mpf(row["q"])
    return max(contour(sampled(s, q, add), n, epsilon) for add in (False, True))


ROWS = [
    {"kind": "laplace", "e0": 80, "n": 100, "epsilon": 7840},
    {"kind": "laplace", "e0": 80, "n": 1000000, "epsilon": 79003000},
    {"kind": "laplace", "e0": 100, "n": 10000, "epsilon": 990250},
    {"kind": "laplace", "e0": 50, "n": 1000, "epsilon": 49100},
    {"kind": "laplace", "e0": 1, "n": 100, "epsilon": 70},
    {"kind": "laplace", "e0": 1, "n": 1000000, "epsilon": 370000},
    {"kind": "laplace", "e0": 10, "n": 100000, "epsilon": 901000},
    {"kind": "laplace", "e0": 2, "n": 1000000, "epsilon": 1134335.2832366128},
    {"kind": "gauss", "s": 0.5, "n": 1000000, "epsilon": 2004000},
    {"kind": "gauss", "s": 50, "n": 100, "epsilon": 1},
    {"kind": "sampled", "s": 1, "q": 0.01, "n": 1000, "epsilon": 1.5},
    {"kind": "sampled", "s": 2, "q": 0.125, "n": 10000, "epsilon": 60},
    {"kind": "sampled", "s": 5, "q": 0.5, "n": 1000000, "epsilon": 5700},
    {"kind": "sampled", "s": 1, "q": 0.125, "n": 1000000000000, "epsilon": 11022800000},
]

if __name__ == "__main__":
    rows = json.load(open(sys.argv[1])) if len(sys.argv) > 1 else ROWS
    out = []
    for row in rows:
        out.append({**row, "logDelta": nstr(log_delta(row), 17)})
        print(json.dumps(out[-1]), flush=True)
    if len(sys.argv) == 1:
        with open("test/golden/many-steps.json", "w") as file:
            file.write("[\n" + ",\n".join("  " + json.dumps(row) for row in out) + "\n]\n")
