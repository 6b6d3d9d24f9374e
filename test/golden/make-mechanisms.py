"""Exact log δ(ε) of composed lattice mechanisms, by sums over their laws in 60 digits.

Usage: python3 test/golden/make-mechanisms.py     (seconds)

Writes test/golden/mechanisms.json: {"mechanism", "adjacency", "epsilon", "logDelta"}. Every law is built from the
output probabilities of the two neighbours (not from losses), composed by convolution over exact integer lattice
indices, and summed as δ(ε) = E_Q[(1 − e^{ε−L})⁺]. ε is the decimal's nearest double; so are the parameters.
"""
import json
from pathlib import Path

from mpmath import mp, mpf

mp.dps = 60
HERE = Path(__file__).resolve().parent


def convolve(a, b):
    out = {}
    for i, x in a.items():
        for j, y in b.items():
            out[i + j] = out.get(i + j, mpf(0)) + x * y
    return out


def power(law, count):
    out = {0: mpf(1)}
    for _ in range(count):
        out = convolve(out, law)
    return out


def randomized_response(epsilon, categories):
    """Answers 0 … k − 1 under truths 0 and 1."""
    e = mpf(epsilon)
    norm = mp.exp(e) + categories - 1
    law = {-1: 1 / norm, 1: mp.exp(e) / norm}
    if categories > 2:
        law[0] = (categories - 2) / norm
    return e, law


def discrete(weight, reach, shift, unit, index):
    """Q-law of the loss of integer noise of the weight given, between the means 0 and `shift`."""
    total = sum(weight(k) for k in range(-reach, reach + 1))
    law = {}
    for k in range(-reach, reach + 1):
        i = index(k + shift)
        law[i] = law.get(i, mpf(0)) + weight(k) / total
    return unit, law


def geometric(scale, shift):
    s = mpf(scale)
    reach = int(150 * s) + shift
    clip = lambda k: 2 * max(0, min(shift, k)) - shift
    return discrete(lambda k: mp.exp(-abs(k) / s), reach, shift, 1 / s, clip)


def discrete_gaussian(sigma, shift):
    s = mpf(sigma)
    reach = int(17 * s) + shift
    return discrete(lambda k: mp.exp(-k * k / (2 * s * s)), reach, shift, shift / (2 * s * s), lambda k: 2 * k - shift)


def log_delta(unit, law, infinity, epsilon):
    e = mpf(epsilon)
    total = infinity + mp.fsum(q * (1 - mp.exp(e - i * unit)) for i, q in law.items() if i * unit > e)
    return mp.nstr(mp.log(total), 20)


def main():
    out = []

    def add(mechanism, adjacency, count, pair, epsilons, delta=0.0):
        unit, law = pair
        law = power(law, count)
        hidden = (1 - mpf(delta)) ** count
        law = {i: q * hidden for i, q in law.items()}
        for epsilon in epsilons:
            out.append({
                'mechanism': {'kind': 'repeat', 'count': count, 'inner': mechanism},
                'adjacency': adjacency,
                'epsilon': epsilon,
                'logDelta': log_delta(unit, law, 1 - hidden, epsilon),
            })

    for epsilon, k, count in [(0.2, 2, 50), (1.0, 5, 20), (0.01, 2, 1000), (3.0, 1000, 8)]:
        mechanism = {'kind': 'randomized-response', 'epsilon': epsilon, 'categories': k}
        spread = epsilon * count ** 0.5
        for adjacency in ['add-remove', 'replace-one']:
            add(mechanism, adjacency, count, randomized_response(epsilon, k), [0, spread / 2, 2 * spread, 0.7 * epsilon * count])
    add({'kind': 'pure-dp', 'epsilon': 0.5}, 'replace-one', 12, randomized_response(0.5, 2), [0, 1, 2.25, 5.75])
    for epsilon, delta, count in [(0.3, 1e-6, 30), (1.0, 1e-12, 5), (0.1, 0.01, 40)]:
        mechanism = {'kind': 'approximate-dp', 'epsilon': epsilon, 'delta': delta}
        add(mechanism, 'add-remove', count, randomized_response(epsilon, 2), [0, epsilon * count / 4, epsilon * count / 2, 2 * epsilon * count], delta)
    for scale, shift, count in [(2.0, 1, 10), (3.0, 3, 10), (0.4, 1, 4), (5.0, 2, 30)]:
        mechanism = {'kind': 'discrete-laplace', 'scale': scale, 'sensitivity': shift}
        top = count * shift / scale
        add(mechanism, 'add-remove', count, geometric(scale, shift), [0, top / 7, top / 3, 0.8 * top])
        add(mechanism, 'replace-one', count, geometric(scale, 2 * shift), [0, top / 5, top])
    for sigma, shift, count in [(1.0, 1, 1), (1.0, 1, 6), (0.3, 1, 3), (4.0, 3, 5), (10.0, 1, 20)]:
        mechanism = {'kind': 'discrete-gaussian', 'sigma': sigma, 'sensitivity': shift}
        mu = shift * count ** 0.5 / sigma
        add(mechanism, 'add-remove', count, discrete_gaussian(sigma, shift), [0, mu / 3, mu * (mu / 2 + 3), mu * (mu / 2 + 9)])
        if count < 10:
            add(mechanism, 'replace-one', count, discrete_gaussian(sigma, 2 * shift), [0, mu, mu * (2 * mu + 8)])

    lines = ',\n'.join('  ' + json.dumps(one) for one in out)
    (HERE / 'mechanisms.json').write_text('[\n' + lines + '\n]\n')
    print(len(out))


main()
