"""
Unlike releases of few outcomes listed outcome by outcome, lattice noise on samples, sums of Laplace noise, samples of a fixed size, the exponential
mechanism, and a record in all batches but one. Two computations each: no value is kept unless they agree to 22 digits.
"""

from bisect import bisect_left
from itertools import product

from common import *
from sampled import PANELS, THRESHOLD, one_step, profile_vectors

OUTCOMES = "sum over all outcomes of both worlds, masses by their own sums"
COMPLEMENT = "what both worlds share, outcome by outcome, masses by Poisson's summation formula"
CONVOLVED = "convolution of the law of losses"


class Listed:
    """A release by its outcomes: (mass without the record, mass with it)."""

    def __init__(self, outcomes):
        self.outcomes = outcomes

    def sampled(self, q):
        return Listed([(p, (1 - q) * p + q * m) for p, m in self.outcomes])


def answers(e0, k=2):
    """Randomised response among k answers."""
    e0 = mpf(e0)
    kept, other = exp(e0) / (exp(e0) + k - 1), 1 / (exp(e0) + k - 1)
    return Listed([(kept, other), (other, kept)] + [((k - 2) * other, (k - 2) * other)] * (k > 2))


def discrete_laplace(scale, s):
    r = exp(-1 / mpf(scale))
    mass = lambda k: r ** abs(k) * (1 - r) / (1 + r)
    inner = [(mass(k), mass(k - s)) for k in range(1, s)]
    return Listed([(1 / (1 + r), r**s / (1 + r)), *inner, (r**s / (1 + r), 1 / (1 + r))])


def discrete_gaussian(sigma, s, poisson):
    sigma = mpf(sigma)
    weight = lambda k: exp(-k * k / (2 * sigma**2))
    reach = int(17 * sigma) + 2
    if poisson:
        total = sigma * sqrt(2 * pi) * (1 + 2 * sum(exp(-2 * (pi * sigma * k) ** 2) for k in range(1, 12 + int(6 / sigma))))
    else:
        total = sum(weight(mpf(k)) for k in range(-reach, reach + 1))
    return Listed([(weight(mpf(k)) / total, weight(mpf(k - s)) / total) for k in range(-reach, reach + s + 1)])


def joined(releases):
    """All outcomes of several releases: (mass without, mass with)."""
    both = [(mpf(1), mpf(1))]
    for each in releases:
        both = [(p * a, m * b) for p, m in both for a, b in each.outcomes]
    return both


class Sorted:
    """Outcomes by their ratios, the largest first, with sums of both masses from either end."""

    def __init__(self, both):
        ordered = sorted(((m / p if p > 0 else mpf("inf"), p, m) for p, m in both), reverse=True)
        self.ratios = [-ratio for ratio, _, _ in ordered]
        self.first = [(mpf(0), mpf(0))]
        for _, p, m in ordered:
            self.first.append((self.first[-1][0] + p, self.first[-1][1] + m))
        self.last = [(mpf(0), mpf(0))]
        for _, p, m in reversed(ordered):
            self.last.append((self.last[-1][0] + p, self.last[-1][1] + m))
        self.last.reverse()


def by_outcomes(releases):
    """What either world has more of, summed."""
    both = joined(releases)
    ways = [Sorted(both), Sorted([(m, p) for p, m in both])]

    def beyond(law, e):
        p, m = law.first[bisect_left(law.ratios, -exp(e))]
        return m - exp(e) * p

    return lambda e: max(beyond(law, e) for law in ways)


def by_complement(releases):
    """1 less what both worlds share."""
    both = joined(releases)
    ways = [Sorted(both), Sorted([(m, p) for p, m in both])]

    def beyond(law, e):
        k = bisect_left(law.ratios, -exp(e))
        return 1 - exp(e) * law.first[k][0] - law.last[k][1]

    return lambda e: max(beyond(law, e) for law in ways)


def by_losses(releases):
    """The laws of both losses, convolved step by step; equal losses are joined."""
    laws = []
    for way in (lambda a, b: (a, b), lambda a, b: (b, a)):
        law = {mpf(0): mpf(1)}
        for each in releases:
            following = {}
            for loss, mass in law.items():
                for outcome in each.outcomes:
                    p, m = way(*outcome)
                    key = loss + log(m / p)
                    following[key] = following.get(key, 0) + mass * m
            law = following
        laws.append(law)
    return lambda e: max(sum((w * -mp.expm1(e - l) for l, w in law.items() if l > e), mpf(0)) for law in laws)


