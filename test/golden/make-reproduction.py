"""Independent values of the numbers in docs/reproduction.md: reproduction.json, {name: [value, tolerance]}.

Closed forms, exact polygons and root finding in mpmath at 40 digits; runs of DP-SGD by a convolution of rounded losses in
numpy's FFT, whose tolerance is what halving its step and its length leaves open. Nothing is shared with the library.
usage: python3 test/golden/make-reproduction.py [part …] (5 min), with parts iam, sampled, gdp, gm, rep, dp-sgd
"""
import json
import os
import sys
from collections import defaultdict

import mpmath as mp
import numpy as np
from mpmath import mpf

mp.mp.dps = 40
OUT = {}


def put(name, value, tolerance=1e-12):
    OUT[name] = [float(mp.nstr(value, 18)), tolerance]


Phi = mp.ncdf


def Phinv(p):
    """Quantile, by Newton from a bisection: accurate in both tails."""
    p = mpf(p)
    if p > mpf(1) / 2:
        return -Phinv(1 - p)
    lo, hi = mpf(-60), mpf(0)
    for _ in range(30):
        mid = (lo + hi) / 2
        lo, hi = (mid, hi) if Phi(mid) < p else (lo, mid)
    x = (lo + hi) / 2
    for _ in range(8):
        x -= (Phi(x) - p) / mp.npdf(x)
    return x


def G(mu, a):
    return Phi(-Phinv(a) - mu)


def delta_gdp(mu, e):
    return Phi(mu / 2 - e / mu) - mp.exp(e) * Phi(-mu / 2 - e / mu)


def root(f, a, b):
    """The zero of f between a and b, by bisection."""
    a, b = mpf(a), mpf(b)
    fa = f(a)
    assert fa * f(b) < 0
    for _ in range(110):
        m = (a + b) / 2
        if f(m) * fa > 0:
            a = m
        else:
            b = m
    return (a + b) / 2


def epsilon_gdp(mu, d):
    return root(lambda e: delta_gdp(mu, e) - d, 0, 60)


def mu_of(e, d):
    return root(lambda m: delta_gdp(m, mpf(e)) - mpf(d), '1e-4', 30)


# ---- pure DP composed: polygons ----

def vertices(n, e):
    """(alpha, beta) of n-fold randomised response, from (0, 1) on."""
    p = mp.exp(e) / (1 + mp.exp(e))
    a, b, points = mpf(0), mpf(1), [(mpf(0), mpf(1))]
    for i in range(n, -1, -1):
        c = mp.binomial(n, i)
        b -= c * p**i * (1 - p) ** (n - i)
        a += c * p ** (n - i) * (1 - p) ** i
        points.append((a, max(b, mpf(0))))
    return points


def mu_of_polygon(points):
    return max(-Phinv(a) - Phinv(b) for a, b in points if 0 < a < 1 and 0 < b < 1)


def delta_of_polygon(points, e):
    return max(1 - b - mp.exp(e) * a for a, b in points)


def distance_to_gaussian(points, mu):
    best = mpf(0)
    for (a, b), (c, d) in zip(points, points[1:]):
        if 0 < a < 1:
            best = max(best, abs(b - G(mu, a)))
        s = (b - d) / (c - a)
        t = Phi(-mp.log(s) / mu - mu / 2)  # where G has that slope
        if a < t < c:
            best = max(best, abs(b - s * (t - a) - G(mu, t)))
    return best


