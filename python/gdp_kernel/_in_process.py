"""
Engines inside this process. ``libgdp`` is a C library, called by ctypes; mini-racer is V8, which runs dist/embed.js; wasmtime runs gdp.wasm, one
module without imports. Each answers one line at a time, and several threads by several accountants.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib
import importlib.metadata
import json
import os
import platform
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable, List, Optional, Protocol, Sequence

from ._errors import AccountingError

__all__ = ["InProcess", "native", "v8", "wasm"]

_HERE = Path(__file__).resolve().parent
#: A checkout, where the package is not installed.
_ROOT = _HERE.parent.parent

#: Accountants at most, each for a thread that asks while others are answered. About 20 MB each; speed alone depends on it.
_MOST = 4

#: The number of gdp.h that this file was written for.
_ABI = 1


class Accountant(Protocol):
    """What one thread asks at a time."""

    #: Whether a signal waits until a call is over.
    blocks: bool

    def ask(self, line: str, timeout: Optional[float]) -> str:
        """:raises TimeoutError: after so many seconds, or when it is interrupted."""
        ...

    def interrupt(self) -> None: ...

    def close(self) -> None: ...

    @property
    def alive(self) -> bool: ...


class InProcess:
    """Accountants of one kind: as many as threads ask at once, up to four."""

    def __init__(self, name: str, opened: Callable[[], Accountant]) -> None:
        self.name = name
        self.pid = os.getpid()
        self._open = opened
        self._idle: List[Accountant] = [opened()]
        self._count = 1
        self._closed = False
        self._free = threading.Condition()

    @property
    def alive(self) -> bool:
        return not self._closed and self.pid == os.getpid()

    def ask(self, line: str, ids: Sequence[int], timeout: Optional[float]) -> str:
        """The response to a line. An interrupt of the main thread (Ctrl-C) ends the question."""
        one = self._taken()
        try:
            if not one.blocks or threading.current_thread() is not threading.main_thread():
                return one.ask(line, timeout)
            return _interruptible(one, line, timeout)
        finally:
            self._give_back(one)

    def _taken(self) -> Accountant:
        with self._free:
            while not self._idle and self._count >= _MOST:
                self._free.wait()
            if self._idle:
                return self._idle.pop()
            self._count += 1
        try:
            return self._open()
        except BaseException:
            with self._free:
                self._count -= 1
                self._free.notify()
            raise

    def _give_back(self, one: Accountant) -> None:
        with self._free:
            if one.alive and not self._closed:
                self._idle.append(one)
            else:
                self._count -= 1
                one.close()
            self._free.notify()

    def close(self) -> None:
        if self.pid == os.getpid():
            with self._free:
                self._closed = True
                while self._idle:
                    self._idle.pop().close()


def _interruptible(one: Accountant, line: str, timeout: Optional[float]) -> str:
    """Asks in a thread of its own: a call into a library would hold back Ctrl-C until it is over."""
    found: List[Any] = []
    # not the thread's own end: a join that is interrupted takes the thread for one that has ended (Python 3.11 and before)
    done = threading.Event()

    def ask() -> None:
        try:
            found.append(one.ask(line, timeout))
        except BaseException as error:
            found.append(error)
        finally:
            done.set()

    threading.Thread(target=ask, name="gdp-kernel", daemon=True).start()
    try:
        done.wait()
    except BaseException:
        while not done.wait(0.05):
            one.interrupt()
        raise
    if isinstance(found[0], BaseException):
        raise found[0]
    return str(found[0])


def _first(places: Sequence[Path], what: str) -> Path:
    for place in places:
        if place.is_file():
            return place
    raise AccountingError(f"{what} is not in this package")


# --- libgdp ---------------------------------------------------------------------------------------------------------------------------


def _library() -> Any:
    name = {"win32": "gdp.dll", "darwin": "libgdp.dylib"}.get(sys.platform, "libgdp.so")
    path = _first([_HERE / "_native" / name, _ROOT / "build" / "native" / name], "the library of this platform")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        raise AccountingError(f"{path} does not load: {error}") from None
    if library.gdp_abi() != _ABI:
        raise AccountingError(f"{path} is of ABI {library.gdp_abi()}, and {_ABI} is needed")
    library.gdp_open.restype = ctypes.c_void_p
    library.gdp_ask_within.restype = ctypes.c_void_p
    library.gdp_ask_within.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_double]
    for function in (library.gdp_free, library.gdp_close, library.gdp_interrupt):
        function.argtypes = [ctypes.c_void_p]
        function.restype = None
    return library


class _Native:
    blocks = True

    def __init__(self, library: Any) -> None:
        self._library = library
        self._it: Optional[int] = library.gdp_open()
        if not self._it:
            raise AccountingError("gdp-kernel has no memory")

    @property
    def alive(self) -> bool:
        return self._it is not None

    def ask(self, line: str, timeout: Optional[float]) -> str:
        said = self._library.gdp_ask_within(self._it, line.encode("ascii"), timeout or 0)
        if not said:
            raise AccountingError("gdp-kernel has no memory for what it was asked")
        try:
            answer = ctypes.string_at(said).decode("utf-8")
        finally:
            self._library.gdp_free(said)
        if '"code":-32800' in answer[:200]:
            raise TimeoutError
        return answer

    def interrupt(self) -> None:
        self._library.gdp_interrupt(self._it)

    def close(self) -> None:
        it, self._it = self._it, None
        if it is not None:
            self._library.gdp_close(it)


def native() -> InProcess:
    """:raises AccountingError: where there is no library of this platform."""
    library = _library()
    return InProcess("native", lambda: _Native(library))


# --- V8 -------------------------------------------------------------------------------------------------------------------------------


def _module(name: str, extra: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise AccountingError(f"{name} is not installed: pip install 'gdp-kernel[{extra}]' brings it") from None


class _V8:
    blocks = False

    def __init__(self, racer: Any, source: str) -> None:
        self._racer = racer
        self._context = racer.MiniRacer()
        self._context.eval(source)
        self.alive = True

    def ask(self, line: str, timeout: Optional[float]) -> str:
        asked = f"gdpKernel.said = undefined; gdpKernel.ask({json.dumps(line)}).then((said) => {{ gdpKernel.said = said; }}); 0"
        try:
            # promises run after the script, and before the next one
            self._context.eval(asked)
            return str(self._context.eval("gdpKernel.said", timeout_sec=timeout))
        except self._racer.JSTimeoutException:
            self.alive = False
            raise TimeoutError from None
        except self._racer.JSEvalException as error:
            self.alive = False
            raise AccountingError(f"gdp-kernel did not answer in V8: {error}") from None
        except BaseException:
            # ended anywhere: what it keeps may be half written
            self.alive = False
            raise

    def interrupt(self) -> None:
        self.alive = False

    def close(self) -> None:
        self.alive = False
        self._context.close()


def v8() -> InProcess:
    """:raises AccountingError: without mini-racer."""
    racer = _module("py_mini_racer", "v8")
    path = _first([_HERE / "bundle" / "embed.js", _ROOT / "dist" / "embed.js"], "embed.js")
    source = path.read_text(encoding="utf-8")
    return InProcess("v8", lambda: _V8(racer, source))


# --- WebAssembly ----------------------------------------------------------------------------------------------------------------------


class _Wasm:
    blocks = True

    def __init__(self, wasmtime: Any, engine: Any, module: Any) -> None:
        self._wasmtime = wasmtime
        self._engine = engine
        self._store = wasmtime.Store(engine)
        self._store.set_epoch_deadline(1)
        exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._memory = exports["memory"]
        call: Callable[..., Any] = lambda name, *values: exports[name](self._store, *values)
        self._call = call
        self._call("_initialize")
        self._it = self._call("gdp_open")
        self.alive = bool(self._it)
        if not self.alive:
            raise AccountingError("gdp-kernel has no memory")

    def ask(self, line: str, timeout: Optional[float]) -> str:
        # nothing but a limit or an interrupt moves the clock of the engine
        self._store.set_epoch_deadline(1)
        limit = threading.Timer(timeout, self.interrupt) if timeout else None
        if limit is not None:
            limit.daemon = True
            limit.start()
        try:
            return self._answer(line.encode("ascii"))
        except self._wasmtime.Trap as trap:
            # an instance that has trapped is at an end
            self.alive = False
            if trap.trap_code == self._wasmtime.TrapCode.INTERRUPT:
                raise TimeoutError from None
            raise AccountingError(f"gdp-kernel ended before it answered: {trap}") from None
        finally:
            if limit is not None:
                limit.cancel()

    def _answer(self, request: bytes) -> str:
        place = self._call("gdp_alloc", len(request) + 1)
        if not place:
            raise AccountingError("gdp-kernel has no memory for what it was asked")
        self._memory.write(self._store, request + b"\0", place)
        said = self._call("gdp_ask", self._it, place)
        answer = bytes(self._memory.read(self._store, said, said + self._call("gdp_length", said)))
        self._call("gdp_free", said)
        self._call("gdp_free", place)
        return answer.decode("utf-8")

    def interrupt(self) -> None:
        self._engine.increment_epoch()

    def close(self) -> None:
        self.alive = False


def wasm() -> InProcess:
    """:raises AccountingError: without wasmtime."""
    wasmtime = _module("wasmtime", "wasm")
    path = _first([_HERE / "bundle" / "gdp.wasm", _ROOT / "dist" / "gdp.wasm"], "gdp.wasm")

    def opened() -> _Wasm:
        # an engine of its own: its clock stops no other accountant
        config = wasmtime.Config()
        config.epoch_interruption = True
        engine = wasmtime.Engine(config)
        return _Wasm(wasmtime, engine, _compiled(wasmtime, engine, path))

    return InProcess("wasm", opened)


def _compiled(wasmtime: Any, engine: Any, path: Path) -> Any:
    """The module as machine code, kept in the user's cache: compiling it takes two seconds of CPU, loading it some milliseconds."""
    text = path.read_bytes()
    kept = _cache() / f"{hashlib.sha256(text).hexdigest()[:32]}-{importlib.metadata.version('wasmtime')}-{platform.machine()}.cwasm"
    if _is_ours(kept):
        try:
            return wasmtime.Module.deserialize_file(engine, str(kept))
        except wasmtime.WasmtimeError:
            pass
    module = wasmtime.Module(engine, text)
    _keep(kept, bytes(module.serialize()))
    return module


def _cache() -> Path:
    usual = os.environ.get("LOCALAPPDATA") if sys.platform == "win32" else os.environ.get("XDG_CACHE_HOME")
    return (Path(usual) if usual else Path.home() / ".cache") / "gdp-kernel"


def _is_ours(path: Path) -> bool:
    """Whether a file is there that nobody else may have written: it is run as it is."""
    try:
        found = [path.parent.stat(), path.stat()]
    except OSError:
        return False
    return sys.platform == "win32" or all(each.st_uid == os.getuid() and not each.st_mode & 0o022 for each in found)


def _keep(path: Path, code: bytes) -> None:
    """Writes a file that appears whole; where there is no room for one, nothing."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, name = tempfile.mkstemp(dir=path.parent)
        with os.fdopen(number, "wb") as file:
            file.write(code)
        os.replace(name, path)
    except OSError:
        pass
