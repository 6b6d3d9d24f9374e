"""
delta(epsilon) of the shuffle model by mpmath, for shuffle-model.json: of the pair of the clones (docs/proofs/shuffle-model.md 1), and of three
answers where all others give the third one (2). Sums over how many answers are 0 and how many 1, with 40 digits; terms below 1e-30 are left out.

    python3 test/golden/make-shuffle-model.py > test/golden/shuffle-model.json
"""

import json

from mpmath import binomial, e, mp, mpf, nstr

mp.dps = 40


def excess(count, rest, local, exponential):
    """Sum over the zeros of C(count, zeros)/2^count times the positive part of p - exponential q."""
    # Hoeffding: more zeros than this have a mass below 1e-30
    most = min(count, int(count / 2 + 6 * count**0.5 + 1))
    total, term = mpf(0), binomial(count, most)
    for zeros in range(most, -1, -1):
        ones = count - zeros
        both = (local * zeros + ones + rest) - exponential * (zeros + local * ones + rest)
        if both <= 0:
            break
        total += term * both
        term = term * zeros / (ones + 1)
    return total / mpf(2) ** count


def binomial_masses(n, chance):
    for k in range(n + 1):
        mass = binomial(n, k) * chance**k * (1 - chance) ** (n - k)
        if mass > mpf(10) ** -30:
            yield k, mass


def clones(local, users, exponential):
    masses = binomial_masses(users - 1, 2 / (local + 1))
    return sum(
        mass * 2 / ((k + 1) * (local + 1)) * excess(k + 1, 0, local, exponential) for k, mass in masses
    )


def third(local, users, exponential):
    masses = binomial_masses(users, 2 / (local + 2))
    return sum(
        mass / users * excess(k, (users - k) / local, local, exponential) for k, mass in masses
    )


CASES = [
    (1, 2, 0.25),
    (1, 100, 0.1),
    (1, 100, 0.5),
    (2, 300, 0.7),
    (4, 300, 2),
    (0.1, 50, 0.02),
    (4, 1000, 1.5),
    (8, 2000, 7),
    (1, 20000, 0.02),
]

rows = []
for epsilon0, users, epsilon in CASES:
    local, exponential = e ** mpf(epsilon0), e ** mpf(epsilon)
    row = {"epsilon0": epsilon0, "users": users, "epsilon": epsilon}
    row["clones"] = nstr(clones(local, users, exponential), 17)
    row["third"] = nstr(third(local, users, exponential), 17)
    rows.append(row)
print(json.dumps(rows, indent=1))
