"""
Epochs of balls and bins. The moments of R, the mean of t lognormal variables, by Mellin's integral of E[R^m e^{-uR}], whose factors are sums over
one variable; the composition by Bromwich's integral. One epoch a second time by the inversion of E[e^{-uR}] in u; more by other moments (another m, so
another integrand), another line and another rule. Moments of whole orders are held against their closed form on the way.
"""

from math import factorial

from composed import *
from mpmath import mp, mpc as mp_complex
from runs import ask as ask_both

WIDE = gmpy2.const_pi(480)
MELLIN = "Bromwich integral of moments by Mellin's integral, trapezoidal rules"
INVERSION = "inversion of the Laplace transform of the mean of lognormal variables"
SECOND = "another line by Gauss-Legendre, moments by Mellin's integral of another order"


def reciprocal_gamma(w):
    with mp.workdps(150):
        z = mp_complex(mp.mpf(f"{w.real:.150e}"), mp.mpf(f"{w.imag:.150e}"))
        g = mp.rgamma(z)
        return mpc(mpfr(mp.nstr(g.real, 145)), mpfr(mp.nstr(g.imag, 145)))


class Mean:
    """R = (X_1 + … + X_t)/t, X = e^Y, Y ~ N(-mu²/2, mu²); moments up to the imaginary part `reach`, orders up to `most`."""

    def __init__(self, sigma, bins, reach, most):
        self.mu, self.bins = 1 / mpfr(sigma), bins
        mu, self.most = self.mu, most
        digits = mpfr(62)
        self.h = h = 2 * WIDE * mpfr("1.4") / (digits + (mpfr("1.4") + WIDE / 2) * reach + 20)
        deep = digits + WIDE / 2 * reach + 20
        spread = sqrt(2 * deep) * mu
        low = int(gmpy2.floor((-mu * mu / 2 - spread - 2 * mu * mu) / h))
        high = int(gmpy2.ceil((-mu * mu / 2 + most * mu * mu + spread) / h))
        y = [j * h for j in range(low, high + 1)]
        weights = [h * exp(-((x + mu * mu / 2) ** 2) / (2 * mu * mu)) / (mu * sqrt(2 * WIDE)) for x in y]
        lift = [exp(x) / bins for x in y]
        table = [weights]
        for _ in range(most):
            table.append([w * l for w, l in zip(table[-1], lift)])
        # E[R^m e^{-uR}] at u = e^v, from where u^3 is nothing to where the exponential is
        first = int(gmpy2.floor(-deep / 3 / h))
        self.v, self.g = [], []
        damp = {}

        def damped(i):
            if i not in damp:
                damp[i] = exp(-exp(i * h) / bins)
            return damp[i]

        i = first
        while True:
            column = [damped(i + j) for j in range(low, high + 1)]
            phi = [sum(map(gmpy2.mul, row, column)) for row in table]
            series = self.power(phi)
            self.v.append(i * h)
            self.g.append(series)
            if i > 0 and max(log(g) for g in series) + (most + 3) * i * h < -deep:
                break
            i += 1
        for order in range(1, most - 3):
            found = self.moment(mpc(order))
            closed = self.whole_moment(order)
            assert abs(found / closed - 1) < mpfr("1e-26"), (order, float(abs(found / closed - 1)))

    def power(self, phi):
        """E[R^m e^{-uR}], m = 0 … most, of the sums over one variable."""
        r = [p / (factorial(k) * phi[0]) for k, p in enumerate(phi)]
        b = [mpfr(1)]
        for n in range(1, len(phi)):
            b.append(sum(((self.bins + 1) * k - n) * r[k] * b[n - k] for k in range(1, n + 1)) / n)
        top = phi[0] ** self.bins
        return [factorial(n) * top * x for n, x in enumerate(b)]

    def whole_moment(self, order):
        """E[R^m] by the multinomial theorem."""
        phi = [exp(self.mu**2 * k * (k - 1) / 2) / mpfr(self.bins) ** k for k in range(order + 1)]
        r = [p / factorial(k) for k, p in enumerate(phi)]
        b = [mpfr(1)]
        for n in range(1, order + 1):
            b.append(sum(((self.bins + 1) * k - n) * r[k] * b[n - k] for k in range(1, n + 1)) / n)
        return factorial(order) * b[order]

    def order(self, s, extra):
        m = max(0, int(gmpy2.floor(s)) + 4 + extra)
        if m > self.most:
            raise NotFound("a moment of too high an order")
        return m

    def moment(self, s, extra=0):
        """E[R^s]."""
        m = self.order(s.real, extra)
        w = m - s
        return self.h * reciprocal_gamma(w) * sum(exp(v * w) * g[m] for v, g in zip(self.v, self.g))

    def moments(self, s, step, count):
        """At s, s + step i, s + 2 step i, …"""
        m = self.order(s, 0)
        w = m - s
        current = [mpc(exp(v * w) * g[m]) for v, g in zip(self.v, self.g)]
        turn = [exp(mpc(0, -1) * (step * v)) for v in self.v]
        found = []
        for j in range(count):
            found.append(self.h * reciprocal_gamma(mpc(w, -step * j)) * sum(current))
            current = [a * b for a, b in zip(current, turn)]
        return found

    def puts(self, levels):
        """E[(k - R)+] for each level k by the inversion of E[e^{-uR}]/u²."""
        mu, bins = self.mu, self.bins
        level = max(levels)
        deviation = sqrt(gmpy2.expm1(mu * mu) / bins)
        c = mpfr(2) / deviation + 2
        h = 2 * WIDE * c / (150 + c * level)
        step = mpfr("0.07")
        x = [step * j for j in range(int((-mu * mu / 2 - 20 * mu) / step), int(20 * mu / step) + 2)]
        grown = [exp(each) / bins for each in x]
        totals = [mpfr(0)] * len(levels)
        j = 0
        while True:
            u = mpc(c, j * h)
            # y = x - i arg u turns the oscillation of e^{-u e^y} into a fall
            turned = mpc(mu * mu / 2, -gmpy2.phase(u))
            size = abs(u)
            phi = sum(exp(-((each + turned) ** 2) / (2 * mu * mu) - size * g) for each, g in zip(x, grown))
            value = (phi * step / (mu * sqrt(2 * WIDE))) ** bins / u**2
            for i, k in enumerate(levels):
                totals[i] += (value * exp(u * k)).real * (mpfr("0.5") if j == 0 else 1)
            if abs(value) * exp(c * level) < mpfr("1e-42"):
                return [h / WIDE * total for total in totals]
            j += 1
            if j > 4000:
                raise NotFound("the transform does not fall")


