"""What gdp_kernel sees of dp_accounting: events that are frozen classes of attrs with slots, and the abstract accountant."""

import abc
import enum
from types import SimpleNamespace


class DpEvent:
    __slots__ = ()

    def __eq__(self, other):
        return type(self) is type(other) and all(getattr(self, n) == getattr(other, n) for n in self.__slots__)


def _event(name, *fields, **defaults):
    names = (*fields, *defaults)

    def __init__(self, *values, **given):
        given = {**defaults, **dict(zip(names, values)), **given}
        for each in names:
            object.__setattr__(self, each, given[each])

    return type(
        name,
        (DpEvent,),
        {
            "__slots__": names,
            "__init__": __init__,
            # how attrs tells the fields of a class
            "__attrs_attrs__": tuple(SimpleNamespace(name=each) for each in names),
        },
    )


NoOpDpEvent = _event("NoOpDpEvent")
NonPrivateDpEvent = _event("NonPrivateDpEvent")
UnsupportedDpEvent = _event("UnsupportedDpEvent")
GaussianDpEvent = _event("GaussianDpEvent", "noise_multiplier")
LaplaceDpEvent = _event("LaplaceDpEvent", "noise_multiplier")
DiscreteLaplaceDpEvent = _event("DiscreteLaplaceDpEvent", "noise_parameter", "sensitivity")
DiscreteGaussianDpEvent = _event("DiscreteGaussianDpEvent", "sigma", sensitivity=1, dimension=None)
EpsilonDeltaDpEvent = _event("EpsilonDeltaDpEvent", "epsilon", "delta")
RandomizedResponseDpEvent = _event("RandomizedResponseDpEvent", "noise_parameter", "num_buckets")
ZCDpEvent = _event("ZCDpEvent", "rho", xi=0.0)
ExponentialMechanismDpEvent = _event("ExponentialMechanismDpEvent", "epsilon")
PermuteAndFlipDpEvent = _event("PermuteAndFlipDpEvent", "epsilon")
MixtureOfGaussiansDpEvent = _event(
    "MixtureOfGaussiansDpEvent", "standard_deviation", "sensitivities", "sampling_probs"
)
SingleEpochTreeAggregationDpEvent = _event("SingleEpochTreeAggregationDpEvent", "noise_multiplier", "step_counts")
PoissonSampledDpEvent = _event("PoissonSampledDpEvent", "sampling_probability", "event")
SampledWithoutReplacementDpEvent = _event(
    "SampledWithoutReplacementDpEvent", "source_dataset_size", "sample_size", "event"
)
SelfComposedDpEvent = _event("SelfComposedDpEvent", "event", "count")
ComposedDpEvent = _event("ComposedDpEvent", "events")


class NeighboringRelation(enum.Enum):
    ADD_OR_REMOVE_ONE = 1
    REPLACE_ONE = 2
    REPLACE_SPECIAL = 3


class UnsupportedEventError(Exception):
    pass


class PrivacyAccountant(abc.ABC):
    class CompositionErrorDetails:
        def __init__(self, invalid_event, error_message):
            self.invalid_event = invalid_event
            self.error_message = error_message

    def __init__(self, neighboring_relation):
        self._neighboring_relation = neighboring_relation
        self.ledger = []

    @property
    def neighboring_relation(self):
        return self._neighboring_relation

    def supports(self, event):
        return self._maybe_compose(event, 0, False) is None

    @abc.abstractmethod
    def _maybe_compose(self, event, count, do_compose): ...

    def compose(self, event, count=1):
        if not isinstance(event, DpEvent):
            raise TypeError(event)
        failed = self._maybe_compose(event, count, False)
        if failed is not None:
            raise UnsupportedEventError(failed.error_message)
        self.ledger.append((event, count))
        self._maybe_compose(event, count, True)
        return self

    @abc.abstractmethod
    def get_epsilon(self, target_delta): ...
