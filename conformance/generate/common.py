"""Vectors and how they are written. Needs mpmath (with gmpy2 it is ten times as fast)."""

from functools import lru_cache
import json
from mpmath import mp, mpf, erfc, exp, log, sqrt, pi, quad, findroot, nstr, floor, log10, inf

mp.dps = 60
DIGITS = 20


def normal_tail(x):
    """P(Z > x)."""
    return erfc(x / sqrt(mpf(2))) / 2


def normal_cdf(x):
    return normal_tail(-x)


def normal_quantile(p):
    """x of P(Z > x) = p, by Newton's method on the logarithm from an asymptotic start."""
    p = mpf(p)
    if p > mpf(1) / 2:
        return -normal_quantile(1 - p)
    x = sqrt(-2 * log(p)) if p < mpf("0.1") else mpf(1)
    for _ in range(200):
        tail = normal_tail(x)
        step = log(tail / p) * tail / (exp(-x * x / 2) / sqrt(2 * pi))
        x += step
        if abs(step) < mpf(10) ** (5 - mp.dps):
            return x
    raise ArithmeticError(p)


def density(x, mean=0, sigma=1):
    return exp(-(((x - mean) / sigma) ** 2) / 2) / (sigma * sqrt(2 * pi))


@lru_cache(None)
def gauss_legendre(n, number=mpf, cosine=mp.cos, half_turn=pi):
    """Nodes and weights on [-1, 1], in the numbers of any library."""
    found = []
    for i in range(1, n + 1):
        x = cosine(half_turn * (i - number("0.25")) / (n + number("0.5")))
        for _ in range(12):
            p, before = number(1), number(0)
            for k in range(1, n + 1):
                p, before = ((2 * k - 1) * x * p - (k - 1) * before) / k, p
            slope = n * (x * p - before) / (x * x - 1)
            x -= p / slope
        found.append((x, 2 / ((1 - x * x) * slope**2)))
    return found


def tail_quadrature(f, start, width, count=70):
    """The integral of a positive f from `start` to infinity in panels that grow from `width`; Gauss-Legendre in each."""
    total = mpf(0)
    at, size = mpf(start), mpf(width)
    # quad stops at an absolute error
    unit = f(at + size)
    for _ in range(count):
        part = quad(lambda x: f(x) / unit, [at, at + size], method="gauss-legendre")
        total += part
        if part < total * mpf(10) ** (-45):
            return total * unit
        at += size
        size *= mpf("1.5")
    raise ArithmeticError("no end of the tail")


def root(f, low, high):
    """The root of a monotone f between two numbers, by bisection and then the secant method."""
    low, high = mpf(low), mpf(high)
    sign = f(low) < 0
    assert (f(high) < 0) != sign, (low, high)
    for _ in range(8):
        middle = (low + high) / 2
        if (f(middle) < 0) == sign:
            low = middle
        else:
            high = middle
    return findroot(f, (low, high), solver="anderson", tol=mpf(10) ** (-2 * mp.dps + 20), verify=False)


class Pack:
    def __init__(self):
        self.lines = []
        self.counts = {}

    def _id(self, group):
        self.counts[group] = self.counts.get(group, 0) + 1
        return f"{group}-{self.counts[group]:04d}"

    def add(self, group, run, quantity, at, values, methods, adjacency="add-remove"):
        """A vector whose value two methods found; they must agree to two digits more than are written."""
        a, b = values
        gap = abs(a - b)
        assert gap <= abs(a) * mpf(10) ** (-DIGITS - 2), (group, run, quantity, at, nstr(a, 30), nstr(gap, 3))
        text = nstr(a, DIGITS, strip_zeros=False, min_fixed=0, max_fixed=1)
        error = gap + abs(a) * mpf(10) ** (1 - DIGITS) / 2
        self.lines.append(
            {
                "id": self._id(group),
                "run": run,
                "adjacency": adjacency,
                "quantity": quantity,
                "at": at,
                "value": text,
                "error": nstr(error, 2, min_fixed=0, max_fixed=0),
                "methods": methods,
                "gap": nstr(gap, 2, min_fixed=0, max_fixed=0) if gap else "0",
            }
        )

    def refuse(self, run, quantity, at, why, adjacency="add-remove"):
        self.lines.append(
            {
                "id": self._id("bad-input"),
                "run": run,
                "adjacency": adjacency,
                "quantity": quantity,
                "at": at,
                "expect": "refused",
                "why": why,
            }
        )

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            for line in self.lines:
                file.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")) + "\n")


def solve_epsilon(delta_a, delta_b, delta, low, high):
    """
    epsilon of a delta by a root of the first method, and by a Newton step of the second from there: what it says of delta at the root,
    carried over by the slope of the first.
    """
    target = mpf(delta)
    found = root(lambda e: log(delta_a(e) / target), low, high)
    h = mpf(10) ** (-20)
    slope = (delta_a(found + h) - delta_a(found - h)) / (2 * h)
    return found, found - (delta_b(found) - target) / slope
