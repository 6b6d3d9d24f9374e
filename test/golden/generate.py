"""Golden values of the element-wise functions, by mpmath at 60 digits or more.

Usage: python3 test/golden/generate.py [function ...]     (all functions: a few minutes)

Writes test/golden/<function>.bin.gz: n (uint32), then n float64 x, n float64 y_hi, n int16 y_lo in units of
2^-14 ulp(y_hi), where ulp is at least 2^-1074. All little-endian.
"""
import gzip
import math
import random
import struct
import sys
from pathlib import Path
from statistics import NormalDist

from mpmath import mp, mpf

mp.dps = 60
HERE = Path(__file__).resolve().parent
INF = math.inf


# --- exact values -----------------------------------------------------------------------------------

def mills_series(x):
    """e^{x²} erfc(x)·x√π for x ≥ 30: asymptotic, smallest term e^{-900}."""
    total, term, n = mpf(1), mpf(1), 1
    while abs(term) > mpf(10) ** -70:
        term *= -(2 * n - 1) / (2 * x * x)
        total += term
        n += 1
    return total


def erfcx(x):
    if x >= 30:
        return mills_series(x) / (x * mp.sqrt(mp.pi))
    if x < -40:
        return mpf('inf')
    return mp.exp(x * x) * mp.erfc(x)


def erfc(x):
    if x > 40:
        return mpf(0)
    if x < -40:
        return mpf(2)
    return mp.erfc(x)


def log_erfc(x):
    if x >= 30:
        return -x * x - mp.log(x * mp.sqrt(mp.pi)) + mp.log(mills_series(x))
    if abs(x) < 0.5:
        return mp.log1p(-mp.erf(x))
    return mp.log(erfc(x))


def normal_cdf(x):
    return erfc(-x / mp.sqrt(2)) / 2


def log_normal_cdf(x):
    if x > 50:
        return mpf(0)
    if x > 0:
        return mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2)
    return log_erfc(-x / mp.sqrt(2)) - mp.log(2)


def quantile_from_log(l):
    """z > 0 with log(1 − Φ(z)) = −l, l ≥ log 2, by Newton on the log of the tail."""
    guess = float(l)
    if guess > 700:
        v = guess
        for _ in range(6):
            v = guess - 0.5 * (math.log(v) + math.log(4 * math.pi)) - 0.5 / v
        z = mpf(2 * mpf(v)) ** mpf('0.5')
    else:
        z = -mpf(NormalDist().inv_cdf(math.exp(-guess))) if guess > 0.6932 else mpf('1e-9')
    for _ in range(6):
        value = log_normal_cdf(-z) + l
        hazard = mp.sqrt(2 / mp.pi) / erfcx(z / mp.sqrt(2))
        delta = value / hazard
        z += delta
        if abs(delta) < abs(z) * mpf(10) ** -25:
            break
    return z


def quantile_from_centre(q):
    """z with Φ(z) − ½ = q, |q| < 0.45."""
    if q == 0:
        return mpf(0)
    z = mpf(NormalDist().inv_cdf(0.5 + float(q))) if abs(q) > 1e-6 else q * mp.sqrt(2 * mp.pi)
    for _ in range(6):
        delta = (mp.erf(z / mp.sqrt(2)) / 2 - q) * mp.sqrt(2 * mp.pi) * mp.exp(z * z / 2)
        z -= delta
        if abs(delta) < abs(z) * mpf(10) ** -25:
            break
    return z


def normal_quantile(p):
    q = p - mpf(1) / 2
    if abs(q) < 0.4:
        return quantile_from_centre(q)
    return -quantile_from_log(-mp.log(p)) if q < 0 else quantile_from_log(-mp.log(1 - p))


def normal_quantile_log(log_p):
    centre = mp.expm1(log_p + mp.log(2)) / 2
    if abs(centre) < 0.4:
        return quantile_from_centre(centre)
    return -quantile_from_log(-log_p) if centre < 0 else quantile_from_log(-mp.log(-mp.expm1(log_p)))


def inverfc(p):
    return -normal_quantile(p / 2) / mp.sqrt(2)


