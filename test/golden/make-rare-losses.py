"""Writes rare-losses.json: delta, false and true positive rates at loss x of few Poisson-subsampled Gaussian steps of
tiny rates, direction 'remove' (P = N(0, s^2), Q = (1-q)P + qN(1, s^2)). Not part of the tests; about 5 min.

Two steps: the second by the normal distribution in closed form, the first by Gauss-Legendre panels, 40 digits:
  delta_2(x) = E_Q[delta_1(x - y)],  FPR_2(x) = E_P[FPR_1(x - y)],  TPR_2(x) = E_Q[TPR_1(x - y)].
More steps: the inversion integrals of M(z)^T on Re z = 1.5, whatever x is (no saddle point, nothing split), by Gauss-Legendre
panels in 80-bit floating point; M - 1 by the trapezoidal rule over outputs moved to Im o = s.

relativeError: of two steps, what halved panels changed, at least 1e-20; of more, 40 roundings of the largest partial
sum, or what halved panels changed.
"""

import json
from pathlib import Path

import numpy as np
from gauss import gauss
from mpmath import erfc, exp, expm1, log, log1p, mp, mpf, pi, sqrt

mp.dps = 40
L = np.longdouble


RULE = gauss(24)


def upper(t):
    return erfc(t / sqrt(mpf(2))) / 2


def two_steps(sigma, q, x, panels):
    mu, q, x = 1 / mpf(sigma), mpf(float(q)), mpf(float(x))

    def rates(y):
        """FPR, TPR of one step at loss y."""
        rise = expm1(y) + q
        if rise <= 0:
            return mpf(1), mpf(1)
        t = log(rise / q) / mu + mu / 2
        fpr = upper(t)
        return fpr, (1 - q) * fpr + q * upper(t - mu)

    kink = expm1(x - log1p(-q)) + q
    edges = [mpf(-14) + mpf(k) * 60 / panels for k in range(panels + 1)]
    if kink > 0:
        # the second step's rates change within q/x of the output where the first alone loses x
        at = log(kink / q) / mu + mu / 2
        edges = sorted(edges + [at] + [at + side * mpf(2) ** -k for k in range(24) for side in (-1, 1)])
    sums = [mpf(0)] * 3
    for a, b in zip(edges, edges[1:]):
        for node, weight in RULE:
            o = (a + b) / 2 + (b - a) / 2 * node
            u = 1 + q * expm1(mu * o - mu * mu / 2)
            p = weight * (b - a) / 2 * exp(-o * o / 2) / sqrt(2 * pi)
            rest = x - log(u)
            fpr, tpr = rates(rest)
            sums[0] += p * u * (tpr - exp(rest) * fpr)
            sums[1] += p * fpr
            sums[2] += p * u * tpr
    return sums


def many_steps(sigma, q, steps, xs, finest):
    """delta, FPR, TPR and the size of the sums, for every x, at once."""
    mu, q = 1 / L(sigma), L(float(q))
    shift = L(1) * (1 if mu <= 1.5 else 1.5 / mu)
    h = L(1) / 32
    o = (np.arange(-14 * 32, 16 * 32) * h).astype(L) + 1j * shift
    s = mu * o - mu * mu / 2
    v = q * (np.exp(s.real) * (np.cos(s.imag) + 1j * np.sin(s.imag)) - 1)
    size = np.log1p(2 * v.real + v.real**2 + v.imag**2) / 2
    u = size + 1j * np.arctan2(v.imag, 1 + v.real)
    weight = np.exp(-(o.real**2 - shift**2) / 2) * h / np.sqrt(2 * L(np.pi) + L(2.4492935982947064e-16))
    weight = weight * (np.cos(o.real * shift) - 1j * np.sin(o.real * shift))
    nodes = np.array([L(mp.nstr(a, 25)) for a, _ in RULE])
    weights = np.array([L(mp.nstr(w, 25)) for _, w in RULE])
    c = L(1.5)
    a, step = L(0), L("0.125") / finest
    out = np.zeros((len(xs), 3), dtype=L)
    bulk = np.zeros((len(xs), 3), dtype=L)
    longest = L(4) / (L(max(xs)) * finest)
    while True:
        b = a + step
        tau = (a + b) / 2 + (b - a) / 2 * nodes
        z = c + 1j * tau
        # M - 1, for what M is rounded by counts as often as there are steps
        power = np.outer(z, u)
        half = np.sin(power.imag / 2)
        growth = np.expm1(power.real)
        rise = (growth - 2 * half**2 * (1 + growth) + 1j * np.sin(power.imag) * (1 + growth)) @ weight
        log_m = np.log1p(2 * rise.real + rise.real**2 + rise.imag**2) / 2 + 1j * np.arctan2(rise.imag, 1 + rise.real)
        log_m = steps * log_m
        if float(log_m.real.max()) < -46 and tau[0] > 100:
            break
        w = weights * (b - a) / 2
        for i, x in enumerate(xs):
            x = L(x)
            delta = np.exp(log_m - (z - 1) * x) / (z * (z - 1))
            fpr = np.exp(log_m - z * x) / z
            tpr = np.exp(log_m - (z - 1) * x) / (z - 1)
            for k, f in enumerate((delta, fpr, tpr)):
                out[i, k] += (w * f.real).sum()
                bulk[i, k] += (w * abs(f)).sum()
        a = b
        step = min(step * L("1.25"), max(longest, step))
        if step > longest:
            step = longest
    return out / L(np.pi), bulk / L(np.pi)


cases = []


def add(sigma, q, steps, x, values, errors):
    cases.append(
        {
            "noiseMultiplier": sigma,
            "samplingRate": q,
            "steps": steps,
            "x": x,
            "values": [mp.nstr(mpf(str(v)), 20) for v in values],
            "relativeErrors": [float(e) for e in errors],
        }
    )
    print(cases[-1], flush=True)


for sigma, q in ((1, 1e-4), (1.5, 1e-5), (0.5, 1e-3)):
    for x in (2 * q, 30 * q, 1000 * q, 0.7, 4.0):
        fine, rough = two_steps(sigma, q, x, 360), two_steps(sigma, q, x, 180)
        add(sigma, q, 2, x, fine, [max(mpf(10) ** -20, 2 * abs(f / r - 1)) for f, r in zip(fine, rough)])

for sigma, q, steps, units in (
    (1, 1e-4, 10, (2, 10, 40)),
    (1, 1e-5, 100, (5, 20, 60)),
    (1.5, 1e-4, 100, (2, 10, 25)),
    (0.7, 1e-4, 10, (2, 20, 300)),
):
    xs = [u * q for u in units]
    fine, bulk = many_steps(sigma, q, steps, xs, 2)
    rough, _ = many_steps(sigma, q, steps, xs, 1)
    for x, f, r, size in zip(xs, fine, rough, bulk):
        errors = [max(L(40) * L(2) ** -64 * s / a, abs(a / b - 1)) for a, b, s in zip(f, r, size)]
        add(sigma, q, steps, x, [np.format_float_scientific(v, 20) for v in f], errors)

Path(__file__).with_name("rare-losses.json").write_text(json.dumps(cases, indent=1) + "\n")