def ask(pack, group, run, pair, epsilons, deltas=(), methods=(OUTCOMES, CONVOLVED), adjacency="add-remove"):
    a, b = pair
    for e in epsilons:
        value = a(mpf(e))
        if value > mpf(10) ** -30:
            pack.add(group, run, "delta", e, (value, b(mpf(e))), list(methods), adjacency)
    for delta in deltas:
        if a(mpf(0)) > mpf(delta):
            high = mpf(1)
            while a(high) > mpf(delta):
                high *= 2
            pack.add(group, run, "epsilon", delta, crossing(a, b, mpf(delta), high), list(methods), adjacency)


def crossing(a, b, target, high):
    """As solve_epsilon, by bisection: profiles of lists have corners."""
    low = mpf(0)
    while high - low > high * mpf(10) ** -34:
        middle = (low + high) / 2
        low, high = (middle, high) if a(middle) > target else (low, middle)
    h = mpf(10) ** -20
    slope = (a(low + h) - a(low - h)) / (2 * h)
    return low - (a(low) - target) / slope, low - (b(low) - target) / slope


def composed(parts):
    return {"kind": "compose", "parts": parts}


def poisson(rate, inner):
    return {"kind": "poisson-subsampled", "rate": rate, "inner": inner}


def unlike_answers(pack):
    """Unlike randomised response, discrete Laplace noise, and both."""
    rr = lambda e, k: {"kind": "randomized-response", "epsilon": e, "categories": k}
    dl = lambda b, s: {"kind": "discrete-laplace", "scale": b, "sensitivity": s}
    for list_ in [
        [("r", 0.2, 2), ("r", 0.3, 2), ("r", 0.5, 2), ("r", 0.7, 2), ("r", 1.1, 2)],
        [("r", 0.5, 3), ("r", 0.75, 5), ("r", 1.25, 10)],
        [("r", 1.0, 4), ("r", 2.0, 4)],
        [("l", 2.0, 1), ("l", 3.0, 1), ("l", 5.0, 1), ("l", 7.5, 1)],
        [("l", 4.0, 2), ("l", 6.0, 3), ("l", 10.0, 4)],
        [("l", 1.5, 1), ("r", 0.4, 2), ("l", 2.5, 2), ("r", 0.9, 6)],
        [("l", 8.0, 3), ("r", 0.3, 2), ("r", 0.6, 2), ("r", 0.8, 3)],
        [("l", 0.75, 2), ("r", 3.0, 2)],
    ]:
        releases = [answers(x, k) if name == "r" else discrete_laplace(x, k) for name, x, k in list_]
        run = composed([rr(x, k) if name == "r" else dl(x, k) for name, x, k in list_])
        ask(pack, "unlike-answers", run, (by_outcomes(releases), by_losses(releases)), (0.0, 0.5, 1.5), (1e-2, 1e-4))


def sampled_answers(pack):
    """Unlike phases of randomised response and discrete Laplace noise on Poisson samples."""
    rr = lambda e: {"kind": "randomized-response", "epsilon": e, "categories": 2}
    dl = lambda b, s: {"kind": "discrete-laplace", "scale": b, "sensitivity": s}
    for list_ in [
        [("r", 1.0, 2, 0.5), ("r", 1.5, 2, 0.25), ("r", 2.0, 2, 0.125), ("r", 0.5, 2, 0.75)],
        [("r", 3.0, 2, 0.1), ("r", 2.0, 2, 0.2), ("r", 1.0, 2, 0.4)],
        [("l", 1.0, 1, 0.5), ("l", 2.0, 2, 0.25), ("r", 1.0, 2, 0.5)],
        [("l", 0.5, 1, 0.05), ("l", 0.75, 1, 0.1), ("l", 1.0, 1, 0.2), ("l", 1.25, 1, 0.4)],
        [("r", 4.0, 2, 0.01), ("r", 4.0, 2, 0.02), ("r", 4.0, 2, 0.03)],
    ]:
        releases = [(answers(x, k) if name == "r" else discrete_laplace(x, k)).sampled(mpf(q)) for name, x, k, q in list_]
        run = composed([poisson(q, rr(x) if name == "r" else dl(x, k)) for name, x, k, q in list_])
        ask(pack, "sampled-answers", run, (by_outcomes(releases), by_losses(releases)), (0.0, 0.25, 1.0), (1e-2, 1e-4))


