"""Brackets: two numbers that contain the exact value, singly and in rows."""

from __future__ import annotations

import html
import math
import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any, Iterable, Iterator, List, Mapping, NamedTuple, NoReturn, Sequence, Union, overload

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
        return bool(self.upper < _lower(other))

    def __le__(self, other: Any) -> bool:
        return bool(self.upper <= _lower(other))

    def __gt__(self, other: Any) -> bool:
        return bool(self.lower > _upper(other))

    def __ge__(self, other: Any) -> bool:
        return bool(self.lower >= _upper(other))

    def __contains__(self, value: Any) -> bool:
        """Whether a number is in the bracket: the exact value may be it."""
        return bool(self.lower <= value <= self.upper)

    def __float__(self) -> float:
        raise TypeError(_TWO_ENDS)

    def __add__(self, other: Any) -> NoReturn:
        raise TypeError(_TWO_ENDS)

    def __format__(self, spec: str) -> str:
        ends = _end(self.lower, spec or ".7g", ROUND_FLOOR), _end(self.upper, spec or ".7g", ROUND_CEILING)
        return f"[{ends[0]}, {ends[1]}]"

    def __str__(self) -> str:
        return format(self, "")

    def _repr_html_(self) -> str:
        return f"<span title='{self!r}'>{html.escape(str(self))}</span>"


# a tuple times 2 would be its two ends twice
for _name in ("radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "round"):
    setattr(Bracket, f"__{_name}__", Bracket.__add__)


class Brackets(Sequence[Bracket]):
    """
    Brackets in the order of what was asked. ``lower`` and ``upper`` are lists; of an array of NumPy they are arrays of its shape, of a Series
    of pandas they are Series with its index.

    >>> Brackets([1e-5], [Bracket(1.5, 2.0)]).upper
    [2.0]
    """

    def __init__(self, asked: Any, brackets: Sequence[Bracket]) -> None:
        self._brackets = list(brackets)
        self._asked = asked

    def __len__(self) -> int:
        return len(self._brackets)

    @overload
    def __getitem__(self, index: int) -> Bracket: ...
    @overload
    def __getitem__(self, index: slice) -> List[Bracket]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Bracket, List[Bracket]]:
        return self._brackets[index]

    def __iter__(self) -> Iterator[Bracket]:
        return iter(self._brackets)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Iterable) and list(self) == list(other)

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
        if hasattr(self._asked, "index") and hasattr(self._asked, "to_numpy"):
            return type(self._asked)(ends, index=self._asked.index, dtype=float)
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
