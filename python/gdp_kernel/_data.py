"""What a request may hold, as JSON has it."""

from __future__ import annotations

import math
import numbers
from typing import Any, Iterable, List, Mapping

from ._errors import Refused

__all__ = ["is_many", "plain", "values_of"]


_STAY = frozenset((type(None), bool, int, str))


def _stays(value: Any) -> bool:
    """Whether a value is already as JSON has it, and no part of it needs a look: most of a long history."""
    kind = type(value)
    return kind in _STAY or (kind is float and math.isfinite(value))


def plain(value: Any, place: str) -> Any:
    """
    Data as JSON has it: numbers and arrays of NumPy and PyTorch as those of Python; NaN and infinities as the texts that
    ``gdp`` reads them by, and refuses with the place where they stand.

    :param place: what the message calls the value.
    :raises Refused: for anything else.
    """
    if _stays(value) or isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if hasattr(value, "tolist"):
        return plain(value.tolist(), place)
    if isinstance(value, numbers.Real) or hasattr(value, "__float__") and not hasattr(value, "__len__"):
        number = float(value)
        if math.isfinite(number):
            return number
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise Refused(f"{place} must have texts for keys, got {key!r}")
        return {key: plain(each, f"{place}[{key!r}]") for key, each in value.items()}
    if isinstance(value, (list, tuple, range)):
        return [each if _stays(each) else plain(each, f"{place}[{i}]") for i, each in enumerate(value)]
    if getattr(value, "__name__", "") == "mechanism" and isinstance(getattr(value, "__self__", None), type):
        # Opacus 1.1 to 1.5 has the class method there that tells the name
        return plain(value(), place)
    raise Refused(f"{place} must be made of numbers, texts, lists and dictionaries, got {type(value).__name__}")


def is_many(value: Any) -> bool:
    """Whether a value is a row of values: a list, a range, a generator, a Series, an array that has dimensions."""
    if hasattr(value, "shape"):
        return len(value.shape) > 0
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def values_of(row: Any) -> List[Any]:
    """The values of a row in order, those of an array of several dimensions row by row."""
    if hasattr(row, "to_numpy"):
        row = row.to_numpy()
    return list(row.ravel().tolist() if hasattr(row, "ravel") else row)
