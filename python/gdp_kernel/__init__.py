"""
Certified differential-privacy accounting: every number is a bracket that contains the exact value.

The package is the standard library alone; it carries the bundled JavaScript and starts one ``node`` child, which answers. It needs
Node 20.19 or newer on the PATH, or named in the environment variable ``GDP_KERNEL_NODE``.
"""

from ._account import Account, Calibration, Measurement, calibrate, measure, noise_multiplier_of, report
from ._bracket import Bracket, Brackets
from ._errors import AccountingError, Note, Refused
from ._version import __version__

__all__ = [
    "Account",
    "AccountingError",
    "Bracket",
    "Brackets",
    "Calibration",
    "Measurement",
    "Note",
    "Refused",
    "__version__",
    "calibrate",
    "measure",
    "noise_multiplier_of",
    "report",
]
