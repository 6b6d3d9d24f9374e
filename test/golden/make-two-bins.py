#!/usr/bin/env python3
"""Golden values for one balls-and-bins epoch of two bins; writes two-bins.json.

log delta by the definition, the outputs of the two batches one after the other: that of the second in closed form, that of the first by
mpmath's quadrature between the places where the integrand bends. The library integrates over their difference instead.
"""
import json
import pathlib

import mpmath as mp

mp.mp.dps = 30


def upper(x):
    return mp.erfc(x / mp.sqrt(2)) / 2


def removing(mu, epsilon):
    gamma = mp.exp(epsilon)

    def at(x):
        first = mp.exp(mu * x - mu * mu / 2) / 2
        density = mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)
        if first >= gamma:
            return density * (first + mp.mpf(1) / 2 - gamma)
        edge = mp.log(2 * (gamma - first)) / mu + mu / 2
        return density * (upper(edge - mu) / 2 - (gamma - first) * upper(edge))

    bend = (mp.log(2 * gamma)) / mu + mu / 2
    places = sorted({-30, -12, -6, -3, 0, 3, mu, mu + 3, mu + 12, mu + 30, bend, bend - 1, bend + 1})
    return mp.quad(at, places)


rows = []
for sigma in ["0.3", "1", "2.5", "8"]:
    mu = 1 / mp.mpf(sigma)
    for text in ["0.01", "0.3", "1", "2.5"]:
        epsilon = mp.mpf(text)
        remove = removing(mu, epsilon)
        add = 1 - mp.exp(epsilon) + mp.exp(epsilon) * removing(mu, -epsilon)
        logs = [mp.nstr(mp.log(value), 18) if value > mp.mpf("1e-14") else None for value in (remove, add)]
        rows.append({"sigma": float(sigma), "epsilon": float(text), "remove": logs[0], "add": logs[1]})
path = pathlib.Path(__file__).with_name("two-bins.json")
path.write_text(json.dumps(rows, indent=1) + "\n")