def lattice_noise(pack):
    """Discrete Gaussian noise, unlike releases of it, and those on Poisson samples; joint with discrete Laplace noise."""
    dg = lambda sigma, s: {"kind": "discrete-gaussian", "sigma": sigma, "sensitivity": s}
    for noises in [[(1.0, 1), (2.0, 1)], [(0.75, 1), (1.5, 2)], [(3.0, 2), (4.0, 1)], [(2.0, 3), (2.5, 1)]]:
        pair = [f([discrete_gaussian(sigma, s, way) for sigma, s in noises]) for f, way in ((by_outcomes, False), (by_complement, True))]
        run = composed([dg(sigma, s) for sigma, s in noises])
        ask(pack, "lattice-noise", run, pair, (0.0, 0.5, 1.0), (1e-5,), (OUTCOMES, COMPLEMENT))
    for sigma, s, q in [(0.75, 1, 0.1), (1.0, 1, 0.01), (1.5, 2, 0.05), (2.0, 1, 0.3), (4.0, 3, 0.02), (10.0, 12, 0.005), (3.0, 1, 0.7), (0.5, 1, 0.001)]:
        pair = [f([discrete_gaussian(sigma, s, way).sampled(mpf(q))]) for f, way in ((by_outcomes, False), (by_complement, True))]
        ask(pack, "lattice-noise", poisson(q, dg(sigma, s)), pair, (0.0, 0.5), (1e-3, 1e-6), (OUTCOMES, COMPLEMENT))
    for list_ in [[(1.0, 1, 0.1), (1.5, 1, 0.2)], [(2.0, 2, 0.05), (2.0, 2, 0.1)], [(0.75, 1, 0.02), (1.25, 2, 0.04)]]:
        pair = [f([discrete_gaussian(sigma, s, way).sampled(mpf(q)) for sigma, s, q in list_]) for f, way in ((by_outcomes, False), (by_complement, True))]
        run = composed([poisson(q, dg(sigma, s)) for sigma, s, q in list_])
        ask(pack, "lattice-noise", run, pair, (0.0, 0.25), (1e-4, 1e-6), (OUTCOMES, COMPLEMENT))
    for sigma, scale, q in [(1.25, 1.5, 0.1), (2.0, 3.0, 0.25), (4.0, 5.0, 0.5)]:
        both = lambda way: Listed(joined([discrete_gaussian(sigma, 1, way), discrete_laplace(scale, 1)])).sampled(mpf(q))
        parts = [dg(sigma, 1), {"kind": "discrete-laplace", "scale": scale, "sensitivity": 1}]
        run = poisson(q, {"kind": "joint", "parts": parts})
        ask(pack, "lattice-noise", run, (by_outcomes([both(False)]), by_complement([both(True)])), (0.0, 0.25), (1e-4,), (OUTCOMES, COMPLEMENT))


