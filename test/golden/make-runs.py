"""Writes runs.json: delta(epsilon) of composed Poisson-subsampled Gaussian runs, by methods that share nothing
with the grid accountant. Needs numpy (x86: 80-bit long double) and mpmath; not part of the tests.

  T >= 4   delta(eps) = 1/(2 pi i) int_{Re z = c} M(z) e^{-(z-1) eps} / (z (z-1)) dz, c > 1 near the saddle point,
           M(z) = prod_j E_{N(0, s_j^2)}[(1 - q_j + q_j e^{(2o-1)/2 s_j^2})^z]^{T_j} for 'remove'
           (Q = mixture, P = base); z -> 1 - z in M for 'add'.
  T = 2    E_{w ~ Q}[delta_1(eps - w)] by Gauss-Legendre panels over the outputs, delta_1 in closed form;
  T = 1    erfc at 50 digits.

relativeError is what moving the contour, halving the steps in z and in o, or the panels, changed (times 4, at
least 1e-13), with the rounding of the stored logarithm.
"""

import json
import sys
import time
from pathlib import Path

import mpmath as mp
import numpy as np

LD = np.longdouble
mp.mp.dps = 50


def losses(sigma, q, refine, c, tau, log_delta=0.0):
    """Outputs, normal log weights and losses of one step; resolves e^{i tau loss}."""
    sigma, q = LD(sigma), LD(q)
    reach = LD(11.5)
    lo = min(-reach * sigma, (c if c < 0 else 0) - reach * sigma)
    hi = max(LD(0), c) + reach * sigma
    h = min(sigma / 6, sigma * sigma / 3, 2 * LD(np.pi) / (abs(tau) / sigma**2 + 9 / sigma)) / refine
    n = int(np.ceil((hi - lo) / h))
    o = lo + (hi - lo) * np.arange(n + 1, dtype=LD) / n
    s = (2 * o - 1) / (2 * sigma * sigma)
    y = np.where(s > 40, s + np.log(q) + np.log1p((1 - q) / q * np.exp(-np.maximum(s, 0))), np.log1p(q * np.expm1(np.minimum(s, 50))))
    if q == 1:
        y = s
    w = np.exp(-o * o / (2 * sigma * sigma)) * ((hi - lo) / n) / (sigma * np.sqrt(2 * LD(np.pi)))
    return y, w / np.sum(w)


def log1p_complex(x, y):
    return 0.5 * np.log1p(2 * x + x * x + y * y), np.arctan2(y, 1 + x)


def log_m(phases, c, taus, refine):
    """log M(c + i tau), real and imaginary part."""
    re = np.zeros(len(taus), dtype=LD)
    im = np.zeros(len(taus), dtype=LD)
    for sigma, q, t in phases:
        if q == 1:
            z2 = LD(1) / (2 * LD(sigma) ** 2)
            re += t * z2 * (c * c - taus * taus - c)
            im += t * z2 * (2 * c * taus - taus)
            continue
        y, w = losses(sigma, q, refine, c, np.max(np.abs(taus)))
        for at in range(0, len(taus), 64):
            part = taus[at : at + 64]
            a = w[:, None] * np.exp(c * y)[:, None]
            half = np.sin(0.5 * np.outer(y, part))
            # expm1(c y + i tau y) = expm1(c y) cos - 2 sin^2(tau y/2) + i e^{c y} sin
            first = (w * np.expm1(c * y))[:, None]
            x = np.sum(first - 2 * a * half * half, axis=0)
            v = np.sum(a * np.sin(np.outer(y, part)), axis=0)
            r, i = log1p_complex(x, v)
            re[at : at + 64] += t * r
            im[at : at + 64] += t * i
    return re, im


def exponent(phases, direction, c, eps):
    """log of the integrand on the real axis (c > 1)."""
    z = c if direction == 'remove' else 1 - c
    re, _ = log_m(phases, LD(z), np.zeros(1, dtype=LD), 1)
    return float(re[0] - (c - 1) * LD(eps) - np.log(LD(c)) - np.log(LD(c) - 1))


def slope(phases, direction, c, eps):
    d = 1e-3 * (c - 1)
    return (exponent(phases, direction, c + d, eps) - exponent(phases, direction, c - d, eps)) / (2 * d)


