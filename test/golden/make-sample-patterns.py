#!/usr/bin/env python3
"""Golden values for Poisson-sampled Gaussians of little noise; writes sample-patterns.json.

`exact`: two steps, or one and a plain Gaussian, integrated: the last output in closed form, the other by mpmath's quadrature of the
definition of delta. `sums`: epsilon at delta 1e-5 where outputs tell their patterns, by sums over the numbers of batches, in 40 digits.
"""
import json
import pathlib

import mpmath as mp

mp.mp.dps = 25


def phi(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def upper(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def gaussian(mu, epsilon):
    if mu == 0:
        return max(mp.mpf(0), 1 - mp.exp(epsilon))
    return upper(epsilon / mu - mu / 2) - mp.exp(epsilon) * upper(epsilon / mu + mu / 2)


def last(value, gamma, mu, q):
    """E (value u - gamma)+ over the output of one more step."""
    rest = gamma / value - (1 - q)
    if rest <= 0:
        return value - gamma
    x = mp.log(rest / q) / mu + mu / 2
    return value * ((1 - q) * upper(x) + q * upper(x - mu)) - gamma * upper(x)


def removing(steps, plain, epsilon):
    gamma = mp.exp(epsilon)

    def inner(i, value):
        mu, q = steps[i]
        if i == len(steps) - 1 and plain == 0:
            return last(value, gamma, mu, q)

        def at(x):
            here = value * (1 - q + q * mp.exp(mu * x - mu * mu / 2))
            if i == len(steps) - 1:
                return phi(x) * here * gaussian(plain, mp.log(gamma / here))
            return phi(x) * inner(i + 1, here)

        return mp.quad(at, [-9, -4, 0, 2, 4, mu / 2, mu / 2 + 2, mu, mu + 3, mu + 9] if mu > 5 else mp.linspace(-9, mu + 9, 9))

    return inner(0, mp.mpf(1))


EXACT = {
    "noise .3": (["1/0.3", "1/0.3"], [".2", ".2"], "0", [".5", "2", "6", "9", "13"]),
    "noise .5, unlike": (["1/0.5", "1/0.35"], [".3", ".05"], "0", ["-.2", "1", "3", "6"]),
    "noise .25, plain 1.5": (["1/0.25"], [".1"], "1.5", ["-1", ".2", "3", "8"]),
}
SUMS = [(".05", ".02", 500), (".01", ".02", 500), (".00361", ".01", 1000), (".065", ".1", 30)]


def number(text):
    over, _, under = text.partition("/")
    return mp.mpf(over) / mp.mpf(under) if under else mp.mpf(over)


def exact():
    for name, (mus, rates, plain, epsilons) in EXACT.items():
        steps = [(number(mu), mp.mpf(q)) for mu, q in zip(mus, rates)]
        for text in epsilons:
            epsilon = mp.mpf(text)
            remove = removing(steps, mp.mpf(plain), epsilon)
            add = 1 - mp.exp(epsilon) + mp.exp(epsilon) * removing(steps, mp.mpf(plain), -epsilon)
            yield {
                "name": f"{name}, epsilon {text}",
                "sigmas": [float(1 / mu) for mu, _ in steps],
                "rates": [float(q) for _, q in steps],
                "plain": float(plain),
                "epsilon": float(epsilon),
                "remove": float(remove),
                "add": max(0.0, float(add)),
            }


def sums():
    mp.mp.dps = 40
    for sigma, rate, count in SUMS:
        s, q = mp.mpf(sigma), mp.mpf(rate)

        def delta(epsilon):
            total = mp.mpf(0)
            for k in range(min(count, 90) + 1):
                weight = k * mp.log(q) + (count - k) * mp.log(1 - q)
                total += mp.binomial(count, k) * mp.exp(weight) * gaussian(mp.sqrt(k) / s, epsilon - weight)
            return total

        low, high = mp.mpf(0), mp.mpf(count) / s**2
        for _ in range(120):
            middle = (low + high) / 2
            low, high = (middle, high) if delta(middle) > mp.mpf("1e-5") else (low, middle)
        yield {"sigma": float(s), "rate": float(q), "steps": count, "epsilon": mp.nstr(high, 20)}


path = pathlib.Path(__file__).with_name("sample-patterns.json")
path.write_text(json.dumps({"exact": list(exact()), "sums": list(sums())}, indent=1) + "\n")
