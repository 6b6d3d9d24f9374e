"""
Noise of many parties: coins, Skellam noise and sums of discrete Gaussians; and runs on disjoint parts of the data. Two computations each: masses by a
formula, or party by party; no value is kept unless they agree to 22 digits.
"""

from common import *
from lists import (
    Listed, answers, ask, by_complement, by_losses, by_outcomes, composed, discrete_gaussian, discrete_laplace,
)

FORMULA = "what one world has more of, masses by a formula"
ADDED = "what both worlds share, masses added up party by party"
WAVES = "what both worlds share, masses by Poisson's summation formula"
OUTCOMES = "the worst way through the parts, sum over all outcomes of both worlds"
LOSSES = "the worst way through the parts, convolution of the law of losses"

#: Skellam masses are kept to this many standard deviations, and those of sums of discrete Gaussians.
REACH = 16


def shifted(masses, s):
    """Outcomes of masses that are given by number, without the record and with it."""
    low, high = min(masses), max(masses)
    return Listed([(masses.get(k, mpf(0)), masses.get(k - s, mpf(0))) for k in range(low, high + s + 1)])


def convolved(a, b):
    found = {}
    for i, p in a.items():
        for j, q in b.items():
            found[i + j] = found.get(i + j, 0) + p * q
    return found


def powers(one, n):
    """The sum of n of them, by squares."""
    whole = {0: mpf(1)}
    while n > 0:
        if n % 2:
            whole = convolved(whole, one)
        n //= 2
        if n:
            one = convolved(one, one)
    return whole


def coins(n):
    return {k: mp.binomial(n, k) / mpf(2) ** n for k in range(n + 1)}


def skellam(variance):
    reach = int(REACH * mp.sqrt(variance)) + 60
    return {k: exp(-mpf(variance)) * mp.besseli(abs(k), variance) for k in range(-reach, reach + 1)}


def skellam_of_poissons(variance):
    half = mpf(variance) / 2
    poisson = {k: exp(-half) * half**k / mp.factorial(k) for k in range(int(half + 18 * mp.sqrt(half)) + 60)}
    return convolved(poisson, {-k: p for k, p in poisson.items()})


def party(sigma):
    reach = int(REACH * sigma) + 4
    weights = {k: exp(-mpf(k * k) / (2 * mpf(sigma) ** 2)) for k in range(-reach, reach + 1)}
    total = sum(weights.values())
    return {k: w / total for k, w in weights.items()}


def parties_by_waves(sigma, n):
    """Fourier's inversion of the n-th power of the characteristic function, which is a sum over equal steps."""
    one = party(sigma)
    reach = n * max(one)
    size = 2 * reach + 1
    waves = [sum(p * mp.cos(2 * pi * j * k / size) for k, p in one.items()) ** n for j in range(reach + 1)]
    return {
        k: (waves[0] + 2 * sum(w * mp.cos(2 * pi * j * k / size) for j, w in enumerate(waves) if j > 0)) / size
        for k in range(-reach, reach + 1)
    }


def many_parties(pack):
    group = "many-parties"
    for n, s in [(10, 1), (40, 2), (100, 1), (400, 3), (1000, 1)]:
        run = {"kind": "binomial", "trials": n, "sensitivity": s}
        pair = by_outcomes([shifted(coins(n), s)]), by_complement([shifted(powers({0: mpf(1) / 2, 1: mpf(1) / 2}, n), s)])
        # with few coins some outputs give the record away, and no epsilon has a smaller delta
        deltas = [delta for delta in (1e-3, 1e-6) if pair[0](mpf(200)) < delta]
        ask(pack, group, run, pair, (0.0, 0.25, 1.0), deltas, (FORMULA, ADDED))
    for variance, s in [(1.0, 1), (4.0, 1), (25.0, 2), (100.0, 1)]:
        run = {"kind": "skellam", "variance": variance, "sensitivity": s}
        pair = by_outcomes([shifted(skellam(variance), s)]), by_complement([shifted(skellam_of_poissons(variance), s)])
        ask(pack, group, run, pair, (0.0, 0.25, 1.0), (1e-3, 1e-6), (FORMULA, ADDED))
    for sigma, n, s in [(0.5, 2, 1), (0.5, 6, 1), (0.75, 3, 1), (1.0, 4, 2), (1.25, 2, 1)]:
        run = {"kind": "discrete-gaussian", "sigma": sigma, "sensitivity": s, "parties": n}
        pair = by_outcomes([shifted(parties_by_waves(sigma, n), s)]), by_complement([shifted(powers(party(sigma), n), s)])
        ask(pack, group, run, pair, (0.0, 0.5, 1.0), (1e-3, 1e-6), (FORMULA, ADDED))