def sin_pi(x):
    return mp.sinpi(mpf(math.fmod(float(x), 2.0)))


def cos_pi(x):
    return mp.cospi(mpf(math.fmod(float(x), 2.0)))


# --- points -----------------------------------------------------------------------------------------

rng = random.Random(20240611)


def bits(exponent, sign=1.0):
    """A random double of the binade 2^exponent (subnormals below −1022)."""
    if exponent < -1022:
        return sign * rng.randrange(1, 2 ** 52) * 2.0 ** -1074 * 2.0 ** (exponent + 1022)
    return sign * math.ldexp(1 + rng.randrange(2 ** 52) / 2 ** 52, exponent)


def binades(low, high, count, signs=(1.0, -1.0)):
    return [bits(e, s) for e in range(low, high + 1) for s in signs for _ in range(count)]


def uniform(low, high, count):
    return [rng.uniform(low, high) for _ in range(count)]


def near(values, ulps=(1, 2, 3)):
    out = []
    for v in values:
        out.append(float(v))
        up = down = float(v)
        for i in range(1, max(ulps) + 1):
            up, down = math.nextafter(up, INF), math.nextafter(down, -INF)
            if i in ulps:
                out += [up, down]
    return out


def grid(low, high, per_unit, stride=1):
    """Every cell edge k/(2·per_unit) of a table, with its neighbours."""
    return near([k / (2 * per_unit) for k in range(int(low * 2 * per_unit), int(high * 2 * per_unit) + 1, stride)], (1,))


EVERY = lambda: binades(-1050, 1023, 1)
SMALL = near([5e-324, -5e-324, 2.0 ** -1022, -2.0 ** -1022, 0.0])
LOG2 = math.log(2)

POINTS = {
    'exp': lambda: EVERY() + uniform(-746, 710, 4000) + uniform(-1, 1, 2000) + uniform(-746, -708, 800)
    + near([k * LOG2 / 128 for k in range(-300, 300)], (1,)) + near([709.782712893384, -745.1332191019412, -708.396418532264]),
    'expm1': lambda: EVERY() + uniform(-40, 710, 2000) + uniform(-2, 2, 4000) + uniform(-0.02, 0.02, 1000)
    + near([k * LOG2 / 128 for k in range(-300, 300)], (1,)) + near([709.782712893384, 60, -60, 2.0 ** -54, -2.0 ** -54]),
    'log': lambda: binades(-1074, 1023, 3, (1.0,)) + uniform(0.5, 2, 4000) + [1 + s * bits(e) for e in range(-52, -1) for s in (1, -1)]
    + near([math.sqrt(0.5), math.sqrt(2), 1, 2, 0.5], (1, 2, 3, 4, 5)),
    'log1p': lambda: binades(-1074, 1023, 2, (1.0,)) + binades(-1074, -1, 2, (-1.0,)) + uniform(-1, 1, 3000) + uniform(0, 10, 1500)
    + near([math.sqrt(0.5) - 1, math.sqrt(2) - 1, 1, 2.0 ** -54, -2.0 ** -54], (1, 2, 3, 4, 5)) + [math.nextafter(-1, 0)],
    'sinPi': lambda: EVERY() + uniform(-4, 4, 5000) + binades(-5, 54, 10) + near([k / 8 for k in range(-40, 41)]) + [k / 2 for k in range(-20, 20)],
    'cosPi': lambda: EVERY() + uniform(-4, 4, 5000) + binades(-5, 54, 10) + near([k / 8 for k in range(-40, 41)]) + [k / 2 for k in range(-20, 20)],
    'erfc': lambda: EVERY() + uniform(-6, 28, 3000) + uniform(26, 27.3, 600) + grid(-6, 27.5, 128, 7) + uniform(-0.1, 0.1, 500),
    'erfcx': lambda: EVERY() + uniform(-26.7, 0, 3000) + uniform(0, 30, 2000) + uniform(0, 1, 800)
    + near([64 / t - 1 for t in range(1, 65)]) + near([-26.628735713751486, -26.6, 30]),
    'logErfc': lambda: EVERY() + uniform(-7, 30, 3000) + uniform(-0.1, 0.1, 1000) + grid(-6.5, 27.6, 128, 7) + near([27.5, -6.5]),
    'normalCdf': lambda: EVERY() + uniform(-38.6, 9, 4000) + uniform(-38.6, -37, 800) + uniform(-0.2, 0.2, 500)
    + near([k / 128 * math.sqrt(2) for k in range(-3520, 800, 8)], (1,)),
    'logNormalCdf': lambda: EVERY() + uniform(-40, 10, 3000) + uniform(10, 38.6, 800) + uniform(0, 2, 1000) + uniform(-0.2, 0.2, 400)
    + near([k / 128 * math.sqrt(2) for k in range(-3540, 1200, 8)], (1,)) + near([0.5, -38.89087296526011, 0]),
    'normalQuantile': lambda: binades(-1074, -1, 5, (1.0,)) + uniform(0, 1, 4000) + [1 - bits(e) for e in range(-53, -1) for _ in range(8)]
    + [0.5 + s * bits(e) for e in range(-53, -2) for s in (1, -1) for _ in range(4)] + near([0.075, 0.925, 0.5, math.exp(-25)]),
    'normalQuantileLog': lambda: binades(-1074, 1023, 3, (-1.0,)) + uniform(-3, 0, 3000) + uniform(-750, 0, 1000) + uniform(-0.7, -0.68, 300)
    + near([-LOG2, -2.590267165445825, -0.07796154146971184, -25, -729]) + [-LOG2 + s * bits(e) for e in range(-52, -4) for s in (1, -1)],
    'inverfc': lambda: binades(-1074, 0, 5, (1.0,)) + uniform(0, 2, 4000) + [2 - bits(e) for e in range(-52, 0) for _ in range(8)]
    + [1 + s * bits(e) for e in range(-53, -1) for s in (1, -1) for _ in range(4)] + near([0.15, 1.85, 1, 2 * math.exp(-25)]),
}

