"""Names of Python's arguments: in sentences of ``gdp``, and where one is misspelt."""

from __future__ import annotations

import functools
import inspect
import re
from difflib import get_close_matches
from typing import Any, Callable, TypeVar, cast

from ._errors import UnknownArgument

__all__ = ["checked", "in_python", "suggestion"]

F = TypeVar("F", bound=Callable[..., Any])

#: What ``gdp`` says, and what Python calls it. In this order.
_SAID = (
    (r"--for\b|(?<=leave out )\"for\"", "unknown"),
    (r"--([a-z]+(?:-[a-z]+)*)", lambda option: option[1].replace("-", "_")),
    (r"^standard input: ", "run: "),
    (r"\"-\" already describes the run", "the run says it already"),
    (r"^gdp (?=[a-z]+ needs)", ""),
    (r"\ba FILE \(- for standard input\)|\bFILE\b|\bstandard input\b", "run"),
    (r" \(see gdp(?: --)?help\)| \(see gdp --help\)", ""),
)


def in_python(message: str) -> str:
    """A sentence of ``gdp`` with the names of Python's arguments."""
    for pattern, name in _SAID:
        message = re.sub(pattern, cast(Any, name), message)
    return message


#: Other packages' names of arguments, and ours.
_THEIRS = {
    "sigma": "noise_multiplier",
    "noise": "noise_multiplier",
    "q": "sampling_rate",
    "sampling_probability": "sampling_rate",
    "iterations": "steps",
    "num_steps": "steps",
    "n": "dataset_size",
    "number_of_examples": "dataset_size",
    "num_epochs": "epochs",
    "eps": "epsilon",
    "expected_batch_size": "batch_size",
    "loader": "sampling",
}


def suggestion(name: str, known: "list[str]") -> str:
    """``; did you mean "title"?``, or what is known where nothing is near."""
    theirs = _THEIRS.get(name)
    near = [theirs] if theirs in known else get_close_matches(name, known, 1, 0.6)
    return f'; did you mean "{near[0]}"?' if near else f"; expected one of {', '.join(known)}"


def checked(function: F) -> F:
    """A function that refuses a keyword it does not know in a sentence that says which one may be meant."""
    known = [
        name
        for name, each in inspect.signature(function).parameters.items()
        if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) and name not in ("self", "cls")
    ]
    names = frozenset(known)
    called = function.__qualname__.split(".")[-2 if function.__name__ == "__init__" else -1]

    @functools.wraps(function)
    def asked(*args: Any, **options: Any) -> Any:
        for name in options:
            if name not in names:
                raise UnknownArgument(f'{called} has no argument "{name}"{suggestion(name, known)}')
        return function(*args, **options)

    return cast(F, asked)
