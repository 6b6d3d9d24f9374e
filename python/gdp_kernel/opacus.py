"""
An accountant for Opacus 1.1 and later, which is set before ``make_private``::

    from gdp_kernel.opacus import GdpAccountant

    engine = PrivacyEngine()
    engine.accountant = GdpAccountant()

Opacus 1.6 also takes it by a name::

    from opacus.accountants import register_accountant

    register_accountant("gdp-kernel", GdpAccountant)
    engine = PrivacyEngine(accountant="gdp-kernel")
"""

from __future__ import annotations

import importlib
import warnings
from collections import OrderedDict
from typing import TYPE_CHECKING, Any, Callable, Dict, List, MutableMapping, Optional, Tuple

from ._account import Account
from ._answers import Measurement
from ._bracket import Bracket
from ._source import history_of, phases_of

if TYPE_CHECKING:
    Base = object
else:
    try:
        from opacus.accountants import IAccountant as Base
    except ImportError:
        Base = object

__all__ = ["GdpAccountant"]


class GdpAccountant(Base):
    """
    ``get_epsilon`` is the upper end of a bracket that contains the exact epsilon; ``get_bracket`` gives both. The history is Opacus' own,
    (noise multiplier, sample rate, steps), so that checkpoints are read both ways.
    """

    def __init__(self) -> None:
        self.history: List[Tuple[float, float, int]] = []

    @classmethod
    def mechanism(cls) -> str:
        return "gdp-kernel"

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """One optimisation step."""
        if self.history:
            noise, rate, steps = self.history[-1]
            if noise == noise_multiplier and rate == sample_rate:
                self.history[-1] = (noise, rate, steps + 1)
                return
        self.history.append((noise_multiplier, sample_rate, 1))

    def get_epsilon(self, delta: float, *args: Any, **kwargs: Any) -> float:
        """The upper end of epsilon at ``delta``. Options of other accountants, such as ``alphas``, have no meaning here and are refused."""
        if args or kwargs:
            raise TypeError(f"get_epsilon takes a delta alone, got {[*args, *kwargs]}")
        return self.get_bracket(delta).upper

    def get_bracket(self, delta: float) -> Bracket:
        """Both ends of epsilon at ``delta``."""
        return self.account().epsilon(delta)

    def get_mu(self, alpha_min: float = 1e-10) -> Measurement:
        """mu over error rates from ``alpha_min`` up."""
        return self.account().measure(alpha_min)

    def account(self) -> Account:
        """The account of the steps so far."""
        return Account(history_of(self.history, self.mechanism()), allow_empty_history=not self.history)

    def __len__(self) -> int:
        return sum(steps for _, _, steps in self.history)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.history[:3])) + (", ..." if len(self.history) > 3 else "")
        return f"GdpAccountant({len(self)} steps: [{shown}])"

    def _repr_html_(self) -> str:
        return self.account()._repr_html_()

    def get_optimizer_hook_fn(self, sample_rate: float) -> Callable[[Any], None]:
        """What an optimizer calls after each step."""

        def hook_fn(optim: Any) -> None:
            self.step(
                noise_multiplier=optim.noise_multiplier, sample_rate=sample_rate * optim.accumulated_iterations
            )

        return hook_fn

    def state_dict(
        self, destination: Optional[MutableMapping[str, Any]] = None, *, mechanism: Optional[str] = None
    ) -> MutableMapping[str, Any]:
        """
        The state, as Opacus' accountants and ``gdp`` read it.

        :param mechanism: name of the accountant that is to read it, "rdp" say; Opacus' own refuse another's. For Opacus 1.1 to 1.5
            the state then holds a method of that accountant, as theirs do, and cannot be written as JSON.
        """
        state: MutableMapping[str, Any] = OrderedDict() if destination is None else destination
        state["history"] = [tuple(phase) for phase in self.history]
        state["mechanism"] = self.mechanism() if mechanism is None else _saved_as(mechanism)
        return state

    def load_state_dict(self, state_dict: Dict[str, Any]) -> None:
        """Takes the state of any of Opacus' accountants: how it was accounted does not change what was run."""
        if not state_dict:
            raise ValueError("state dict is empty and hence cannot be loaded into Privacy Accountant.")
        for key in ("history", "mechanism"):
            if key not in state_dict:
                raise ValueError(f"state_dict does not have the key `{key}`. Cannot be loaded into Privacy Accountant.")
        if not state_dict["history"] and _name_of(state_dict["mechanism"]) == "gdp":
            raise ValueError(
                "the history is empty. GaussianAccountant of Opacus 1.1 to 1.3 empties its history when it is asked for epsilon: "
                "save its state before asking"
            )
        self.history = [(noise, rate, steps) for noise, rate, steps in phases_of(state_dict["history"])]


def _name_of(mechanism: Any) -> Any:
    """The name of an accountant; Opacus 1.1 to 1.5 save the method that gives it."""
    return mechanism() if callable(mechanism) else mechanism


def _saved_as(mechanism: str) -> Any:
    """What Opacus' own accountant of this name saves as its mechanism, and compares with when it loads a state."""
    try:
        accountants = importlib.import_module("opacus.accountants")
    except ImportError:
        return mechanism
    kinds: List[Any] = [kind for kind in vars(accountants).values() if isinstance(kind, type) and issubclass(kind, Base)]
    for kind in kinds:
        if kind.mechanism() == mechanism:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return kind().state_dict()["mechanism"]
    return mechanism
