"""
The accountants of Opacus by their signatures and by what their states look like, as in the release that `VERSION` names.

What a release does stands in `opacus_shape.SHAPES`; `npm run test:packages` compares that with the real ones.
"""

import abc
from collections import OrderedDict
from copy import deepcopy

#: Which release to be like; tests set it.
VERSION = (1, 6)


class IAccountant(abc.ABC):
    @abc.abstractmethod
    def __init__(self):
        self.history = []

    @abc.abstractmethod
    def step(self, *, noise_multiplier: float, sample_rate: float): ...

    @abc.abstractmethod
    def get_epsilon(self, delta: float, *args, **kwargs) -> float: ...

    @abc.abstractmethod
    def __len__(self) -> int: ...

    @classmethod
    @abc.abstractmethod
    def mechanism(cls) -> str: ...

    @classmethod
    def _saved(cls):
        # until 1.5 the method, where its name was meant
        return cls.mechanism() if VERSION >= (1, 6) else cls.mechanism

    def state_dict(self, destination=None):
        if destination is None:
            destination = OrderedDict()
        destination["history"] = deepcopy(self.history)
        destination["mechanism"] = self._saved()
        return destination

    def load_state_dict(self, state_dict):
        if self._saved() != state_dict["mechanism"]:
            raise ValueError(f"state_dict of {state_dict['mechanism']} cannot be loaded")
        self.history = state_dict["history"]


class RDPAccountant(IAccountant):
    """Keeps what it is told."""

    def __init__(self):
        super().__init__()

    def step(self, *, noise_multiplier, sample_rate):
        if self.history and self.history[-1][:2] == (noise_multiplier, sample_rate):
            self.history[-1] = (noise_multiplier, sample_rate, self.history[-1][2] + 1)
        else:
            self.history.append((noise_multiplier, sample_rate, 1))

    def get_epsilon(self, delta, *args, **kwargs):
        return 1.0

    def __len__(self):
        return len(self.history)

    @classmethod
    def mechanism(cls):
        return "rdp"


class GaussianAccountant(RDPAccountant):
    """Of one phase alone, which a question takes out of its history until 1.3."""

    def step(self, *, noise_multiplier, sample_rate):
        if self.history and self.history[-1][:2] != (noise_multiplier, sample_rate):
            raise ValueError("Noise multiplier and sample rate have to stay constant in GaussianAccountant.")
        super().step(noise_multiplier=noise_multiplier, sample_rate=sample_rate)

    def get_epsilon(self, delta, *args, **kwargs):
        if VERSION < (1, 4):
            self.history.pop()
        return 1.0

    @classmethod
    def mechanism(cls):
        return "gdp"


_TABLE = {"rdp": RDPAccountant, "gdp": GaussianAccountant}


def register_accountant(mechanism, accountant):
    _TABLE[mechanism] = accountant


def create_accountant(mechanism):
    return _TABLE[mechanism]()
