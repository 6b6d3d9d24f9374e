"""What runs the accountant: one interface, whichever engine is there."""

from __future__ import annotations

import atexit
import os
import threading
from typing import Callable, Dict, List, Optional, Protocol, Sequence

from . import _in_process
from ._child import LONGEST_REQUEST, Child, any_node, node, node_of_pypi
from ._errors import AccountingError

__all__ = ["LONGEST_REQUEST", "Engine", "close", "engine"]


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


#: Engines by the names that GDP_KERNEL_ENGINE may have. Each raises AccountingError where it is not there.
ENGINES: Dict[str, Callable[[], Engine]] = {
    "node": lambda: Child(any_node()),
    "native": _in_process.native,
    "v8": _in_process.v8,
    "wasm": _in_process.wasm,
}

#: The order in which they are tried, where none is named.
ORDER: Sequence[Callable[[], Engine]] = (
    lambda: Child(node()),
    _in_process.native,
    lambda: Child(node_of_pypi()),
    _in_process.v8,
    _in_process.wasm,
)

_only: Optional[Engine] = None
_starting = threading.Lock()


def engine() -> Engine:
    """
    The engine of this process; one that another process opened, before a fork, is left alone.

    :raises AccountingError: where there is none, with what may be installed.
    """
    global _only
    with _starting:
        if _only is None or not _only.alive:
            _only = _opened()
            atexit.register(_only.close)
        return _only


def close() -> None:
    """
    Closes what runs the accountant in this process, and frees its memory; the next question opens another.

    >>> close()
    """
    global _only
    with _starting:
        if _only is not None:
            _only.close()
        _only = None


def _opened() -> Engine:
    name = os.environ.get("GDP_KERNEL_ENGINE", "")
    if name and name not in ENGINES:
        raise AccountingError(f"GDP_KERNEL_ENGINE must be one of {', '.join(ENGINES)}, got {name!r}")
    if name or "GDP_KERNEL_NODE" in os.environ:
        return ENGINES[name or "node"]()
    reasons: List[str] = []
    for opened in ORDER:
        try:
            return opened()
        except AccountingError as error:
            reasons.append(str(error))
    raise AccountingError(
        f"{reasons[0]}; or else, of what runs without it: {'; '.join(reasons[1:])}. "
        "One of these brings what is missing: pip install 'gdp-kernel[node]', 'gdp-kernel[v8]' or 'gdp-kernel[wasm]'"
    )


def _reset_after_fork() -> None:
    global _only, _starting
    _only = None
    _starting = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
