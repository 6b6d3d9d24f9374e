"""
Runs of many steps by two methods that share no formula. Needs gmpy2.

The first is the Bromwich integral of the moments of the loss on a vertical line, moments by the trapezoidal rule. The second never leaves the real
numbers: the law of one step, tilted, is laid on a lattice by Lagrange's weights (as exact as moments of 48 points), convolved with itself in whole
numbers modulo 2^k - 1, and summed beyond epsilon with the weights that integrate the interpolant. No vector is kept unless both agree to 22 digits.
"""

from fractions import Fraction
from functools import lru_cache

import gmpy2
from gmpy2 import mpc, mpfr
from mpmath import mpf, nstr

import common
from common import DIGITS

PRECISION = 256
gmpy2.get_context().precision = PRECISION
BROMWICH = "Bromwich integral of the moments of the loss, both by the trapezoidal rule"
LATTICE = "convolution in whole numbers of losses laid on a lattice by Lagrange's weights"

exp, log, sqrt = gmpy2.exp, gmpy2.log, gmpy2.sqrt
PI = gmpy2.const_pi(PRECISION)
# what is left out is e^-DEPTH of the rest
DEPTH = 78
# the farthest frequency that is summed
FARTHEST = 900
# an even number of lattice points on which a loss is laid
TAPS = 48


class NotFound(Exception):
    """One of the methods would need too many terms."""


def gauss_legendre(n):
    return common.gauss_legendre(n, mpfr, gmpy2.cos, PI)


class Mixtures:
    """A step whose pair is two mixtures of normals of one deviation: (mean, weight) of the parts of each."""

    atom = mpfr(0)

    def __init__(self, upper, lower, sigma):
        self.upper = [(mpfr(m), mpfr(w)) for m, w in upper]
        self.lower = [(mpfr(m), mpfr(w)) for m, w in lower]
        self.sigma = mpfr(sigma)
        means = [m for m, _ in self.upper + self.lower]
        self.span = max(means) - min(means)
        parts = max(len(upper), len(lower))
        # no ratio vanishes within this distance of the real line
        self.strip = PI * self.sigma**2 / self.span / (1 if parts == 2 and len(means) == 3 else 2)
        self.ranges = {}

    def swapped(self):
        return Mixtures(self.lower, self.upper, self.sigma)

    def ratio(self, parts, x):
        return sum(w * exp((m * x - m * m / 2) / self.sigma**2) for m, w in parts)

    def loss(self, x):
        return log(self.ratio(self.upper, x)) - log(self.ratio(self.lower, x))

    def weight(self, x, c):
        """Density of the first measure times e^{c loss}, and the loss."""
        a, b = log(self.ratio(self.upper, x)), log(self.ratio(self.lower, x))
        return exp(a + c * (a - b) - x * x / (2 * self.sigma**2)) / (self.sigma * sqrt(2 * PI)), a - b

    def range(self, c):
        """Beyond it the tilted density is e^-DEPTH of its top."""
        key = float(c)
        if key not in self.ranges:
            s = float(self.sigma)
            reach = 14 * s + float(self.span) * (abs(key) + 2)
            f = lambda x: float(log(self.weight(mpfr(x), c)[0]))
            grid = [(-1 + i / 150) * reach for i in range(301)]
            values = [f(x) for x in grid]
            kept = [x for x, v in zip(grid, values) if v > max(values) - DEPTH - 8]
            self.ranges[key] = (mpfr(kept[0] - reach / 150 - s), mpfr(kept[-1] + reach / 150 + s))
        return self.ranges[key]

    def trapezoid(self, c, frequency):
        a = min(self.strip / 2, 9 * self.sigma)
        growth = a * a / (2 * self.sigma**2) + frequency * a * self.span / self.sigma**2 + abs(c) * mpfr("0.4")
        h = 2 * PI * a / (DEPTH + growth)
        low, high = self.range(c)
        nodes = []
        for i in range(int((high - low) / h) + 2):
            w, l = self.weight(low + i * h, c)
            nodes.append((w * h, l))
        return nodes

    def panels(self, c, frequency):
        half = min(self.sigma, self.strip, 8 * self.sigma**2 / (self.span * (frequency + abs(c)) + 1)) * mpfr("0.8")
        low, high = self.range(c)
        nodes = []
        for i in range(int((high - low) / (2 * half)) + 1):
            middle = low + (2 * i + 1) * half
            for x, share in gauss_legendre(40):
                w, l = self.weight(middle + half * x, c)
                nodes.append((w * half * share, l))
        return nodes


