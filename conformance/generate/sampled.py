"""DP-SGD and its relatives: one step in closed form, an epoch of two bins by integrals over one batch."""

from common import *

THRESHOLD = "closed form beyond the threshold of the likelihood ratio"
PANELS = "Gauss-Legendre quadrature of the density of the excess"


def mixture_tail(t, parts, sigma):
    """P(X > t) of a mixture of normals; parts are (mean, weight)."""
    return sum(w * normal_tail((t - m) / sigma) for m, w in parts)


def mixture_density(x, parts, sigma):
    return sum(w * density(x, m, sigma) for m, w in parts)


def mixture_ratio(x, upper, lower, sigma):
    """The likelihood ratio, both over N(0, sigma²)."""
    over = lambda parts: sum(w * exp((m * x - m * m / 2) / sigma**2) for m, w in parts)
    return over(upper) / over(lower)


def ratio_threshold(upper, lower, sigma, e):
    """Where a likelihood ratio that grows with x is e^e; nothing where it is larger everywhere or nowhere."""
    f = lambda x: log(mixture_ratio(x, upper, lower, sigma)) - e
    x = mpf(sigma)
    low, high = -x, x
    for _ in range(60):
        if f(low) < 0:
            break
        low *= 2
    else:
        return -inf
    for _ in range(60):
        if f(high) > 0:
            break
        high *= 2
    else:
        return inf
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (low, middle) if f(middle) > 0 else (middle, high)
    return findroot(f, (low, high), solver="anderson", tol=mpf(10) ** (-2 * mp.dps + 20), verify=False)


def one_step(upper, lower, sigma):
    """(closed form, quadrature) of delta of a pair of mixtures whose likelihood ratio grows with x, in its two directions."""
    sigma = mpf(sigma)
    mirror = lambda parts: [(-m, w) for m, w in parts]

    def direction(p, q):
        def closed(e):
            t = ratio_threshold(p, q, sigma, e)
            if t == -inf:
                return 1 - exp(e)
            return mpf(0) if t == inf else mixture_tail(t, p, sigma) - exp(e) * mixture_tail(t, q, sigma)

        def integral(e):
            t = ratio_threshold(p, q, sigma, e)
            if t == -inf or t == inf:
                return closed(e)
            f = lambda x: mixture_density(x, p, sigma) - exp(e) * mixture_density(x, q, sigma)
            scale = sigma / (1 + abs(t) / sigma) / 4
            if t < -sigma:
                # what lies below is small: the integral over all is 1 - e^e
                below = lambda x: -f(-x)
                return 1 - exp(e) + tail_quadrature(below, -t, scale)
            return tail_quadrature(f, t, scale)

        return closed, integral

    forward = direction(upper, lower)
    # exchanged, the ratio falls with x: mirrored it grows again
    backward = direction(mirror(lower), mirror(upper))
    worst = lambda i: lambda e: max(forward[i](e), backward[i](e))
    return worst(0), worst(1)


def profile_vectors(pack, group, run, pair, deltas, epsilons, methods, adjacency="add-remove"):
    a, b = pair
    zero = a(mpf(0))
    for delta in deltas:
        if zero <= mpf(delta):
            continue
        high = mpf(1)
        while a(high) > mpf(delta):
            high *= 2
        values = solve_epsilon(a, b, delta, 0, high)
        pack.add(group, run, "epsilon", delta, values, methods, adjacency)
    for e in epsilons:
        value = a(mpf(e))
        if value > mpf(10) ** -300:
            pack.add(group, run, "delta", e, (value, b(mpf(e))), methods, adjacency)


def dp_sgd(sigma, rate, steps):
    return {"kind": "dp-sgd", "noiseMultiplier": sigma, "samplingRate": rate, "steps": steps}


def single(pack):
    for sigma in (0.5, 0.8, 1, 1.3, 2, 4, 10, 50):
        for rate in (1e-6, 1e-3, 0.01, 0.1, 0.5, 0.9):
            q = mpf(rate)
            pair = one_step([(mpf(0), 1 - q), (mpf(1), q)], [(mpf(0), mpf(1))], sigma)
            deltas = (1e-3, 1e-6, 1e-20, 1e-300) if sigma < 5 else (1e-6, 1e-12)
            profile_vectors(pack, "dp-sgd-one-step", dp_sgd(sigma, rate, 1), pair, deltas, (0.0, 0.25, 1.0), [THRESHOLD, PANELS])


def replaced(pack):
    for sigma in (0.8, 1, 2, 5):
        for rate in (1e-3, 0.05, 0.4):
            q = mpf(rate)
            pair = one_step([(mpf(0), 1 - q), (mpf(1), q)], [(mpf(0), 1 - q), (mpf(-1), q)], sigma)
            profile_vectors(pack, "dp-sgd-replaced", dp_sgd(sigma, rate, 1), pair, (1e-6, 1e-30), (0.0, 0.1), [THRESHOLD, PANELS], "replace-one")


