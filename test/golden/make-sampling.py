#!/usr/bin/env python3
"""Golden values for mixtures of Gaussians, replaced records and balls-and-bins epochs; writes sampling.json.

Nothing here is shared with the library: M(z) by mpmath's own quadrature of the definition, epsilon by a plain Fourier sum of M on one
vertical line in double precision with a fixed contour, checked on a second one.
"""
import json
import math
import pathlib

import mpmath as mp
import numpy as np
from scipy.optimize import brentq

mp.mp.dps = 30
phi = lambda x: mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def side(shift, weight, x):
    return mp.fsum(w * mp.exp(a * x - a * a / 2) for a, w in zip(shift, weight))


def transform(plus, minus, z):
    """E_P[(Q/P)^z] for P = sum r_j N(-b_j, 1), Q = sum p_i N(a_i, 1)."""
    c = mp.re(z)
    reach = 14 + max(0, c) * plus[0][-1] + max(0, c - 1) * minus[0][-1]
    low = -14 + min(0, c) * plus[0][-1] - max(0, 1 - c) * minus[0][-1]
    f = lambda x: phi(x) * side(*plus, x) ** z * side(*minus, -x) ** (1 - z)
    return mp.quad(f, mp.linspace(low, reach, 60))


POINTS = [-1.5 + 2j, -0.4 + 0.3j, 0.5 + 3j, 1.7 + 0j, 2.3 + 4j, 3.0 - 1j]
NOTHING = ([0.0], [1.0])
CASES = {
    "two": (([0.0, 1.0], [0.9, 0.1]), NOTHING),
    "user-3": (([0.0, 0.5, 1.0, 1.5], [0.729, 0.243, 0.027, 0.001]), NOTHING),
    "away": (([0.4, 2.0], [0.7, 0.3]), NOTHING),
    "replaced": (([0.0, 1.0], [0.8, 0.2]), ([0.0, 1.0], [0.8, 0.2])),
    "replaced-wide": (([0.0, 2.5], [0.97, 0.03]), ([0.0, 2.5], [0.97, 0.03])),
}


def points():
    out = []
    for name, (plus, minus) in CASES.items():
        for z in POINTS:
            m = transform(plus, minus, mp.mpc(z))
            out.append({"case": name, "c": z.real, "tau": z.imag, "logModulus": float(mp.log(abs(m))), "phase": float(mp.arg(m))})
    return out


def curve(laws, c, direction):
    """delta(eps) of a composition on Re z = c > 1; laws: [(plus, minus, count)]."""
    tau = np.arange(0, 400, 0.02) + 0.01
    z = c + 1j * tau
    w = 1 - z if direction == "add" else z
    total = np.zeros(len(tau), complex)
    x = np.arange(-60, 60, 0.004)
    for (sp, wp), (sm, wm), count in laws:
        u = np.log(sum(q * np.exp(a * x - a * a / 2) for a, q in zip(sp, wp)))
        v = np.log(sum(q * np.exp(-a * x - a * a / 2) for a, q in zip(sm, wm)))
        base = -x * x / 2 - 0.5 * math.log(2 * math.pi) + v
        y = u - v
        # the line is long: only as far as it matters
        m = np.empty(len(tau), complex)
        at = w[0].real * y + base
        keep = at > at.max() - 60
        for i in range(0, len(tau), 500):
            m[i : i + 500] = np.exp(base[keep] + np.outer(w[i : i + 500], y[keep])).sum(1) * 0.004
            if (count * np.log(np.abs(m[i : i + 500]).max()) < count * np.log(abs(m[0])) - 45) and i > 0:
                m[i:] = 0
                break
        with np.errstate(divide="ignore"):
            total += count * np.log(np.where(m == 0, 1e-300, m))
    return lambda eps: float((np.exp(total - (z - 1) * eps) / (z * (z - 1))).real.sum() * 0.02 / math.pi)


def epsilon(laws, delta, direction, c):
    values = []
    for at in (c, 1 + (c - 1) * 0.8):
        d = curve(laws, at, direction)
        values.append(brentq(lambda e: math.log(max(d(e), 1e-300)) - math.log(delta), 0.01, 60, xtol=1e-12))
    assert abs(values[0] - values[1]) < 2e-9 * values[0], values
    return values[0]


def binomial(k, q):
    return [math.comb(k, j) * q**j * (1 - q) ** (k - j) for j in range(k + 1)]


def epsilons():
    user = lambda k, s, q, t: [((np.arange(k + 1) / s, binomial(k, q)), NOTHING, t)]
    replaced = lambda s, q, t: [(([0, 1 / s], [1 - q, q]), ([0, 1 / s], [1 - q, q]), t)]
    event = [(([0, 1, 2], [0.2, 0.6, 0.2]), NOTHING, 3), (([0, 1, 1.5], [0.33, 0.34, 0.33]), NOTHING, 2)]
    rows = [
        ("user 2", user(2, 1, 0.01, 1000), 1e-5, "remove", 4.0),
        ("user 2", user(2, 1, 0.01, 1000), 1e-5, "add", 4.0),
        ("user 8", user(8, 1, 0.01, 1000), 1e-5, "remove", 1.9),
        ("user 8", user(8, 1, 0.01, 1000), 1e-5, "add", 2.5),
        ("replaced 1 .01 1000", replaced(1, 0.01, 1000), 1e-5, "remove", 5.0),
        ("replaced 9.4 .32768 2000", replaced(9.4, 0.32768, 2000), 1e-5, "remove", 2.0),
        ("event", event, 1e-6, "remove", 2.0),
    ]
    return [{"name": n, "delta": d, "direction": side_, "epsilon": epsilon(l, d, side_, c)} for n, l, d, side_, c in rows]


