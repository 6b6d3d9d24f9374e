"""What was run, as a request has it."""

from __future__ import annotations

import base64
import io
import json
import os
import re
import zipfile
from pathlib import Path
from typing import Any, Dict, List, Mapping, Sequence

from ._data import plain
from ._engines import engine
from ._errors import Refused

__all__ = ["as_file", "history_of", "phases_of", "shortly", "source_of"]


def source_of(run: Any) -> Dict[str, Any]:
    """The run as a request has it: the name of a file, or what one would hold."""
    if run is None or hasattr(run, "columns") or hasattr(run, "as_file"):
        hint = "a table is answered by batch(table)" if hasattr(run, "columns") else "a path, a text, a history or a mechanism"
        raise Refused(f"run is what one run was: {hint}; got {type(run).__name__}")
    if not is_path(run):
        return {"input": _history(run)}
    path = _path(run)
    # Node reads the parts of a file that it needs; other engines have no files
    return {"operands": [path]} if engine().name == "node" and _is_unicode(path) else {"inputBase64": content_of(path)}


def is_path(run: Any) -> bool:
    """Whether a run is named by a path, not given."""
    return isinstance(run, os.PathLike) or isinstance(run, str) and not _is_content(run)


def as_file(run: Any) -> str:
    """What the file of a run holds, as base64: for requests about several files."""
    if is_path(run):
        return content_of(_path(run))
    text = run if isinstance(run, str) else json.dumps(plain(_history(run), "run"))
    return base64.b64encode(text.encode()).decode("ascii")


def _history(run: Any) -> Any:
    """A list of phases is a history: ``[(1.1, 0.01, 1000)]``."""
    if isinstance(run, (list, tuple)) and run and all(isinstance(phase, (list, tuple)) for phase in run):
        return {"history": run}
    return run


def _path(run: Any) -> str:
    path: str = os.path.abspath(os.path.expanduser(os.fsdecode(os.fspath(run))))
    if not os.path.exists(path):
        raise Refused(f"run: there is no file {os.fspath(run)!r}")
    return path


def _is_unicode(path: str) -> bool:
    """Whether a name can be told to others: bytes that are not UTF-8 are surrogates here."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def content_of(path: str) -> str:
    """The bytes of a file as base64."""
    try:
        return base64.b64encode(_bytes_of(path)).decode("ascii")
    except IsADirectoryError:
        raise Refused(f"run: {path!r}: it is a directory, not a file") from None
    except OSError as error:
        raise Refused(f"run: {path!r} cannot be read: {error.strerror}") from error


#: Bytes of a checkpoint from which on it is sent without what it holds in parts larger than the other: the weights, which say nothing of the run.
_LARGE, _PART = 2**22, 2**16


def _bytes_of(path: str) -> bytes:
    if os.path.getsize(path) <= _LARGE or not zipfile.is_zipfile(path):
        return Path(path).read_bytes()
    small = io.BytesIO()
    with zipfile.ZipFile(path) as whole, zipfile.ZipFile(small, "w") as parts:
        for entry in whole.infolist():
            if entry.file_size <= _PART or entry.filename.endswith("data.pkl"):
                parts.writestr(entry.filename, whole.read(entry))
    return small.getvalue()


def _is_content(text: str) -> bool:
    """Whether a text is what a file holds, not its name: JSON, a DpEvent, several lines; nothing, which is refused as such."""
    return text.strip() == "" or "\n" in text or re.match(r"\s*[\[{(\"']|[\w.]*\(", text) is not None


def shortly(run: Any) -> str:
    """A run as a ``repr`` shows it."""
    text = repr(os.fspath(run)) if isinstance(run, os.PathLike) else repr(run)
    return text if len(text) <= 100 else f"{text[:97]}..."


def phases_of(history: Any) -> List[List[Any]]:
    """
    The phases of an Opacus history, numbers of NumPy as those of Python.

    :raises ValueError: for a phase that is none, or whose number of steps is not whole: it would be rounded to fewer.
    """
    phases = []
    for phase in history:
        if len(phase) != 3:
            raise ValueError(f"a phase of the history is (noise_multiplier, sample_rate, steps), got {phase!r}")
        noise, rate, steps = phase
        if not float(steps).is_integer():
            raise ValueError(f"the steps of a phase must be a whole number, got {steps!r} in {phase!r}")
        phases.append([float(noise), float(rate), int(steps)])
    return phases


def history_of(steps: Sequence[Sequence[float]], mechanism: str = "gdp-kernel") -> Dict[str, Any]:
    """The state of an Opacus accountant as JSON."""
    return {"history": phases_of(steps), "mechanism": mechanism}


def options_of(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options that are given: one that is not is not sent."""
    return {name: value for name, value in options.items() if value is not None and value is not False}
