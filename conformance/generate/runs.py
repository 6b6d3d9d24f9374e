"""Runs of many steps: DP-SGD in its regimes, phases, unlike steps, replaced records, persons with several records."""

from math import comb

from composed import *
from mpmath import mpf, nstr

METHODS = [BROMWICH, LATTICE]


def sampled(sigma, rate):
    q = mpfr(rate)
    return Mixtures([(0, 1 - q), (1, q)], [(0, 1)], sigma)


def dp_sgd(sigma, rate, steps):
    return {"kind": "dp-sgd", "noiseMultiplier": sigma, "samplingRate": rate, "steps": steps}


def repeated(count, inner):
    return {"kind": "repeat", "count": count, "inner": inner}


def composed(parts):
    return {"kind": "compose", "parts": parts}


def ask(pack, group, run, law, questions, adjacency="add-remove", methods=METHODS):
    """Adds what both methods answer alike; says what is left out."""
    for quantity, at in questions:
        try:
            values = getattr(law, quantity)(at)
        except NotFound as reason:
            print("left out:", run, quantity, at, reason, flush=True)
            continue
        a, b = values
        if abs(a - b) > abs(a) * mpf(10) ** (-DIGITS - 2):
            print("left out: the methods agree to", nstr(abs(a / b - 1), 2), run, quantity, at, flush=True)
            continue
        pack.add(group, run, quantity, at, values, methods, adjacency)


def epsilons(*deltas):
    return [("epsilon", delta) for delta in deltas]


def many_steps(pack):
    small = 256 / 60000
    cases = [
        # runs as they are published and trained
        (1.1, small, 14063, [*epsilons(1e-5, 1e-30), ("delta", 1.0)]),
        (0.7, small, 3516, epsilons(1e-5, 1e-12)),
        (1.3, small, 14063, [("beta", 0.05), *epsilons(1e-5)]),
        (4, 0.08, 2400, epsilons(1e-6)),
        (9.4, 0.32768, 2000, [*epsilons(1e-5, 1e-300), ("delta", 4.0), ("beta", 1e-3)]),
        (2, 0.05, 2000, [*epsilons(1e-5, 1e-20), ("delta", 0.25)]),
        (1, 0.01, 1000, [*epsilons(1e-5, 1e-10, 1e-30, 1e-100, 1e-300), ("delta", 1.0), ("beta", 0.05), ("beta", 1e-6)]),
        (1, 0.01, 10000, epsilons(1e-6)),
        (0.8, 0.002, 5000, epsilons(1e-5, 1e-15)),
        (0.6, 0.001, 10000, epsilons(1e-6)),
        # rare records, long runs
        (1, 1e-3, 100000, epsilons(1e-5)),
        (1, 1e-4, 1000000, epsilons(1e-6, 1e-60)),
        (5, 0.01, 1000000, epsilons(1e-8)),
        # loud noise, large batches
        (10, 0.5, 10000, epsilons(1e-5, 1e-300)),
        (20, 0.9, 1000, [*epsilons(1e-5), ("beta", 0.2)]),
        (50, 0.1, 100000, epsilons(1e-5, 1e-100)),
        (100, 0.5, 300, epsilons(1e-12)),
        (30, 0.02, 1000000, epsilons(1e-6)),
        # few steps
        (1, 0.5, 20, [*epsilons(1e-5, 1e-100), ("delta", 8.0)]),
        (2, 0.5, 5, [*epsilons(1e-5, 1e-40), ("beta", 0.01)]),
        (3, 0.9, 3, epsilons(1e-6)),
        (1.5, 0.3, 12, epsilons(1e-5)),
        (1, 0.1, 100, epsilons(1e-5, 1e-9)),
        (0.8, 0.05, 200, epsilons(1e-5)),
    ]
    for sigma, rate, steps, questions in cases:
        ask(pack, "many-steps", dp_sgd(sigma, rate, steps), Run([(sampled(sigma, rate), steps)]), questions)


def phases(pack):
    """Heterogeneous runs: two to four phases of DP-SGD."""
    for parts, questions in [
        ([(1, 0.01, 400), (2, 0.05, 500)], [*epsilons(1e-5, 1e-50), ("delta", 0.5)]),
        ([(1, 0.02, 100), (1.25, 0.02, 100), (1.5, 0.02, 100), (1.75, 0.02, 100)], [*epsilons(1e-5), ("beta", 0.1)]),
        ([(4, 0.1, 1000), (8, 0.4, 200), (1, 0.002, 3000)], epsilons(1e-6, 1e-20)),
        ([(10, 0.5, 500), (0.9, 0.001, 10000)], epsilons(1e-5, 1e-15)),
        ([(20, 0.1, 30000), (3, 0.1, 30)], epsilons(1e-5)),
        ([(5, 1.0, 3), (1.1, 0.004, 5000)], epsilons(1e-5)),
    ]:
        law = Run([(gaussian(sigma) if rate == 1 else sampled(sigma, rate), steps) for sigma, rate, steps in parts])
        ask(pack, "phases", composed([dp_sgd(*part) for part in parts]), law, questions)


