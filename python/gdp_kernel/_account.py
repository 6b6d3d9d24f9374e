"""Accounts of runs, and what is asked of them."""

from __future__ import annotations

import base64
import json
import os
import re
import tempfile
from html import escape
from pathlib import Path
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Union

from ._bracket import Bracket, Brackets
from ._client import call
from ._data import is_many
from ._errors import Refused

__all__ = ["Account", "Calibration", "Measurement", "calibrate", "measure", "report"]

#: What says what was run: the path of a file that ``gdp epsilon`` reads, such a file's text, or its data: an Opacus state, a
#: mechanism of gdp-kernel, a DpEvent.
Run = Union[Mapping[str, Any], Sequence[Any], str, "os.PathLike[str]"]


class Measurement(NamedTuple):
    """mu over the error rates from ``alpha_min`` up, and what it leaves out."""

    mu: Bracket
    regret: Bracket
    alpha_min: float
    tier: str


class Calibration(NamedTuple):
    """The value of an unknown that meets a target, and the losses it has."""

    unknown: str
    value: float
    achieved: Dict[str, Bracket]


class Account:
    """
    The account of a run. Nothing is computed before it is asked for.

    :param run: what was run: the path of a file (an Opacus state, a checkpoint, …), the text or the data of one.
    :param adjacency: ``"add-remove"`` or ``"replace-one"``; by default what the run says, else add-remove.
    :param tolerance: relative width of brackets to aim at.
    :param method: ``"auto"``, ``"closed-form"``, ``"spectral"`` or ``"grid"``.
    :param timeout: seconds for one question.
    :param allow_empty_history: whether a history without steps is a run that released nothing. By default it is refused, since
        Opacus' GaussianAccountant of 1.1 to 1.3 empties its history when it is asked for epsilon.

    Every question raises :class:`Refused` for what cannot be answered and :class:`AccountingError` where there is no
    answer. A question about a list, or an array of NumPy, is answered by :class:`Brackets`.

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
        allow_empty_history: bool = False,
    ) -> None:
        self.run = run
        self.timeout = timeout
        # an option that is not given is not sent
        empty = True if allow_empty_history else None
        options = {"adjacency": adjacency, "tolerance": tolerance, "method": method, "allow_empty_history": empty}
        self._options = {name: value for name, value in options.items() if value is not None}
        self._source = _source_of(run)
        self._warns = True
        #: What bounds the last answer: ``"tolerance"``, which it reaches; ``"effort"``, as its work is spent; ``"theory"``, as between its ends no
        #: theorem is known. None before the first question.
        self.limited_by: Optional[str] = None
        self._called = f"Account({_shortly(run)}"

    @classmethod
    def dp_sgd(cls, *, noise_multiplier: float, sampling_rate: float, steps: int, **options: Any) -> "Account":
        """
        DP-SGD with Poisson batches.

        :param noise_multiplier: noise over clipping norm, 0 or more.
        :param sampling_rate: probability that a record is in a batch, in [0, 1].
        :param steps: number of optimisation steps.
        :raises Refused: at once, for numbers out of these ranges.
        """
        _require("noise_multiplier", noise_multiplier, "a finite number >= 0", lambda x: 0 <= x < float("inf"))
        _require("sampling_rate", sampling_rate, "a number in [0, 1]", lambda x: 0 <= x <= 1)
        _require("steps", steps, "a whole number >= 0", lambda x: x >= 0 and x == int(x))
        run = {
            "kind": "dp-sgd",
            "noiseMultiplier": noise_multiplier,
            "samplingRate": sampling_rate,
            "steps": steps,
        }
        account = cls(run, **options)
        account._called = (
            f"Account.dp_sgd(noise_multiplier={noise_multiplier}, sampling_rate={sampling_rate}, steps={steps}"
        )
        return account

    def ask(self, command: str, **options: Any) -> Dict[str, Any]:
        """The whole answer of a command of ``gdp`` about the run, as its ``--json`` prints it; hyphens of options are underscores."""
        return dict(self._result(command, options)["answer"])

    def epsilon(self, delta: Any = 1e-5) -> Any:
        """epsilon at a delta in [0, 1]: a :class:`Bracket`; of a list or an array, :class:`Brackets`."""
        return self._at("epsilon", "delta", delta, "epsilon")

    def delta(self, epsilon: Any) -> Any:
        """delta at a finite epsilon; likewise."""
        return self._at("delta", "epsilon", epsilon, "delta")

    def beta(self, alpha: Any) -> Any:
        """The least false negative rate of an attack whose false positive rate is at most alpha; ``lower`` is the safe end."""
        return self._at("tradeoff", "alpha", alpha, "beta")

    #: The trade-off function, by its other name.
    tradeoff = beta

    def mu(self, alpha_min: float = 1e-10) -> Bracket:
        """mu over error rates from ``alpha_min`` up."""
        return self.measure(alpha_min).mu

    def measure(self, alpha_min: float = 1e-10) -> Measurement:
        """mu and its regret over error rates from ``alpha_min`` up."""
        found = self.ask("mu", alpha_min=alpha_min)
        return Measurement(
            Bracket.of(found["mu"]), Bracket.of(found["regret"]), float(found["alphaMin"]), str(found["tier"])
        )

    def report(self, format: str = "text", **options: Any) -> str:
        """The page to publish: ``format`` is text, markdown, html or json; further options are those of ``gdp report``."""
        result = self._result("report", {"format": format, "json": False, **options})
        # a report in JSON comes parsed
        return str(result["text"]) if "text" in result else json.dumps(result["answer"], indent=2) + "\n"

    def mechanism(self) -> Dict[str, Any]:
        """What was run, as gdp-kernel writes it."""
        return dict(self.ask("epsilon", delta=1)["mechanism"])

    def curve(self) -> str:
        """The trade-off curve as the text of an SVG picture."""
        with tempfile.TemporaryDirectory() as folder:
            picture = Path(folder) / "curve.svg"
            self.ask("tradeoff", alpha=0.5, svg=str(picture))
            return picture.read_text(encoding="utf-8")

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self._options.items())
        return f"{self._called}{options})"

    def _repr_html_(self) -> str:
        measured = self.measure()
        rows = [
            ("ε at δ = 10⁻⁵, at most", f"{self.epsilon(1e-5)}"),
            (f"μ over error rates from {measured.alpha_min:g}, at most", f"{measured.mu}"),
            ("adjacency", str(self.ask("epsilon", delta=1)["adjacency"])),
        ]
        cells = "".join(f"<tr><th>{escape(name)}</th><td>{escape(value)}</td></tr>" for name, value in rows)
        return f"<div><code>{escape(repr(self))}</code><table>{cells}</table>{self.curve()}</div>"

    def _at(self, command: str, option: str, value: Any, answered: str) -> Any:
        """The answers at one value, or at each of a row."""
        if not is_many(value):
            return Bracket.of(self.ask(command, **{option: value})[answered])
        flat = value.ravel().tolist() if hasattr(value, "ravel") else list(value)
        if not flat:
            return Brackets(value, [])
        found = self.ask(command, **{option: flat})
        return Brackets(value, [Bracket.of(each[answered]) for each in found.get("results", [found])])

    def _result(self, command: str, options: Mapping[str, Any]) -> Dict[str, Any]:
        found = call(command, {**self._source, **self._options, **options}, self.timeout, self._warns)
        answer = found.get("answer")
        self.limited_by = answer.get("limitedBy") if isinstance(answer, dict) else None
        return found


def _source_of(run: Any) -> Dict[str, Any]:
    """The run as a request has it: the name of a file, or what one would hold."""
    if isinstance(run, os.PathLike) or isinstance(run, str) and not _is_content(run):
        path = os.path.abspath(os.path.expanduser(os.fspath(run)))
        if not os.path.exists(path):
            raise Refused(f"run: there is no file {os.fspath(run)!r}")
        return {"operands": [path]} if _is_unicode(path) else {"inputBase64": _content(path)}
    return {"input": run}


def _is_unicode(path: str) -> bool:
    """Whether a name can be told to others: bytes that are not UTF-8 are surrogates here."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _content(path: str) -> str:
    try:
        return base64.b64encode(Path(path).read_bytes()).decode("ascii")
    except OSError as error:
        raise Refused(f"run: {path!r} cannot be read: {error.strerror}") from error