class Laplace:
    """Laplace noise: atoms of loss ±e0 and a density between."""

    def __init__(self, e0, atoms=None):
        self.e0 = mpfr(e0)
        self.listed = atoms

    def swapped(self):
        return self

    def trapezoid(self, c, frequency):
        # the density between is integrated in closed form by `between`
        e0 = self.e0
        return [(exp(c * e0) / 2, e0), (exp(-(c + 1) * e0) / 2, -e0)]

    def between(self, z):
        return (exp(z * self.e0) - exp(-(z + 1) * self.e0)) / (2 * (2 * z + 1))

    def panels(self, c, frequency):
        e0 = self.e0
        count = int(e0 * (frequency + c + 3) / 6) + 1
        half = e0 / (2 * count)
        inside = [(x * half + (2 * i + 1) * half, w * half) for i in range(count) for x, w in gauss_legendre(40)]
        return self.trapezoid(c, frequency) + [
            (w * exp(c * (e0 - 2 * x) - x) / 2, e0 - 2 * x) for x, w in inside
        ]


class Answers:
    """Randomised response: losses ±e0."""

    def __init__(self, e0):
        self.e0 = mpfr(e0)

    def swapped(self):
        return self

    def trapezoid(self, c, frequency):
        e0 = self.e0
        return [(exp(c * e0) / (1 + exp(-e0)), e0), (exp(-c * e0) / (1 + exp(e0)), -e0)]

    panels = trapezoid