def saddle(phases, direction, eps):
    """The c > 1 at which the integrand is smallest, by bisection on its slope."""
    low, high = -12.0, -11.0
    while slope(phases, direction, 1 + np.exp(high), eps) < 0 and high < 9:
        low, high = high, high + 1
    for _ in range(12):
        mid = (low + high) / 2
        if slope(phases, direction, 1 + np.exp(mid), eps) < 0:
            low = mid
        else:
            high = mid
    return float(1 + np.exp((low + high) / 2))


def integrand(phases, direction, c, taus, eps, refine, shift):
    if direction == 'remove':
        re, im = log_m(phases, LD(c), taus, refine)
    else:
        re, im = log_m(phases, LD(1 - c), -taus, refine)
    den = (c + 1j * taus) * (c - 1 + 1j * taus)
    phase = im - taus * LD(eps)
    mag = np.exp(re - (LD(c) - 1) * LD(eps) - shift)
    return mag * ((np.cos(phase) * den.real + np.sin(phase) * den.imag) / (den.real**2 + den.imag**2))


def contour(phases, direction, eps, c, refine, step_scale, max_seconds=10):
    """log delta by the trapezoid rule on Re z = c; (value, change at the last halving)."""
    shift = LD(exponent(phases, direction, c, eps)) + np.log(LD(c)) + np.log(LD(c) - 1)
    d = 0.02 * (c - 1)
    k = [exponent(phases, direction, c + j * d, eps) for j in (-1, 0, 1)]
    width = 1 / np.sqrt(max((k[0] - 2 * k[1] + k[2]) / d**2, 1e-30))
    delta = LD(width * 0.5 * step_scale)

    deadline = time.monotonic() + max_seconds

    def sum_from(start, step):
        total = LD(0)
        at = 0
        quiet = 0
        while True:
            taus = start + step * np.arange(at, at + 64, dtype=LD)
            v = integrand(phases, direction, c, taus, eps, refine, shift)
            total += np.sum(v)
            at += 64
            env = np.max(np.abs(v))
            quiet = quiet + 1 if env < 1e-19 * abs(total) else 0
            if quiet >= 2:
                return total, at
            if time.monotonic() > deadline:
                raise ArithmeticError('no decay')

    head = integrand(phases, direction, c, np.zeros(1, dtype=LD), eps, refine, shift)[0] / 2
    rest, _ = sum_from(delta, delta)
    value = (head + rest) * delta / LD(np.pi)
    for _ in range(12):
        mid, nodes = sum_from(delta / 2, delta)
        finer = value / 2 + mid * (delta / 2) / LD(np.pi)
        change = abs(finer / value - 1)
        value = finer
        delta /= 2
        if change < 1e-15:
            break
    return float(shift + np.log(value)), float(change)


def composed(phases, direction, eps):
    c = saddle(phases, direction, eps)
    d = 0.02 * (c - 1)
    k = [exponent(phases, direction, c + j * d, eps) for j in (-1, 0, 1)]
    width = 1 / np.sqrt(max((k[0] - 2 * k[1] + k[2]) / d**2, 1e-30))
    a, ea = contour(phases, direction, eps, c, 1, 1.0)
    c2 = min(c + 0.35 * width, 1 + 1.5 * (c - 1))
    b, eb = contour(phases, direction, eps, c2, 1.7, 0.9)
    return b, max(ea, eb, abs(a - b)), c


# --- few steps: delta_T(eps) = E_{w ~ Q}[delta_{T-1}(eps - w)] ---------------------------------------------------


def gauss_delta_mp(mu, eps):
    t = eps / mu
    return mp.erfc((t - mu / 2) / mp.sqrt(2)) / 2 - mp.exp(eps) * mp.erfc((t + mu / 2) / mp.sqrt(2)) / 2


def single(sigma, q, direction, eps):
    """delta_1 at 50 digits."""
    sigma, q, eps = mp.mpf(sigma), mp.mpf(q), mp.mpf(eps)
    mu = 1 / sigma
    if direction == 'remove':
        rest = mp.exp(eps) - (1 - q)
        if rest <= 0:
            return -mp.expm1(eps)
        return q * gauss_delta_mp(mu, mp.log(rest / q))
    r = 1 - mp.exp(eps) * (1 - q)
    if r <= 0:
        return mp.mpf(0)
    return r * gauss_delta_mp(mu, eps + mp.log(q / r))


