"""Why there is no answer."""

from __future__ import annotations

__all__ = ["AccountingError", "Note", "Refused"]


class AccountingError(RuntimeError):
    """There is no answer: no Node, a child that ended, an answer that did not come in time."""


class Refused(ValueError):
    """What was asked cannot be answered; the message is the accountant's own sentence, with Python's names of arguments."""


class Note(UserWarning):
    """What the accountant says beside an answer: what it assumed, or what the answer leaves out."""