def _is_content(text: str) -> bool:
    """Whether a text is what a file holds, not its name: JSON, a DpEvent, several lines; nothing, which is refused as such."""
    return text.strip() == "" or "\n" in text or re.match(r"\s*[\[{(\"']|[\w.]*\(", text) is not None


def _shortly(run: Any) -> str:
    text = repr(os.fspath(run)) if isinstance(run, os.PathLike) else repr(run)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _require(name: str, value: Any, expected: str, holds: Any) -> None:
    try:
        met = bool(holds(value))
    except (TypeError, ValueError, OverflowError):
        met = False
    if not met:
        raise Refused(f'"{name}" must be {expected}, got {value!r}')


def _account(run: Union[Account, Run], options: Mapping[str, Any]) -> Account:
    return run if isinstance(run, Account) else Account(run, **options)


def measure(run: Union[Account, Run], alpha_min: float = 1e-10, **options: Any) -> Measurement:
    """mu and its regret; ``options`` are those of :class:`Account`."""
    return _account(run, options).measure(alpha_min)


def report(run: Union[Account, Run], format: str = "text", **options: Any) -> str:
    """The page to publish, as :meth:`Account.report`."""
    return _account(run, {}).report(format, **options)


#: What has to be said of a run beside what is solved for; another way of forming batches says the same in its own words.
_NEEDED = {
    "noise-multiplier": ("steps", "sampling_rate"),
    "sampling-rate": ("noise_multiplier", "steps"),
    "steps": ("noise_multiplier", "sampling_rate"),
    "laplace-scale": ("steps", "sensitivity"),
}
_LOADER = {"sampling", "batch_size", "dataset_size", "bins", "epochs"}
_MEANING = {
    "steps": "the number of optimisation steps, or of queries",
    "sampling_rate": "the probability that a record is in a batch, 1 for all the data in every step",
    "noise_multiplier": "the noise over the clipping norm",
    "sensitivity": "the L1 sensitivity of a query",
}