def few(sigma, q, direction, eps, steps):
    """T = 2 (or more, nested) by Gauss-Legendre over the last output, split where delta_1 is not analytic."""
    sg, qq = mp.mpf(sigma), mp.mpf(q)
    y = lambda o: mp.log(1 - qq + qq * mp.exp((2 * o - 1) / (2 * sg**2)))
    phi = lambda o, m: mp.exp(-((o - m) ** 2) / (2 * sg**2)) / (sg * mp.sqrt(2 * mp.pi))

    def value(x, t):
        if t == 1:
            return single(sigma, q, direction, x)
        if direction == 'remove':
            f = lambda o: ((1 - qq) * phi(o, 0) + qq * phi(o, 1)) * value(x - y(o), t - 1)
        else:
            f = lambda o: phi(o, 0) * value(x + y(o), t - 1)
        # the kink of delta_1 lies where the remaining loss is the end of the loss range
        ends = [mp.mpf(-16) * sg, 1 + 16 * sg]
        gap = x - (t - 1) * mp.log(1 - qq) if direction == 'remove' else -(x + (t - 1) * mp.log(1 - qq))
        rest = (mp.exp(gap) - 1 + qq) / qq
        points = list(ends)
        if rest > 0:
            o0 = sg**2 * mp.log(rest) + mp.mpf(1) / 2
            # beside it delta_1 is flat but not analytic: panels that shrink towards it
            around = [o0] + [o0 + side * sg / 4**k for side in (-1, 1) for k in range(7)]
            points += [o for o in around if ends[0] < o < ends[1]]
        points += [ends[0] + (ends[1] - ends[0]) * k / PANELS for k in range(1, PANELS)]
        points.sort()
        return mp.quad(f, points, method='gauss-legendre', maxdegree=DEGREE)

    old = mp.mp.dps
    mp.mp.dps = 34
    out = []
    for PANELS, DEGREE in ((16, 4), (24, 5)):
        globals()['PANELS'], globals()['DEGREE'] = PANELS, DEGREE
        out.append(value(mp.mpf(eps), steps))
    mp.mp.dps = old
    return float(mp.log(out[1])), float(abs(out[0] / out[1] - 1))


PANELS, DEGREE = 12, 4


def pick_epsilon(phases, direction, log_delta):
    """An epsilon with delta near e^log_delta, to five digits: every c is the saddle point of one epsilon."""

    def at(v):
        c = 1 + np.exp(v)
        eps = slope(phases, direction, c, 0.0)
        d = 0.02 * (c - 1)
        k = [exponent(phases, direction, c + j * d, eps) for j in (-1, 0, 1)]
        return eps, k[1] - 0.5 * np.log(2 * np.pi * max((k[0] - 2 * k[1] + k[2]) / d**2, 1e-30))

    low, high = -4.0, -3.0
    while at(high)[1] > log_delta and high < 9:
        low, high = high, high + 0.5
    for _ in range(12):
        mid = (low + high) / 2
        if at(mid)[1] > log_delta:
            low = mid
        else:
            high = mid
    return float('%.5g' % at(high)[0])


