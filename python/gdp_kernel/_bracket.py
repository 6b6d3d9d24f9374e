"""Brackets: two numbers that contain the exact value, singly and in rows."""

from __future__ import annotations

import html
import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any, Iterator, List, Mapping, NamedTuple, Sequence

__all__ = ["Bracket", "Brackets"]

_TWO_ENDS = "a bracket has two ends: take .upper, the safe one of epsilon, delta and mu, or .lower"


class Bracket(NamedTuple):
    """
    Two numbers that contain the exact value; ``upper`` is the one to publish for epsilon, delta and mu.

    A comparison with a number or another bracket is true where it holds for every value in between: ``run.epsilon(1e-5) <= 2``
    is a proof. Both ``b <= x`` and ``b > x`` may be false, where ``x`` is inside. A format rounds both ends outwards.

    >>> format(Bracket(1.51536191, 1.51536192), ".4f")
    '[1.5153, 1.5154]'
    """

    lower: float
    upper: float

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> "Bracket":
        return cls(float(value["lower"]), float(value["upper"]))

    def __lt__(self, other: Any) -> bool:
        return self.upper < _lower(other)

    def __le__(self, other: Any) -> bool:
        return self.upper <= _lower(other)

    def __gt__(self, other: Any) -> bool:
        return self.lower > _upper(other)

    def __ge__(self, other: Any) -> bool:
        return self.lower >= _upper(other)

    def __contains__(self, value: Any) -> bool:
        """Whether a number is in the bracket: the exact value may be it."""
        return bool(self.lower <= value <= self.upper)

    def __float__(self) -> float:
        raise TypeError(_TWO_ENDS)

    def __add__(self, other: Any) -> Any:
        raise TypeError(_TWO_ENDS)

    # a tuple times 2 would be its two ends twice
    __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __round__ = __add__

    def __format__(self, spec: str) -> str:
        ends = _end(self.lower, spec or ".7g", ROUND_FLOOR), _end(self.upper, spec or ".7g", ROUND_CEILING)
        return f"[{ends[0]}, {ends[1]}]"

    def __str__(self) -> str:
        return format(self, "")

    def _repr_html_(self) -> str:
        return f"<span title='{self!r}'>{html.escape(str(self))}</span>"


class Brackets(Sequence):  # type: ignore[type-arg]
    """
    Brackets in the order of what was asked. ``lower`` and ``upper`` are lists, or arrays of NumPy in the shape of what was asked
    where that was one.
    """

    def __init__(self, asked: Any, brackets: Sequence[Bracket]) -> None:
        self._brackets = list(brackets)
        self._asked = asked

    def __len__(self) -> int:
        return len(self._brackets)

    def __getitem__(self, index: Any) -> Any:
        return self._brackets[index]

    def __iter__(self) -> Iterator[Bracket]:
        return iter(self._brackets)

    def __eq__(self, other: Any) -> bool:
        return list(self) == list(other)

    @property
    def lower(self) -> Any:
        """The lower ends."""
        return self._like([bracket.lower for bracket in self])

    @property
    def upper(self) -> Any:
        """The upper ends."""
        return self._like([bracket.upper for bracket in self])

    def _like(self, ends: List[float]) -> Any:
        if not hasattr(self._asked, "shape"):
            return ends
        import numpy

        return numpy.array(ends, dtype=float).reshape(self._asked.shape)

    def __repr__(self) -> str:
        return f"Brackets({self._brackets!r})"

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def _repr_html_(self) -> str:
        rows = "".join(f"<tr><td>{bracket.lower!r}</td><td>{bracket.upper!r}</td></tr>" for bracket in self)
        return f"<table><thead><tr><th>lower</th><th>upper</th></tr></thead><tbody>{rows}</tbody></table>"


def _lower(value: Any) -> Any:
    return value.lower if isinstance(value, Bracket) else value


def _upper(value: Any) -> Any:
    return value.upper if isinstance(value, Bracket) else value


def _end(value: float, spec: str, rounding: str) -> str:
    """
    A number as text, rounded towards one side. What is rounded is the double itself, not the shortest decimal that reads back to it:
    the double 0.1 is above 1/10.
    """
    if not math.isfinite(value):
        return str(value)
    exact = Decimal(float(value))
    with localcontext() as context:
        context.prec = 800
        context.rounding = rounding
        general = re.fullmatch(r"\.(\d+)g", spec)
        if general is None:
            return format(exact, spec)
        context.prec = int(general[1]) or 1
        rounded = (+exact).normalize()
        if not rounded:
            return "0"
        # as floats do: no zeros at the end, and an exponent where it is shorter
        power = rounded.adjusted()
        if -4 <= power < context.prec:
            return format(rounded, "f")
        return f"{rounded.scaleb(-power):f}e{power:+03d}"
