"""Writes profiles.json: suprema of Gaussian-DP transformations, by root finding and one-dimensional
optimisation in mpmath (40 digits), with nothing of the library in it. Run: python3 make-profiles.py"""
import json
import os
from mpmath import mp, mpf, e, exp, log, expm1, log1p, ncdf, findroot, erfinv, sqrt, diff, pi

mp.dps = 40


def delta_mu(mu, eps):
    return ncdf(mu / 2 - eps / mu) - exp(eps) * ncdf(-mu / 2 - eps / mu)


def mu_gdp(eps, delta):
    low, high = mpf(0), mpf(1)
    while delta_mu(high, eps) < delta:
        high *= 2
    for _ in range(130):
        mid = (low + high) / 2
        if delta_mu(mid, eps) < delta:
            low = mid
        else:
            high = mid
    return (low + high) / 2


def maximise(f, low, high, rounds=90):
    """Golden section on a function with one maximum in [low, high]."""
    ratio = (sqrt(5) - 1) / 2
    a, b = mpf(low), mpf(high)
    c, d = b - ratio * (b - a), a + ratio * (b - a)
    fc, fd = f(c), f(d)
    for _ in range(rounds):
        if fc > fd:
            b, d, fd = d, c, fc
            c = b - ratio * (b - a)
            fc = f(c)
        else:
            a, c, fc = c, d, fd
            d = a + ratio * (b - a)
            fd = f(d)
    x = (a + b) / 2
    return x, f(x)


def scan_then_maximise(f, low, high, n=60):
    xs = [mpf(low) + (mpf(high) - mpf(low)) * i / n for i in range(n + 1)]
    values = [f(x) for x in xs]
    k = max(range(n + 1), key=lambda i: values[i])
    if k == 0 and f(xs[0] + mpf(10) ** -12) < values[0]:
        return xs[0], values[0]
    return maximise(f, xs[max(0, k - 1)], xs[min(n, k + 1)])


def laplace(eps0):
    return lambda eps: max(mpf(0), -expm1((eps - eps0) / 2))


def pure(eps0):
    return lambda eps: max(mpf(0), (exp(eps0) - exp(eps)) / (1 + exp(eps0)))


def subsampled(delta, gamma):
    return lambda eps: gamma * delta(log1p(expm1(eps) / gamma))


def supremum(delta, end):
    return scan_then_maximise(lambda x: mu_gdp(x, delta(x)), 0, end)


def entry(name, found, **given):
    x, mu = found
    return {"name": name, **given, "at": mp.nstr(x, 12), "mu": mp.nstr(mu, 20)}


out = []
for eps0 in ["0.2", "1", "2", "5"]:
    out.append(entry("laplace", supremum(laplace(mpf(eps0)), mpf(eps0) * mpf("0.999")), epsilon0=float(eps0)))
for eps0 in ["0.2", "1", "4"]:
    out.append(entry("pure", supremum(pure(mpf(eps0)), mpf(eps0) * mpf("0.999")), epsilon0=float(eps0)))
for eps0, gamma in [("2", "0.5"), ("2", "0.1"), ("1", "0.25")]:
    profile = subsampled(laplace(mpf(eps0)), mpf(gamma))
    end = log1p(mpf(gamma) * expm1(mpf(eps0))) * mpf("0.999")
    out.append(entry("subsampled-laplace", supremum(profile, end), epsilon0=float(eps0), rate=float(gamma)))

# SGD family A = 2, B = 1, sigma = 2: naive profile exp(-eps^2), refined by the partial order
peak, _ = maximise(lambda x: (1 - exp(-x * x)) / (1 + exp(x)), "0.1", 3)
refined_at_zero = 1 - 2 * (1 - exp(-peak * peak)) / (1 + exp(peak))
mu = sqrt(2) * 2 * erfinv(refined_at_zero)
out.append({"name": "sgd", "A": 2, "B": 1, "sigma": 2, "at": "0", "peak": mp.nstr(peak, 12), "mu": mp.nstr(mu, 20)})

# the least noise -log(delta)/eps that gives (0.2, e^-2)-DP through some (eps0, delta0)
def noise(x):
    d = 1 - (1 - exp(mpf(-2))) * (1 + exp(x)) / (1 + exp(mpf("0.2")))
    return -log(d) / x


x, best = maximise(lambda v: -noise(v), "0.21", "0.45")
out.append({"name": "least-noise", "at": mp.nstr(x, 12), "noise": mp.nstr(-best, 20)})

with open(os.path.join(os.path.dirname(__file__), "profiles.json"), "w") as file:
    json.dump(out, file, indent=1)
    file.write("\n")