def vectors(pack):
    """Several whole numbers, where one change is the worst whatever epsilon is."""
    group = "whole-vectors"
    coin = {0: mpf(1) / 2, 1: mpf(1) / 2}
    for n, shape, entries in [
        (10, {"sensitivity": 1, "dimension": 3}, [1, 1, 1]),
        (16, {"sensitivity": 2, "dimension": 2}, [2, 2]),
        (24, {"sensitivity": 2, "dimension": 3, "sensitivityL1": 4, "sensitivityL2": 2.5}, [2, 1, 1]),
        (40, {"sensitivity": 3, "dimension": 1000, "sensitivityL2": 1.5}, [1, 1]),
    ]:
        run = {"kind": "binomial", "trials": n, **shape}
        pair = by_outcomes([shifted(coins(n), s) for s in entries]), by_complement([shifted(powers(coin, n), s) for s in entries])
        ask(pack, group, run, pair, (0.0, 0.25, 1.0), [d for d in (1e-2, 1e-3) if pair[0](mpf(200)) < d], (FORMULA, ADDED))
    for variance, shape, entries in [
        (0.5, {"sensitivity": 1, "dimension": 2}, [1, 1]),
        (2.0, {"sensitivity": 2, "dimension": 8, "sensitivityL1": 2, "sensitivityL2": 1.5}, [1, 1]),
        (4.0, {"sensitivity": 2, "dimension": 2}, [2, 2]),
    ]:
        run = {"kind": "skellam", "variance": variance, **shape}
        pair = by_outcomes([shifted(skellam(variance), s) for s in entries]), by_complement([shifted(skellam_of_poissons(variance), s) for s in entries])
        ask(pack, group, run, pair, (0.0, 0.25, 1.0), (1e-3, 1e-6), (FORMULA, ADDED))
    for sigma, shape, entries in [
        (1.0, {"sensitivity": 1.5, "dimension": 2}, [1, 1]),
        (2.0, {"sensitivity": 2.3, "dimension": 2}, [2, 1]),
        (2.0, {"sensitivity": 2.5, "sensitivityL1": 2, "dimension": 1}, [2]),
    ]:
        run = {"kind": "discrete-gaussian-vector", "sigma": sigma, **shape}
        laws = [[discrete_gaussian(sigma, s, poisson) for s in entries] for poisson in (False, True)]
        ask(pack, group, run, (by_outcomes(laws[0]), by_complement(laws[1])), (0.0, 0.5, 1.0), (1e-3, 1e-6), (FORMULA, WAVES))


def disjoint_parts(pack):
    """Parts of randomised response and discrete Laplace noise, alone and before a release on all records."""
    rr = lambda e: ({"kind": "randomized-response", "epsilon": e, "categories": 2}, answers(e))
    dl = lambda b, s: ({"kind": "discrete-laplace", "scale": b, "sensitivity": s}, discrete_laplace(b, s))
    worst = lambda way, paths: (lambda each: lambda e: max(f(e) for f in each))([way(path) for path in paths])
    for parts, after in [
        ([[rr(1.0)], [dl(1.5, 1)]], []),
        ([[rr(0.5), rr(0.75)], [dl(1.0, 1)]], []),
        ([[rr(0.25)], [dl(3.0, 2)], [rr(0.5)]], [dl(2.0, 1)]),
        ([[rr(1.5)], [dl(2.0, 3)]], [rr(0.5), rr(0.75)]),
    ]:
        stated = lambda list_: composed([m for m, _ in list_]) if len(list_) > 1 else list_[0][0]
        whole = {"kind": "parallel", "parts": [stated(part) for part in parts]}
        run = composed([whole, *[m for m, _ in after]]) if after else whole
        paths = [[law for _, law in part + after] for part in parts]
        ask(pack, "disjoint-parts", run, (worst(by_outcomes, paths), worst(by_losses, paths)), (0.0, 0.5, 1.0), (1e-2, 1e-4), (OUTCOMES, LOSSES))
