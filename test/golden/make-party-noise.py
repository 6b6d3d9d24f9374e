"""
epsilon(delta) of the sum of the discrete Gaussians of some parties, by mpmath, for party-noise.json: masses are added up with 40 digits.

    python3 test/golden/make-party-noise.py > test/golden/party-noise.json
"""

import json

from mpmath import exp, mp, mpf, nstr

mp.dps = 40
# in units of the spread: what is left out has a mass below 1e-27
REACH = 11


def added(a, b, reach):
    reach_a, reach_b = len(a) // 2, len(b) // 2
    reach = min(reach, reach_a + reach_b)
    found = []
    for k in range(reach + 1):
        first, last = max(-reach_a, k - reach_b), min(reach_a, k + reach_b)
        found.append(sum(a[j + reach_a] * b[k - j + reach_b] for j in range(first, last + 1)))
    return found[:0:-1] + found


def masses(sigma, parties):
    reach = int(REACH * sigma * mpf(parties) ** mpf("0.5")) + 8
    weights = [exp(-mpf(k * k) / (2 * mpf(sigma) ** 2)) for k in range(-min(reach, int(13 * sigma) + 2), min(reach, int(13 * sigma) + 2) + 1)]
    total = sum(weights)
    power = [w / total for w in weights]
    whole = None
    while True:
        if parties % 2 == 1:
            whole = power if whole is None else added(whole, power, reach)
        parties //= 2
        if parties == 0:
            return whole
        power = added(power, power, reach)


def epsilon(sigma, parties, sensitivity, delta):
    p = masses(sigma, parties)
    other = [mpf(0)] * sensitivity + p
    own = p + [mpf(0)] * sensitivity
    low, high = mpf(0), mpf(100)
    for _ in range(90):
        middle = (low + high) / 2
        factor = exp(middle)
        if sum(max(mpf(0), a - factor * b) for a, b in zip(own, other)) > delta:
            low = middle
        else:
            high = middle
    return nstr(high, 17)


CASES = [(1, 30, 1), (0.5, 100, 1), (0.5, 400, 3), (2, 10, 2), (2, 600, 5), (1.25, 2, 1), (0.5, 2, 2)]

print(
    json.dumps(
        [
            {"sigma": sigma, "parties": parties, "sensitivity": shift, "epsilon": epsilon(sigma, parties, shift, mpf("1e-6"))}
            for sigma, parties, shift in CASES
        ],
        indent=1,
    )
)