def side_at(sides, z):
    return mp.fsum(mp.mpf(w) * mp.exp(mp.mpf(a) * z - mp.mpf(a) ** 2 / 2) for a, w in zip(*sides))


def paths():
    """log u of a side off the real axis: u(x + ia) = sum w e^{s(x + ia) - s^2/2}."""
    sides = [([0.0, 1.0], [1 - 2.0**-30, 2.0**-30]), ([0.0, 1.25], [0.875, 0.125]), ([0.5, 2.0], [0.75, 0.25]), ([0.0, 0.25, 3.0], [0.5, 0.25, 0.25])]
    out = []
    for one in sides:
        for x in (-30, -3.5, -0.25, 0, 0.125, 2, 7.5, 31, 60):
            for share in (0.01, 0.1, 0.42):
                a = share * math.pi / one[0][-1]
                u = mp.log(side_at(one, mp.mpc(x, a)))
                out.append({"shift": one[0], "weight": one[1], "x": x, "a": a, "log": float(u.real), "angle": float(u.imag)})
    return out


def log_delta(phases, eps, s, dtau, tmax, h):
    """log delta(eps) of phases (mu, q, count) of one replaced record, by one contour through 1 + s, in longer floats."""
    long = np.longdouble
    pi = long("3.14159265358979323846264338327950288")
    x = np.arange(int(-14 / h), int(30 / h) + 1).astype(long) * long(h)
    c, dt, n = long(1 + s), long(dtau), int(tmax / dtau)
    total, rows = long(0), np.zeros(n, np.clongdouble)
    for mu, q, count in phases:
        mu, q = long(mu), long(q)
        up = np.log1p(q * np.expm1(mu * x - mu * mu / 2))
        down = np.log1p(q * np.expm1(-mu * x - mu * mu / 2))
        y = up - down
        log = -x * x / 2 - np.log(2 * pi) / 2 + np.log(long(h)) + c * up + (1 - c) * down
        w = np.exp(log - log.max())
        mass = w.sum()
        total += count * (log.max() + np.log(mass))
        keep = w > long(1e-26)
        w, y = w[keep] / mass, y[keep]
        turn = np.cos(dt * y) + 1j * np.sin(dt * y)
        phi = np.empty(n, np.clongdouble)
        for k in range(n):
            if k % 256 == 0:
                terms = w * (np.cos(k * dt * y) + 1j * np.sin(k * dt * y))
            phi[k] = terms.sum()
            terms = terms * turn
        rows += count * np.log(phi)
    tau = np.arange(n).astype(long) * dt
    z = c + 1j * tau
    f = np.exp(rows - 1j * tau * long(eps)) / (z * (z - 1))
    f[0] /= 2
    return float(total - long(s) * long(eps) + np.log(f.real.sum() * dt / pi))


def rare():
    five = [(1 / (0.8 * (1 + i / 5)), 0.001, 10) for i in range(5)]
    runs = [([(1.25, 0.001, 100)], 1.0, 4.86), (five, 1.0, 6.0), ([(1.0, 1 / 256, 400)], 0.5, 4.0), ([(1.0, 1 / 512, 900), (2.0, 1 / 1024, 200)], 3.0, 1.6)]
    out = []
    for phases, eps, s in runs:
        found = [log_delta(phases, eps, s, *grid) for grid in ((0.25, 4000, 1 / 256), (0.125, 3000, 1 / 256))]
        assert abs(found[0] - found[1]) < 1e-10, found
        out.append({"phases": phases, "epsilon": eps, "logDelta": found[0]})
    return out


def people():
    """epsilon(1e-5) and delta(1) of 100 unlike steps on people of 0 to 3 records: losses on a grid, convolved by FFT, on two grids."""
    q, largest, share = 0.003, 1.5, np.array([0.5, 0.25, 0.15, 0.1])
    weight = q * share
    weight[0] += 1 - q
    out = []
    for h in (4e-4, 2e-4):
        n = 1 << math.ceil(math.log2(120 / h))
        line = np.ones(n // 2 + 1, complex)
        for i in range(100):
            shift = np.arange(4) * largest * (0.6 + 0.8 * i / 100) / 2
            x = np.linspace(-12, 16 + shift[-1], 1_000_001)
            loss = np.log(sum(w * np.exp(a * x - a * a / 2) for w, a in zip(weight, shift)))
            mass = np.exp(loss - x * x / 2) / math.sqrt(2 * math.pi) * (x[1] - x[0])
            place = np.floor(loss / h).astype(int)
            part = loss / h - place
            pmf = np.bincount(place % n, mass * (1 - part), n) + np.bincount((place + 1) % n, mass * part, n)
            line *= np.fft.rfft(pmf)
        mass = np.fft.irfft(line, n)
        at = np.where(np.arange(n) < n // 2, np.arange(n), np.arange(n) - n) * h
        delta = lambda eps: float((mass * np.maximum(0, -np.expm1(eps - at))).sum())
        out.append({"epsilon": brentq(lambda eps: delta(eps) - 1e-5, 0.1, 30, xtol=1e-10), "delta": delta(1)})
    assert abs(out[0]["epsilon"] / out[1]["epsilon"] - 1) < 1e-6, out
    return out[1]


if __name__ == "__main__":
    path = pathlib.Path(__file__).with_name("sampling.json")
    made = {"points": points(), "epsilons": epsilons(), "paths": paths(), "rare": rare(), "people": people()}
    path.write_text(json.dumps(made, indent=1) + "\n")