FUNCTIONS = {
    'exp': mp.exp, 'expm1': mp.expm1, 'log': mp.log, 'log1p': mp.log1p, 'sinPi': sin_pi, 'cosPi': cos_pi,
    'erfc': erfc, 'erfcx': erfcx, 'logErfc': log_erfc, 'inverfc': inverfc,
    'normalCdf': normal_cdf, 'logNormalCdf': log_normal_cdf,
    'normalQuantile': normal_quantile, 'normalQuantileLog': normal_quantile_log,
}
DOMAIN = {
    'exp': (-1e5, 1e4), 'expm1': (-1e5, 1e4), 'log': (5e-324, INF), 'log1p': (math.nextafter(-1, 0), INF),
    'normalQuantile': (5e-324, math.nextafter(1, 0)), 'inverfc': (5e-324, math.nextafter(2, 0)),
    'normalQuantileLog': (-INF, -5e-324),
}


def to_float(y):
    try:
        return float(y)
    except OverflowError:
        return INF if y > 0 else -INF


def ulp(y):
    return mpf(2) ** max(-1074, math.frexp(y)[1] - 53) if y != 0 else mpf(2) ** -1074


def encode(name):
    low, high = DOMAIN.get(name, (-INF, INF))
    candidates = POINTS[name]() + (SMALL if name not in ('normalQuantile', 'inverfc', 'log') else [5e-324, 1e-323])
    xs = sorted({x for x in candidates if low <= x <= high and math.isfinite(x)})
    hi, lo = [], []
    for x in xs:
        y = FUNCTIONS[name](mpf(x))
        h = to_float(y)
        hi.append(h)
        lo.append(0 if math.isinf(h) else int(mp.nint((y - mpf(h)) / ulp(h) * 16384)))
    n = len(xs)
    payload = struct.pack('<I', n) + struct.pack(f'<{n}d', *xs) + struct.pack(f'<{n}d', *hi) + struct.pack(f'<{n}h', *lo)
    (HERE / f'{name}.bin.gz').write_bytes(gzip.compress(payload, 9, mtime=0))
    print(f'{name}: {n} points', flush=True)


for function in sys.argv[1:] or FUNCTIONS:
    rng.seed(function)
    encode(function)