class Pieces:
    """e^{-l/2} times the density of a loss: atoms, and a polynomial on each stretch between breakpoints."""

    def __init__(self):
        self.atoms, self.cuts, self.parts = {mpf(0): mpf(1)}, [], []

    def value(self, x):
        """The density's antiderivative from the left end."""
        total = mpf(0)
        for a, b, whole, primitive in self.primitives:
            if x >= b:
                total += whole
            elif x > a:
                total += mp.polyval(primitive, x - a)
        return total + sum(w for at, w in self.atoms.items() if at <= x)

    def prepare(self):
        self.primitives = []
        for a, b, poly in self.parts:
            n = len(poly)
            primitive = [c / (n - i) for i, c in enumerate(poly)] + [mpf(0)]
            self.primitives.append((a, b, mp.polyval(primitive, b - a), primitive))

    def density(self, x):
        return sum(mp.polyval(poly, x - a) for a, b, poly in self.parts if a <= x < b)

    def with_laplace(self, a):
        self.prepare()
        made = Pieces()
        made.atoms, made.parts = {}, []
        for at, w in self.atoms.items():
            for moved in (at - a, at + a):
                made.atoms[moved] = made.atoms.get(moved, 0) + w * exp(-a / 2) / 2
        cuts = set()
        for x in [*self.atoms, *(x for low, high, _ in self.parts for x in (low, high))]:
            cuts |= {x - a, x + a}
        cuts, degree = sorted(cuts), max([len(poly) for _, _, poly in self.parts] + [0]) + 1
        for low, high in zip(cuts, cuts[1:]):
            if high - low < mpf(10) ** -40:
                continue
            # a polynomial of that degree by its values inside the stretch
            nodes = [low + (high - low) * (2 * i + 1) / (2 * degree) for i in range(degree)]
            f = lambda x: exp(-a / 2) * ((self.density(x - a) + self.density(x + a)) / 2 + (self.value(x + a) - self.value(x - a)) / 4)
            made.parts.append((low, high, interpolated([x - low for x in nodes], [f(x) for x in nodes])))
        return made

    def delta(self, e):
        total = sum(w * (exp(l / 2) - exp(e - l / 2)) for l, w in self.atoms.items() if l > e)
        for low, high, poly in self.parts:
            start = max(low, e)
            if start >= high:
                continue
            middle, half = (start + high) / 2, (high - start) / 2
            for x, w in gauss_legendre(30):
                l = middle + half * x
                total += half * w * mp.polyval(poly, l - low) * (exp(l / 2) - exp(e - l / 2))
        return total


def interpolated(x, y):
    """Coefficients, the highest first, of the polynomial through the points: Newton's divided differences."""
    n = len(x)
    table = list(y)
    for k in range(1, n):
        for i in range(n - 1, k - 1, -1):
            table[i] = (table[i] - table[i - 1]) / (x[i] - x[i - k])
    poly = [mpf(0)]
    for i in range(n - 1, -1, -1):
        lifted = poly + [mpf(0)]
        for j, c in enumerate(poly):
            lifted[j + 1] -= c * x[i]
        lifted[-1] += table[i]
        poly = lifted
    return poly


def laplace_expanded(losses):
    """
    The Laplace transform of e^{-l/2} times the law of the loss is the product of e^{-a/2} [(1/2 + 1/4s) e^{as} + (1/2 - 1/4s) e^{-as}]: a sum over
    signs of shifted powers, and each power times e^{±l/2} is integrated in closed form.
    """
    n, total = len(losses), sum(losses)

    def powers(minuses):
        poly = [mpf(1)]
        for i in range(n):
            step = [mpf(1) / 2, (-1 if i < minuses else 1) / mpf(4)]
            lifted = [mpf(0)] * (len(poly) + 1)
            for j, c in enumerate(poly):
                lifted[j] += c * step[0]
                lifted[j + 1] += c * step[1]
            poly = lifted
        return poly

    table = [powers(k) for k in range(n + 1)]

    def primitive(j, shift, rate, x):
        """An antiderivative of (l - shift)^{j-1}/(j-1)! e^{rate l} at x."""
        u, sum_, term = x - shift, mpf(0), mpf(1)
        for k in range(j):
            # u^{j-1-k}/(j-1-k)! (-1)^k rate^{-k-1}
            sum_ += u ** (j - 1 - k) / mp.factorial(j - 1 - k) * term / rate
            term = -term / rate
        return sum_ * exp(rate * x)

    def delta(e):
        found = mpf(0)
        for signs in product((-1, 1), repeat=n):
            # e^{as} starts at -a: a sign of -1 is a start to the left
            shift = sum(s * a for s, a in zip(signs, losses))
            coefficients = table[sum(1 for s in signs if s > 0)]
            if shift > e:
                found += coefficients[0] * (exp(shift / 2) - exp(e - shift / 2))
            start = max(shift, e)
            if start >= total:
                continue
            for j in range(1, n + 1):
                for rate, factor in ((mpf(1) / 2, mpf(1)), (-mpf(1) / 2, -exp(e))):
                    found += coefficients[j] * factor * (primitive(j, shift, rate, total) - primitive(j, shift, rate, start))
        return exp(-total / 2) * found

    return delta


