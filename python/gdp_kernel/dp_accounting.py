"""
An accountant of the shape of dp_accounting's::

    accountant = GdpKernelAccountant().compose(dp_accounting.PoissonSampledDpEvent(0.01, dp_accounting.GaussianDpEvent(1.1)), 1000)
    accountant.get_epsilon(1e-5)

With dp_accounting installed it is one of its ``PrivacyAccountant``; without, it takes any object whose class has the name and the fields of an
event.
"""

from __future__ import annotations

import enum
import json
from typing import TYPE_CHECKING, Any, Dict, List, NamedTuple, Optional, Tuple

from ._account import Account
from ._answers import Measurement
from ._bracket import Bracket
from ._errors import Refused
from ._types import Adjacency

if TYPE_CHECKING:
    library: Any = None
else:
    try:
        import dp_accounting as library
    except ImportError:
        library = None

__all__ = ["GdpKernelAccountant", "NeighboringRelation", "UnsupportedEventError", "event_data"]


class _Relation(enum.Enum):
    """What neighbours are."""

    ADD_OR_REMOVE_ONE = 1
    REPLACE_ONE = 2
    REPLACE_SPECIAL = 3


class _Unsupported(Exception):
    """An event that this accountant does not know."""


class _ErrorDetails(NamedTuple):
    invalid_event: Optional[Any]
    error_message: Optional[str]


class _Base:
    CompositionErrorDetails = _ErrorDetails

    def __init__(self, neighboring_relation: Any) -> None:
        self._neighboring_relation = neighboring_relation

    @property
    def neighboring_relation(self) -> Any:
        return self._neighboring_relation

    def supports(self, event: Any) -> bool:
        return self._maybe_compose(event, 0, False) is None

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        raise NotImplementedError

    def compose(self, event: Any, count: int = 1) -> Any:
        if not isinstance(count, int):
            raise TypeError(f"`count` must be an int. Found {type(count)}.")
        if count < 1:
            raise ValueError(f"`count` must be positive. Found {count}.")
        failed = self._maybe_compose(event, count, True)
        if failed is not None:
            raise UnsupportedEventError(f"Unsupported event: {event}. Error: {failed.error_message}")
        return self


NeighboringRelation: Any = _Relation if library is None else library.NeighboringRelation
UnsupportedEventError: Any = (
    _Unsupported if library is None else getattr(library, "UnsupportedEventError", _Unsupported)
)
if TYPE_CHECKING:
    Parent = _Base
else:
    Parent = _Base if library is None else library.PrivacyAccountant

_ADJACENCIES: Dict[str, Adjacency] = {
    "ADD_OR_REMOVE_ONE": "add-remove",
    "REPLACE_ONE": "replace-one",
    "REPLACE_SPECIAL": "zero-out",
}


def event_data(value: Any) -> Any:
    """An event as JSON data: its class and its fields by name."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple, range)) and not hasattr(value, "_fields"):
        return [event_data(each) for each in value]
    if hasattr(value, "tolist"):
        # a number or an array of NumPy
        numbers: Any = value
        return event_data(numbers.tolist())
    names = [field.name for field in getattr(type(value), "__attrs_attrs__", ())]
    names = names or list(getattr(value, "_fields", ())) or list(getattr(value, "__dict__", {}))
    return {"class_name": type(value).__name__, **{name: event_data(getattr(value, name)) for name in names}}


class GdpKernelAccountant(Parent):
    """
    ``get_epsilon`` and ``get_delta`` are the upper ends of brackets that contain the exact values; ``get_bracket`` gives both of epsilon.

    :param neighboring_relation: ADD_OR_REMOVE_ONE (default), REPLACE_ONE or REPLACE_SPECIAL, which trees and truncated batches need.
    """

    def __init__(self, neighboring_relation: Any = None) -> None:
        relation = NeighboringRelation.ADD_OR_REMOVE_ONE if neighboring_relation is None else neighboring_relation
        if relation.name not in _ADJACENCIES:
            raise ValueError(f"{relation} is not among the relations of gdp-kernel: {', '.join(_ADJACENCIES)}")
        super().__init__(relation)
        #: Events as JSON text and how often each was composed, in order.
        self._events: List[Tuple[str, int]] = []
        self._checked: Dict[str, Optional[str]] = {}

    def get_epsilon(self, target_delta: float) -> float:
        """The upper end of epsilon at a delta."""
        return self.get_bracket(target_delta).upper

    def get_delta(self, target_epsilon: float) -> float:
        """The upper end of delta at an epsilon."""
        return self.account().delta(target_epsilon).upper

    def get_bracket(self, target_delta: float) -> Bracket:
        """Both ends of epsilon at a delta."""
        return self.account().epsilon(target_delta)

    def get_mu(self, alpha_min: float = 1e-10) -> Measurement:
        """mu over error rates from ``alpha_min`` up."""
        return self.account().measure(alpha_min)

    def account(self) -> Account:
        """The account of all that was composed."""
        events = [
            {"class_name": "SelfComposedDpEvent", "event": json.loads(event), "count": count}
            for event, count in self._events
        ]
        return self._account({"class_name": "ComposedDpEvent", "events": events})

    def _account(self, run: Any) -> Account:
        account = Account(run, adjacency=_ADJACENCIES[self.neighboring_relation.name])
        # of an event it says what it assumes where nothing is stated, as it is here
        account._warns = False
        return account

    def _maybe_compose(self, event: Any, count: int, do_compose: bool) -> Any:
        text = json.dumps(event_data(event))
        if text not in self._checked:
            self._checked[text] = self._complaint(text)
        complaint = self._checked[text]
        if complaint is not None:
            return self.CompositionErrorDetails(invalid_event=event, error_message=complaint)
        if do_compose and count > 0:
            if self._events and self._events[-1][0] == text:
                self._events[-1] = (text, self._events[-1][1] + count)
            else:
                self._events.append((text, count))
        return None

    def _complaint(self, text: str) -> Optional[str]:
        """Why an event cannot be composed; nothing if it can."""
        try:
            # the epsilon at delta 1 is known without any work
            self._account(json.loads(text)).epsilon(1)
        except Refused as refusal:
            return str(refusal)
        return None