def iam():
    deltas = ['0.1', '0.01', '0.001', '0.0001']
    poly = vertices(50, mpf('0.2'))
    summary = mu_of_polygon(poly)
    put('IAM summary mu', summary, 1e-8)
    mu1 = mp.sqrt(50) * mu_of_polygon(vertices(1, mpf('0.2')))

    def lap(e0, e):
        return 1 - mp.exp((e - e0) / 2)

    def mu_laplace(e0):
        return max(mu_of(e0 * i / 400, lap(e0, e0 * i / 400)) for i in range(0, 390, 10))

    one = mu_laplace(mpf('0.2'))
    assert abs(one - mu_of(0, lap(mpf('0.2'), 0))) < 1e-30  # the largest is at 0
    mu2 = mp.sqrt(50) * one
    put('IAM Laplace mu', mu_of(0, 1 - mp.exp(-1)), 1e-8)
    for d in deltas:
        t = mpf(d)
        rows = {
            'basic': mp.log(mp.exp(10) - t * (1 + mp.exp(10))),
            'advanced': mpf('0.2') * mp.sqrt(100 * mp.log(1 / t)) + 10 * mp.expm1(mpf('0.2')),
            'RDP': mpf('0.8') * mp.sqrt(100 * mp.log(1 / t)),
            'GDP': epsilon_gdp(mu1, t),
            'GDP of Laplace': epsilon_gdp(mu2, t),
            'optimal (exact)': root(lambda e: delta_of_polygon(poly, e) - t, 0, 9.99),
            'GDP summary': epsilon_gdp(summary, t),
        }
        for name, value in rows.items():
            put(f'IAM figure 4 {name} {float(d)!r}', value, 1e-7)


def sampled():
    """mu of the head [0, 4] after Poisson sampling (BBG thm 8): delta'(log(1 + rate (e^e - 1))) = rate delta(e)."""
    laplace = lambda e: max(1 - mp.exp((e - 2) / 2), mpf(0))
    for name, profile, top in [('Laplace, ε₀ = 2', laplace, mpf('1.9999')), ('2-GDP', lambda e: delta_gdp(mpf(2), e), None)]:
        for rate in ['1', '0.5', '0.1']:
            r = mpf(rate)
            g = lambda e: mu_of(mp.log1p(r * mp.expm1(e)), r * profile(e))
            last = mp.log1p(mp.expm1(4) / r)  # where the sampled epsilon is 4
            end = last if top is None else min(top, last)
            places = [end * i / 40 for i in range(41)]
            i = max(range(41), key=lambda j: g(places[j]))
            lo, hi = places[max(0, i - 1)], places[min(40, i + 1)]
            for _ in range(30):
                m1, m2 = lo + (hi - lo) / 3, hi - (hi - lo) / 3
                lo, hi = (m1, hi) if g(m1) < g(m2) else (lo, m2)
            put(f'IAM figure 6 {name} {js(r)}', max(g((lo + hi) / 2), g(places[i])), 1e-7)


# ---- GDP ----

def laplace_power(a):
    e = mp.e
    if a < 1 / (2 * e):
        return e * a
    return 1 - 1 / (4 * e * a) if a <= mpf(1) / 2 else 1 - (1 - a) / e


def group(k):
    """Largest distance of the k-fold chain of (1/k)-DP from Laplace: at kinks and stationary points, all of them."""
    e = mpf(1) / k
    up = lambda x: min(mp.exp(e) * x, 1 - mp.exp(-e) * (1 - x))
    down = lambda y: max(mp.exp(-e) * y, 1 - mp.exp(e) * (1 - y))
    chain = lambda a: a if k == 0 else __import__('functools').reduce(lambda x, _: up(x), range(k), a)
    kinks, x = [mpf(0), mpf(1), 1 / (2 * mp.e), mpf(1) / 2], 1 / (1 + mp.exp(e))
    for _ in range(k):
        kinks.append(x)
        x = down(x)
    kinks = sorted(kinks)
    places = list(kinks)
    for a, b in zip(kinks, kinks[1:]):
        if b - a > 1e-30:
            slope = (chain(b) - chain(a)) / (b - a)
            turn = mp.sqrt(1 / (4 * mp.e * slope))
            if a < turn < b:
                places.append(turn)
    return max(abs(chain(a) - laplace_power(a)) for a in places)


def mnist_limit():
    return mpf(256) / 60000 * mp.sqrt(3516 * mp.expm1(1 / mpf('1.3') ** 2))


