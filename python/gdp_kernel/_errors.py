"""Why there is no answer."""

from __future__ import annotations

__all__ = ["AccountingError", "Note", "Refused", "UnknownArgument"]


class AccountingError(RuntimeError):
    """There is no answer: no engine, a process that ended, an answer that did not come in time."""


class Refused(ValueError):
    """What was asked cannot be answered; the message is the accountant's own sentence, with Python's names of arguments."""


class UnknownArgument(Refused, TypeError):
    """An argument of a name that is not known; the message says which one may be meant."""


class Note(UserWarning):
    """What the accountant says beside an answer: what it assumed, or what the answer leaves out."""