def gaussian(sigma):
    return Mixtures([(1, 1)], [(0, 1)], sigma)


def person(sigma, rate, records):
    """A person with several records, each drawn by itself."""
    q = mpfr(rate)
    parts = [(i, comb(records, i) * q**i * (1 - q) ** (records - i)) for i in range(records + 1)]
    return Mixtures(parts, [(0, 1)], sigma)


def unlike(pack):
    """Steps of unlike kinds in one run."""
    sgd = dp_sgd(2, 0.05, 500)
    law = (sampled(2, 0.05), 500)
    laplace = {"kind": "laplace", "scale": 10, "sensitivity": 1}
    # the quotient of the doubles 1 and 10, not the double 0.1
    tenth = mpfr(1) / 10
    coin = {"kind": "pure-dp", "epsilon": 0.1}
    for parts, steps, questions in [
        ([sgd, repeated(20, laplace)], [law, (Laplace(tenth), 20)], [*epsilons(1e-5, 1e-30), ("delta", 1.0)]),
        ([sgd, repeated(20, coin)], [law, (Answers(0.1), 20)], [*epsilons(1e-5), ("beta", 0.05)]),
        ([sgd, laplace, {"kind": "gaussian", "noiseMultiplier": 4}], [law, (Laplace(tenth), 1), (gaussian(4), 1)], epsilons(1e-6)),
        ([repeated(20, {"kind": "gaussian", "noiseMultiplier": 13}), {"kind": "pure-dp", "epsilon": 0.5}, laplace], [(gaussian(13), 20), (Answers(0.5), 1), (Laplace(tenth), 1)], [*epsilons(1e-5, 1e-60), ("delta", 0.75)]),
        ([dp_sgd(8, 0.2, 1000), {"kind": "laplace", "scale": 2, "sensitivity": 1}], [(sampled(8, 0.2), 1000), (Laplace(0.5), 1)], epsilons(1e-5)),
        ([repeated(50, {"kind": "gaussian", "noiseMultiplier": 140}), repeated(200, {"kind": "laplace", "scale": 40, "sensitivity": 1})], [(gaussian(140), 50), (Laplace(mpfr(1) / 40), 200)], epsilons(1e-5)),
    ]:
        ask(pack, "unlike", composed(parts), Run(steps), questions)
    lost = {"kind": "approximate-dp", "epsilon": 0.1, "delta": 1e-7}
    certain = (1 - mpfr(1e-7)) ** 20
    ask(pack, "unlike", composed([sgd, repeated(20, lost)]), Run([law, (Answers(0.1), 20)], certain=certain), [*epsilons(1e-5), ("delta", 1.5)])


def replaced_steps(pack):
    """One record replaced, over many steps."""
    for sigma, rate, steps, questions in [
        (2, 0.05, 500, [*epsilons(1e-5, 1e-40), ("delta", 2.0)]),
        (1, 0.01, 1000, epsilons(1e-5)),
        (9.4, 0.32768, 2000, epsilons(1e-5)),
        (20, 0.1, 10000, [*epsilons(1e-5), ("beta", 0.01)]),
        (4, 0.5, 10, epsilons(1e-6)),
    ]:
        q = mpfr(rate)
        law = Run([(Mixtures([(0, 1 - q), (1, q)], [(0, 1 - q), (-1, q)], sigma), steps)], both=False)
        ask(pack, "replaced-steps", dp_sgd(sigma, rate, steps), law, questions, "replace-one")


def persons(pack):
    """Persons with k records, and mixtures of Gaussians, many times."""
    for sigma, rate, steps, records, questions in [
        (1, 0.01, 1000, 2, epsilons(1e-5)),
        (4, 0.02, 2000, 3, [*epsilons(1e-5, 1e-25), ("delta", 1.0)]),
        (10, 0.1, 500, 8, epsilons(1e-6)),
        (2, 0.005, 300, 4, epsilons(1e-5)),
    ]:
        run = {**dp_sgd(sigma, rate, steps), "recordsPerPerson": records}
        ask(pack, "persons", run, Run([(person(sigma, rate, records), steps)]), questions)
    for sigma, means, weights, count, questions in [
        (2, (0, 1, 2), (0.9375, 0.03125, 0.03125), 500, epsilons(1e-5)),
        (5, (0, 1, 3), (0.75, 0.125, 0.125), 40, [*epsilons(1e-6), ("beta", 0.1)]),
        (8, (0.5, 2), (0.5, 0.5), 20, epsilons(1e-5, 1e-80)),
    ]:
        inner = {"kind": "gaussian-mixture", "noiseMultiplier": sigma, "sensitivities": list(means), "probabilities": list(weights)}
        law = Run([(Mixtures(list(zip(means, weights)), [(0, 1)], sigma), count)])
        ask(pack, "persons", repeated(count, inner), law, questions)
