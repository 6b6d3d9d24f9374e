"""A privacy budget in a file that processes share."""

from __future__ import annotations

import base64
import os
import secrets
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Union

from ._append import append, create
from ._client import call
from ._errors import Refused
from ._source import options_of

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
    #: Records that must be left out of a release, where the budget is that of each record: ``granted`` is false where there are some.
    left_out: List[str] = []

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
            str(answer.get("refused", "")),
            list(answer.get("leftOut", ())),
        )


class Budget:
    """
    A ledger on a local disk, which any number of processes may spend from, ``gdp budget`` among them. A process that is killed at any
    moment leaves a true ledger; at worst it paid for a release that it never made.

    :param path: the file.

    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = budget(os.path.join(folder, "ledger.log"), "gdp:1")
    ...     ledger.spend("gdp:0.1", count=50).granted, ledger.left().readings[0].left, ledger.spend("gdp:1").granted
    (True, '0.5', False)
    """

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.path.abspath(os.path.expanduser(os.fspath(path)))

    def open(self, budget: Union[str, Mapping[str, Any]], *, per_record: bool = False) -> Spending:
        """
        Makes the file.

        :param budget: ``"pure-dp:1"``, ``"approximate-dp:1,1e-5"``, ``"gdp:0.5"``, ``"zcdp:0.5"``, ``"rdp:8=1.2,16=2.5"``, or a mapping.
        :param per_record: whether it is the budget of each record of the data, which ``charge`` pays from.
        """
        found = self._asked("open", {}, {"budget": budget, **({"per_record": True} if per_record else {}), **_stamp()})
        create(self.path, *found["files"].values())
        return Spending.of(found)

    def spend(self, cost: Union[str, Mapping[str, Any]], *, count: Optional[int] = None, id: Optional[str] = None) -> Spending:
        """
        Pays for a release, if the budget has as much; ``granted`` says so.

        :param cost: in the forms of a budget.
        :param count: so many releases of this cost.
        :param id: name of the release; one of the same name is refused.
        """
        return self._paid({}, {"spend": cost, "count": count, "id": id})

    def charge(self, costs: Mapping[str, str], *, id: Optional[str] = None) -> Spending:
        """
        Charges the records of a release, each its own cost. The release is to be made without those in ``left_out``. What a record has
        spent, and who is left out, depends on the data: publish none of it.

        :param costs: of each record, by its name: ``{"patient-7": "gdp:0.02"}``.
        :param id: name of the release; one of the same name is refused.
        """
        text = "".join(f"{record},{cost}\n" for record, cost in costs.items())
        charges = {"charges.csv": base64.b64encode(text.encode()).decode("ascii")}
        return self._paid(charges, {"charges": "charges.csv", "id": id})

    def _paid(self, files: Mapping[str, str], asked: Mapping[str, Any]) -> Spending:
        options = options_of({**asked, **_stamp()})
        before = ""
        while True:
            found = self._asked("spend", {**self._held(), **files}, options)
            if "files" not in found:
                return Spending.of(found)
            # the line counts once it is read as the first after its record: where another came before, there is a new one
            (line,) = found["files"].values()
            if line == before:
                raise Refused(f"{self.path}: a record that was written is not there")
            append(self.path, line)
            before = line

    def left(self, delta: Optional[float] = None, *, record: Optional[str] = None) -> Spending:
        """What is left, and with a delta what was lost so far; of one record, where the budget is that of each."""
        return Spending.of(self._asked("left", self._held(), options_of({"delta": delta, "record": record})))

    def _held(self) -> Dict[str, str]:
        try:
            return {self.path: base64.b64encode(Path(self.path).read_bytes()).decode("ascii")}
        except OSError as error:
            raise Refused(f"{self.path}: it cannot be read: {error.strerror}") from error

    def _asked(self, what: str, files: Dict[str, str], options: Mapping[str, Any]) -> Dict[str, Any]:
        return call("budget", {"operands": [what, self.path], "files": files, **options})

    def __repr__(self) -> str:
        return f"Budget({self.path!r})"


def _stamp() -> Dict[str, str]:
    """The time and a name for one payment: the ledger knows by it that it was paid, however often it is asked."""
    return {"at": datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ"), "nonce": secrets.token_hex(8)}


def budget(path: Union[str, "os.PathLike[str]"], opening: Union[str, Mapping[str, Any], None] = None) -> Budget:
    """
    A privacy budget in a file that processes share.

    :param path: the file.
    :param opening: the budget of a new file; without it the file is there.
    :raises Refused: where a file is to be made and is there.

    >>> budget("ledger.log")
    Budget('...ledger.log')
    """
    ledger = Budget(path)
    if opening is not None and not ledger.open(opening).granted:
        raise Refused(f"{ledger.path} was not opened")
    return ledger
