"""Exact values for test/methods/contour/cut-law.test.ts, by mpmath at 40 digits: python3 test/golden/make-cut-gaussian.py > test/golden/cut-gaussian.json

W(x) = Phi((to - x)/width) up to the end and 0 beyond, to = cut sqrt(1 + width^2), end = to + max(4, 17 width); W = 1 without a cut.
M(z) = integral of phi(x) W(x) u(x)^z, u = 1 - q + q e^{mu x - mu^2/2}; and the masses that W takes from P and Q, by quadrature too.
"""

import json

from mpmath import erfc, exp, log, mp, mpc, mpf, pi, quad, sqrt

mp.dps = 40


def text(value):
    return mp.nstr(value, 25)


class Step:
    def __init__(self, sigma, q, cut, width):
        self.mu, self.q = mpf(1 / float(sigma)), mpf(float(q))
        self.cut = cut
        if cut is not None:
            # the doubles that the library has
            w = float(width)
            to = float(cut) * (1 + w * w) ** 0.5
            self.to, self.width, self.end = mpf(to), mpf(w), mpf(to + max(4.0, 17 * w))

    def ratio(self, x):
        return 1 - self.q + self.q * exp(self.mu * x - self.mu * self.mu / 2)

    def density(self, x):
        return exp(-x * x / 2) / sqrt(2 * pi)

    def passed(self, x):
        return mpf(1) if self.cut is None else erfc((x - self.to) / self.width / sqrt(2)) / 2

    def transform(self, z):
        low = min(mpf(0), z.real * self.mu) - 14
        high = max(self.mu, z.real * self.mu) + 14
        if self.cut is not None:
            high = self.end
        edges = [low + (high - low) * k / 48 for k in range(49)]
        return quad(lambda x: self.density(x) * self.passed(x) * exp(z * log(self.ratio(x))), edges)

    def lost(self, power):
        def taken(x):
            share = erfc((self.to - x) / self.width / sqrt(2)) / 2 if x <= self.end else mpf(1)
            return self.density(x) * share * self.ratio(x) ** power

        high = max(self.end, self.mu) + 14
        edges = [mpf(-14) + (self.end + 14) * k / 48 for k in range(49)]
        edges += [self.end + (high - self.end) * k / 8 for k in range(1, 9)]
        return quad(taken, edges)


def cases():
    for sigma, q, cut, width, c in [
        ("1", "0.01", 8, "0.5", "2.5"),
        ("1.18", "0.000435", 7.5, "0.25", "60"),
        ("0.571", "0.000311", 8.5, "0.5", "5.85"),
        ("3.95", "0.000132", 8.25, "0.125", "250"),
        ("9.4", "0.32768", 9, "0.5", "4.1"),
        ("0.45", "0.1", 10, "0.5", "-3.5"),
        ("2", "0.05", 9, "0.5", "-40"),
        ("1.73", "0.000149", 12, "0.5", "0.5"),
        ("1", "0.02", 4, "0.5", "1.5"),
        ("1", "0.02", None, None, "1e-6"),
        ("1", "1e-7", None, None, "-1e-6"),
        ("20", "0.9", None, None, "0.5"),
        ("0.8", "0.001", None, None, "-0.25"),
        ("0.3", "0.05", None, None, "3.75"),
    ]:
        step = Step(sigma, q, cut, width)
        tilt = mpf(float(c))
        m = step.transform(mpc(tilt, 0)).real
        line = []
        for turn in ["0.3", "3", "30"]:
            # in units of the loss eight deviations out
            top = log(step.ratio(mpf(8)))
            tau = mpf(float(mpf(turn) / top))
            value = step.transform(mpc(tilt, tau)) / m
            line.append([float(tau), text(value.real), text(value.imag)])
        yield {
            "sigma": float(sigma),
            "q": float(q),
            "cut": cut,
            "width": None if width is None else float(width),
            "c": float(c),
            "logM": text(log(m)),
            "line": line,
            **({} if cut is None else {"lost": [text(log(step.lost(0))), text(log(step.lost(1)))]}),
        }


print(json.dumps(list(cases()), indent=1))
