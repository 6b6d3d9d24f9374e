"""Types of what is asked."""

from __future__ import annotations

import os
from typing import Any, Dict, Literal, Mapping, Sequence, SupportsFloat, Union

__all__ = ["Adjacency", "Loader", "Mechanism", "Method", "Number", "Run", "Tries", "Unknown"]

#: A mechanism as ``gdp`` reads it, as :mod:`gdp_kernel.mechanisms` makes it.
Mechanism = Dict[str, Any]

#: A number of Python or of NumPy; ``"?"`` where :func:`gdp_kernel.calibrate` is to find it.
Number = Union[SupportsFloat, Literal["?"]]

#: What says what was run: the path of a file that ``gdp epsilon`` reads, such a file's text, or its data: an Opacus state, a history, a
#: mechanism of gdp-kernel, a DpEvent.
Run = Union[Mapping[str, Any], Sequence[Any], str, "os.PathLike[str]"]

Adjacency = Literal["add-remove", "replace-one", "zero-out"]
Method = Literal["auto", "closed-form", "spectral", "grid"]

#: How batches are formed.
Loader = Literal[
    "poisson", "capped-poisson", "balls-and-bins", "shuffled", "without-replacement", "with-replacement", "fixed"
]

#: How many tries a private selection has: a number, a text such as ``"geometric:10"``, or a mapping.
Tries = Union[int, str, Mapping[str, Any]]

#: What can be solved for.
Unknown = Literal[
    "noise_multiplier", "steps", "epochs", "sampling_rate", "bins", "records_per_person", "laplace_scale"
]
