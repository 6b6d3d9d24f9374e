"""Mechanisms with closed forms: Gaussian, Laplace, randomised response, (epsilon, delta), discrete noise, mu, calibration, bad input."""

from common import *
from fractions import Fraction
from math import comb

ERFC = "closed form by the complementary error function"
PANELS = "Gauss-Legendre quadrature of the density of the excess"


def gaussian_delta(mu, e):
    return normal_tail(e / mu - mu / 2) - exp(e) * normal_tail(e / mu + mu / 2)


def gaussian_delta_quadrature(mu, e):
    start = e / mu + mu / 2
    # under the second measure the loss at x is mu x - mu²/2
    f = lambda x: density(x, mu) - exp(e) * density(x)
    scale = 1 / (1 + abs(start)) / 4
    if start < 0:
        return 1 - exp(e) + tail_quadrature(lambda x: exp(e) * density(-x) - density(-x, mu), -start, scale)
    return tail_quadrature(f, start, scale)


def gaussian_runs():
    for i, sigma in enumerate([0.3, 0.5, 0.7, 0.8, 1, 1.1, 1.5, 2, 3, 4, 5, 7.5, 10, 25, 50, 100, 1000, 1e4]):
        yield {"kind": "gaussian", "noiseMultiplier": sigma}, 1 / mpf(sigma)
    for sigma, count in [(1, 2), (2, 10), (5, 100), (9.4, 50), (20, 1000), (50, 30), (100, 100000), (0.9, 3)]:
        inner = {"kind": "gaussian", "noiseMultiplier": sigma}
        yield {"kind": "repeat", "count": count, "inner": inner}, sqrt(mpf(count)) / mpf(sigma)
    for sigmas in [(1, 2), (3, 4, 5), (0.7, 50), (10, 11, 12, 13), (2, 2, 9)]:
        parts = [{"kind": "gaussian", "noiseMultiplier": sigma} for sigma in sigmas]
        yield {"kind": "compose", "parts": parts}, sqrt(sum(1 / mpf(sigma) ** 2 for sigma in sigmas))


def gaussian(pack):
    for run, mu in gaussian_runs():
        for delta in (1e-3, 1e-5, 1e-30, 1e-100, 1e-300)[: 5 if mu < 3 else 3]:
            high = mu * mu / 2 + mu * sqrt(-2 * log(mpf(delta))) + mu
            low = -mu * mu / 2 - mu
            if gaussian_delta(mu, mpf(0)) < mpf(delta):
                continue
            low = mpf(0)
            values = solve_epsilon(
                lambda e: gaussian_delta(mu, e), lambda e: gaussian_delta_quadrature(mu, e), delta, low, high
            )
            pack.add("gaussian", run, "epsilon", delta, values, [ERFC, PANELS])
        for e in (0, 0.5, 3.0):
            value = gaussian_delta(mu, mpf(e))
            if value > mpf(10) ** -300:
                pack.add("gaussian", run, "delta", e, (value, gaussian_delta_quadrature(mu, mpf(e))), [ERFC, PANELS])
        for alpha in (1e-6, 0.05):
            t = normal_quantile(mpf(alpha))
            value = normal_cdf(t - mu)
            e = mu * t - mu * mu / 2
            tangent = 1 - gaussian_delta_quadrature(mu, e) - exp(e) * mpf(alpha)
            if value > mpf(10) ** -25:
                pack.add("gaussian", run, "beta", alpha, (value, tangent), [ERFC, "the tangent of the profile by quadrature"])


