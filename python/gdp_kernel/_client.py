"""Questions to the accountant, and its answers: requests of ``gdp serve``, whichever engine answers them."""

from __future__ import annotations

import itertools
import json
import os
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ._data import plain
from ._engines import LONGEST_REQUEST, Engine, engine
from ._errors import AccountingError, Note, Refused
from ._names import in_python

__all__ = ["call", "call_all"]

_HERE = Path(__file__).resolve().parent
_ids = itertools.count(1)

#: Requests that one line holds at most, and their characters: a table of more rows takes several lines.
_AT_ONCE = 20_000
_LENGTH_AT_ONCE = 2**24


def call(
    method: str,
    params: Mapping[str, Any],
    timeout: Optional[float] = None,
    warn: bool = True,
    said: Optional[Set[str]] = None,
) -> Dict[str, Any]:
    """
    Asks one question.

    :param method: a command of ``gdp``.
    :param params: its options by name, with underscores; ``input`` for what FILE holds, ``operands`` for the names of files, ``files``
        for what files hold, by name.
    :param timeout: seconds after which the question is cancelled; without one, as long as it takes.
    :param warn: whether what ``gdp`` says beside the answer is a warning, a :class:`Note`.
    :param said: notes that were given before, and are not given again.
    :returns: ``answer`` (or ``text``), ``exitCode`` and ``notes``.
    :raises Refused: for what ``gdp`` refuses.
    :raises AccountingError: where there is no answer; never a number in its place.
    """
    number = next(_ids)
    line = _request(number, method, params)
    if len(line) > LONGEST_REQUEST:
        raise Refused(
            f"what {method!r} was asked takes {len(line)} bytes, and at most {LONGEST_REQUEST} can be asked at once"
        )
    result = _result(_asked(line, [number], method, timeout))
    _tell(result.get("notes", ()) if warn else (), said)
    return result


def call_all(questions: Sequence[Tuple[str, Mapping[str, Any]]], timeout: Optional[float] = None) -> List[Any]:
    """
    Asks many questions with as few lines as they fit in; ``timeout`` is for each line.

    :returns: of each a result as :func:`call` gives it, or the :class:`Refused` that is its answer.
    :raises AccountingError: where there is no answer.
    """
    found: List[Any] = []
    lines: List[str] = []
    numbers: List[int] = []

    def ask() -> None:
        if lines:
            answers = _asked(f"[{','.join(lines)}]", numbers, f"{len(lines)} questions", timeout)
            if not isinstance(answers, list):
                raise AccountingError(in_python(str(answers.get("error", {}).get("message", answers))))
            found.extend(map(_result_or_refusal, answers))
            lines.clear()
            numbers.clear()

    length = 0
    for method, params in questions:
        number = next(_ids)
        line = _request(number, method, params)
        if len(lines) == _AT_ONCE or length + len(line) > _LENGTH_AT_ONCE:
            ask()
            length = 0
        lines.append(line)
        numbers.append(number)
        length += len(line)
    ask()
    return found


def _request(number: int, method: str, params: Mapping[str, Any]) -> str:
    named = {
        name.replace("_", "-"): plain(value, "run" if name == "input" else name)
        for name, value in params.items()
    }
    request = {"jsonrpc": "2.0", "id": number, "method": method, "params": named}
    # all characters are of one byte: others are escaped
    return json.dumps(request, allow_nan=False, separators=(",", ":"))


def _asked(line: str, numbers: Sequence[int], what: str, timeout: Optional[float]) -> Any:
    """The response to a line. Questions have no effects: where an engine ends without an answer, another is asked, once."""
    asked: Engine = engine()
    try:
        return json.loads(asked.ask(line, numbers, timeout))
    except TimeoutError:
        raise AccountingError(f"gdp-kernel did not answer {what!r} within {timeout} seconds") from None
    except AccountingError:
        if asked.alive:
            raise
        return json.loads(engine().ask(line, numbers, timeout))


def _result(message: Any) -> Dict[str, Any]:
    error = message.get("error") if isinstance(message, dict) else None
    if error is None:
        result = message.get("result") if isinstance(message, dict) else None
        if isinstance(result, dict):
            return result
        raise AccountingError("gdp-kernel gave an answer that is none")
    text = in_python(str(error.get("message")))
    # a method that is none and data nested too deep, too, are what was asked
    raise (Refused if error.get("code") in (-32602, -32601, -32600) else AccountingError)(text)


def _result_or_refusal(message: Any) -> Any:
    try:
        return _result(message)
    except Refused as refusal:
        return refusal


def _tell(notes: Sequence[str], said: Optional[Set[str]]) -> None:
    for note in notes:
        if said is None or note not in said:
            warnings.warn(in_python(str(note)), Note, stacklevel=_outside())
        if said is not None:
            said.add(note)


def _outside() -> int:
    """How far up the caller is that is not of this package: where a warning points to."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(_HERE) + os.sep in frame.f_code.co_filename:
        frame, level = frame.f_back, level + 1
    return level
