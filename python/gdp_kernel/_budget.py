"""A privacy budget in a file that processes share."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

from ._client import call
from ._engines import engine
from ._errors import Refused

__all__ = ["Budget", "Reading", "Spending", "budget"]


class Reading(NamedTuple):
    """One sum of a ledger: its capacity, what is spent and left of it. Decimals are exact, so that they are texts."""

    sum: str
    capacity: str
    spent: str
    left: str


class Spending(NamedTuple):
    """The state of a ledger after a question."""

    granted: bool
    releases: int
    readings: List[Reading]
    #: Bound on the loss so far, but with probability delta, where a delta was given.
    epsilon: Optional[float]
    reason: str

    @classmethod
    def of(cls, found: Mapping[str, Any]) -> "Spending":
        answer = found["answer"]
        readings = [Reading(each["sum"], each["capacity"], each["spent"], each["left"]) for each in answer.get("readings", ())]
        odometer = answer.get("odometer")
        return cls(
            found["exitCode"] == 0,
            int(answer.get("count", 0)),
            readings,
            None if odometer is None else float(odometer["epsilon"]),
            str(answer.get("reason", "")),
        )


class Budget:
    """
    A ledger on a local disk, which any number of processes may spend from. It needs Node: other engines have no files.

    :param path: the file.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = budget(os.path.join(folder, "ledger.log"), "gdp:1")
    ...     ledger.spend("gdp:0.1", count=50).granted, ledger.left().readings[0].left, ledger.spend("gdp:1").granted
    (True, '0.5', False)
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.path.abspath(os.path.expanduser(os.fspath(path)))

    def open(self, budget: Union[str, Mapping[str, Any]]) -> Spending:
        """
        Makes the file.

        :param budget: ``"pure-dp:1"``, ``"approximate-dp:1,1e-5"``, ``"gdp:0.5"``, ``"zcdp:0.5"``, ``"rdp:8=1.2,16=2.5"``, or a mapping.
        """
        return self._asked("open", {"budget": budget})

    def spend(self, cost: Union[str, Mapping[str, Any]], *, count: Optional[int] = None, id: Optional[str] = None) -> Spending:
        """
        Pays for a release, if the budget has as much; ``granted`` says so.

        :param cost: in the forms of a budget.
        :param count: so many releases of this cost.
        :param id: name of the release; one of the same name is refused.
        """
        options = {"spend": cost, "count": count, "id": id}
        return self._asked("spend", {name: value for name, value in options.items() if value is not None})

    def left(self, delta: Optional[float] = None) -> Spending:
        """What is left, and with a delta what was lost so far."""
        return self._asked("left", {} if delta is None else {"delta": delta})

    def _asked(self, what: str, options: Dict[str, Any]) -> Spending:
        if engine().name != "node":
            raise Refused("a budget in a file needs Node: set GDP_KERNEL_ENGINE=node, or name it in GDP_KERNEL_NODE")
        return Spending.of(call("budget", {"operands": [what, self.path], **options}))

    def __repr__(self) -> str:
        return f"Budget({self.path!r})"


def budget(path: Union[str, "os.PathLike[str]"], opening: Union[str, Mapping[str, Any], None] = None) -> Budget:
    """
    A privacy budget in a file that processes share.

    :param path: the file.
    :param opening: the budget of a new file; without it the file is there.
    :raises Refused: where a file is to be made and is there, or the engine has no files.

    >>> budget("ledger.log")
    Budget('...ledger.log')
    """
    ledger = Budget(path)
    if opening is not None and not ledger.open(opening).granted:
        raise Refused(f"{ledger.path} was not opened")
    return ledger