def unlike_laplace(pack):
    """Unlike Laplace releases."""
    methods = ("expansion over signs, powers integrated in closed form", "piecewise polynomials convolved release by release, by Gauss-Legendre panels")
    for scales in [(1.0, 2.0), (2.0, 3.0, 5.0), (4.0, 4.5, 5.0, 5.5), (2.5, 3.0, 3.5, 4.0, 8.0), (10.0, 12.0, 15.0, 20.0), (0.5, 0.75, 4.0), (1.25, 1.5, 1.75), (6.0, 7.0, 9.0, 11.0, 13.0)]:
        with mp.workdps(90):
            losses = [1 / mpf(b) for b in scales]
            law = Pieces()
            for a in losses:
                law = law.with_laplace(a)
            run = composed([{"kind": "laplace", "scale": b, "sensitivity": 1} for b in scales])
            ask(pack, "unlike-laplace", run, (laplace_expanded(losses), law.delta), (0.0, 0.25, 0.75, 1.5), (1e-2, 1e-5), methods)


def fixed_size(pack):
    """One step on a sample of a fixed size, one record replaced: the share of the sample of the profile of what runs on it."""
    from closed import gaussian_delta, gaussian_delta_quadrature

    def drawn(inner, share):
        # Balle, Barthe, Gaboardi 2018: at log(1 + share (e^e - 1)) it is share times that of the inner one at e
        return lambda e: share * inner(mp.log1p(mp.expm1(e) / share))

    def replaced_laplace(e0):
        integral = lambda e: quad(lambda l: exp(l / 2) * -mp.expm1(e - l) / 4, [max(e, -e0), e0], method="gauss-legendre") * exp(-e0 / 2)
        return (lambda e: -mp.expm1((e - e0) / 2) if e < e0 else mpf(0)), lambda e: -mp.expm1(e - e0) / 2 + integral(e) if e < e0 else mpf(0)

    for size, records in [(10, 100), (1, 20), (500, 1000), (64, 50000)]:
        share = mpf(size) / records
        for inner, pair, methods in [
            ({"kind": "gaussian", "noiseMultiplier": 2}, (lambda e: gaussian_delta(mpf(1), e), lambda e: gaussian_delta_quadrature(mpf(1), e)), ("closed form by the complementary error function", PANELS)),
            ({"kind": "gaussian", "noiseMultiplier": 0.8}, (lambda e: gaussian_delta(mpf(2) / mpf(0.8), e), lambda e: gaussian_delta_quadrature(mpf(2) / mpf(0.8), e)), ("closed form by the complementary error function", PANELS)),
            ({"kind": "laplace", "scale": 2, "sensitivity": 1}, replaced_laplace(mpf(1)), ("closed form", "atom and quadrature of the law of the loss")),
            ({"kind": "discrete-gaussian", "sigma": 2, "sensitivity": 1}, (by_outcomes([discrete_gaussian(2, 2, False)]), by_complement([discrete_gaussian(2, 2, True)])), (OUTCOMES, COMPLEMENT)),
            ({"kind": "discrete-laplace", "scale": 3, "sensitivity": 1}, (by_outcomes([discrete_laplace(3, 2)]), by_losses([discrete_laplace(3, 2)])), (OUTCOMES, CONVOLVED)),
        ]:
            run = {"kind": "without-replacement", "sampleSize": size, "datasetSize": records, "inner": inner}
            own = tuple(drawn(each, share) for each in pair)
            ask(pack, "fixed-size", run, own, (0.0, 0.015625), (1e-5,), methods, "replace-one")


def bounded_range(pack):
    """One release of the exponential mechanism, or whatever is of bounded range."""

    def largest(e0):
        # two ratios e^t and e^{t - e0}: the best t by golden section, refined by Newton's method on the derivative
        def at(e, t):
            return (exp(-t) - exp(-e0)) * (exp(t) - exp(e)) / (1 - exp(-e0))

        def found(e):
            t = findroot(lambda t: exp(e - t) - exp(t - e0), (max(e, mpf(0)) + e0 * mpf("0.45") / (1 + e), e0 * mpf("0.9")))
            return at(e, t)

        return found

    for e0 in (0.1, 0.5, 1.0, 2.0, 4.0):
        exact = mpf(e0)
        closed = lambda e: mp.expm1((e - exact) / 2) ** 2 / -mp.expm1(-exact) if e < exact else mpf(0)
        run = {"kind": "bounded-range", "epsilon": e0}
        shares = (float(e0) * k / 4 for k in range(4))
        ask(pack, "bounded-range", run, (closed, largest(exact)), shares, (), ("closed form at the worst threshold", "root of the derivative in the threshold"))


