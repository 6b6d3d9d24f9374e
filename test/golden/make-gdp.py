#!/usr/bin/env python3
"""Golden values of the Gaussian privacy profile, made with mpmath straight from the definitions.

  gdp-delta.f64.gz      rows mu, eps, delta, log delta, 1 - delta
  gdp-mu.f64.gz         rows eps, log delta, mu
  gdp-intervals.f64.gz  rows a, b, Phi(b) - Phi(a)
  mills.f64.gz          rows x, R(x), 1 - x R(x)

Little-endian doubles, inputs exact, results rounded to nearest (log delta below -1.8e308 is -inf).
delta = Phi(-t) - e^eps Phi(-t - mu), t = eps/mu - mu/2 (IAM eq. 1), with as many digits as the
cancellation takes and 60 more.

usage: python3 test/golden/make-gdp.py
"""
import gzip
import random
import struct
from pathlib import Path
from mpmath import mp, mpf, erfc, exp, log, sqrt, pi

HERE = Path(__file__).parent
R = random.Random(20240611)
INF = float("inf")


def digits(mu, eps):
    m, e = mpf(mu), mpf(eps)
    t = abs(e / m) + m
    return 60 + int(mp.log10(1 + t) * 2 + max(0, mp.log10((1 + t) / m)))


def upper(x):
    return erfc(x / sqrt(mpf(2))) / 2


def profile(mu, eps):
    """(delta, 1 - delta, t) of exact mu > 0 and eps."""
    mp.dps = digits(mu, eps)
    m, e = mpf(mu), mpf(eps)
    t = e / m - m / 2
    if t > 0:
        delta = upper(t) - exp(e) * upper(t + m)
        return delta, 1 - delta, t
    one_minus = upper(-t) + exp(e) * upper(t + m)
    return 1 - one_minus, one_minus, t


def log_delta(delta, one_minus):
    return mp.log1p(-one_minus) if one_minus < 0.5 else log(delta)


def save(name, rows):
    flat = [v for row in rows for v in row]
    with gzip.GzipFile(HERE / name, "wb", 9, mtime=0) as out:
        out.write(struct.pack(f"<{len(flat)}d", *flat))
    print(name, len(rows))


def u(lo, hi):
    return R.uniform(lo, hi)


def pairs():
    out = []
    for _ in range(4000):
        mu = 2.0 ** u(-40, 20)
        t = R.choice([u(-38, 38), u(0, 38), u(-2, 2)])
        eps = mu * (t + mu / 2)
        out.append((mu, abs(eps)))
    for _ in range(2500):
        out.append((2.0 ** u(-40, 20), 2.0 ** u(-60, 40)))
    for _ in range(1200):
        mu = 2.0 ** u(-40, 20)
        out.append((mu, mu * (10 ** u(0, 6) + mu / 2)))
    for _ in range(400):
        out.append((2.0 ** u(-1074, 1000), 2.0 ** u(-1074, 1023)))
    for _ in range(300):
        mu = 2.0 ** u(-1060, -40)
        out.append((mu, mu * u(0, 40)))
    for _ in range(200):
        mu = 2.0 ** u(20, 500)
        out.append((mu, mu * mu / 2 * (1 + u(-30, 30) / mu)))
    for _ in range(800):
        out.append((u(0.05, 12), u(0, 20)))
    for _ in range(600):  # borders between the branches: t = -1/2, mu = 3/4 (t + 1)
        mu = 2.0 ** u(-2, 6)
        t = R.choice([-0.5, mu / 0.75 - 1]) + u(-1, 1) * 2.0 ** u(-50, -3)
        out.append((mu, abs(mu * (t + mu / 2))))
    for _ in range(100):
        out.append((2.0 ** u(-40, 8), 0.0))
    for _ in range(1400):
        mu = 2.0 ** u(-40, 10)
        out.append((mu, -abs(R.choice([2.0 ** u(-60, 9), mu * (u(0, 10) + mu / 2)]))))
    return [(m, e) for m, e in out if m > 0 and abs(e) < 1.7e308]


def make_delta():
    rows = []
    for mu, eps in pairs():
        m, e = mpf(mu), mpf(eps)
        t = abs(e) / m - m / 2
        if t > mpf(10) ** 155:
            if eps > 0:
                rows.append((mu, eps, 0.0, -INF, 1.0))
            continue
        if t < -mpf(10) ** 60 or (eps < 0 and -eps > 1e60):
            continue
        delta, one_minus, _ = profile(mu, eps)
        ld = log_delta(delta, one_minus)
        rows.append((mu, eps, float(delta), -INF if ld < -1.7976931348623157e308 else float(ld), float(one_minus)))
    save("gdp-delta.f64.gz", rows)


def make_mu():
    rows = []
    while len(rows) < 2600:
        mu = 2.0 ** R.choice([u(-40, 10), u(-6, 5)])
        t = R.choice([u(-30, 30), u(0, 12), 10 ** u(0, 5), u(-1, 3)])
        eps = max(0.0, mu * (t + mu / 2))
        if len(rows) % 20 == 0:
            eps = 0.0
        delta, one_minus, _ = profile(mu, eps)
        target = float(log_delta(delta, one_minus))
        if target == 0 or target > -1e-300 or target < -1e15:
            continue
        x = mpf(mu)
        for _ in range(3):  # Newton from a point within rounding of the answer
            delta, one_minus, _ = profile(x, eps)
            t = mpf(eps) / x - x / 2
            x += (mpf(target) - log_delta(delta, one_minus)) * delta / exp(-t * t / 2) * sqrt(2 * pi)
        rows.append((eps, target, float(x)))
    save("gdp-mu.f64.gz", rows)


def mass(a, b):
    mp.dps = 60 + (0 if a in (-INF, INF) or b in (-INF, INF) else max(0, int(mp.log10((1 + abs(mpf(a))) / (mpf(b) - mpf(a))))))
    up = lambda x: mpf(0) if x == INF else mpf(1) if x == -INF else upper(mpf(x))
    return up(-b) - up(-a) if a < 0 and b < -a else up(a) - up(b)


def make_intervals():
    rows = []
    while len(rows) < 3000:
        a = R.choice([10 ** u(-6, 1.59), u(0, 38.5), 10 ** u(-3, 0.8)])
        b = a + 2.0 ** R.choice([u(-50, 5), u(-10, 3)]) * R.choice([1, 1 / (1 + a)])
        if len(rows) % 50 == 0:
            b = INF
        if len(rows) % 7 == 0:
            a = -(10 ** u(-8, 1.6))
        if a == b:
            continue
        if R.random() < 0.3:
            a, b = -b, -a
        rows.append((a, b, float(mass(a, b))))
    save("gdp-intervals.f64.gz", rows)


def make_mills():
    rows = []
    for _ in range(2200):
        x = R.choice([u(-0.5, 60), 10 ** u(-8, 2), 10 ** u(1, 20), u(-0.6, 2), -(10 ** u(-8, 1.57))])
        mp.dps = 60 + max(0, int(4 * mp.log10(1 + abs(x))))
        r = sqrt(pi / 2) * exp(mpf(x) ** 2 / 2) * erfc(mpf(x) / sqrt(mpf(2)))
        rows.append((x, float(r), float(1 - x * r)))
    save("mills.f64.gz", rows)


make_mills()
make_intervals()
make_mu()
make_delta()
