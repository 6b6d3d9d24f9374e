"""Writes two-steps.json: log of delta, false and true positive rates at loss t of two Poisson-subsampled Gaussian steps, alike or not, from P = N(0, s^2) to
Q = (1-q)P + qN(1, s^2) ("remove") and from Q to P ("add"). Not part of the tests; about 3 min.

The pair of outputs is integrated over the first, by Gauss-Legendre panels that are short where the second no longer decides, and the second by the normal distribution; here the second output's threshold comes from
the likelihood ratio itself, not from the loss's logarithm, and delta is TPR - e^t FPR of 45 digits.

relativeError: what half as many panels more changed, at least 1e-20.
"""

import json
from pathlib import Path

from gauss import gauss
from mpmath import erfc, exp, inf, log, mp, mpf, sqrt

mp.dps = 45


RULE = gauss(30)


def quad(f, edges):
    total = mpf(0)
    for a, b in zip(edges, edges[1:]):
        half = (b - a) / 2
        total += half * sum(w * f(a + half * (1 + x)) for x, w in RULE)
    return total

CASES = [
    (1, 0.01, 1, 0.01, [0.001, 0.3, 4]),
    (5.74, 0.000136, 5.74, 0.000136, [1e-5, 0.0002, 0.004]),
    (0.453, 0.0296, 0.453, 0.0296, [0.01, 6.3]),
    (0.7, 0.002, 2.5, 0.3, [0.05, 0.4, 2]),
    (3, 1, 0.8, 0.001, [0.2, 1.5]),
    (0.8, 0.001, 3, 1, [0.2]),
]


def upper(x):
    return erfc(x / sqrt(mpf(2))) / 2


def density(x):
    return exp(-x * x / 2) / sqrt(2 * mp.pi)


def values(s1, q1, s2, q2, t, sign, pieces):
    m1, m2 = 1 / mpf(s1), 1 / mpf(s2)
    q1, q2, t = mpf(float(q1)), mpf(float(q2)), mpf(float(t))

    def ratio(x):
        return 1 - q1 + q1 * exp(m1 * x - m1 * m1 / 2)

    def second(x):
        """(mass of P, mass of Q) where sign * (loss of both) > t, given the first output."""
        least = exp(sign * t) / ratio(x) - (1 - q2)
        if least <= 0:
            base, mixed = mpf(1), mpf(1)
        else:
            at = log(least / q2) / m2 + m2 / 2
            base, mixed = upper(at), (1 - q2) * upper(at) + q2 * upper(at - m2)
        if sign > 0:
            return base, mixed
        if least <= 0:
            return mpf(0), mpf(0)
        return upper(-at), (1 - q2) * upper(-at) + q2 * upper(m2 - at)

    top = exp(sign * t) / (1 - q2) if q2 < 1 else inf
    edges = [mpf(-25) + mpf(50) * k / pieces for k in range(pieces + 1)]
    if top < inf and top > 1 - q1:
        kink = log((top - (1 - q1)) / q1) / m1 + m1 / 2
        edges = sorted(e for e in set(edges + [kink + d for d in (0, *[s * mpf(2) ** -k for k in range(1, 20) for s in (1, -1)])]) if abs(e) <= 25)
    p = quad(lambda x: density(x) * second(x)[0], edges)
    q = quad(lambda x: density(x) * ratio(x) * second(x)[1], edges)
    fpr, tpr = (p, q) if sign > 0 else (q, p)
    return tpr - exp(t) * fpr, fpr, tpr


def main():
    rows = []
    for s1, q1, s2, q2, ts in CASES:
        for direction, sign in (("remove", 1), ("add", -1)):
            for t in ts:
                most = -(log(1 - mpf(q1)) + log(1 - mpf(q2))) if max(q1, q2) < 1 else inf
                if sign < 0 and t >= most:
                    continue
                rough, fine = (values(s1, q1, s2, q2, t, sign, n) for n in (100, 150))
                errors = [max(float(abs(a - b) / b), 1e-20) for a, b in zip(rough, fine)]
                assert max(errors) < 1e-15, (s1, q1, s2, q2, t, direction, errors)
                rows.append(
                    {
                        "phases": [[s1, q1], [s2, q2]],
                        "direction": direction,
                        "t": t,
                        "logs": [mp.nstr(log(v), 25) for v in fine],
                        "relativeErrors": errors,
                    }
                )
                print(rows[-1], flush=True)
    path = Path(__file__).with_name("two-steps.json")
    path.write_text(json.dumps(rows, indent=1) + "\n")


main()
