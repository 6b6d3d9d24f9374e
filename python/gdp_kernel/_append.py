"""Files that are made whole and then only appended to."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

from ._errors import Refused

__all__ = ["append", "create"]


def create(path: str, text: str) -> None:
    """
    Makes a file, which appears under its name once it is whole and on disk.

    :raises Refused: where there is one already, or the system does not write it.
    """
    beside = f"{path}.{os.getpid()}.{secrets.token_hex(6)}.partial"
    try:
        try:
            with open(beside, "xb") as file:
                file.write(text.encode("ascii"))
                file.flush()
                os.fsync(file.fileno())
            os.link(beside, path)
            _sync_folder(path)
        finally:
            Path(beside).unlink(missing_ok=True)
    except FileExistsError:
        raise Refused(f"{path}: it exists already; a ledger is never overwritten") from None
    except OSError as error:
        raise Refused(f"{path}: it cannot be written: {error.strerror}") from error


def append(path: str, text: str) -> None:
    """
    Appends in one write, which other processes that append leave whole, and waits until it is on disk.

    :raises Refused: where the system does not write it; the end of the file may be half of it.
    """
    data = text.encode("ascii")
    try:
        file = _appending(path)
        try:
            if os.write(file, data) != len(data):
                raise Refused(f"{path}: it cannot be written: the disk is full")
            os.fsync(file)
        finally:
            os.close(file)
    except OSError as error:
        raise Refused(f"{path}: it cannot be written: {error.strerror}") from error


def _appending(path: str) -> int:
    if sys.platform != "win32":
        return os.open(path, os.O_WRONLY | os.O_APPEND)
    # Python's O_APPEND seeks and then writes there: the right to append alone is what makes both one step
    import ctypes
    import msvcrt

    append_data, shared, existing = 0x4, 0x1 | 0x2 | 0x4, 3
    system = ctypes.WinDLL("kernel32", use_last_error=True)
    system.CreateFileW.restype = ctypes.c_void_p
    handle = system.CreateFileW(path, append_data, shared, None, existing, 0, None)
    if handle in (None, ctypes.c_void_p(-1).value):
        raise ctypes.WinError(ctypes.get_last_error())
    return msvcrt.open_osfhandle(handle, os.O_WRONLY | os.O_BINARY)


def _sync_folder(path: str) -> None:
    """So that the new name is on disk, too; some systems have no such call."""
    try:
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(folder)
    except OSError:
        pass
    finally:
        os.close(folder)