def laplace(pack):
    for scale, sensitivity in [(0.5, 1), (1, 1), (2, 1), (4, 3), (10, 1), (0.1, 0.3), (100, 1), (1.25, 2), (3, 7), (0.25, 1)]:
        run = {"kind": "laplace", "scale": scale, "sensitivity": sensitivity}
        for adjacency, factor in (("add-remove", 1), ("replace-one", 2)):
            e0 = factor * mpf(sensitivity) / mpf(scale)
            closed = lambda e: -mp.expm1((e - e0) / 2)

            def integral(e):
                # noise of scale 1 about 0 against e0: the loss e0 - 2x between the two
                x = (e0 - e) / 2
                left = quad(lambda y: exp(y) * (1 - exp(e - e0)) / 2, [-200, -50, -10, 0], method="gauss-legendre")
                return left + quad(lambda y: (exp(-y) - exp(e - e0 + y)) / 2, [0, x], method="gauss-legendre")

            for share in (0, 0.5):
                e = float(share * e0)
                pack.add("laplace", run, "delta", e, (closed(mpf(e)), integral(mpf(e))), ["closed form", PANELS], adjacency)
            for delta in (1e-5, 1e-2):
                if closed(mpf(0)) > mpf(delta):
                    e = e0 + 2 * mp.log1p(-mpf(delta))
                    slope = -exp((e - e0) / 2) / 2
                    pack.add("laplace", run, "epsilon", delta, (e, e - (integral(e) - mpf(delta)) / slope), ["closed form", PANELS], adjacency)
            for alpha in (1e-3, 0.25, 0.6):
                a = mpf(alpha)
                beta = 1 - exp(e0) * a if a <= exp(-e0) / 2 else exp(-e0) / (4 * a) if a <= mpf(1) / 2 else exp(-e0) * (1 - a)
                # the test that rejects beyond a threshold
                t = -log(2 * a) if a < mpf(1) / 2 else log(2 * (1 - a))
                shifted = t - e0
                accept = quad(lambda y: exp(-abs(y)) / 2, [-200, -50, -10, min(0, shifted), shifted] if shifted > 0 else [shifted - 200, shifted - 50, shifted - 10, shifted], method="gauss-legendre")
                pack.add("laplace", run, "beta", alpha, (beta, accept), ["closed form", "quadrature over the region of acceptance"], adjacency)


def two_point_delta(e0s, e):
    """Composition of pure DP by all outcomes of randomised response."""
    total = mpf(0)
    for pattern in range(2 ** len(e0s)):
        loss, p = mpf(0), mpf(1)
        for i, e0 in enumerate(e0s):
            kept = pattern >> i & 1
            p *= 1 / (1 + exp(-e0)) if kept else 1 / (1 + exp(e0))
            loss += e0 if kept else -e0
        if loss > e:
            total += p * -mp.expm1(e - loss)
    return total


def convolved_delta(atoms, e):
    """The same from the law of the total loss, convolved step by step; atoms of each step are (loss, probability)."""
    law = {mpf(0): mpf(1)}
    for step in atoms:
        following = {}
        for loss, p in law.items():
            for more, q in step:
                key = loss + more
                following[key] = following.get(key, 0) + p * q
        law = following
    return sum(p * (1 if loss == inf else -mp.expm1(e - loss)) for loss, p in law.items() if loss > e)


def answered(e0):
    return [(e0, 1 / (1 + exp(-e0))), (-e0, 1 / (1 + exp(e0)))]


def pure(pack):
    def binomial(e0, count):
        return lambda e: sum(
            comb(count, j) * exp(j * e0) / (1 + exp(e0)) ** count * -mp.expm1(e - (2 * j - count) * e0)
            for j in range(count + 1)
            if (2 * j - count) * e0 > e
        )

    law = "binomial sum"
    for e0, count in [(0.1, 10), (0.1, 50), (0.5, 1), (0.5, 8), (1, 3), (1, 20), (2, 4), (0.01, 60), (0.25, 33), (3, 2)]:
        run = {"kind": "repeat", "count": count, "inner": {"kind": "pure-dp", "epsilon": e0}}
        exact = mpf(e0)
        a = binomial(exact, count)
        b = lambda e: convolved_delta([answered(exact)] * count, e)
        for share in (0, 0.3, 0.9):
            e = float(share * e0 * count)
            pack.add("pure-dp", run, "delta", e, (a(mpf(e)), b(mpf(e))), [law, "convolution of the law of losses"])
        for delta in (1e-2, 1e-5):
            if a(mpf(0)) > mpf(delta):
                values = solve_epsilon(a, b, delta, 0, exact * count * (1 - mpf(10) ** -30))
                pack.add("pure-dp", run, "epsilon", delta, values, [law, "convolution of the law of losses"])
    for e0s in [(0.1, 0.2, 0.4), (0.5, 0.5, 1), (0.05, 0.3, 0.31, 1.1), (0.2, 0.21, 0.22, 0.23, 0.24), (1, 0.001), (0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)]:
        run = {"kind": "compose", "parts": [{"kind": "pure-dp", "epsilon": e0} for e0 in e0s]}
        exact = [mpf(e0) for e0 in e0s]
        for share in (0, 0.2, 0.5, 0.8):
            e = mpf(float(share * sum(e0s)))
            values = (two_point_delta(exact, e), convolved_delta([answered(e0) for e0 in exact], e))
            pack.add("pure-dp", run, "delta", float(e), values, ["sum over all outcomes", "convolution of the law of losses"])