class Epochs(Direction):
    def __init__(self, mean, epochs, remove):
        super().__init__([])
        self.mean, self.epochs, self.remove = mean, epochs, remove
        self.found = {}
        self.reachable = mean.most - 6 if remove else 60
        self.widest = self.reachable * 0.75

    def exponent(self, z):
        return z + 1 if self.remove else -z

    def log_moment(self, c):
        key = f"{c:.60e}"
        if key not in self.found:
            self.found[key] = self.epochs * log(self.mean.moment(mpc(self.exponent(c))).real)
        return self.found[key]

    def fall(self, c, t):
        value = self.mean.moment(self.exponent(mpc(c, t)))
        return self.epochs * log(abs(value)) - self.log_moment(c)

    def moments(self, c, h, count):
        step = h if self.remove else -h
        return [value**self.epochs for value in self.mean.moments(self.exponent(c), step, count)]

    def panels(self, c, e, kernel):
        """The integral along Re z = c by Gauss-Legendre, moments of one order more."""
        end = self.frequency(c, self.at_saddle(c)[2])
        count = int(end * (abs(c) / 8 + 1 / c + 3) / 12) + 2
        half = end / (2 * count)
        total = mpfr(0)
        for i in range(count):
            for x, w in gauss_legendre(40):
                z = mpc(c, (2 * i + 1 + x) * half)
                total += w * (self.mean.moment(self.exponent(z), 1) ** self.epochs * kernel(z)).real
        return total * half / WIDE


class Epoch:
    """A run of epochs in both directions."""

    def __init__(self, sigma, bins, epochs, reach, most):
        self.mean = Mean(sigma, bins, reach, most)
        self.epochs = epochs
        self.directions = [Epochs(self.mean, epochs, remove) for remove in (True, False)]

    def second(self, each, c, e):
        if self.epochs > 1:
            return each.panels(c * mpfr("0.85"), e, lambda z: exp(-z * e) / (z * (z + 1)))
        if each.remove:
            return 1 - exp(e) + self.mean.puts([exp(e)])[0]
        return exp(e) * self.mean.puts([exp(-e)])[0]

    def delta(self, e):
        e = mpfr(e)
        first, second = [], []
        for each in self.directions:
            c = each.saddle(e=e)
            first.append(each.delta(c, e))
            if first[-1] >= max(first) * mpfr("0.9"):
                second.append(self.second(each, c, e))
        return exact(max(first)), exact(max(second))

    def epsilon(self, delta):
        target = mpfr(delta)
        found = []
        for each in self.directions:
            c = each.saddle(log_delta=log(target))
            e = each.at_saddle(c)[0]
            for _ in range(40):
                value = each.delta(c, e)
                step = log(value / target) * value / each.slope(c, e)
                e -= step
                if abs(step) < mpfr("1e-40"):
                    break
            found.append((e, each, c))
        e, each, c = max(found, key=lambda item: item[0])
        return exact(e), exact(e - (self.second(each, c, e) - target) / each.slope(c, e))


# noise multiplier, bins, epochs, imaginary part and order that moments are needed to, questions
CASES = [
    (1, 30, 1, 70, 30, [("epsilon", 1e-5), ("delta", 0.5)]),
    (1.2, 40, 1, 98, 30, [("delta", 0.3)]),
    (1, 100, 10, 48, 24, [("epsilon", 1e-5)]),
    (2, 200, 50, 58, 34, [("epsilon", 1e-6), ("delta", 0.5)]),
    (4, 20, 100, 40, 22, [("epsilon", 1e-5)]),
    (9.4, 3, 667, 40, 14, [("epsilon", 1e-5), ("delta", 3.0)]),
    (1.5, 60, 20, 40, 26, [("epsilon", 1e-6)]),
]


def epochs(pack):
    gmpy2.get_context().precision = 480
    for sigma, bins, count, reach, most, questions in CASES:
        epoch = {"kind": "balls-and-bins", "noiseMultiplier": sigma, "bins": bins}
        run = epoch if count == 1 else {"kind": "repeat", "count": count, "inner": epoch}
        try:
            law = Epoch(sigma, bins, count, reach, most)
        except NotFound as reason:
            print("left out:", run, reason, flush=True)
            continue
        ask_both(pack, "balls-and-bins", run, law, questions, methods=[MELLIN, INVERSION if count == 1 else SECOND])
    gmpy2.get_context().precision = PRECISION
