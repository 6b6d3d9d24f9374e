"""
Reads the events of dp_accounting and jax_privacy as they print themselves, as named tuples in JSON, and through the accountant of
gdp_kernel. Prints what differs, one line an event.
"""

import json
import warnings

from dp_accounting import dp_event as dp
import numpy as np

import gdp_kernel
from gdp_kernel.dp_accounting import GdpKernelAccountant

warnings.simplefilter("ignore")
DELTA = 1e-5


def events():
    gaussian = dp.GaussianDpEvent(1.1)
    sampled = dp.PoissonSampledDpEvent(0.01, gaussian)
    yield from (
        dp.NoOpDpEvent(),
        dp.NonPrivateDpEvent(),
        gaussian,
        dp.GaussianDpEvent(np.float64(1.1)),
        dp.GaussianDpEvent(np.float32(1.1)),
        dp.GaussianDpEvent(np.array(1.1)),
        dp.GaussianDpEvent(np.int64(2)),
        dp.LaplaceDpEvent(np.float64(2.0)),
        dp.ZCDpEvent(0.1),
        dp.ZCDpEvent(0.1, 0.05),
        dp.ZCDpEvent(np.float64(0.1), np.float64(0.05)),
        dp.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 2.0], [0.5, 0.25, 0.25]),
        dp.MixtureOfGaussiansDpEvent(2.0, np.array([0.0, 1.0, 2.0]), np.array([0.5, 0.25, 0.25])),
        dp.RandomizedResponseDpEvent(0.5, 3),
        sampled,
        dp.SelfComposedDpEvent(sampled, 1000),
        dp.SelfComposedDpEvent(dp.PoissonSampledDpEvent(np.float64(0.01), dp.GaussianDpEvent(np.float32(1.1))), 100),
        dp.ComposedDpEvent([sampled, dp.LaplaceDpEvent(np.float64(3.0))]),
    )
    yield from jax_events()


def jax_events():
    try:
        import jax.numpy as jnp
        from jax_privacy.experimental import accounting
    except ImportError as error:
        print(f"jax_privacy cannot be imported: {error}")
        return
    yield dp.GaussianDpEvent(jnp.float32(1.1))
    yield dp.PoissonSampledDpEvent(jnp.asarray(0.01), dp.GaussianDpEvent(jnp.asarray(1.1)))
    yield dp.MixtureOfGaussiansDpEvent(2.0, jnp.array([0.0, 1.0]), jnp.array([0.5, 0.5]))
    yield accounting.dpsgd_event(1.1, iterations=100, sampling_prob=0.01)
    yield accounting.dpsgd_event(jnp.float32(1.1), iterations=100, sampling_prob=jnp.float32(0.01))


def bracket(ask):
    try:
        return ask()
    except (gdp_kernel.Refused, Exception) as error:  # noqa: B014
        return f"{type(error).__name__}: {error}"


for event in events():
    door = bracket(lambda: GdpKernelAccountant().compose(event).get_bracket(DELTA))
    printed = bracket(lambda: gdp_kernel.Account(repr(event)).epsilon(DELTA))
    if not isinstance(door, gdp_kernel.Bracket) or door != printed:
        print(f"{event!r}: printed it has {printed}, and the accountant has {door}")
    if not hasattr(event, "to_named_tuple"):
        continue
    try:
        data = json.dumps(event.to_named_tuple())
    except TypeError:
        # JSON has no numbers of NumPy
        continue
    tuples = bracket(lambda: gdp_kernel.Account(data).epsilon(DELTA))
    if tuples != door:
        print(f"{event!r}: as a named tuple it has {tuples}, and the accountant has {door}")
