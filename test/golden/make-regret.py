"""Regret, for test/tradeoff/regret.test.ts.

First by duality: sup over epsilon >= 0 of (delta_mu(epsilon) - delta(epsilon))/(1 + e^epsilon) for randomised response and
Laplace noise, mu that of their advantage. Then by the definition, with no duality: Delta(f, g) = max over alpha of the kappa with
f(alpha + kappa) - kappa = g(alpha), for mu found on a window as the largest of -Phi^-1(alpha) - Phi^-1(f(alpha)) there.
Run: python3 make-regret.py
"""
from math import comb
from mpmath import mp, mpf, exp, log, sqrt, erfinv, ncdf, nstr

mp.dps = 25


def delta_gdp(mu, e):
    return ncdf(mu / 2 - e / mu) - exp(e) * ncdf(-mu / 2 - e / mu)


def quantile(p):
    return sqrt(2) * erfinv(2 * p - 1)


def largest(g, low, high, n=4000):
    """Maximum of g on [low, high]: a scan, then thirds around the best point."""
    xs = [low + (high - low) * k / n for k in range(n + 1)]
    best = max(range(n + 1), key=lambda k: g(xs[k]))
    a, b = xs[max(0, best - 1)], xs[min(n, best + 1)]
    for _ in range(100):
        c, d = a + (b - a) / 3, b - (b - a) / 3
        if g(c) < g(d):
            a = c
        else:
            b = d
    return max(g(a), g(b))


def regret(eta, delta, top):
    mu = 2 * sqrt(2) * erfinv(eta)
    return largest(lambda e: (delta_gdp(mu, e) - delta(e)) / (1 + exp(e)), mpf(0), top)


def by_duality():
    for e0 in [mpf("0.2"), mpf(1), mpf(2), mpf(5)]:
        rr = regret(
            (exp(e0) - 1) / (exp(e0) + 1), lambda e: max(mpf(0), (exp(e0) - exp(e)) / (1 + exp(e0))), 3 * e0
        )
        laplace = regret(1 - exp(-e0 / 2), lambda e: max(mpf(0), 1 - exp((e - e0) / 2)), 3 * e0)
        print(nstr(e0, 3), "randomised response", nstr(rr, 20), "Laplace", nstr(laplace, 20))


def approximate(e0, delta):
    """f_{epsilon, delta}."""
    return lambda a: max(mpf(0), 1 - delta - exp(e0) * a, exp(-e0) * (1 - delta - a))


def responses(e0, n):
    """n randomised responses: the polygon of the sums of their losses."""
    p = 1 / (1 + exp(e0))
    points = [(mpf(0), mpf(1))]
    for k in range(n + 1):
        a, b = points[-1]
        points.append((a + comb(n, k) * p ** (n - k) * (1 - p) ** k, b - comb(n, k) * p**k * (1 - p) ** (n - k)))

    def f(alpha):
        for (a, b), (c, d) in zip(points, points[1:]):
            if alpha <= c:
                return b + (d - b) * (alpha - a) / (c - a)
        return mpf(0)

    return f


def sampled(sigma, q):
    """One Poisson-sampled Gaussian step: the convex hull of both directions' curves, as points joined by chords."""
    points = []
    for k in range(-6000, 6001):
        t = mpf(k) / 500
        points.append((ncdf(-t / sigma), (1 - q) * ncdf(t / sigma) + q * ncdf((t - 1) / sigma)))
    both = sorted(points + [(b, a) for a, b in points] + [(mpf(0), mpf(1)), (mpf(1), mpf(0))])
    hull = []
    for point in both:
        while len(hull) > 1:
            (a, b), (c, d) = hull[-2:]
            if (d - b) * (point[0] - a) < (point[1] - b) * (c - a):
                break
            hull.pop()
        if not hull or point[0] > hull[-1][0]:
            hull.append(point)

    def f(alpha):
        low, high = 0, len(hull) - 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if hull[middle][0] <= alpha else (low, middle)
        (a, b), (c, d) = hull[low], hull[high]
        return max(mpf(0), b + (d - b) * (alpha - a) / (c - a))

    return f


def divergence(f, g):
    """Delta(f, g) by its definition."""

    def kappa(alpha):
        low, high = mpf(0), 1 - alpha
        if f(alpha) <= g(alpha):
            return low
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if f(alpha + middle) - middle > g(alpha) else (low, middle)
        return low

    # both curves are symmetric, the largest kappa has alpha <= g(alpha)
    return largest(kappa, mpf(0), mpf("0.5"), 600)


def by_definition(name, f, alpha_min):
    fixed = [mpf(0), mpf("0.5")]
    for _ in range(80):
        middle = sum(fixed) / 2
        fixed[0 if f(middle) > middle else 1] = middle
    mu = largest(lambda a: -quantile(a) - quantile(f(a)), alpha_min, fixed[0], 1000)
    g = lambda a: ncdf(-quantile(a) - mu) if a > 0 else mpf(1)
    print(name, nstr(alpha_min, 5), *(nstr(x, 12) for x in (mu, divergence(f, g), divergence(g, f))))


if __name__ == "__main__":
    by_duality()
    mp.dps = 18
    by_definition("pure 1", approximate(mpf(1), mpf(0)), mpf("0.26"))
    by_definition("pure 0.5", approximate(mpf("0.5"), mpf(0)), mpf("0.37"))
    by_definition("pure 3", approximate(mpf(3), mpf(0)), mpf("0.047"))
    by_definition("pure 1", approximate(mpf(1), mpf(0)), mpf("0.2"))
    by_definition("(0.5, 0.001)", approximate(mpf("0.5"), mpf("0.001")), mpf("0.01"))
    by_definition("(0.5, 0.2)", approximate(mpf("0.5"), mpf("0.2")), mpf("0.25"))
    by_definition("(0.02, 0.03)", approximate(mpf("0.02"), mpf("0.03")), mpf("0.45"))
    by_definition("50 responses of 0.2", responses(mpf("0.2"), 50), mpf("0.05"))
    by_definition("sampled Gaussian 0.8, 0.3", sampled(mpf("0.8"), mpf("0.3")), mpf("0.1"))