def mixtures(pack):
    for sigma, means, weights in [
        (1, (0, 1, 2), (0.5, 0.25, 0.25)),
        (2, (0, 1, 3), (0.75, 0.125, 0.125)),
        (0.7, (0, 0.5), (0.9375, 0.0625)),
        (5, (0, 1, 2, 4), (0.25, 0.25, 0.25, 0.25)),
        (1.5, (0, 0.25, 4), (0.875, 0.0625, 0.0625)),
        (10, (1, 8), (0.5, 0.5)),
    ]:
        run = {"kind": "gaussian-mixture", "noiseMultiplier": sigma, "sensitivities": list(means), "probabilities": list(weights)}
        pair = one_step([(mpf(m), mpf(w)) for m, w in zip(means, weights)], [(mpf(0), mpf(1))], sigma)
        profile_vectors(pack, "mixture", run, pair, (1e-4, 1e-12, 1e-50), (0.0, 0.3), [THRESHOLD, PANELS])


def gl_panel(f, a, b):
    middle, half = (a + b) / 2, (b - a) / 2
    return half * sum(w * f(middle + half * x) for x, w in gauss_legendre(40))


def yield_vector(pack, group, run, e, values, methods):
    a, b = values
    if abs(a - b) > abs(a) * mpf(10) ** -22:
        print("left out, the two methods agree to", nstr(abs(a / b - 1), 2), run, e, flush=True)
        return
    pack.add(group, run, "delta", e, values, methods)


def bins(pack):
    """One epoch of two batches: a record is in one of them."""
    for sigma in (2, 3, 5, 10, 20):
        s = mpf(sigma)
        run = {"kind": "balls-and-bins", "noiseMultiplier": sigma, "bins": 2}

        def by_batches(e, remove):
            """Over the first batch, the second in closed form."""
            sign = 1 if remove else -1
            level = exp(sign * e)
            lift = lambda x: exp((2 * x - 1) / (2 * s * s))

            def rest(x):
                inside = 2 * level - lift(x)
                second = lambda t, mean: normal_tail((t - mean) / s) if remove else normal_cdf((t - mean) / s)
                if inside <= 0:
                    if not remove:
                        return mpf(0)
                    return density(x, 0, s) * ((lift(x) + 1) / 2 - exp(e))
                t = s * s * log(inside) + mpf(1) / 2
                mixed = (density(x, 1, s) * second(t, 0) + density(x, 0, s) * second(t, 1)) / 2
                plain = density(x, 0, s) * second(t, 0)
                return mixed - exp(e) * plain if remove else plain - exp(e) * mixed

            kink = s * s * log(2 * level) + mpf(1) / 2
            cuts = sorted([s * mpf(k) for k in range(-14, 16)] + [1 + 16 * s, kink] + [kink - s * mpf(2) ** -k for k in range(1, 9)])
            return sum(gl_panel(rest, a, b) for a, b in zip(cuts, cuts[1:]))

        def rotated(e, remove):
            """Over the difference of the batches, their mean in closed form."""
            half = s / sqrt(mpf(2))

            def rest(v):
                # ratio = e^{u/s² - 1/(2 s²)} cosh(v/s²), u the mean and v half the difference
                spread = log(mp.cosh(v / s**2))
                bound = s * s * ((e if remove else -e) + 1 / (2 * s * s) - spread)
                # under the mixture, mean and difference are independent of each other but for the sign
                mixed_v = (density(v, mpf(1) / 2, half) + density(v, -mpf(1) / 2, half)) / 2
                plain_v = density(v, 0, half)
                side = (lambda m: normal_tail((bound - m) / half)) if remove else (lambda m: normal_cdf((bound - m) / half))
                mixed, plain = mixed_v * side(mpf(1) / 2), plain_v * side(mpf(0))
                return mixed - exp(e) * plain if remove else plain - exp(e) * mixed

            cuts = sorted([half * mpf(k) for k in range(-16, 17)] + [1 + 17 * half, -1 - 17 * half])
            return sum(gl_panel(rest, a, b) for a, b in zip(cuts, cuts[1:]))

        for e in (0.0, 0.3):
            values = tuple(max(f(mpf(e), True), f(mpf(e), False)) for f in (by_batches, rotated))
            if values[0] > mpf(10) ** -20:
                yield_vector(pack, "two-bins", run, e, values, ["quadrature over one batch, the other in closed form", "quadrature over the batches' difference, their mean in closed form"])