def gdp():
    for k in [1, 2, 4, 8, 16, 32, 64]:
        put(f'GDP group {k}', group(k), 1e-12)
    poly = vertices(10, 1 / mp.sqrt(10))
    put('GDP figure 1 distance', distance_to_gaussian(poly, mpf(1)), 1e-12)
    put('GDP figure 1 epsilon', root(lambda e: delta_of_polygon(poly, e) - mpf('0.001'), 0, 3.16), 1e-8)
    put('GDP figure 1 mu', mu_of_polygon(poly), 1e-8)
    put('GDP figure 3 mu 3', Phi(mpf('-1.5')), 1e-14)
    put('GDP figure 3 mu 6', Phi(-3), 1e-14)
    pairs = [(mpf(e), delta_gdp(mpf(1), mpf(e))) for e in ['0', '0.5', '1', '1.5', '2', '3']]
    lines = [(1 - d, mp.exp(e)) for e, d in pairs] + [(mp.exp(-e) * (1 - d), mp.exp(-e)) for e, d in pairs]
    cuts = sorted({(p[0] - q[0]) / (p[1] - q[1]) for p in lines for q in lines if abs(p[1] - q[1]) > 1e-9})
    ends = [p[0] / p[1] for p in lines]
    gap = lambda a: G(mpf(1), a) - max([mpf(0)] + [c - s * a for c, s in lines])
    put('GDP figure 4 excess', max(gap(a) for a in cuts + ends if 1e-9 < a < 1 - 1e-9), 1e-12)
    # the moments accountant by its binomial sums
    q, sigma, steps = mpf(256) / 60000, mpf('1.3'), 3516
    divergences = []
    for order in range(2, 66):
        total = mp.fsum(
            mp.binomial(order, j) * (1 - q) ** (order - j) * q**j * mp.exp(j * (j - 1) / (2 * sigma**2)) for j in range(order + 1)
        )
        divergences.append((order, steps * mp.log(total) / (order - 1)))
    put('GDP figure 1 MNIST moments epsilon', min(d + mp.log(100000) / (a - 1) for a, d in divergences), 1e-6)
    put('GDP figure 1 MNIST limit epsilon', epsilon_gdp(mnist_limit(), mpf('1e-5')), 1e-8)


# ---- GM ----

F = {'dwork-2014': lambda d: mp.sqrt(2 * mp.log(mpf('1.25') / d)), 'dwork-2006': lambda d: mp.sqrt(2 * mp.log(2 / d))}
NAMES = {'dwork-2014': 'Dwork-2014', 'dwork-2006': 'Dwork-2006'}


def optimal(e, d):
    return 1 / mu_of(e, d)


def sigma_of(u, e):
    return (u + mp.sqrt(u * u + e)) / (e * mp.sqrt(2))


def inverfc(y):
    return -Phinv(y / 2) / mp.sqrt(2)


def mechanism1(e, d):
    z = mp.exp(e) * mp.erfc(mp.sqrt(e))
    if 2 - z <= 2 * d:
        return sigma_of(mpf(0), e)
    w = 2 * d + z
    inner = mp.exp(e) * mp.erfc(mp.sqrt(inverfc(w) ** 2 + e)) / w
    return sigma_of(inverfc(2 * d / (1 - inner)), e)


def mechanism2(e, d):
    return sigma_of(mp.sqrt(mp.log(2 / (mp.sqrt(16 * d + 1) - 1))), e)


def pdp(e, d):
    return sigma_of(root(lambda u: mp.erfc(u) + mp.erfc(mp.sqrt(u * u + e)) - 2 * d, -10, 30), e)


def mechanism3(e, d):
    return sigma_of(inverfc(d), e)


def mechanism4(e, d):
    return sigma_of(mp.sqrt(mp.log(2 / (mp.sqrt(8 * d + 1) - 1))), e)


