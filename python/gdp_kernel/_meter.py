"""A meter of a training: what its steps have cost, and how many more a target leaves."""

from __future__ import annotations

from typing import Any, List, Optional, SupportsFloat, Tuple

from ._account import Account
from ._bracket import Bracket
from ._errors import Refused
from ._names import checked
from ._types import Adjacency
from ._verbs import calibrate

__all__ = ["Meter"]

#: Noise multiplier, sampling rate, steps.
Phase = Tuple[float, float, int]


class Meter:
    """
    Counts the steps of a training with Poisson batches, and says when the next one would pass an epsilon. How many steps are left is found
    once, and again where noise or rate change: a step costs next to nothing. :mod:`gdp_kernel.hooks` attaches a meter to trainers.

    :param noise_multiplier: noise over clipping norm of the next steps; a step may say its own.
    :param sampling_rate: probability that a record is in a batch; ``sample_rate`` is Opacus' name.
    :param batch_size: records in a batch on average, which with ``dataset_size`` stand for the rate.
    :param delta: where epsilon is metered.
    :param history: steps that were taken before, as (noise multiplier, sampling rate, steps).

    >>> meter = Meter(noise_multiplier=1.1, sampling_rate=0.01).stop_at(epsilon=3)
    >>> while not meter.done:
    ...     meter.step()  # doctest: +ELLIPSIS
    True
    ...
    False
    >>> meter.steps, meter.epsilon() <= 3
    (3712, True)
    """

    @checked
    def __init__(
        self,
        *,
        noise_multiplier: Optional[SupportsFloat] = None,
        sampling_rate: Optional[SupportsFloat] = None,
        sample_rate: Optional[SupportsFloat] = None,
        batch_size: Optional[int] = None,
        dataset_size: Optional[int] = None,
        delta: float = 1e-5,
        history: Any = (),
        adjacency: Optional[Adjacency] = None,
    ) -> None:
        rate = sample_rate if sampling_rate is None else sampling_rate
        if (batch_size is None) != (dataset_size is None) or (batch_size is not None and rate is not None):
            raise Refused("give either sampling_rate, or batch_size and dataset_size")
        if batch_size is not None and dataset_size is not None:
            if not 0 < batch_size <= dataset_size:
                raise Refused(f"batch_size must be from 1 to dataset_size ({dataset_size}), got {batch_size}")
            rate = batch_size / dataset_size
        self.noise_multiplier = None if noise_multiplier is None else float(noise_multiplier)
        self.sampling_rate = None if rate is None else float(rate)
        self.delta = float(delta)
        self.adjacency: Optional[Adjacency] = adjacency
        #: The steps so far, as Opacus has them.
        self.history: List[Phase] = [(float(noise), float(each), int(steps)) for noise, each, steps in history]
        self._target: Optional[float] = None
        self._left: Optional[int] = None
        #: Noise and rate that the steps left are of.
        self._of: Tuple[Optional[float], Optional[float]] = (None, None)

    def stop_at(self, epsilon: float) -> "Meter":
        """Sets the epsilon that is not to be passed, and returns the meter."""
        self._target, self._left = float(epsilon), None
        return self

    def step(
        self,
        count: int = 1,
        *,
        noise_multiplier: Optional[SupportsFloat] = None,
        sampling_rate: Optional[SupportsFloat] = None,
    ) -> bool:
        """
        Counts steps that were taken, at the noise and rate given or those of the meter; further steps are taken to be like them.

        :returns: whether another one may follow: always, where no epsilon was set.
        """
        if noise_multiplier is not None:
            self.noise_multiplier = float(noise_multiplier)
        if sampling_rate is not None:
            self.sampling_rate = float(sampling_rate)
        noise, rate = self._next()
        if self.history and self.history[-1][:2] == (noise, rate):
            self.history[-1] = (noise, rate, self.history[-1][2] + count)
        else:
            self.history.append((noise, rate, count))
        if self._left is not None:
            self._left = self._left - count if self._of == (noise, rate) else None
        return not self.done

    def _next(self) -> Tuple[float, float]:
        if self.noise_multiplier is None or self.sampling_rate is None:
            raise Refused("a step needs noise_multiplier and sampling_rate: give them to the meter or to the step")
        return self.noise_multiplier, self.sampling_rate

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return sum(steps for _, _, steps in self.history)

    @property
    def steps_left(self) -> int:
        """How many more steps like the last may be taken; below 0 where too many were."""
        if self._target is None:
            raise Refused("stop_at(epsilon) says what is not to be passed")
        now = self._next()
        if self._left is None or self._of != now:
            self._left, self._of = self._solved(*now), now
        return self._left

    def _solved(self, noise: float, rate: float) -> int:
        run = {"history": [*map(list, self.history), [noise, rate, "?"]]}
        try:
            found = calibrate(run=run, epsilon=self._target, delta=self.delta, adjacency=self.adjacency)
        except Refused as refusal:
            if str(refusal).startswith("out of reach"):
                return 0
            raise
        return found.steps

    @property
    def done(self) -> bool:
        """Whether another step would pass the epsilon that was set."""
        return self._target is not None and self.steps_left <= 0

    def account(self) -> Account:
        """The account of the steps so far."""
        return Account({"history": self.history}, adjacency=self.adjacency, allow_empty_history=not self.history)

    def epsilon(self, delta: Optional[float] = None) -> Bracket:
        """epsilon of the steps so far."""
        return self.account().epsilon(self.delta if delta is None else delta)

    def __repr__(self) -> str:
        target = "" if self._target is None else f".stop_at({self._target:g})"
        return f"Meter(noise_multiplier={self.noise_multiplier}, sampling_rate={self.sampling_rate}){target} after {self.steps} steps"