def approximate(pack):
    for e0, d0, count in [(0.1, 1e-6, 10), (0.5, 1e-3, 4), (1, 0.01, 3), (0, 0.01, 5), (0.2, 1e-9, 40), (2, 1e-5, 2), (0.3, 0.1, 1)]:
        run = {"kind": "repeat", "count": count, "inner": {"kind": "approximate-dp", "epsilon": e0, "delta": d0}}
        exact, lost = mpf(e0), mpf(d0)
        a = lambda e: 1 - (1 - lost) ** count * (1 - two_point_sum(exact, count, e))
        step = [(inf, lost)] + [(loss, (1 - lost) * p) for loss, p in answered(exact)]
        for share in (0, 0.4, 0.8, 1):
            e = mpf(float(share * e0 * count))
            pack.add("approximate-dp", run, "delta", float(e), (a(e), convolved_delta([step] * count, e)), ["the composition theorem of Kairouz, Oh and Viswanath", "convolution of the law of losses with its atom at infinity"])


def two_point_sum(e0, count, e):
    return sum(
        comb(count, j) * exp(j * e0) / (1 + exp(e0)) ** count * -mp.expm1(e - (2 * j - count) * e0)
        for j in range(count + 1)
        if (2 * j - count) * e0 > e
    )


def discrete_laplace(pack):
    for scale, sensitivity in [(1, 1), (2, 1), (2, 3), (5, 1), (10, 4), (0.5, 1), (0.8, 2), (50, 7)]:
        run = {"kind": "discrete-laplace", "scale": scale, "sensitivity": sensitivity}
        b, s = mpf(scale), sensitivity
        mass = lambda k: exp(-abs(k) / b) * (1 - exp(-1 / b)) / (1 + exp(-1 / b))

        def direct(e):
            span = int(140 * scale) + 3 * s + 10
            return sum(max(mpf(0), mass(k) - exp(e) * mass(k - s)) for k in range(-span, span + s))

        def geometric(e):
            # all outcomes up to the last whose loss (s - 2k)/b, clipped, is above e
            last = 0 if e < s / b else None
            if last is None:
                return mpf(0)
            last = int(mp.ceil((s - e * b) / 2)) - 1
            last = min(max(last, 0), s)
            r = exp(-1 / b)
            below = lambda k: r ** (-k) / (1 + r) if k <= 0 else 1 - r ** (k + 1) / (1 + r)
            return below(last) - exp(e) * below(last - s)

        for share in (0, 0.3, 0.45, 0.9):
            e = mpf(float(share * s / b))
            pack.add("discrete-laplace", run, "delta", float(e), (geometric(e), direct(e)), ["geometric sums", "sum over all outcomes"])


def discrete_gaussian(pack):
    for sigma, s in [(0.5, 1), (1, 1), (2, 1), (3, 2), (5, 4), (10, 1), (0.8, 3), (25, 9)]:
        run = {"kind": "discrete-gaussian", "sigma": sigma, "sensitivity": s}
        v = 2 * mpf(sigma) ** 2
        weight = lambda k: exp(-mpf(k) ** 2 / v)
        span = int(18 * sigma) + 3 * s + 20
        direct_total = sum(weight(k) for k in range(-span, span + 1))
        # Poisson's summation formula
        dual_total = sqrt(pi * v) * (1 + 2 * sum(exp(-(pi**2) * v * j * j) for j in range(1, 40)))
        for e in (0.0, 0.3 * s / sigma**2, 1.5 * s / sigma):
            t = mpf(s) / 2 - mpf(e) * v / (2 * s)
            # outcomes whose loss s(s - 2k)/v is above e
            last = int(mp.ceil(t)) - 1
            upper = sum(weight(k) for k in range(-span - s, last + 1)) - exp(mpf(e)) * sum(weight(k - s) for k in range(-span - s, last + 1))
            rest = (dual_total - sum(weight(k) for k in range(last + 1, span + 1))) - exp(mpf(e)) * (dual_total - sum(weight(k - s) for k in range(last + 1, span + 2 * s)))
            if upper / direct_total > mpf(10) ** -25:
                pack.add("discrete-gaussian", run, "delta", e, (upper / direct_total, rest / dual_total), ["sum over the outcomes of the excess", "what Poisson's summation formula leaves beside the others"])


