"""
A :class:`gdp_kernel.Meter` inside a trainer: each hook counts a step where the trainer has taken one, and stops it where another would pass the
epsilon that :meth:`~gdp_kernel.Meter.stop_at` set. None of the trainers has to be installed::

    meter = Meter(noise_multiplier=1.1, sampling_rate=0.01, delta=1e-5).stop_at(epsilon=3)

    hooks.opacus(meter, optimizer, sample_rate=1 / len(loader))   # then: if meter.done: break
    lightning.Trainer(callbacks=[hooks.lightning(meter)])
    model.fit(data, callbacks=[hooks.keras(meter)])
    transformers.Trainer(model, callbacks=[hooks.transformers(meter)])
    flwr.server.ServerConfig(...), strategy=hooks.flower(meter, FedAvg())
"""

from __future__ import annotations

from typing import Any, Tuple

from ._meter import Meter

__all__ = ["flower", "keras", "lightning", "opacus", "transformers"]


def _base(*names: Tuple[str, str]) -> Any:
    """The class that a trainer expects its callbacks to be of; a plain one where the trainer is not installed."""
    for module, name in names:
        try:
            return getattr(__import__(module, fromlist=[name]), name)
        except (ImportError, AttributeError):
            continue
    return object


def opacus(meter: Meter, optimizer: Any, sample_rate: float) -> Meter:
    """
    Counts every step of a ``DPOptimizer`` at its noise and rate, as Opacus' own accountants do, beside the accountant that is attached.

    :param optimizer: what ``make_private`` returned.
    :param sample_rate: probability that a record is in a batch; accumulated iterations count as one.
    :returns: the meter, whose ``done`` says when to leave the loop.
    """
    before = getattr(optimizer, "step_hook", None)

    def counted(optim: Any) -> None:
        if before is not None:
            before(optim)
        rate = sample_rate * getattr(optim, "accumulated_iterations", 1)
        meter.step(noise_multiplier=optim.noise_multiplier, sampling_rate=rate)

    optimizer.attach_step_hook(counted)
    return meter


def lightning(meter: Meter) -> Any:
    """A callback of Lightning: a step a training batch; ``trainer.should_stop`` ends the training."""

    class PrivacyMeter(_base(("lightning.pytorch", "Callback"), ("pytorch_lightning", "Callback"))):  # type: ignore[misc]
        def on_train_batch_start(self, trainer: Any, *_: Any, **__: Any) -> Any:
            # what is skipped takes no step
            return -1 if meter.done else None

        def on_train_batch_end(self, trainer: Any, *_: Any, **__: Any) -> None:
            if not meter.step():
                trainer.should_stop = True

    return PrivacyMeter()


def keras(meter: Meter) -> Any:
    """A callback of Keras: a step a training batch; ``model.stop_training`` ends the training."""

    class PrivacyMeter(_base(("keras.callbacks", "Callback"), ("tensorflow.keras.callbacks", "Callback"))):  # type: ignore[misc]
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            if not meter.step():
                self.model.stop_training = True

    return PrivacyMeter()


def transformers(meter: Meter) -> Any:
    """A callback of Hugging Face's Trainer: a step an optimisation step; ``control.should_training_stop`` ends the training."""

    class PrivacyMeter(_base(("transformers", "TrainerCallback"))):  # type: ignore[misc]
        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> Any:
            if not meter.step():
                control.should_training_stop = True
            return control

    return PrivacyMeter()


def flower(meter: Meter, strategy: Any) -> Any:
    """
    A strategy of Flower that counts a step a round of fits, and asks no client for another where that would pass the epsilon.

    :param strategy: the strategy that aggregates.
    :returns: it, with the two methods wrapped.
    """
    configure, aggregate = strategy.configure_fit, strategy.aggregate_fit

    def configure_fit(*args: Any, **options: Any) -> Any:
        return [] if meter.done else configure(*args, **options)

    def aggregate_fit(*args: Any, **options: Any) -> Any:
        found = aggregate(*args, **options)
        results = options.get("results", args[1] if len(args) > 1 else ())
        if results:
            meter.step()
        return found

    strategy.configure_fit, strategy.aggregate_fit = configure_fit, aggregate_fit
    return strategy