def table(e, d):
    return {
        'optimal': optimal(e, d),
        'DP-OPT': optimal(e, d),
        'Mechanism 1': mechanism1(e, d),
        'Mechanism 2': mechanism2(e, d),
        'Dwork-2014': F['dwork-2014'](d) / e,
        'Dwork-2006': F['dwork-2006'](d) / e,
        'pDP-OPT': pdp(e, d),
        'Mechanism 3': mechanism3(e, d),
        'Mechanism 4': mechanism4(e, d),
    }


def js(x):
    """A number as JavaScript prints it."""
    x = float(x)
    if x == int(x):
        return str(int(x))
    text = repr(x)
    if x >= 1e-6 and 'e' in text:
        text = f'{x:.12f}'.rstrip('0')
    return text.replace('e-0', 'e-')


def gm():
    deltas = ['0.1', '0.01', '0.001', '0.0001', '0.00001', '0.000001']
    for name, factor in F.items():
        for d in deltas:
            t = mpf(d)
            f = factor(t)
            if d not in ('0.1', '0.01'):
                put(f'GM threshold {name} {js(d)}', root(lambda e: delta_gdp(e / f, e) - t, '0.1', 30), 1e-9)
                put(f'GM figure 2 crossing {name} {js(d)}', root(lambda e: mechanism1(e, t) * e - f, 1, 20), 1e-7)
            put(f'GM figure 3 {name} {js(d)}', root(lambda e: pdp(e, t) * e - f, '0.1', 20), 1e-7)
    uses = [('dwork-2014', e, d) for e, d in [('10', '0.01'), ('6', '0.1'), ('10', '0.1'), ('8.87', '1e-5'), ('9.59', '1e-5'),
            ('10', '1e-5'), ('8', '0.1'), ('10', '0.001'), ('10', '1e-4'), ('31.62', '1e-4')]]
    uses += [('dwork-2006', '10', d) for d in ['0.01', '0.1', '0.001']]
    for name, e, d in uses:
        put(f'GM table I noise {name} {js(e)} {js(d)}', F[name](mpf(d)) / mpf(e), 1e-12)
        put(f'GM table I least {js(e)} {js(d)}', optimal(mpf(e), mpf(d)), 1e-10)
    put('GM table I pDP-OPT 31.62', pdp(mpf('31.62'), mpf('1e-4')), 1e-10)
    for e, d in [('10', '0.01'), ('8', '1e-5'), ('1', '1e-5'), ('0.1', '1e-6')]:
        for name, value in table(mpf(e), mpf(d)).items():
            if name != 'DP-OPT':
                put(f'GM noise {name} {js(e)} {js(d)}', value, 1e-9 * float(value))
    compared = ['DP-OPT', 'Mechanism 1', 'Mechanism 2', 'Dwork-2014', 'Dwork-2006']
    noise = table(mpf('0.1'), mpf('1e-4'))
    for dimension in [1, 10, 100]:
        norm = mp.sqrt(2) * mp.gamma(mpf(dimension + 1) / 2) / mp.gamma(mpf(dimension) / 2)
        for name in compared:
            put(f'GM figure 4 {name} d {dimension}', noise[name] * mp.sqrt(dimension) / 1000 * norm, 1e-9)
    for e, d in [('0.1', '1e-6'), ('1', '1e-6'), ('0.1', '1e-9'), ('0.1', '1e-5')]:
        for name in compared:
            value = table(mpf(e), mpf(d))[name] ** 2
            put(f'GM figure 5 {name} {js(e)} {js(d)}', value, 1e-9 * float(value))


# ---- REP ----

