"""Writes renyi.json: the largest delta(eps), the least beta(alpha) and the least mu of everything that meets Renyi bounds
in both directions (Gomez et al. 2025, appendix A.6), from the inequalities themselves in mpmath: for each alpha the
least beta that breaks none of them by bisection, at zCDP with the worst order by grid and golden sections, then the
best alpha by golden sections. Neither duality nor the loss parametrisation of the library is used.
Run: python3 make-renyi.py (about a minute)"""
import json
import math
import os
from mpmath import mp, mpf, exp, log, sqrt, erfinv

mp.dps = 25
RATIO = (sqrt(5) - 1) / 2


def divergence(order, alpha, beta):
    """D_t of the pair ((1 - beta, beta), (alpha, 1 - alpha))."""
    p, q = 1 - beta, 1 - alpha
    if order == 1:
        return p * log(p / alpha) + beta * log(beta / q)
    t = order
    return log(p**t * alpha ** (1 - t) + beta**t * q ** (1 - t)) / (t - 1)


def largest(f, points, rounds=50):
    """The maximum of f over log(t - 1) by grid, then golden sections."""
    values = [f(x) for x in points]
    k = max(range(len(points)), key=lambda i: values[i])
    a, b = points[max(0, k - 1)], points[min(len(points) - 1, k + 1)]
    best = values[k]
    for _ in range(rounds):
        c, d = b - RATIO * (b - a), a + RATIO * (b - a)
        fc, fd = f(c), f(d)
        best = max(best, fc, fd)
        if fc > fd:
            b = d
        else:
            a = c
    return best


def worst_above(alpha, beta):
    """t - 1 where D_t/t is largest, in doubles: at a maximum an error of the place does not matter."""
    logs = [math.log(1 - beta), math.log(alpha), math.log(beta), math.log1p(-alpha)]

    def ratio(x):
        above = math.exp(x)
        t = 1 + above
        one, two = t * logs[0] - above * logs[1], t * logs[2] - above * logs[3]
        top = max(one, two)
        return (top + math.log(math.exp(one - top) + math.exp(two - top))) / above / t

    k = max(range(-10, 11), key=lambda i: ratio(i / 2))
    a, b = (k - 1) / 2, (k + 1) / 2
    golden = (math.sqrt(5) - 1) / 2
    for _ in range(34):
        c, d = b - golden * (b - a), a + golden * (b - a)
        if ratio(c) > ratio(d):
            b = d
        else:
            a = c
    return math.exp((a + b) / 2)


def breaks(guarantee, alpha, beta):
    """The most by which a bound is broken."""
    pairs = [(alpha, beta), (1 - beta, 1 - alpha)]
    if "points" in guarantee:
        return max(divergence(mpf(t), a, b) - mpf(e) for t, e in guarantee["points"] for a, b in pairs)
    rho = mpf(guarantee["rho"])
    worst = []
    for a, b in pairs:
        t = 1 + mpf(worst_above(float(a), float(b)))
        worst.append(divergence(1, a, b) - rho)
        worst.append(divergence(t, a, b) / t - rho)
    return max(worst)


def beta_of(guarantee, alpha, steps=60):
    low, high = mpf(10) ** -25, 1 - alpha
    for _ in range(steps):
        middle = (low + high) / 2
        if breaks(guarantee, alpha, middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def delta_of(guarantee, eps):
    x = exp(mpf(eps))
    grid = [log(mpf(1) / 2) - mpf(i) / 2 for i in range(0, 24)]

    def value(log_alpha):
        alpha = exp(log_alpha)
        return 1 - beta_of(guarantee, alpha, 44) - x * alpha

    return largest(value, grid, 50)


def quantile(p):
    return sqrt(mpf(2)) * erfinv(2 * p - 1)


def main():
    lists = [
        [("2", "0.2")],
        [("1.25", "0.05")],
        [("32", "2")],
        [("8", "1")],
        [("1.5", "0.4"), ("4", "1")],
        [("1.5", "0.3"), ("2", "0.35"), ("6", "0.8"), ("20", "2.5")],
    ]
    guarantees = [{"points": p} for p in lists]
    out = {"delta": [], "beta": [], "mu": []}

    def stated(guarantee):
        if "rho" in guarantee:
            return {"rho": float(guarantee["rho"])}
        return {"points": [{"order": float(t), "epsilon": float(e)} for t, e in guarantee["points"]]}

    for guarantee in guarantees:
        for eps in ["0", "0.3", "0.5", "1", "2"]:
            value = delta_of(guarantee, eps)
            out["delta"].append({**stated(guarantee), "epsilon": float(eps), "delta": mp.nstr(value, 12)})
        for alpha in ["0.01", "0.1", "0.3", "0.7"]:
            value = beta_of(guarantee, mpf(alpha))
            out["beta"].append({**stated(guarantee), "alpha": float(alpha), "beta": mp.nstr(value, 12)})
    for rho, epsilons in [("0.5", ["0", "0.5", "1", "3"]), ("0.02", ["0", "0.1", "0.5"]), ("4", ["1", "6"])]:
        guarantee = {"rho": rho}
        for eps in epsilons:
            value = delta_of(guarantee, eps)
            out["delta"].append({**stated(guarantee), "epsilon": float(eps), "delta": mp.nstr(value, 10)})
        for alpha in ["0.01", "0.1", "0.5"]:
            value = beta_of(guarantee, mpf(alpha))
            out["beta"].append({**stated(guarantee), "alpha": float(alpha), "beta": mp.nstr(value, 12)})

    half = {"rho": "0.5"}

    def mu_at(log_alpha):
        alpha = exp(log_alpha)
        return -quantile(alpha) - quantile(beta_of(half, alpha, 50))

    grid = [log(mpf(i) / 40) for i in range(1, 20)]
    out["mu"].append({"rho": 0.5, "mu": mp.nstr(largest(mu_at, grid, 24), 10)})
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "renyi.json"), "w") as file:
        json.dump(out, file, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main()
