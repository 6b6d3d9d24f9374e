"""What questions are answered by, beside brackets. Each is a named tuple: its fields have names, and it unpacks."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from ._bracket import Bracket

__all__ = [
    "Amplification",
    "Audit",
    "Baseline",
    "Calibration",
    "Comparison",
    "Conversion",
    "Finding",
    "Head",
    "Identification",
    "Lint",
    "Measurement",
    "Noise",
    "Risk",
    "SeveralSecrets",
    "Verification",
]


class Measurement(NamedTuple):
    """mu over the error rates from ``alpha_min`` up, and what it leaves out."""

    mu: Bracket
    regret: Bracket
    alpha_min: float
    tier: str


class Calibration(NamedTuple):
    """
    The value of an unknown that meets a target, and the losses it has. The value is there by the unknown's name, too:
    ``found.noise_multiplier``, ``found.steps``.
    """

    unknown: str
    value: float
    achieved: Dict[str, Bracket]
    #: The whole run, with the value in it.
    mechanism: Dict[str, Any]

    def _of(self, unknown: str) -> float:
        if self.unknown != unknown:
            raise AttributeError(f"this calibration found {self.unknown}, not {unknown}")
        return self.value

    @property
    def noise_multiplier(self) -> float:
        """The value, if it is a noise multiplier."""
        return self._of("noise_multiplier")

    @property
    def sampling_rate(self) -> float:
        """The value, if it is a sampling rate."""
        return self._of("sampling_rate")

    @property
    def laplace_scale(self) -> float:
        """The value, if it is the scale of Laplace noise."""
        return self._of("laplace_scale")

    @property
    def epochs(self) -> float:
        """The value, if it is a number of epochs."""
        return self._of("epochs")

    @property
    def steps(self) -> int:
        """The value, if it is a number of steps."""
        return int(self._of("steps"))

    @property
    def bins(self) -> int:
        """The value, if it is a number of batches an epoch."""
        return int(self._of("bins"))

    @property
    def records_per_person(self) -> int:
        """The value, if it is a number of records."""
        return int(self._of("records_per_person"))


class SeveralSecrets(NamedTuple):
    """The chances that secrets of several records, ``secrets`` of them, are guessed: at most ``all``, and ``any``."""

    secrets: int
    baseline: float
    all: Bracket
    any: Bracket


class Risk(NamedTuple):
    """
    What the best attack on one record reaches. ``upper`` is the safe end, of the Bayes error ``lower``.

    ``true_positive_rate`` is by false positive rate, ``bayes_error`` by prior, ``positive_predictive_value`` by (prior, false positive rate)
    and ``reconstruction`` by the chance of a guess without the release.
    """

    advantage: Bracket
    true_positive_rate: Dict[float, Bracket]
    bayes_error: Dict[float, Bracket]
    positive_predictive_value: Dict[Tuple[float, float], Bracket]
    reconstruction: Dict[float, Bracket]
    several_secrets: List[SeveralSecrets]
    #: The chance to single out a record.
    singling_out: Optional[Bracket]

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Risk":
        found = answer.get("singlingOut")
        return cls(
            Bracket.of(answer["advantage"]),
            {each["falsePositiveRate"]: Bracket.of(each["truePositiveRate"]) for each in answer["truePositiveRate"]},
            {each["prior"]: Bracket.of(each["bayesError"]) for each in answer["bayesError"]},
            {
                (each["prior"], each["falsePositiveRate"]): Bracket.of(each["positivePredictiveValue"])
                for each in answer["positivePredictiveValue"]
            },
            {each["baseline"]: Bracket.of(each["reconstruction"]) for each in answer["reconstruction"]},
            [
                SeveralSecrets(each["secrets"], each["baseline"], Bracket.of(each["all"]), Bracket.of(each["any"]))
                for each in answer["severalSecrets"]
            ],
            None if found is None else Bracket.of(found["singlingOut"]),
        )


class Identification(NamedTuple):
    """Whether a run is Gaussian DP: the ``verdict``, what is known of the mu of its tail, and why."""

    verdict: str
    standing: str
    tail_mu: Optional[Bracket]
    reason: str


class Head(NamedTuple):
    """mu over the epsilons from 0 to ``epsilon_head``, and over all error rates where there is one."""

    mu: Bracket
    epsilon_head: float
    mu_all_rates: Bracket
    failure: Bracket
    finished: bool

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Head":
        return cls(
            Bracket.of(answer["headMu"]),
            float(answer["epsilonHead"]),
            Bracket.of(answer["muAllRates"]),
            Bracket.of(answer["failure"]),
            bool(answer["finished"]),
        )


class Baseline(NamedTuple):
    """What another accountant says: a ``guarantee`` is an upper bound, an ``approximation`` may be wrong."""

    name: str
    kind: str
    value: float
    source: str


class Comparison(NamedTuple):
    """What a run has, ``exact``, and what other accountants say of it."""

    quantity: str
    at: float
    exact: Bracket
    baselines: List[Baseline]
    #: Why an accountant says nothing, by its name.
    unavailable: Dict[str, str]

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Comparison":
        return cls(
            str(answer["quantity"]),
            float(answer["at"]),
            Bracket.of(answer["exact"]),
            [Baseline(each["name"], each["kind"], float(each["value"]), each["source"]) for each in answer["baselines"]],
            {each["name"]: each["reason"] for each in answer["unavailable"]},
        )


class Audit(NamedTuple):
    """What an attack proves: the least mu and, by delta, the least epsilon of the run attacked. ``lower`` is the safe end."""

    verdict: str
    mu: Bracket
    epsilon: Dict[float, Bracket]
    p_value: Optional[Bracket]
    confidence: float
    assumed: List[str]

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted."""
        return self.verdict == "refuted"

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Audit":
        p_value = answer.get("pValue")
        return cls(
            str(answer["verdict"]),
            Bracket.of(answer["muLower"]),
            {float(each["delta"]): Bracket.of(each["epsilon"]) for each in answer["epsilonLower"]},
            None if p_value is None else Bracket.of(p_value),
            float(answer["confidence"]),
            list(answer["assumed"]),
        )