def windows(pack):
    for e0 in (0.1, 0.5, 1, 2, 4):
        # the kink of randomised response is where mu is largest
        kink = 1 / (1 + exp(mpf(e0)))
        a = 2 * normal_quantile(kink)
        b = 2 * sqrt(mpf(2)) * mp.erfinv(mp.tanh(mpf(e0) / 2))
        for window in (1e-10, 1e-3):
            if window < kink:
                pack.add("mu", {"kind": "pure-dp", "epsilon": e0}, "mu", window, (a, b), ["the quantile at the kink by Newton's method", "the inverse error function at tanh(epsilon/2)"])
    for run, mu in list(gaussian_runs())[:12]:
        values = (mu, normal_quantile(mpf(1) / 100) + normal_quantile(normal_cdf(normal_quantile(mpf(1) / 100) - mu)))
        if normal_cdf(normal_quantile(mpf(1) / 100) - mu) > mpf(10) ** -30:
            pack.add("mu", run, "mu", 1e-10, values, ["sensitivities added in quadrature", "the trade-off curve at 0.01"])


def calibrations(pack):
    for count in (1, 10, 1000):
        for e in (0.1, 1, 4, 20):
            for delta in (1e-3, 1e-5, 1e-12, 1e-60):
                mu = root(lambda m: log(gaussian_delta(m, mpf(e)) / mpf(delta)), mpf("1e-3") * e, 10 + 3 * sqrt(mpf(e)))
                h = mpf(10) ** -20
                slope = (gaussian_delta(mu + h, mpf(e)) - gaussian_delta(mu - h, mpf(e))) / (2 * h)
                other = mu - (gaussian_delta_quadrature(mu, mpf(e)) - mpf(delta)) / slope
                run = {"samplingRate": 1, "steps": count}
                values = tuple(sqrt(mpf(count)) / m for m in (mu, other))
                pack.add("calibration", run, "noise-multiplier", {"epsilon": e, "delta": delta}, values, [ERFC, PANELS])


def bad_input(pack):
    good = {"kind": "gaussian", "noiseMultiplier": 1}
    sgd = {"kind": "dp-sgd", "noiseMultiplier": 1, "samplingRate": 0.1, "steps": 10}
    for value in (-1, "1", None, True, [1], {"x": 1}):
        pack.refuse({"kind": "gaussian", "noiseMultiplier": value}, "epsilon", 1e-5, "noise is no number >= 0")
    for value in (-0.1, 1.5, "0.1", None, 2):
        pack.refuse({**sgd, "samplingRate": value}, "epsilon", 1e-5, "the rate is no probability")
    for value in (-1, 0.5, "10", None, 1e300):
        pack.refuse({**sgd, "steps": value}, "epsilon", 1e-5, "the steps are no whole number below 2^53")
    for value in (-1e-5, 1.1, "x", None):
        pack.refuse(good, "epsilon", value, "delta is no probability")
    for value in ("x", None):
        pack.refuse(good, "delta", value, "epsilon is no number")
    for value in (-0.1, 1.5, "x"):
        pack.refuse(good, "beta", value, "alpha is no probability")
    for run in ({}, [], "gaussian", {"kind": "gausian", "noiseMultiplier": 1}, {"kind": "laplace", "scale": -1, "sensitivity": 1}, {"kind": "laplace", "scale": 1}, {"kind": "repeat", "count": 2}, {"kind": "compose", "parts": good}, {"kind": "discrete-gaussian", "sigma": 1, "sensitivity": 0.5}, {"kind": "pure-dp", "epsilon": -1}):
        pack.refuse(run, "epsilon", 1e-5, "no mechanism")
    pack.refuse({"kind": "without-replacement", "sampleSize": 5, "datasetSize": 4, "inner": good}, "epsilon", 1e-5, "the sample is larger than the data", "replace-one")
    pack.refuse({"kind": "poisson-subsampled", "rate": 0.5, "inner": sgd}, "epsilon", 1e-5, "a sample of a sampled run")


