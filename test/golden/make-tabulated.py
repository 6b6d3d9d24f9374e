"""Atoms of the pair of tables of (epsilon, delta), at 60 digits: python3 make-tabulated.py > tabulated.json

The lower convex hull, in x = e^epsilon, of the points, of their mirror images (e^-epsilon, 1 - e^-epsilon + e^-epsilon delta) and of (0, 1), by comparing all
chords. An atom is where the slope changes; its mass under Q is x times that. Some points lie near the chord of others.
"""

import json
import random

from mpmath import exp, log, mp, mpf

mp.dps = 60


def atoms(points):
    at = [(mpf(0), mpf(1))]
    for epsilon, delta in points:
        x, d = exp(mpf(epsilon)), mpf(delta)
        at += [(x, d), (1 / x, 1 - (1 - d) / x)]
    at.sort()
    hull = []
    for x, d in at:
        if hull and d >= hull[-1][1]:
            continue
        while len(hull) > 1:
            (a, da), (b, db) = hull[-2:]
            if (db - da) * (x - a) < (d - da) * (b - a):
                break
            hull.pop()
        hull.append((x, d))
    slopes = [(d2 - d1) / (x2 - x1) for (x1, d1), (x2, d2) in zip(hull, hull[1:])] + [mpf(0)]
    return [(float(log(x)), float(x * (s - r))) for (x, _), r, s in zip(hull[1:], slopes, slopes[1:])]


def table(random, near):
    epsilon = [random.uniform(0.05, 3)]
    epsilon += [epsilon[0] + random.uniform(0.05, 3)]
    epsilon += [epsilon[1] + random.uniform(0.05, 20 if random.random() < 0.2 else 3)]
    delta = [10 ** random.uniform(-9, -1)]
    delta += [0, delta[0] * random.uniform(0, 0.5)]
    x = [exp(mpf(one)) for one in epsilon]
    chord = delta[0] + (delta[2] - delta[0]) * (x[1] - x[0]) / (x[2] - x[0])
    delta[1] = float(chord + (delta[2] - chord) * near if near > 0 else chord)
    return list(zip(epsilon, delta))


random = random.Random(7)
cases = []
for i in range(80):
    points = table(random, [0, 0, 0, 0, 1e-9, 3e-4, 1e-3, 1e-2, 0.1, 0.5][i % 10])
    cases.append({"points": points, "atoms": atoms(points)})
for i in range(60):
    # the first of two lies near the chord of the other to its mirror image
    far, d, share = random.uniform(0.5, 4), 10 ** random.uniform(-9, -2), random.uniform(0.1, 0.9)
    x, x0 = exp(mpf(far)), exp(mpf(far * share))
    on = mpf(d) + (1 - mpf(d)) * (x - x0) / (x + 1)
    points = [(far * share, float(on * (1 - [0, 0, 1e-9, 0, 3e-4][i % 5]))), (far, d)]
    cases.append({"points": points, "atoms": atoms(points)})
print(json.dumps(cases))
