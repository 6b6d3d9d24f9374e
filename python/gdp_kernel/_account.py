"""Accounts of runs, and what is asked of them."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from ._client import call

__all__ = ["Account", "Bracket", "Calibration", "Measurement", "calibrate", "measure", "report"]

#: What says what was run: an Opacus state, a mechanism of gdp-kernel or a DpEvent as JSON data, or any text that ``gdp epsilon`` reads.
Run = Union[Mapping[str, Any], Sequence[Any], str]


class Bracket(NamedTuple):
    """Two numbers that contain the exact value; ``upper`` is the one to publish for epsilon, delta and mu."""

    lower: float
    upper: float

    @classmethod
    def of(cls, value: Mapping[str, Any]) -> "Bracket":
        return cls(float(value["lower"]), float(value["upper"]))


class Measurement(NamedTuple):
    """mu over the error rates from ``alpha_min`` up, and what it leaves out."""

    mu: Bracket
    regret: Bracket
    alpha_min: float
    tier: str


class Calibration(NamedTuple):
    """The value that meets a target, rounded to its private side, and the losses it has."""

    name: str
    value: float
    achieved: Dict[str, Bracket]


class Account:
    """
    The account of a run. Nothing is computed before it is asked for.

    :param run: what was run.
    :param adjacency: ``"add-remove"`` or ``"replace-one"``; by default what the run says, else add-remove.
    :param tolerance: relative width of brackets to aim at.
    :param method: ``"auto"``, ``"closed-form"``, ``"spectral"`` or ``"grid"``.
    :param timeout: seconds for one question.

    Every question raises :class:`Refused` for what cannot be answered and :class:`AccountingError` where there is no
    answer.

    >>> Account.dp_sgd(noise_multiplier=1.1, sampling_rate=0.01, steps=1000).epsilon(1e-5).upper
    1.51536191666...
    """

    def __init__(
        self,
        run: Run,
        *,
        adjacency: Optional[str] = None,
        tolerance: Optional[float] = None,
        method: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> None:
        self.run = run
        self.timeout = timeout
        options = {"adjacency": adjacency, "tolerance": tolerance, "method": method}
        self._options = {name: value for name, value in options.items() if value is not None}

    @classmethod
    def dp_sgd(cls, *, noise_multiplier: float, sampling_rate: float, steps: int, **options: Any) -> "Account":
        """DP-SGD with Poisson batches: noise over clipping norm, probability that a record is in a batch, number of steps."""
        run = {
            "kind": "dp-sgd",
            "noiseMultiplier": noise_multiplier,
            "samplingRate": sampling_rate,
            "steps": steps,
        }
        return cls(run, **options)

    def ask(self, command: str, **options: Any) -> Dict[str, Any]:
        """The whole answer of a command of ``gdp`` about the run, as its ``--json`` prints it."""
        return dict(self._result(command, options)["answer"])

    def epsilon(self, delta: float = 1e-5) -> Bracket:
        """epsilon at a delta in [0, 1]."""
        return Bracket.of(self.ask("epsilon", delta=delta)["epsilon"])

    def delta(self, epsilon: float) -> Bracket:
        """delta at a finite epsilon."""
        return Bracket.of(self.ask("delta", epsilon=epsilon)["delta"])

    def beta(self, alpha: float) -> Bracket:
        """The least false negative rate of an attack whose false positive rate is at most alpha; ``lower`` is the safe end."""
        return Bracket.of(self.ask("tradeoff", alpha=alpha)["beta"])

    def mu(self, alpha_min: float = 1e-10) -> Bracket:
        """mu over error rates from ``alpha_min`` up."""
        return self.measure(alpha_min).mu

    def measure(self, alpha_min: float = 1e-10) -> Measurement:
        """mu and its regret over error rates from ``alpha_min`` up."""
        found = self.ask("mu", **{"alpha-min": alpha_min})
        return Measurement(
            Bracket.of(found["mu"]), Bracket.of(found["regret"]), float(found["alphaMin"]), str(found["tier"])
        )

    def report(self, format: str = "text", **options: Any) -> str:
        """The page to publish: ``format`` is text, markdown, html or json; further options are those of ``gdp report``."""
        named = {name.replace("_", "-"): value for name, value in options.items()}
        return str(self._result("report", {"format": format, "json": False, **named}, raw=True)["text"])

    def mechanism(self) -> Dict[str, Any]:
        """What was run, as gdp-kernel writes it."""
        return dict(self.ask("epsilon", delta=1)["mechanism"])

    def _result(self, command: str, options: Mapping[str, Any], raw: bool = False) -> Dict[str, Any]:
        params = {"input": self.run, **self._options, **options}
        result = call(command, params, self.timeout)
        if raw and "text" not in result:
            # a report in JSON comes parsed
            import json

            return {"text": json.dumps(result["answer"], indent=2) + "\n"}
        return result


def _account(run: Union[Account, Run], options: Mapping[str, Any]) -> Account:
    return run if isinstance(run, Account) else Account(run, **options)


def measure(run: Union[Account, Run], alpha_min: float = 1e-10, **options: Any) -> Measurement:
    """mu and its regret; ``options`` are those of :class:`Account`."""
    return _account(run, options).measure(alpha_min)


def report(run: Union[Account, Run], format: str = "text", **options: Any) -> str:
    """The page to publish, as :meth:`Account.report`."""
    return _account(run, {}).report(format, **options)


def calibrate(
    knob: str = "noise-multiplier", *, timeout: Optional[float] = None, **options: Any
) -> Calibration:
    """
    The least noise, or the most data or steps, that meets a target.

    :param knob: ``noise-multiplier``, ``sampling-rate``, ``steps`` or ``laplace-scale``.
    :param options: those of ``gdp calibrate``: a target (``epsilon`` and ``delta``, ``mu``, ``advantage``, ``tpr`` and ``fpr``,
        ``rho``, ``renyi`` and ``order``) and the rest of the run (``sampling_rate``, ``steps``, …).
    :raises Refused: where the target is out of reach, too.

    >>> calibrate(epsilon=2, delta=1e-5, sampling_rate=0.01, steps=1000).value
    0.9591016262738206
    """
    from ._client import Refused

    params = {name.replace("_", "-"): value for name, value in options.items()}
    answer = call("calibrate", {"for": knob, **params}, timeout)["answer"]
    if not answer["reached"]:
        raise Refused(f"out of reach: {answer['reason']}")
    achieved = {name: Bracket.of(value) for name, value in answer["achieved"].items()}
    return Calibration(str(answer.get("name", knob)), float(answer["value"]), achieved)


def history_of(steps: Sequence[Sequence[float]], mechanism: str = "gdp-kernel") -> Dict[str, Any]:
    """The state of an Opacus accountant as JSON."""
    history: List[List[float]] = [[float(noise), float(rate), int(count)] for noise, rate, count in steps]
    return {"history": history, "mechanism": mechanism}
