"""Writes sampled-exponential.json: delta(epsilon) of composed Laplace and bounded-range mechanisms, plain and Poisson-sampled,
with mpmath alone (40 digits; 3 min). Not part of the tests.

  delta(eps) = 1/(2 pi i) int_{Re z = c} M(z)^T e^{-(z-1) eps} / (z (z-1)) dz,  M(z) = E_P[(1 - q + q e^y)^z] ('remove'), z -> 1 - z
  in M for 'add'. Laplace noise of scale b is integrated over its outputs o: y = (|o| - |o - 1|)/b under P with density
  e^{-|o|/b}/2b, so outputs outside [0, 1] are two atoms. Bounded range: P has density e^{-y/2}/(4 sinh(e/2)) on [-e, e],
  the pair whose delta(x) is (e^{e/2} - e^{x/2})^2/(e^e - 1).

relativeError: what another c, half the step and more quadrature nodes changed, times 4, at least 1e-15.
"""

import json
from pathlib import Path

from gauss import gauss
from mpmath import exp, log, mp, mpc, mpf, pi, sinh, sqrt

mp.dps = 40


RULES = {n: gauss(n) for n in (60, 90)}


def parts(kind, size, n):
    """(P-mass, inner loss): quadrature nodes and atoms."""
    size = mpf(size)
    if kind == "laplace":
        b = 1 / size
        inside = [(w / 2 * exp(-(x + 1) / 2 / b) / (2 * b), x / b) for x, w in RULES[n]]
        return inside + [(mpf(1) / 2, -1 / b), (exp(-1 / b) / 2, 1 / b)]
    return [(w * size * exp(-x * size / 2) / (4 * sinh(size / 2)), x * size) for x, w in RULES[n]]


def delta(kind, size, q, steps, direction, eps, shift, refine, n):
    q, eps = mpf(float(q)), mpf(float(eps))
    pieces = [(m, log(1 - q + q * exp(y))) for m, y in parts(kind, size, n)]
    if direction == "add":
        pieces = [(m * exp(l), -l) for m, l in pieces]

    def log_m(z):
        return log(sum(m * exp(z * l) for m, l in pieces))

    def slope(c):
        h = mpf(10) ** -12
        return (log_m(c + h) - log_m(c - h)) / (2 * h)

    low, high = mpf("1e-4"), mpf(1000)
    for _ in range(60):
        s = sqrt(low * high)
        if steps * slope(1 + s) - 1 / s - 1 / (1 + s) < eps:
            low = s
        else:
            high = s
    c = 1 + s * shift
    h = mpf(10) ** -10
    variance = steps * (log_m(c + h) - 2 * log_m(c) + log_m(c - h)) / h**2
    step = 2 * pi / (45 * sqrt(variance) + 20 / (c - 1) + 20) / refine
    total, k = mpf(0), 0
    top = log_m(c)
    while True:
        z = mpc(c, k * step)
        value = exp(steps * (log_m(z) - top)) / (z * (z - 1)) * exp(-1j * k * step * eps)
        total += value.real * (mpf(1) / 2 if k == 0 else 1)
        if abs(value) < mpf(10) ** -24 * abs(total) and k > 20:
            break
        k += 1
        assert k < 6000
    return steps * top - (c - 1) * eps + log(total * step / pi)


CASES = [
    ("laplace", "1", "0.01", 1000, ["0.2", "1", "4"]),
    ("laplace", "2", "0.1", 200, ["0.5", "8", "15"]),
    ("laplace", "0.5", "0.5", 500, ["1", "6"]),
    ("laplace", "4", "0.001", 5000, ["0.1", "2"]),
    ("laplace", "1", "1", 400, ["150", "220"]),
    ("bounded-range", "1", "0.1", 100, ["0.5", "3"]),
    ("bounded-range", "0.5", "1", 100, ["2", "15"]),
    ("bounded-range", "3", "0.02", 300, ["0.3", "4"]),
]

rows = []
for kind, size, q, steps, epsilons in CASES:
    for direction in ["remove", "add"] if q != "1" else ["remove"]:
        for eps in epsilons:
            a = delta(kind, size, q, steps, direction, eps, mpf(1), 1, 60)
            b = delta(kind, size, q, steps, direction, eps, mpf("1.07"), 2, 90)
            error = max(4 * abs(a - b), mpf(10) ** -15)
            row = {
                "kind": kind,
                "epsilon0": float(size),
                "rate": float(q),
                "steps": steps,
                "direction": direction,
                "epsilon": float(eps),
                "logDelta": float(b),
                "relativeError": float(error),
            }
            print(row, flush=True)
            rows.append(row)

out = Path(__file__).with_name("sampled-exponential.json")
out.write_text("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]\n")