class Direction:
    """A run in one direction: (step, count) of its phases."""

    # the largest abscissa that is looked at
    widest = 3000
    reachable = 6000

    def __init__(self, phases):
        self.phases = phases
        self.lines = {}
        self.lattices = {}

    def log_moment(self, c):
        total = mpfr(0)
        for step, count in self.phases:
            value = sum(w for w, _ in step.trapezoid(c, 0))
            if hasattr(step, "between"):
                value += step.between(c)
            total += count * log(value)
        return total

    def at_saddle(self, c):
        """(epsilon whose saddle is c, log delta there to a few digits, second derivative)."""
        h = mpfr("1e-18")
        below, middle, above = (self.log_moment(c + i * h) for i in (-1, 0, 1))
        first, second = (above - below) / (2 * h), (above - 2 * middle + below) / h**2
        e = first - 1 / c - 1 / (c + 1)
        spread = second + 1 / c**2 + 1 / (c + 1) ** 2
        return e, middle - c * e - log(c * (c + 1)) - log(2 * PI * spread) / 2, second

    def saddle(self, e=None, log_delta=None):
        """The abscissa of an epsilon or of a log delta, near enough."""
        low, high = log(mpfr("0.02")), log(mpfr(self.widest))
        for _ in range(16):
            middle = (low + high) / 2
            found, value, _ = self.at_saddle(exp(middle))
            right = found > e if e is not None else value < log_delta
            low, high = (low, middle) if right else (middle, high)
        return gmpy2.mpfr(float(exp((low + high) / 2)))

    def fall(self, c, t):
        """By how much, in logarithms, the moments are smaller at c + it than at c."""
        total = mpfr(0)
        for step, count in self.phases:
            nodes = step.trapezoid(c, t)
            value = sum(w * exp(mpc(0, 1) * (t * l)) for w, l in nodes)
            top = sum(w for w, _ in nodes)
            if hasattr(step, "between"):
                value += step.between(mpc(c, t))
                top += step.between(c)
            total += count * (log(abs(value)) - log(top))
        return total

    def frequency(self, c, spread):
        """Beyond it the moments on the line are e^-DEPTH of their value on the axis."""
        t = 12 / sqrt(spread)
        while self.fall(c, t) > -DEPTH:
            t *= mpfr("1.25")
            if t > FARTHEST:
                raise NotFound("the moments do not fall")
        return t

    def moments(self, c, h, count):
        """At c, c + ih, c + 2ih, …"""
        values = [mpc(1)] * count
        for step, times in self.phases:
            nodes = step.trapezoid(c, count * h)
            current = [mpc(w) for w, _ in nodes]
            turn = [exp(mpc(0, 1) * (h * l)) for _, l in nodes]
            for j in range(count):
                value = sum(current)
                if hasattr(step, "between"):
                    value += step.between(mpc(c, j * h))
                values[j] *= value**times
                current = [a * b for a, b in zip(current, turn)]
        return values

    def line(self, c):
        """Step and values of the moments along Re z = c."""
        if c in self.lines:
            return self.lines[c]
        e, log_delta, spread = self.at_saddle(c)
        end = self.frequency(c, spread)
        # the pole at 0 on one side; on the other the moments at c + a, for the best of all a
        here = self.log_moment(c)
        shifts = [mpfr(2) ** (mpfr(k) / 3) * 12 / sqrt(spread) for k in range(-12, 10)]
        right = max(2 * PI * a / (DEPTH + max(self.log_moment(c + a) - here - a * e, 0)) for a in shifts if c + a < self.reachable)
        h = min(2 * PI * c / (DEPTH - min(log_delta, 0)), right)
        count = int(end / h) + 2
        if count > 6000:
            raise NotFound("too many nodes")
        values = self.moments(c, h, count)
        points = [(mpc(c, j * h), value) for j, value in enumerate(values)]
        self.lines[c] = (h, points)
        return self.lines[c]

    def integral(self, c, kernel):
        h, points = self.line(c)
        terms = [(kernel(z) * value).real for z, value in points]
        return h / PI * (terms[0] / 2 + sum(terms[1:]))

    def delta(self, c, e):
        return self.integral(c, lambda z: exp(-z * e) / (z * (z + 1)))

    def slope(self, c, e):
        """d delta / d epsilon."""
        return -self.integral(c, lambda z: exp(-z * e) / (z + 1))

    def true_positives(self, c, e):
        return self.integral(c, lambda z: exp(-z * e) / z)

    def false_positives(self, c, e):
        return self.integral(c, lambda z: exp(-(z + 1) * e) / (z + 1))

    def lattice(self, c):
        if c not in self.lattices:
            self.lattices[c] = Lattice(self, c)
        return self.lattices[c]


def lagrange(s):
    """Weights of the points 1 - TAPS/2 … TAPS/2 for a place s in [0, 1)."""
    low = 1 - TAPS // 2
    if s == 0:
        return [mpfr(1 if low + i == 0 else 0) for i in range(TAPS)]
    whole = mpfr(1)
    for i in range(TAPS):
        whole *= s - (low + i)
    return [whole * scale / (s - (low + i)) for i, scale in enumerate(barycentric())]


@lru_cache(None)
def barycentric():
    found = []
    for i in range(TAPS):
        product = 1
        for j in range(TAPS):
            product *= i - j if j != i else 1
        found.append(1 / mpfr(product))
    return found


@lru_cache(None)
def end_weights():
    """Weights of the points 1 - TAPS/2 … TAPS/2 - 1 of an integral from 0 on; those after them weigh 1."""
    low = 1 - TAPS // 2
    cell = []
    for i in range(TAPS):
        polynomial, scale = [Fraction(1)], Fraction(1)
        for j in range(TAPS):
            if j == i:
                continue
            node = low + j
            polynomial = [
                (polynomial[k - 1] if k > 0 else 0) - node * (polynomial[k] if k < len(polynomial) else 0)
                for k in range(len(polynomial) + 1)
            ]
            scale *= i - j
        cell.append(sum(a / (k + 1) for k, a in enumerate(polynomial)) / scale)
    sums, total = [], Fraction(0)
    for share in cell[:-1]:
        total += share
        sums.append(mpfr(gmpy2.mpq(total.numerator, total.denominator)))
    return sums