def zcdp_beta(rho, a):
    """Least beta with both Renyi divergences of the two-point pair at most rho t for every t > 1."""

    def excess(x, y, t):  # D_t(Bern(x) || Bern(y)) - rho t
        return mp.log(x**t * y ** (1 - t) + (1 - x) ** t * (1 - y) ** (1 - t)) / (t - 1) - rho * t

    def worst(beta):
        orders = [1 + mpf(10) ** (mpf(i) / 20) for i in range(-80, 50)]
        best = mpf(-10)
        for x, y in [(1 - beta, a), (a, 1 - beta)]:
            values = [excess(x, y, t) for t in orders]
            i = max(range(1, len(orders) - 1), key=lambda j: values[j])
            lo, hi = orders[i - 1], orders[i + 1]
            for _ in range(80):
                m1, m2 = lo + (hi - lo) / 3, hi - (hi - lo) / 3
                if excess(x, y, m1) < excess(x, y, m2):
                    lo = m1
                else:
                    hi = m2
            best = max(best, excess(x, y, (lo + hi) / 2))
        return best

    lo, hi = mpf('0.01'), 1 - a - mpf('0.01')
    for _ in range(40):
        m = (lo + hi) / 2
        lo, hi = (m, hi) if worst(m) > 0 else (lo, m)
    return (lo + hi) / 2


def rep():
    mu = mu_of(8, '1e-5')
    put('REP figure 1 mu', mu, 1e-12)
    put('REP figure 1 TPR', Phi(Phinv(mpf('0.001')) + mu), 1e-12)
    for e in ['0.1', '0.5', '1', '2', '4', '6', '8', '10']:
        for d in ['1e-5', '1e-6', '1e-9']:
            put(f'REP table 3 {js(e)} {js(d)}', mu_of(e, d), 1e-12)
    # discrete Gaussian, sigma 1: losses fall with the output, x = 1 against x = 0
    weights = {x: mp.exp(-mpf(x * x) / 2) for x in range(-60, 61)}
    total = mp.fsum(weights.values())
    a, b, points = mpf(0), mpf(1), [(mpf(0), mpf(1))]
    for x in range(60, -60, -1):
        a += weights[x] / total
        b -= weights.get(x - 1, mpf(0)) / total
        points.append((a, b))
    window = [(p, r) for p, r in points if min(p, r) >= mpf('1e-10')]
    put('REP figure 2 mu', mu_of_polygon(window), 1e-7)
    for (p, r), (s, t) in zip(points, points[1:]):
        if p <= mpf('0.1') < s:
            put('REP figure 2 exact', r + (t - r) * (mpf('0.1') - p) / (s - p), 1e-9)
    put('REP figure 2 gdp', G(mu_of_polygon(window), mpf('0.1')), 1e-7)
    put('REP figure 2 zcdp', zcdp_beta(mpf('0.5'), mpf('0.1')), 2e-6)
    # randomised response: Delta is attained on a supporting line of its corner
    corner = 1 / (1 + mp.e)
    m = -2 * Phinv(corner)
    put('REP figure 4 mu randomised response', m, 1e-8)
    apart = lambda e: (delta_gdp(m, e) - max((mp.e - mp.exp(e)) / (1 + mp.e), 0)) / (1 + mp.exp(e))
    put('REP figure 4 regret randomised response', max(apart(mpf(i) / 2000) for i in range(0, 8001)), 1e-6)
    top_down()


