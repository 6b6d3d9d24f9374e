"""The likelihood-ratio test of T Poisson-subsampled Gaussian steps, to 25 digits: likelihood-ratio.json.

One step has output o ~ N(0, s^2) under P and with density p(o) r(o), r(o) = 1 - q + q e^((2o - 1)/2s^2), under Q; its
loss is log r(o). The test that rejects when the sum of T losses is above w has false positive rate P(L > w) and power
Q(L > w). Both by Gil-Pelaez' inversion on the real line,
    Pr[L > w] = 1/2 + 1/pi int_0^inf Im(e^(-itw) phi(t)^T)/t dt,
with midpoint sums at two steps, and phi by the trapezoidal rule over o at 60 digits. Each number is then compared with
a convolution that has nothing in common with that: numpy FFTs of losses split between neighbouring points of three
meshes, extrapolated to mesh 0.

python3 test/golden/make-likelihood-ratio.py (2 min)
"""

import json
from pathlib import Path

import mpmath as mp
import numpy as np

mp.mp.dps = 60
RUNS = [
    # sigma, q, T, step of t, last t, -log2 of the coarsest mesh, places w
    ("1", "0.01", 1000, "0.1", 44, 11, ["-1.5", "-0.75", "0", "1", "1.5", "2", "3", "5"]),
    ("0.6", "0.001", 100000, "0.04", 24, 15, ["-2", "0", "1.5", "4", "8"]),
]


def characteristic(sigma, q, ts):
    """phi(t) under P and under Q."""
    inverse = 32
    nodes = []
    for k in range(-17 * inverse, (17 + 2) * inverse * 2):
        o = sigma * mp.mpf(k) / inverse
        if o > 1 + 17 * sigma:
            break
        ratio = 1 - q + q * mp.exp((2 * o - 1) / (2 * sigma**2))
        weight = mp.npdf(o, 0, sigma) * sigma / inverse
        nodes.append((mp.log(ratio), weight, weight * ratio))
    out = []
    for t in ts:
        p, v = mp.mpc(0), mp.mpc(0)
        for y, weight, moved in nodes:
            e = mp.expj(t * y)
            p += weight * e
            v += moved * e
        out.append((p, v))
    return out


def tails(sigma, q, steps, dt, last, places):
    """[P(L > w), P(L < w), Q(L > w), Q(L < w)] at each place, from the odd nodes (step dt) and from all (dt/2)."""
    half = dt / 2
    count = int(last / half)
    # midpoints of cells of width dt/2; those of width dt lie between them
    fine = [half * (k + mp.mpf(1) / 2) for k in range(count)]
    coarse = [dt * (k + mp.mpf(1) / 2) for k in range(count // 2)]
    answers = []
    for ts, step in ((fine, half), (coarse, dt)):
        phis = [(p**steps, v**steps) for p, v in characteristic(sigma, q, ts)]
        assert max(abs(z) for z in phis[-1]) < mp.mpf(10) ** -32, [mp.nstr(abs(z), 5) for z in phis[-1]]
        rows = []
        for w in places:
            sums = [
                step / mp.pi * mp.fsum(mp.im(mp.expj(-t * w) * phi[side]) / t for t, phi in zip(ts, phis))
                for side in (0, 1)
            ]
            rows.append([x for s in sums for x in (mp.mpf(1) / 2 + s, mp.mpf(1) / 2 - s)])
        answers.append(rows)
    for a, b in zip(*answers):
        for x, y in zip(a, b):
            assert abs(x / y - 1) < mp.mpf(10) ** -18, (mp.nstr(x, 20), mp.nstr(y, 20))
    return answers[0]


def convolved(sigma, q, steps, mesh, places):
    """The same four numbers by FFTs in doubles, absolute error below 2e-8."""
    results = []
    o = np.linspace(-12 * sigma, 1 + 12 * sigma, 4_000_001)
    ratio = 1 - q + q * np.exp((2 * o - 1) / (2 * sigma**2))
    y = np.log(ratio)
    p = np.exp(-0.5 * (o / sigma) ** 2)
    p /= p.sum()
    for level in (0, 1, 2):
        h = 2.0 ** -(mesh + level)
        n = 2 ** (mesh + 7 + level)
        first = -n // 2
        rows = []
        for weight in (p, p * ratio):
            place = y / h
            low = np.floor(place).astype(int)
            share = place - low
            pmf = np.bincount(low - first, weight * (1 - share), n) + np.bincount(low - first + 1, weight * share, n)
            cyclic = np.roll(pmf, first)
            total = np.fft.irfft(np.fft.rfft(cyclic) ** steps, n)
            rows.append(np.roll(total, -first))
        found = []
        for w in places:
            at = int(round(float(w) / h)) - first
            for law in rows:
                found += [law[at + 1 :].sum() + law[at] / 2, law[:at].sum() + law[at] / 2]
        results.append(np.array(found))
    a, b, c = results
    once = [(4 * b - a) / 3, (4 * c - b) / 3]
    return (16 * once[1] - once[0]) / 15


def main():
    out = []
    for sigma, q, steps, dt, last, mesh, places in RUNS:
        rows = tails(mp.mpf(sigma), mp.mpf(q), steps, mp.mpf(dt), last, [mp.mpf(w) for w in places])
        check = convolved(float(sigma), float(q), steps, mesh, places)
        exact = np.array([float(x) for row in rows for x in row])
        print(sigma, q, steps, "largest difference from the convolution:", np.abs(check - exact).max())
        assert np.abs(check - exact).max() < 2e-8
        tests = []
        for w, (p_above, p_below, q_above, q_below) in zip(places, rows):
            tests.append(
                {
                    "omega": w,
                    "removeFpr": mp.nstr(p_above, 25),
                    "removeTpr": mp.nstr(q_above, 25),
                    "removeFnr": mp.nstr(q_below, 25),
                    "addFpr": mp.nstr(q_below, 25),
                    "addTpr": mp.nstr(p_below, 25),
                    "addFnr": mp.nstr(p_above, 25),
                }
            )
        out.append({"noiseMultiplier": sigma, "samplingRate": q, "steps": steps, "tests": tests})
    Path(__file__).with_name("likelihood-ratio.json").write_text(json.dumps(out, indent=2) + "\n")


main()