class Finding(NamedTuple):
    """What is wrong with a claim, and what to publish in its place."""

    id: str
    severity: str
    sentence: str
    way_out: str


class Lint(NamedTuple):
    """What was found in a claim, which rules were checked, and what each that was not would need."""

    findings: List[Finding]
    checked: List[str]
    skipped: Dict[str, str]

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> "Lint":
        return cls(
            [Finding(each["id"], each["severity"], each["sentence"], each["wayOut"]) for each in answer["findings"]],
            list(answer["checked"]),
            {each["id"]: each["needs"] for each in answer["skipped"]},
        )


class Verification(NamedTuple):
    """What a second computation says of a certificate: ``confirmed``, ``refuted``, ``undecided`` or ``unsupported``."""

    verdict: str
    reason: str
    log_delta: Optional[float]
    #: Bound on the error of ``log_delta``.
    error: Optional[float]

    @property
    def confirmed(self) -> bool:
        """Whether the certificate is confirmed."""
        return self.verdict == "confirmed"


class Conversion(NamedTuple):
    """A guarantee that follows from another, ``values`` its numbers as brackets, and the theorem it follows by."""

    to: str
    guarantee: Dict[str, Any]
    values: List[Bracket]
    theorem: str


class Noise(NamedTuple):
    """A formula for the noise of one Gaussian release: the standard deviation it asks for, and what it gives."""

    name: str
    gives: str
    sigma: Bracket
    source: str


class Amplification(NamedTuple):
    """A run on a Poisson sample of this sampling ``rate``: mu over the epsilons from 0 to ``epsilon_head``."""

    rate: float
    mu: Bracket
    epsilon_head: float
