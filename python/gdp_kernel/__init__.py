"""
Certified differential-privacy accounting: every number is a bracket that contains the exact value.

The package is the standard library alone; it carries the bundled JavaScript and starts one ``node`` child, which answers. It needs
Node 20.19 or newer on the PATH, or named in the environment variable ``GDP_KERNEL_NODE``.
"""

from ._account import Account, Bracket, Calibration, Measurement, calibrate, measure, report
from ._client import AccountingError, Refused
from ._version import __version__

__all__ = [
    "Account",
    "AccountingError",
    "Bracket",
    "Calibration",
    "Measurement",
    "Refused",
    "__version__",
    "calibrate",
    "measure",
    "report",
]