def all_but_one(pack):
    """One epoch with a record in all of t batches but one: over the plane orthogonal to the mean of the outputs, the mean in closed form."""

    def laws(sigma, bins):
        mu = 1 / mpf(sigma)
        k = bins - 1
        slope = k * mu / sqrt(mpf(bins))
        basis = [[1 / sqrt(mpf((j + 1) * (j + 2))) if i <= j else -(j + 1) / sqrt(mpf((j + 1) * (j + 2))) if i == j + 1 else mpf(0) for i in range(bins)] for j in range(bins - 1)]

        def inside(e, remove, z, spared):
            y = [sum(b[i] * x for b, x in zip(basis, z)) for i in range(bins)]
            if spared:
                # without batch i the others sum to -y_i
                mean = sum(exp(-mu * x) for x in y) / bins * exp(-k * mu * mu / 2)
            else:
                mean = sum(exp(mu * sum(y[j] for j in range(bins) if j != i)) for i in range(bins)) / bins * exp(-k * mu * mu / 2)
            grown = mean * exp(slope * slope / 2)
            at = ((e if remove else -e) - log(mean)) / slope
            if remove:
                return grown * normal_tail(at - slope) - exp(e) * normal_tail(at)
            return normal_cdf(at) - exp(e) * grown * normal_cdf(at - slope)

        def square(e, remove):
            h, n = mpf("0.22"), 64
            total = mpf(0)
            for i in range(-n, n + 1):
                for j in range(-n, n + 1):
                    if i * i + j * j > n * n:
                        continue
                    total += exp(-h * h * (i * i + j * j) / 2) * inside(e, remove, (h * i, h * j), True)
            return total * h * h / (2 * pi)

        def polar(e, remove):
            # one of three equal sectors, which is its own mirror image
            total, turns = mpf(0), 48
            for k_ in range(turns + 1):
                angle = pi / 2 + pi * k_ / (3 * turns)
                own = mpf(0)
                for panel in range(10):
                    low, high = mpf(panel) * mpf("1.4"), mpf(panel + 1) * mpf("1.4")
                    for x, w in gauss_legendre(24):
                        r = (low + high) / 2 + (high - low) / 2 * x
                        z = (r * mp.cos(angle), r * mp.sin(angle))
                        own += w * (high - low) / 2 * r * exp(-r * r / 2) * inside(e, remove, z, False)
                total += own * (mpf("0.5") if k_ in (0, turns) else 1)
            return total / turns

        worst = lambda f: lambda e: max(f(e, True), f(e, False))
        return worst(square), worst(polar)

    with mp.workdps(32):
        for sigma in (1.0, 1.5, 2.0, 4.0):
            run = {"kind": "balls-and-bins", "noiseMultiplier": sigma, "bins": 3, "binsPerRecord": 2}
            ask(pack, "all-but-one", run, laws(sigma, 3), (0.0, 0.5, 1.0), (), ("trapezoidal rule over two differences of the batches, their mean in closed form", "polar panels over these differences, their mean in closed form"))


def sampled_mixtures(pack):
    """One step on a Poisson sample whose record shifts the sum by one of several distances."""
    for sigma, means, weights, rate in [
        (1, (1, 2), (0.75, 0.25), 0.1),
        (2, (0, 1, 3), (0.5, 0.375, 0.125), 0.25),
        (0.75, (1, 4), (0.875, 0.125), 0.01),
        (4, (0.5, 1, 2), (0.25, 0.5, 0.25), 0.5),
        (1.25, (0, 1, 2), (0.5, 0.375, 0.125), 0.03125),
    ]:
        inner = {"kind": "gaussian-mixture", "noiseMultiplier": sigma, "sensitivities": list(means), "probabilities": list(weights)}
        q = mpf(rate)
        upper = [(mpf(0), 1 - q)] + [(mpf(m), q * mpf(w)) for m, w in zip(means, weights)]
        profile_vectors(pack, "sampled-mixture", poisson(rate, inner), one_step(upper, [(mpf(0), mpf(1))], sigma), (1e-4, 1e-8, 1e-30), (0.0, 0.25, 1.0), [THRESHOLD, PANELS])