class Lattice:
    """The law of the whole loss, tilted by e^{c loss} and of mass one, on a lattice; cyclic."""

    BITS = 160

    def __init__(self, run, c):
        self.c = c
        self.scale = run.log_moment(c)
        mean, spread = self.cumulants(run, c)
        end = run.frequency(c, spread)
        # an interpolant of TAPS points errs by sin(x/2)^TAPS at the frequency x; the tilt is taken off again as an imaginary one
        self.h = 2 * gmpy2.asin(exp(mpfr(-64) / TAPS)) / sqrt(end**2 + (c + 1) ** 2)
        low, high = self.window(run, c, mean, spread)
        self.low = int(low / self.h) - TAPS
        self.count = int(high / self.h) + TAPS - self.low
        if self.count > 300000:
            raise NotFound("too long a lattice")
        self.limb = 2 * self.BITS + 24
        self.modulus = self.limb * self.count
        self.mask = (gmpy2.mpz(1) << self.modulus) - 1
        self.middle = 1 << (self.limb - 1)
        self.middles = gmpy2.pack([self.middle] * self.count, self.limb)
        self.steps = sum(times for _, times in run.phases)
        law = None
        for step, times in run.phases:
            power = self.power(self.one(step, c, end), times)
            law = power if law is None else self.times(law, power)
        self.law = self.limbs(law, 0)

    @staticmethod
    def cumulants(run, c):
        h = mpfr("1e-18")
        below, middle, above = (run.log_moment(c + i * h) for i in (-1, 0, 1))
        return (above - below) / (2 * h), (above - 2 * middle + below) / h**2

    def window(self, run, c, mean, spread):
        """Chernoff's bound: e^-DEPTH of the tilted law is on either side."""
        ends = []
        for sign in (-1, 1):
            best = None
            for power in range(-8, 12):
                s = sign * mpfr(2) ** (mpfr(power) / 2) / sqrt(spread) * 4
                if c + s < mpfr("-60"):
                    continue
                bound = (run.log_moment(c + s) - self.scale + DEPTH) / s
                best = bound if best is None else (min(best, bound) if sign > 0 else max(best, bound))
            ends.append(best)
        return ends

    def one(self, step, c, end):
        # few steps do not smooth away what the nodes say of higher frequencies
        nodes = step.panels(c, end if self.steps > 60 else 5 * end)
        whole = sum(w for w, _ in nodes)
        law = {}
        for w, l in nodes:
            place = l / self.h
            at = int(gmpy2.floor(place))
            for i, share in enumerate(lagrange(place - at)):
                index = (at + 1 - TAPS // 2 + i) % self.count
                law[index] = law.get(index, 0) + share * w / whole
        unit = mpfr(2) ** self.BITS
        return self.packed([int(gmpy2.rint(law[i] * unit)) if i in law else 0 for i in range(self.count)])

    def packed(self, limbs):
        return self.folded(gmpy2.pack([v + self.middle for v in limbs], self.limb) - self.middles)

    def limbs(self, x, shift):
        """The signed numbers that x is packed of, each rounded by 2^shift."""
        half = (1 << shift >> 1) - self.middle
        found = gmpy2.unpack(self.folded(x + self.middles), self.limb)
        return [(v + half) >> shift for v in found] + [half >> shift] * (self.count - len(found))

    def folded(self, x):
        while x < 0 or x > self.mask:
            x = (x & self.mask) + (x >> self.modulus)
        return x

    def times(self, x, y):
        return self.packed(self.limbs(self.folded(x * y), self.BITS))

    def power(self, x, count):
        found = None
        while True:
            if count & 1:
                found = x if found is None else self.times(found, x)
            count >>= 1
            if count == 0:
                return found
            x = self.times(x, x)

    def beyond(self, e, kernel):
        """The sum of kernel(loss - e) beyond e under the first measure; the kernel is smooth there."""
        place = e / self.h
        at = int(gmpy2.floor(place))
        share = lagrange(place - at)
        weights = end_weights()
        low = 1 - TAPS // 2
        total = mpfr(0)
        unit = exp(self.scale) / mpfr(2) ** self.BITS
        for i in range(low, self.low + self.count - at - TAPS):
            density = sum(a * self.law[(at + i + low + r) % self.count] for r, a in enumerate(share))
            weight = weights[i - low] if i - low < len(weights) else 1
            total += weight * density * exp(-self.c * (e + i * self.h)) * kernel(i * self.h)
        return total * unit

    def delta(self, e):
        return self.beyond(e, lambda y: -gmpy2.expm1(-y))


def exact(x):
    """A number of gmpy2 as one of mpmath."""
    return mpf(f"{x:.70e}")


class Run:
    """A run in both directions: phases are (step, count); `certain` is the probability that nothing is revealed outright."""

    def __init__(self, phases, both=True, certain=1):
        self.directions = [Direction(phases)]
        if both:
            self.directions.append(Direction([(step.swapped(), count) for step, count in phases]))
        self.certain = mpfr(certain)

    def delta(self, e):
        """delta of a double epsilon by both methods."""
        e = mpfr(e)
        first, second = [], []
        for each in self.directions:
            c = each.saddle(e=e)
            first.append(each.delta(c, e))
            # the other direction need not be found twice if it is far smaller
            if first[-1] == max(first) or first[-1] > max(first) * mpfr("0.9"):
                second.append(each.lattice(c).delta(e))
        lost = 1 - self.certain
        return tuple(exact(lost + self.certain * max(x)) for x in (first, second))

    def epsilon(self, delta):
        """epsilon of a double delta: a root of the first, and a Newton step of the second from there."""
        target = (mpfr(delta) - (1 - self.certain)) / self.certain
        if target <= 0:
            raise NotFound("delta is lost outright")
        found = []
        for each in self.directions:
            c = each.saddle(log_delta=log(target))
            e = each.at_saddle(c)[0]
            if e <= 0:
                found.append((mpfr(0), None, None))
                continue
            for _ in range(40):
                value = each.delta(c, e)
                step = log(value / target) * value / each.slope(c, e)
                e -= step
                if abs(step) < mpfr("1e-45") * (1 + abs(e)):
                    break
            found.append((e, each, c))
        e, each, c = max(found, key=lambda item: item[0])
        if each is None or e <= 0:
            raise NotFound("epsilon is 0")
        other = e - (each.lattice(c).delta(e) - target) / each.slope(c, e)
        return exact(e), exact(other)

    def beta(self, alpha):
        """The error of the second kind at a double error of the first kind, in the worse direction; by both methods."""
        first, second = [], []
        for each in self.directions:
            e = mpfr(1) / 2
            c = each.saddle(log_delta=log(mpfr(alpha)) + 0)
            e = each.at_saddle(c)[0]
            c2 = None
            for _ in range(60):
                value = each.false_positives(c, e)
                # d/de of the false positives is e^-e times that of the true ones
                h = mpfr("1e-20")
                slope = (each.false_positives(c, e + h) - each.false_positives(c, e - h)) / (2 * h)
                step = log(value / mpfr(alpha)) * value / slope
                e -= max(min(step, mpfr(1)), mpfr(-1))
                if abs(step) < mpfr("1e-45"):
                    break
            first.append(1 - each.true_positives(c, e))
            lattice = each.lattice(c)
            # to first order the curve has the slope -e^e
            found = lattice.beyond(e, lambda y: exp(-y - e))
            second.append(1 - lattice.beyond(e, lambda y: mpfr(1)) + exp(e) * (found - mpfr(alpha)))
        return exact(min(first)), exact(min(second))