def upper_limit(s, n, level):
    """(root of the incomplete beta function, Newton's step of the sum of probabilities) of P[Bin(n, x) <= s] = level."""
    if s == n:
        return mpf(1), mpf(1)
    # of the logarithm, on which the function is concave
    x = root(lambda y: log(mp.betainc(n - s, s + 1, 0, 1 - y, regularized=True) / level), mpf(s) / n if s else mpf(10) ** -20, 1 - mpf(10) ** -20)
    total = sum(comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(s + 1))
    density = n * comb(n - 1, s) * x**s * (1 - x) ** (n - 1 - s)
    return x, x + (total - level) / density


def one_run_tails(r, p):
    """Upper tails of Bin(r, p), by sums and by the incomplete beta function."""
    mass = [comb(r, j) * p**j * (1 - p) ** (r - j) for j in range(r + 1)]
    sums, total = [], mpf(0)
    for share in reversed(mass):
        total += share
        sums.append(total)
    sums.reverse()
    beta = lambda v: mpf(1) if v <= 0 else mp.betainc(v, r - v + 1, 0, p, regularized=True)
    return (lambda v: sums[max(v, 0)]), beta


def one_run_p_value(tail, m, v, delta):
    """Steinke, Nasr, Jagielski 2023."""
    least = tail(v)
    most = max((tail(v - i) - least) / i for i in range(1, v + 1)) if delta > 0 else 0
    return least + 2 * m * delta * most


def audits(pack):
    methods = ["binomial tails by the incomplete beta function", "sums of binomial probabilities"]
    for counts in [(5, 1000, 100, 1000), (0, 500, 50, 500), (900, 1000, 995, 1000), (3, 20, 20, 20), (0, 100, 100, 100), (40, 250, 130, 300), (1, 4000, 37, 3500)]:
        fp, n0, tp, n1 = counts
        run = dict(zip(("kind", "falsePositives", "nonMembers", "truePositives", "members"), ("threshold", *counts)))
        for confidence in (0.95, 0.999):
            level = (1 - mpf(confidence)) / 2
            found = []
            for false, miss in zip(upper_limit(fp, n0, level), upper_limit(n1 - tp, n1, level)):
                hit = 1 - miss
                epsilon = lambda delta: max(mpf(0), log((hit - delta) / false), log((1 - false - delta) / miss) if miss < 1 else -inf)
                found.append((epsilon, normal_quantile(hit), normal_quantile(false)))
            for delta in (0.0, 1e-5):
                values = tuple(epsilon(mpf(delta)) for epsilon, _, _ in found)
                if values[0] > 0:
                    pack.add("audit", run, "audit-epsilon", {"confidence": confidence, "delta": delta}, values, methods)
            values = tuple(b - a for _, a, b in found)
            if values[0] > 0:
                pack.add("audit", run, "audit-mu", {"confidence": confidence}, values, methods)
    for m, r, v in [(1000, 100, 95), (5000, 200, 170), (100, 20, 20), (10000, 1000, 560), (400, 400, 300)]:
        run = {"kind": "one-run", "canaries": m, "guesses": r, "correct": v}
        level = 1 - mpf(0.95)
        for delta in (0.0, 1e-5):
            p_values = [
                lambda e, i=i: one_run_p_value(one_run_tails(r, 1 / (1 + exp(-e)))[i], m, v, mpf(delta)) for i in (0, 1)
            ]
            if p_values[0](mpf(0)) >= level:
                continue
            e = root(lambda x: log(p_values[0](x) / level), mpf(0), mpf(12))
            h = mpf(10) ** -20
            slope = (p_values[0](e + h) - p_values[0](e - h)) / (2 * h)
            pack.add("audit", run, "audit-epsilon", {"confidence": 0.95, "delta": delta}, (e - (p_values[1](e) - level) / slope, e), methods)