def calibrate(
    unknown: Optional[str] = None, run: Optional[Run] = None, *, timeout: Optional[float] = None, **options: Any
) -> Calibration:
    """
    The least noise, or the most data or steps, that meets a target.

    :param unknown: ``noise_multiplier`` (default), ``sampling_rate``, ``steps``, ``epochs``, ``bins``, ``records_per_person`` or
        ``laplace_scale``; left out where ``run`` has a ``"?"``.
    :param run: a mechanism or a history with ``"?"`` in place of a number; or, with ``unknown``, what was run before: the answer comes on top.
    :param options: those of ``gdp calibrate``: a target (``epsilon`` and ``delta``, ``mu``, ``advantage``, ``tpr`` and ``fpr``,
        ``rho``, ``renyi`` and ``order``) and the rest of the run (``sampling_rate``, ``steps``, …), of which nothing is assumed.
    :raises Refused: where something is missing, and where the target is out of reach.

    >>> calibrate(epsilon=2, delta=1e-5, sampling_rate=0.01, steps=1000).value
    0.95910...
    >>> calibrate(run={"history": [[1.1, 0.01, 1000], [1.1, 0.01, "?"]]}, epsilon=3, delta=1e-5).value
    2712.0
    """
    name = "noise-multiplier" if unknown is None else str(unknown).replace("_", "-")
    if run is None and not _LOADER & set(options):
        missing = [each for each in _NEEDED.get(name, ()) if options.get(each) is None]
        if missing:
            meant = "; ".join(f"{each}: {_MEANING[each]}" for each in missing)
            raise Refused(f"calibrate needs {' and '.join(missing)} ({meant})")
    source = {} if run is None else _source_of(run)
    solved = {} if unknown is None else {"for": name}
    answer = call("calibrate", {**source, **solved, **options}, timeout)["answer"]
    if "results" in answer:
        raise Refused("calibrate answers one question: ask it for each number of a list")
    if not answer["reached"]:
        raise Refused(f"out of reach: {answer['reason']}")
    achieved = {each: Bracket.of(value) for each, value in answer["achieved"].items()}
    return Calibration(str(answer["unknown"]), float(answer["value"]), achieved)


def noise_multiplier_of(noise_std: float, clip_norm: float, *, clip_groups: int = 1, mean_of: float = 1) -> float:
    """
    The noise multiplier of noise that is stated by its standard deviation: ``noise_std * mean_of / (clip_norm * sqrt(clip_groups))``, never
    rounded up.

    :param noise_std: standard deviation of the noise, 0 or more.
    :param clip_norm: norm that gradients are clipped to, above 0.
    :param clip_groups: layers or groups that are clipped to it each.
    :param mean_of: records that the sum is divided by before noise is added; 1 where noise is added to the sum.
    :raises Refused: for numbers out of these ranges.

    >>> noise_multiplier_of(0.012, 15, mean_of=5000)
    4.0
    """
    scale = {"noise_std": noise_std, "clip_norm": clip_norm, "clip_groups": clip_groups, "mean_of": mean_of}
    answer = call("epsilon", {**scale, "sampling_rate": 0, "steps": 0}, warn=False)["answer"]
    return float(answer["mechanism"]["inner"]["inner"]["noiseMultiplier"])


def phases_of(history: Any) -> List[List[Any]]:
    """
    The phases of an Opacus history, numbers of NumPy as those of Python.

    :raises ValueError: for a phase that is none, or whose number of steps is not whole: it would be rounded to fewer.
    """
    phases = []
    for phase in history:
        if len(phase) != 3:
            raise ValueError(f"a phase of the history is (noise_multiplier, sample_rate, steps), got {phase!r}")
        noise, rate, steps = phase
        if not float(steps).is_integer():
            raise ValueError(f"the steps of a phase must be a whole number, got {steps!r} in {phase!r}")
        phases.append([float(noise), float(rate), int(steps)])
    return phases


def history_of(steps: Sequence[Sequence[float]], mechanism: str = "gdp-kernel") -> Dict[str, Any]:
    """The state of an Opacus accountant as JSON."""
    return {"history": phases_of(steps), "mechanism": mechanism}
