"""Writes gaussian-mechanisms.json: noise levels of the Gaussian mechanisms of Zhao et al. (GM), straight from
their definitions with mpmath, by bisection where they are implicit.

usage: python3 test/golden/make-gaussian-mechanisms.py
"""
import json
import random
from pathlib import Path

from mpmath import erfc, exp, log, mp, mpf, sqrt

R = random.Random(8)


def bisect(f, low, high):
    """Root of an increasing f, to the working precision."""
    for _ in range(int(mp.prec) + 40):
        middle = (low + high) / 2
        if f(middle) > 0:
            high = middle
        else:
            low = middle
    return (low + high) / 2


def inverfc(p):
    return bisect(lambda x: p - erfc(x), mpf(-40), mpf(40))


def sigma(x, eps):
    return (x + sqrt(x * x + eps)) / (eps * sqrt(mpf(2)))


def optimal(eps, delta):
    return sigma(bisect(lambda a: 2 * delta - (erfc(a) - exp(eps) * erfc(sqrt(a * a + eps))), mpf(-300), mpf(60)), eps)


def mechanism1(eps, delta):
    u = 2 * delta + exp(eps) * erfc(sqrt(eps))
    if u >= 2:
        return sigma(mpf(0), eps)
    v = inverfc(u)
    return sigma(inverfc(2 * delta / (1 - exp(eps) * erfc(sqrt(v * v + eps)) / u)), eps)


def elementary(z):
    return sqrt(log(2 * (sqrt(z + 1) + 1) / z))


def pdp(eps, delta):
    return sigma(bisect(lambda d: 2 * delta - erfc(d) - erfc(sqrt(d * d + eps)), mpf(-40), mpf(40)), eps)


def threshold(f):
    def excess(eps, delta):
        mu = eps / f
        t = eps / mu - mu / 2
        return erfc(t / sqrt(mpf(2))) / 2 - exp(eps) * erfc((t + mu) / sqrt(mpf(2))) / 2 - delta

    return excess


def row(eps, delta):
    mp.dps = 50
    e, d = mpf(eps), mpf(delta)
    return {
        'epsilon': eps,
        'delta': delta,
        'optimal': float(optimal(e, d)),
        'mechanism1': float(mechanism1(e, d)),
        'mechanism2': float(sigma(elementary(16 * d), e)),
        'pdpOptimal': float(pdp(e, d)),
        'mechanism3': float(sigma(inverfc(d), e)),
        'mechanism4': float(sigma(elementary(8 * d), e)),
    }


def threshold_row(delta):
    mp.dps = 50
    d = mpf(delta)
    out = {'delta': delta}
    for name, c in (('dwork2014', '1.25'), ('dwork2006', '2')):
        f = sqrt(2 * log(mpf(c) / d))
        excess = threshold(f)
        out[name] = float(bisect(lambda eps: excess(eps, d), mpf('1e-3'), mpf(5000)))
    return out


points = [(10, .01), (6, .1), (8, 1e-5), (1, 1e-5), (.1, 1e-6)]
points += [(e, d) for e in (1e-3, 0.01, 1, 50, 700, 5000) for d in (1e-300, 1e-30, 1e-9, 0.05, 0.4)]
points += [(10 ** R.uniform(-3, 3.7), 10 ** R.uniform(-60, -0.4)) for _ in range(25)]
data = {
    'rows': [row(e, d) for e, d in points],
    'thresholds': [threshold_row(d) for d in (1e-3, 1e-4, 1e-5, 1e-6, 1e-12, 1e-100, 1e-300, 0.1, 0.4)],
}
path = Path(__file__).parent / 'gaussian-mechanisms.json'
path.write_text(json.dumps(data, indent=1) + '\n')
print(len(data['rows']), 'rows')
