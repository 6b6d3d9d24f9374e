"""
Functions for SQL, in DuckDB and SQLite: ``gdp_epsilon(noise, rate, steps, delta)`` is the upper end of epsilon of DP-SGD with Poisson batches,
``gdp_delta(noise, rate, steps, epsilon)`` that of delta.

With ``_lower`` behind its name a function is the lower end of the same bracket, with ``_upper`` the upper end. NULL among the arguments gives NULL.
Each different run is asked about once. ``gdp_refusal(noise, rate, steps, delta)`` is why there is no epsilon, or NULL where there is one.
"""

from __future__ import annotations

import sqlite3
from functools import lru_cache
from typing import Any, Callable, Dict, Optional, Protocol, Union

from ._account import Account
from ._bracket import Bracket
from ._errors import Refused

__all__ = ["register"]

#: Runs that are remembered.
_MOST = 100_000


class _DuckDB(Protocol):
    """A connection of DuckDB, as far as it is asked here."""

    def create_function(
        self, name: str, function: Any, parameters: Any = None, return_type: Any = None, *, null_handling: Any = None
    ) -> Any: ...


def register(connection: Union[sqlite3.Connection, _DuckDB]) -> None:
    """
    Gives a connection the functions of this module.

    :param connection: of DuckDB or of SQLite (``sqlite3``).

    What is refused fails the query: DuckDB shows the sentence, SQLite says "user-defined function raised exception", and ``gdp_refusal`` why.

    >>> connection = sqlite3.connect(":memory:")
    >>> register(connection)
    >>> rows = connection.execute("SELECT gdp_epsilon_lower(1.1, 0.01, 1000, 1e-5), gdp_epsilon(1.1, 0.01, 1000, 1e-5)").fetchall()
    >>> [f"{end:.4f}" for end in rows[0]]
    ['1.5154', '1.5154']
    >>> connection.execute("SELECT gdp_refusal(1.1, 2, 1000, 1e-5)").fetchone()[0]
    '"sampling_rate" must be a number in [0, 1], got 2'
    """

    @lru_cache(_MOST)
    def epsilon(noise: float, rate: float, steps: float, delta: float) -> Bracket:
        return _run(noise, rate, steps).epsilon(delta)

    @lru_cache(_MOST)
    def delta(noise: float, rate: float, steps: float, epsilon: float) -> Bracket:
        return _run(noise, rate, steps).delta(epsilon)

    functions: Dict[str, Callable[..., Any]] = {"gdp_refusal": _refusal(epsilon)}
    for name, asked in (("gdp_epsilon", epsilon), ("gdp_delta", delta)):
        functions.update({name: _end(asked, "upper"), f"{name}_upper": _end(asked, "upper"), f"{name}_lower": _end(asked, "lower")})
    for name, function in functions.items():
        if isinstance(connection, sqlite3.Connection):
            connection.create_function(name, 4, function, deterministic=True)
        else:
            answered = "VARCHAR" if name == "gdp_refusal" else "DOUBLE"
            connection.create_function(name, function, ["DOUBLE"] * 4, answered, null_handling="special")


def _run(noise: float, rate: float, steps: float) -> Account:
    return Account.dp_sgd(noise_multiplier=noise, sampling_rate=rate, steps=steps)


def _end(asked: Callable[..., Bracket], end: str) -> Callable[..., Optional[float]]:
    def function(noise: Optional[float], rate: Optional[float], steps: Optional[float], at: Optional[float]) -> Optional[float]:
        if noise is None or rate is None or steps is None or at is None:
            return None
        return float(getattr(asked(noise, rate, steps, at), end))

    return function


def _refusal(asked: Callable[..., Bracket]) -> Callable[..., Optional[str]]:
    def function(noise: Optional[float], rate: Optional[float], steps: Optional[float], delta: Optional[float]) -> Optional[str]:
        try:
            _end(asked, "upper")(noise, rate, steps, delta)
        except Refused as refusal:
            return str(refusal)
        return None

    return function
