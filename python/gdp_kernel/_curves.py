"""Points of trade-off functions."""

from __future__ import annotations

from typing import Any, Iterable, List, NamedTuple, Tuple

from ._bracket import Bracket
from ._client import call
from ._errors import Refused

__all__ = ["Point", "hull", "mu_above"]


class Point(NamedTuple):
    """A false positive rate, and a false negative rate."""

    alpha: float
    beta: float


def hull(points: Iterable[Tuple[float, float]]) -> List[Point]:
    """
    The corners of the trade-off function of some points: the greatest convex one that none of them is below, with (0, 1) and (1, 0) added.

    :param points: pairs of false positive and false negative rates in [0, 1], one or more.

    >>> hull([(0.1, 0.5), (0.3, 0.4), (0.5, 0.2)])
    [Point(alpha=0.0, beta=1.0), Point(alpha=0.1, beta=0.5), Point(alpha=0.5, beta=0.2), Point(alpha=1.0, beta=0.0)]
    """
    given = [Point(float(alpha), float(beta)) for alpha, beta in points]
    if not given or not all(0 <= rate <= 1 for point in given for rate in point):
        raise Refused("points must be pairs of numbers in [0, 1], one or more")
    corners: List[Point] = []
    least = {point.alpha: point for point in sorted([*given, Point(0.0, 1.0), Point(1.0, 0.0)], reverse=True)}
    for point in sorted(least.values()):
        while len(corners) >= 2 and not _turns_up(corners[-2], corners[-1], point):
            corners.pop()
        corners.append(point)
    return corners


def _turns_up(first: Point, middle: Point, last: Point) -> bool:
    """Whether the middle one of three points is below the line of the others."""
    across = (middle.alpha - first.alpha) * (last.beta - first.beta)
    return across > (middle.beta - first.beta) * (last.alpha - first.alpha)


def mu_above(points: Iterable[Tuple[float, float]]) -> Bracket:
    """
    The least mu whose curve is nowhere above the function of some points: what can be certified as mu-GDP where the points are the breakpoints
    of the true function, straight in between.

    >>> print(mu_above([(0.1, 0.5), (0.5, 0.2)]))
    [1.28..., 1.28...]
    """
    inner = [point for point in hull(points) if 0 < point.alpha < 1] or [Point(0.5, 0.5)]
    run: Any = {"kind": "trade-off", "points": [{"alpha": alpha, "beta": beta} for alpha, beta in inner]}
    answer = call("convert", {"input": run, "to": "gdp"}, warn=False)["answer"]
    if "values" not in answer:
        raise Refused(f"there is no mu: {answer['refused']}")
    return Bracket.of(answer["values"][0])
