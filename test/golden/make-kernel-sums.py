"""Sums of the kernel over contours, outputs and paths, at 40 digits: test/golden/kernel-sums.json.

Inputs are drawn from the generator of test/helpers/random.ts, in the order of test/kernel/table-sums.test.ts, and are exact; sums are
taken term by term by mpmath. Stored: the sum as a double and what is missing from it.
"""
import json
from pathlib import Path

from mpmath import arg, cos, exp, expj, expm1, log, log1p, mp, mpf, sin

mp.dps = 40


def seeded(seed):
    state = seed

    def draw():
        nonlocal state
        state = (state + 0x6D2B79F5) & 0xFFFFFFFF
        t = ((state ^ (state >> 15)) * (state | 1)) & 0xFFFFFFFF
        t ^= (t + (((t ^ (t >> 7)) * (t | 61)) & 0xFFFFFFFF)) & 0xFFFFFFFF
        return ((t ^ (t >> 14)) & 0xFFFFFFFF) / 2**32

    return draw


def stored(values):
    rows = []
    for value in values:
        head = float(value)
        rows.append([head, float(value - mpf(head))])
    return rows


def sums_at(angles, rows, n):
    out = []
    for f in range(3):
        out.append(
            sum(
                mpf(rows[2 * f * n + k]) * cos(angles[k]) + mpf(rows[(2 * f + 1) * n + k]) * sin(angles[k])
                for k in range(n)
            )
        )
    return out


def uniform(seed, n, step, x):
    random = seeded(seed)
    rows = [random() - 0.5 for _ in range(6 * n)]
    return stored(sums_at([k * mpf(step) * mpf(x) for k in range(n)], rows, n))


def cumulants(seed, n, spread, tilt):
    random = seeded(seed)
    p, y, b, r, s = ([mpf(f(random())) for _ in range(n)] for f in (
        lambda u: u, lambda u: spread * (u - 0.25), lambda u: -spread * spread * u, lambda u: u, lambda u: u))
    c = mpf(tilt)
    e = [exp(c * v) for v in y]
    # e^t - 1 - t loses what t has below 1: forty digits are kept by raising the precision
    mp.dps = 80
    g = [expm1(c * v) - c * v for v in y]
    mp.dps = 40
    terms = range(n)
    return stored([
        sum(p[j] * e[j] for j in terms),
        sum(p[j] * e[j] * y[j] for j in terms),
        sum(p[j] * e[j] * y[j] ** 2 for j in terms),
        sum(p[j] * (g[j] + c * b[j]) for j in terms),
        sum(p[j] * r[j] * (g[j] + abs(c * b[j])) for j in terms),
        sum(p[j] * e[j] * s[j] for j in terms),
    ])


def path(seed, m, step, k):
    random = seeded(seed)
    y, a, size, turn = ([mpf(f(random())) for _ in range(m)] for f in (
        lambda u: 4 * (u - 0.25), lambda u: u / 4, lambda u: -8 * u, lambda u: 32 * (u - 0.5)))
    tau = k * mpf(step)
    value = sum(exp(size[j] - tau * a[j]) * mp.expj(turn[j] + tau * y[j]) for j in range(m))
    return stored([value.real, value.imag])


def mesh(mu, q, x):
    s = mpf(mu * x - 0.5 * (mu * mu))
    mp.dps = 80
    v = mpf(q) * expm1(s)
    y = log1p(v)
    rows = stored([y, y - v, (v + mpf(q)) / (1 + v)])
    mp.dps = 40
    return rows


def turned(mu, q, x, a):
    mp.dps = 80
    mu, q, x, a = mpf(mu), mpf(q), mpf(x), mpf(a)
    u = 1 - q + q * exp(mu * x - mu * mu / 2) * expj(mu * a)
    rows = stored([log(abs(u)), arg(u)])
    mp.dps = 40
    return rows


def turned_points():
    """Outputs where losses are small but steep, where u is small, far out, and anywhere, at angles up to .97 pi."""
    random = seeded(23)
    points = []
    for i in range(80):
        mu = [0.37, 1.1, 6.3, 9.7][i % 4] * (1 + random())
        q = [0.3, 0.9, 1e-7, 1 - 1e-9, 1 - 1e-14][i % 5]
        angle = [1e-4, 0.3, 1.2, 3.04][(i // 4) % 4]
        x = [mu / 2 + 1e-3 * random(), -3 - 9 * random(), mu + 12 * random()][i % 3]
        points.append((mu, q, x, angle / mu))
    return points


if __name__ == '__main__':
    golden = {
        'uniform': [[s, n, h, x, uniform(s, n, h, x)] for s, n, h, x in [
            (6, 4, 0.25, 0), (7, 36, 0.3, 7.25), (8, 64, 2.0, -3.5), (9, 180, 0.01, 1e4), (10, 1000, 3.1, 0.7),
            (11, 96, 0.5, 6.283185307179586)]],
        'cumulants': [[s, n, y, c, cumulants(s, n, y, c)] for s, n, y, c in [
            (12, 2, 1, 0), (13, 40, 0.5, 1.5), (14, 96, 2**-20, 300), (15, 250, 4, -20), (16, 64, 2**-30, 1e-3),
            (17, 34, 1, 0.93), (18, 100, 2, 350)]],
        'mesh': [[mu, q, x, mesh(mu, q, x)] for mu, q in [(1.0, 0.01), (0.25, 1e-4), (2.5, 0.2), (8.0, 0.5), (0.1, 1.0)]
                 for x in [-12.0, -3.7, -0.3, 0.5 * mu, 0.5 * mu + 1e-9, 1.9, 4.4, 7.5, 12.5, 30.0]],
        'turned': [[mu, q, x, a, turned(mu, q, x, a)] for mu, q, x, a in turned_points()],
        'path': [[s, m, h, k, path(s, m, h, k)] for s, m, h, k in [
            (19, 1, 0.5, 0), (20, 33, 0.3, 31), (21, 100, 0.05, 500), (22, 7, 0.01, 1023), (23, 65, 1.5, 64)]],
    }
    target = Path(__file__).with_name('kernel-sums.json')
    target.write_text(json.dumps(golden) + '\n')
