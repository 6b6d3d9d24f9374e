"""
The accountant of jax_privacy, in three lines::

    from jax_privacy.accounting import analysis
    from gdp_kernel.jax_privacy import AccountantConfig

    accountant = analysis.DpsgdTrainingAccountant(dp_accountant_config=AccountantConfig())

What it calibrates with an accountant, noise or steps or batches, it calibrates with this one. Where it asks for a ``PLDAccountant`` by type, as for
guarantees of a user, this is one.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from .dp_accounting import GdpKernelAccountant, NeighboringRelation

if TYPE_CHECKING:


    class _Config: ...

    class _Pld: ...

else:
    _Config = importlib.import_module("jax_privacy.accounting.accountants").PldAccountantConfig
    _Pld = importlib.import_module("dp_accounting.pld").PLDAccountant

__all__ = ["AccountantConfig", "PldShapedAccountant"]


class PldShapedAccountant(GdpKernelAccountant, _Pld):
    """:class:`gdp_kernel.dp_accounting.GdpKernelAccountant` where a ``PLDAccountant`` is asked for by type."""


class AccountantConfig(_Config):
    """
    What jax_privacy makes its accountants of.

    :param neighboring_relation: ADD_OR_REMOVE_ONE (default), REPLACE_ONE or REPLACE_SPECIAL, which truncated batches need.
    """

    # the parent has slots, which this keeps to
    __slots__ = ("neighboring_relation",)

    def __init__(self, neighboring_relation: Any = None) -> None:
        self.neighboring_relation = NeighboringRelation.ADD_OR_REMOVE_ONE if neighboring_relation is None else neighboring_relation

    def create_accountant(self) -> PldShapedAccountant:
        """An accountant of its own."""
        return PldShapedAccountant(self.neighboring_relation)
