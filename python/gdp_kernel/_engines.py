"""What runs the accountant: one interface, whichever engine is there."""

from __future__ import annotations

import atexit
import os
import threading
from typing import Callable, Dict, Optional, Protocol, Sequence

from ._child import LONGEST_REQUEST, Child, node
from ._errors import AccountingError

__all__ = ["LONGEST_REQUEST", "Engine", "engine"]


class Engine(Protocol):
    """What answers lines: a JSON-RPC request in, or several in an array, and the response out."""

    name: str

    @property
    def alive(self) -> bool: ...

    def ask(self, line: str, ids: Sequence[int], timeout: Optional[float]) -> str:
        """
        The response to a line.

        :param ids: those of its requests, in order.
        :raises TimeoutError: after so many seconds.
        :raises AccountingError: where the engine has ended; then it is not alive.
        """
        ...

    def close(self) -> None: ...


#: How each engine is opened, in the order in which they are tried. Each raises AccountingError where it is not there.
ENGINES: Dict[str, Callable[[], Engine]] = {"node": lambda: Child(node())}

_only: Optional[Engine] = None
_starting = threading.Lock()


def engine() -> Engine:
    """The engine of this process; one that another process opened, before a fork, is left alone."""
    global _only
    with _starting:
        if _only is None or not _only.alive:
            _only = _opened()
            atexit.register(_only.close)
        return _only


def _opened() -> Engine:
    return ENGINES["node"]()


def _reset_after_fork() -> None:
    global _only, _starting
    _only = None
    _starting = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
