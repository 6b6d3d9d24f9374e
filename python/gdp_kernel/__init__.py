"""
Certified differential-privacy accounting: every number is a bracket that contains the exact value.

:class:`Account` is the account of a run, :func:`calibrate` plans one, :func:`batch` answers a table of them. The other verbs of ``gdp`` are methods
of :class:`Account` and functions beside it. :mod:`gdp_kernel.mechanisms` makes mechanisms, :mod:`gdp_kernel.hooks` ends a training at an epsilon,
:mod:`gdp_kernel.opacus` and :mod:`gdp_kernel.dp_accounting` are accountants of the shape of theirs.

The environment variable ``GDP_KERNEL_ENGINE`` names what runs the accountant: ``node`` (20.19 or newer, on the PATH or named in
``GDP_KERNEL_NODE``), ``native``, ``v8`` or ``wasm``. Without it the first that is there is taken.
"""

from . import mechanisms
from ._account import Account
from ._answers import (
    Amplification,
    Audit,
    Baseline,
    Calibration,
    Comparison,
    Conversion,
    Finding,
    Head,
    Identification,
    Lint,
    Measurement,
    Noise,
    Risk,
    SeveralSecrets,
    Verification,
)
from ._bracket import Bracket, Brackets
from ._budget import Budget, budget
from ._curves import Point, hull, mu_above
from ._engines import close
from ._errors import AccountingError, Note, Refused, UnknownArgument
from ._meter import Meter
from ._table import batch
from ._verbs import audit, calibrate, convert, lint, measure, noise, noise_multiplier_of, report, verify
from ._version import __version__

__all__ = [
    "Account",
    "AccountingError",
    "Amplification",
    "Audit",
    "Baseline",
    "Bracket",
    "Brackets",
    "Budget",
    "Calibration",
    "Comparison",
    "Conversion",
    "Finding",
    "Head",
    "Identification",
    "Lint",
    "Measurement",
    "Meter",
    "Noise",
    "Note",
    "Point",
    "Refused",
    "Risk",
    "SeveralSecrets",
    "UnknownArgument",
    "Verification",
    "__version__",
    "audit",
    "batch",
    "budget",
    "calibrate",
    "close",
    "convert",
    "hull",
    "lint",
    "measure",
    "mechanisms",
    "mu_above",
    "noise",
    "noise_multiplier_of",
    "report",
    "verify",
]