def main():
    cases = []

    def put(phases, direction, eps, log_delta, error, method):
        error = max(4 * error, 1e-13) + 2e-16 * abs(log_delta)
        if not (error < 1e-9):
            print('skipped', phases, direction, eps, log_delta, error, file=sys.stderr)
            return
        cases.append(
            dict(
                phases=[dict(sigma=s, q=q, steps=t) for s, q, t in phases],
                direction=direction,
                epsilon=eps,
                logDelta=log_delta,
                delta=mp.nstr(mp.exp(mp.mpf(log_delta)), 14),
                relativeError=float('%.2g' % (1.01 * error)),
                method=method,
            )
        )
        print(phases, direction, eps, cases[-1]['delta'], cases[-1]['relativeError'], file=sys.stderr, flush=True)

    def run(phases, direction, eps):
        try:
            value, error, _ = composed(phases, direction, eps)
        except ArithmeticError as e:
            print('failed', phases, direction, eps, e, file=sys.stderr)
            return
        put(phases, direction, eps, value, error, 'contour')

    w1 = [(9.4, 16384 / 50000, 2000)]
    two = [(1.3, 0.004, 5000), (0.9, 0.004, 500)]
    for eps in (-3.0, 0.0, 0.5, 2.0, 7.424378899, 8.0, 12.0, 16.0, 20.0, 30.0, 40.0):
        run(w1, 'remove', eps)
    for eps in (-2.0, 0.0, 2.0, 7.357177795, 12.0, 20.0, 30.0):
        run(w1, 'add', eps)
    for direction in ('remove', 'add'):
        for eps in (-0.2, 0.0, 0.3, 1.15296809):
            run(two, direction, eps)
    run(two, 'remove', 2.5)
    run(two, 'remove', 6.0)

    # the spread: (phases, target log10 deltas)
    spread = [
        ([(0.5, 0.3, 60)], (-0.5, -5, -20)),
        ([(4.0, 0.5, 4)], (-0.5, -5, -20)),
        ([(0.5, 0.01, 20000)], (-1, -5, -12)),
        ([(0.6, 0.001, 100000)], (-0.5, -5, -9)),
        ([(0.7, 0.05, 50)], (-1, -5, -30)),
        ([(1.0, 0.01, 1000)], (-1, -5, -10, -30)),
        ([(1.0, 0.5, 10)], (-0.2, -3, -10, -60)),
        ([(1.0, 0.9, 8)], (-5, -50)),
        ([(1.0, 0.25, 100)], (-0.05, -5, -100)),
        ([(1.1, 0.0042667, 14062)], (-2, -5, -15)),
        ([(0.8, 0.02, 3000)], (-1, -6)),
        ([(2.0, 0.1, 400)], (-0.5, -6, -25, -100)),
        ([(2.0, 0.001, 1000000)], (-1, -5, -12)),
        ([(4.0, 0.05, 10000)], (-0.3, -5, -40)),
        ([(5.0, 0.5, 20)], (-1, -6, -40)),
        ([(5.0, 0.002, 30000)], (-2, -8)),
        ([(10.0, 0.001, 1000000)], (-2, -5, -20)),
        ([(20.0, 0.2, 5000)], (-0.3, -5, -60)),
        ([(20.0, 0.01, 1000000)], (-1, -5, -30)),
        ([(15.0, 1.0, 50)], (-1, -5, -50)),
        ([(3.0, 1.0, 4)], (-0.5, -12, -100)),
        ([(1.0, 0.02, 500), (1.5, 0.02, 500), (2.0, 0.02, 500)], (-1, -5, -20)),
        ([(0.9, 0.01, 300), (1.2, 0.05, 100), (6.0, 1.0, 10), (3.0, 0.3, 40)], (-1, -5, -30)),
        ([(8.0, 1.0, 16), (1.0, 0.01, 100)], (-1, -6, -40)),
    ]
    for phases, targets in spread:
        for direction in ('remove', 'add'):
            for digits in targets:
                largest = -sum(t * np.log1p(-q) for _, q, t in phases if q < 1)
                if direction == 'add' and all(q < 1 for _, q, _ in phases):
                    # bounded losses: stay below the largest
                    try:
                        eps = pick_epsilon(phases, direction, digits * np.log(10))
                    except Exception as e:
                        print('no epsilon', phases, direction, digits, e, file=sys.stderr)
                        continue
                    if eps > 0.98 * largest:
                        print('beyond', phases, digits, eps, largest, file=sys.stderr)
                        continue
                else:
                    eps = pick_epsilon(phases, direction, digits * np.log(10))
                run(phases, direction, eps)

    for sigma, q in ((0.5, 0.001), (1.0, 0.1), (3.0, 0.5), (20.0, 0.01)):
        for direction in ('remove', 'add'):
            for eps in (-0.01 * q, 0.0, 0.3 * q, 2.5 * q / sigma, 1.0):
                d = single(sigma, q, direction, eps)
                if d > 0:
                    put([(sigma, q, 1)], direction, eps, float(mp.log(d)), 1e-16, 'closed')
    for sigma, q in ((0.5, 0.01), (1.0, 0.1), (2.0, 0.5), (1.0, 0.9)):
        for direction in ('remove', 'add'):
            for eps in (0.05 * q, 0.5 * q, 1.0):
                if direction == 'add' and eps >= -2 * np.log1p(-q):
                    continue
                value, error = few(sigma, q, direction, eps, 2)
                if np.isfinite(value):
                    put([(sigma, q, 2)], direction, eps, value, error, 'quadrature')

    Path(__file__).with_name('runs.json').write_text(
        '[\n' + ',\n'.join('  ' + json.dumps(c) for c in cases) + '\n]\n'
    )
    print(len(cases), 'cases', file=sys.stderr)


if __name__ == '__main__':
    main()
