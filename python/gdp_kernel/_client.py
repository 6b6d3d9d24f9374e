"""One child process that answers questions: ``gdp serve --stdio``, a JSON-RPC message a line."""

from __future__ import annotations

import atexit
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import warnings
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Tuple

from ._data import plain
from ._errors import AccountingError, Note, Refused

__all__ = ["AccountingError", "Refused", "call"]

#: Bytes of a request at most: as much as ``gdp`` reads of a file. A history of 100,000 phases takes 5 MB.
LONGEST_REQUEST = 64 * 2**20

#: The oldest Node that runs the accountant.
MINIMUM_NODE: Tuple[int, int] = (20, 19)

_HERE = Path(__file__).resolve().parent


def call(
    method: str, params: Mapping[str, Any], timeout: Optional[float] = None, warn: bool = True
) -> Dict[str, Any]:
    """
    Asks the child, which is started when it is first needed, and again where it has ended.

    :param method: a command of ``gdp``.
    :param params: its options by name, with underscores; ``input`` for what FILE holds, ``operands`` for the names of files.
    :param timeout: seconds after which the question is cancelled; without one, as long as it takes.
    :param warn: whether what ``gdp`` says beside the answer is a warning, a :class:`Note`.
    :returns: ``answer`` (or ``text``), ``exitCode`` and ``notes``.
    :raises Refused: for what ``gdp`` refuses.
    :raises AccountingError: where there is no answer; never a number in its place.
    """
    named = {name.replace("_", "-"): plain(value, "run" if name == "input" else name) for name, value in params.items()}
    result = _child().call(method, named, timeout)
    for note in result.get("notes", ()) if warn else ():
        warnings.warn(_in_python(str(note)), Note, stacklevel=_outside())
    return result


def _outside() -> int:
    """How far up the caller is that is not of this package: where a warning points to."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and str(_HERE) in frame.f_code.co_filename:
        frame, level = frame.f_back, level + 1
    return level


def _in_python(message: str) -> str:
    """A sentence of ``gdp`` with the names of Python's arguments."""
    named = re.sub(r"--([a-z]+(?:-[a-z]+)*)", lambda option: option[1].replace("-", "_"), message)
    return re.sub(r"^standard input: ", "run: ", named)


def _node() -> str:
    needed = ".".join(map(str, MINIMUM_NODE))
    name = os.environ.get("GDP_KERNEL_NODE", "node")
    path = shutil.which(name)
    if path is None:
        raise AccountingError(
            f"gdp-kernel needs Node {needed} or newer, and there is no {name!r} on the PATH: install it, or name it in GDP_KERNEL_NODE"
        )
    try:
        said = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=60).stdout.strip()
    except (OSError, subprocess.SubprocessError) as error:
        raise AccountingError(f"gdp-kernel needs Node {needed} or newer, and {path} does not run: {error}") from None
    found = re.match(r"v(\d+)\.(\d+)\.", said)
    if found is None or (int(found[1]), int(found[2])) < MINIMUM_NODE:
        raise AccountingError(f"gdp-kernel needs Node {needed} or newer, and {path} is {said or 'no Node'}")
    return path


def _script() -> str:
    """The command line: what the package carries, or what a checkout has built."""
    places = [Path(os.environ["GDP_KERNEL_CLI"])] if "GDP_KERNEL_CLI" in os.environ else []
    places += [_HERE / "bundle" / "cli.js", _HERE.parent.parent / "dist" / "cli.js"]
    for place in places:
        if place.is_file():
            return str(place)
    raise AccountingError(f"gdp-kernel is not whole: {places[0]} is missing")


class _Pending:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.message: Optional[Dict[str, Any]] = None


class _Child:
    def __init__(self) -> None:
        self.pid = os.getpid()
        # errors of the child itself are shown where Python shows its own
        self.process = subprocess.Popen(
            [_node(), _script(), "serve", "--stdio", "--workers", "2", "--max-line", str(LONGEST_REQUEST)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._ids = itertools.count(1)
        self._pending: Dict[int, _Pending] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._ended = False
        threading.Thread(target=self._read, name="gdp-kernel", daemon=True).start()

    @property
    def alive(self) -> bool:
        return not self._ended and self.pid == os.getpid() and self.process.poll() is None

    def call(self, method: str, params: Mapping[str, Any], timeout: Optional[float]) -> Dict[str, Any]:
        pending = _Pending()
        number = next(self._ids)
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        line = json.dumps(request, allow_nan=False, separators=(",", ":")) + "\n"
        # all characters are of one byte: others are escaped
        if len(line) > LONGEST_REQUEST:
            raise Refused(
                f"what {method!r} was asked takes {len(line)} bytes, and at most {LONGEST_REQUEST} can be asked at once"
            )
        with self._lock:
            if self._ended:
                raise self._gone()
            self._pending[number] = pending
        try:
            self._send(line)
            answered = pending.done.wait(timeout)
        except BaseException:
            self._cancel(number)
            raise
        if not answered:
            self._cancel(number)
            raise AccountingError(f"gdp-kernel did not answer {method!r} within {timeout} seconds")
        return self._result(pending.message)

    def _result(self, message: Optional[Dict[str, Any]]) -> Dict[str, Any]:
        if message is None:
            raise self._gone()
        error = message.get("error")
        if error is None:
            result = message.get("result")
            if isinstance(result, dict):
                return result
            raise AccountingError("gdp-kernel gave an answer that is none")
        message_text = _in_python(str(error.get("message")))
        raise (Refused if error.get("code") == -32602 else AccountingError)(message_text)

    def _gone(self) -> AccountingError:
        code = self.process.poll()
        how = "" if code is None else f" (exit code {code})"
        return AccountingError(f"gdp-kernel's process ended before it answered{how}")

    def _send(self, line: str) -> None:
        stdin = self.process.stdin
        assert stdin is not None
        try:
            with self._writing:
                stdin.write(line)
                stdin.flush()
        except (OSError, ValueError):
            raise self._gone() from None

    def _cancel(self, number: int) -> None:
        with self._lock:
            self._pending.pop(number, None)
        try:
            self._send(f'{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{number}}}}}\n')
        except AccountingError:
            pass

    def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        try:
            for line in stdout:
                message = json.loads(line)
                for pending in self._answered(message):
                    pending.message = message
                    pending.done.set()
        except ValueError:
            self.process.kill()
        self.process.wait()
        with self._lock:
            self._ended = True
            left, self._pending = self._pending, {}
        for pending in left.values():
            pending.done.set()

    def _answered(self, message: Mapping[str, Any]) -> List[_Pending]:
        """Whose answer a message is. An error without an id may be anybody's: nobody is left waiting for what never comes."""
        if "method" in message:
            return []
        with self._lock:
            if message.get("id") is None:
                left, self._pending = self._pending, {}
                return list(left.values())
            pending = self._pending.pop(message["id"], None)
        return [] if pending is None else [pending]

    def close(self) -> None:
        if self.pid != os.getpid():
            return
        try:
            if self.process.stdin is not None:
                self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()


_only: Optional[_Child] = None
_starting = threading.Lock()


def _child() -> _Child:
    """The child of this process; one that another process started, before a fork, is left alone."""
    global _only
    with _starting:
        if _only is None or not _only.alive:
            _only = _Child()
            atexit.register(_only.close)
        return _only


def _reset_after_fork() -> None:
    global _only, _starting
    _only = None
    _starting = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