def top_down():
    """TopDown: ten queries of each level; the loss of a level with share p is p times a whole number of units, so all lie on one lattice."""
    shares = [20, 274, 85, 131, 131, 238, 118, 3]  # in tenths of a percent
    size = 1 << 18
    base = size // 2
    pmf = np.zeros(size)
    pmf[base] = 1.0
    shift = 0.0
    for share in shares:
        variance = 10 / (0.02 * (share / 10) * 3.65)
        reach = int(14 * variance**0.5) + 2
        xs = np.arange(-reach, reach + 1)
        weights = np.exp(-xs * xs / (2 * variance))
        weights /= weights.sum()
        for _ in range(10):
            out = np.zeros(size)
            for x, w in zip(xs, weights):
                out += w * np.roll(pmf, x * share)
            pmf = out
    # loss of P (centred 0) against Q (centred 1): unit * (lattice) + constant
    unit = 0.02 * 0.1 * 3.65 / 10
    lattice = np.arange(size) - base
    losses = -unit * lattice + unit * 10 * sum(shares) / 2
    order = np.argsort(-losses)
    p, loss = pmf[order], losses[order]
    q = p * np.exp(-loss)
    alpha, beta = np.cumsum(q), np.cumsum(p[::-1])[::-1]
    beta = np.append(beta[1:], 0)
    keep = (alpha > 0.5e-10) & (beta > 0.5e-10)
    alpha, beta = alpha[keep], beta[keep]
    inside = (alpha >= 1e-10) & (beta >= 1e-10)
    grid = np.flatnonzero(inside)
    edge = [grid[0], grid[-1]]
    picks = sorted(set(edge) | set(grid[:: max(1, len(grid) // 3000)]))
    value = max(float(-Phinv(mpf(float(alpha[i]))) - Phinv(mpf(float(beta[i])))) for i in picks)
    put('REP figure 4 mu TopDown', value, 2e-5)


# ---- DP-SGD by convolution ----

def profile(q, sigma, steps, epsilons, step, length):
    """delta(epsilon), the larger direction, of a run: losses of one step rounded to a lattice, T-fold by FFT."""
    from scipy.special import ndtr

    def upper(x):
        return ndtr(-x)

    grid = (np.arange(length) - length // 2) * step
    edges = np.append(grid - step / 2, grid[-1] + step / 2)

    def position(loss):  # the output with log(1 - q + q e^{(2x-1)/2 sigma^2}) = loss
        with np.errstate(divide='ignore', invalid='ignore'):
            inner = np.expm1(loss) + q
            return np.where(inner > 0, sigma**2 * np.log(np.maximum(inner, 1e-300) / q) + 0.5, -np.inf)

    def composed(mass):
        spectrum = np.fft.rfft(np.fft.ifftshift(mass))
        # negative rounding noise is kept: cut off, what is left would add up in the tails
        return np.fft.fftshift(np.fft.irfft(spectrum**steps, length))

    def masses(cdf_upper, xs, rising):
        tail = cdf_upper(xs)
        return tail[:-1] - tail[1:] if rising else tail[1:] - tail[:-1]

    mixture = lambda x: (1 - q) * upper(x / sigma) + q * upper((x - 1) / sigma)
    plain = lambda x: upper(x / sigma)
    remove = composed(masses(mixture, position(edges), True))
    # the other direction: loss -l(x) under N(0, sigma^2), which rises as x falls
    add = composed(masses(plain, position(-edges), False))
    worst = np.zeros(len(epsilons))
    for mass in (remove, add):
        # sums from the right: P(L > e) - e^e E[e^{-L}; L > e]
        p_tail = np.cumsum(mass[::-1])[::-1]
        q_tail = np.cumsum((mass * np.exp(-grid))[::-1])[::-1]
        first = np.searchsorted(grid, epsilons, side='right')
        worst = np.maximum(worst, p_tail[first] - np.exp(epsilons) * q_tail[first])
    return worst


class Curve:
    """A run's delta(epsilon) on a lattice of epsilons, and f as the supremum of its supporting lines."""

    def __init__(self, q, sigma, steps, step=4e-5, length=1 << 20):
        self.e = np.arange(0, 20, 5e-4)
        self.d = profile(q, sigma, steps, self.e, step, length)

    def f(self, alpha):
        steep = 1 - self.d - np.exp(self.e) * alpha
        flat = np.exp(-self.e) * (1 - self.d - alpha)
        return max(0.0, float(steep.max()), float(flat.max()))

    def epsilon(self, delta):
        i = int(np.flatnonzero(self.d > delta)[-1])
        x, y = np.log(self.d[i]), np.log(self.d[i + 1])
        return float(self.e[i] + (self.e[i + 1] - self.e[i]) * (x - np.log(delta)) / (x - y))

    def mu(self, window):
        """sup of z_{1-alpha} - z_{f(alpha)} with min(alpha, f) >= window; by symmetry alpha <= f."""
        from scipy.special import ndtri

        best = 0.0
        fixed = (1 - self.d[0]) / 2
        for alpha in np.exp(np.linspace(np.log(window), np.log(fixed), 400)):
            best = max(best, float(-ndtri(alpha) - ndtri(self.f(alpha))))
        return best

    def regret(self, mu):
        """sup over epsilon of the distance of parallel supporting lines, along the diagonal."""
        from scipy.special import ndtr

        gaussian = ndtr(mu / 2 - self.e / mu) - np.exp(self.e) * ndtr(-mu / 2 - self.e / mu)
        return float(((gaussian - self.d) / (1 + np.exp(self.e))).max())

    def difference(self, mu):
        """max of f - G_mu."""
        alphas = np.linspace(0.002, 0.6, 3000)
        from scipy.special import ndtr, ndtri

        gaussian = ndtr(-ndtri(alphas) - mu)
        return float(max(self.f(a) - g for a, g in zip(alphas, gaussian)))


def dp_sgd():
    limit = mnist_limit()
    curve = Curve(256 / 60000, 1.3, 3516, 1e-5, 1 << 22)
    put('GDP figure 1 MNIST exact epsilon', curve.epsilon(1e-5), 1e-5)
    alphas = np.linspace(0.002, 0.998, 2500)
    put('GDP figure 1 MNIST excess', max(float(G(limit, mpf(float(a)))) - curve.f(a) for a in alphas), 1e-6)
    runs = [(40, 906), (24, 1156), (20, 1656), (16, 1765), (12, 2007), (9.4, 2000), (21.1, 250), (15.8, 500), (12, 1000)]
    exhibits = defaultdict(list)
    for sigma, steps in [(40, 906), (24, 1156), (16, 1765), (9.4, 2000)]:
        exhibits[sigma, steps].append('Figure 5')
    for sigma, steps in [(21.1, 250), (15.8, 500), (12, 1000), (9.4, 2000)]:
        exhibits[sigma, steps].append('Figure 6')
    for records in [50000, 60000]:
        for sigma, steps in runs:
            curve = Curve(16384 / records, sigma, steps)
            mu = curve.mu(1e-10)
            put(f'REP table 2 mu {records} {js(sigma)} {steps}', mu, 1e-5)
            if (sigma, steps) == (9.4, 2000):
                put(f'REP figure 4 mu {records}', mu, 1e-5)
            if records == 50000:
                put(f'REP table 2 epsilon {js(sigma)} {steps}', curve.epsilon(1e-5), 1e-5)
                continue
            # what is taken at mu carries the 1e-5 of mu: times 0.2 for Delta, 0.4 for the difference
            for exhibit in exhibits.get((sigma, steps), []):
                put(f'REP {exhibit} regret {js(sigma)} {steps}', curve.regret(mu), 3e-6)
                put(f'REP {exhibit} difference {js(sigma)} {steps}', curve.difference(mu), 5e-6)
    curve = Curve(0.15, 2, 400)
    for window in [1e-3, 1e-4, 1e-6, 1e-8, 1e-10]:
        mu = curve.mu(window)
        put(f'REP figure 3 mu {js(window)}', mu, 2e-5)
        put(f'REP figure 3 regret {js(window)}', curve.regret(mu), 1e-5)


PARTS = {
    'iam': iam,
    'sampled': sampled,
    'gdp': gdp,
    'gm': gm,
    'rep': rep,
    'dp-sgd': dp_sgd,
}
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'reproduction.json')
if len(sys.argv) > 1 and os.path.exists(path):
    with open(path) as file:
        OUT.update(json.load(file))
for part in sys.argv[1:] or PARTS:
    PARTS[part]()
with open(path, 'w') as file:
    json.dump(dict(sorted(OUT.items())), file, indent=1, ensure_ascii=False)
    file.write('\n')
print(len(OUT), 'values')
