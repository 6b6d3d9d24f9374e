"""Accounts of runs, and what is asked of them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Dict, Iterable, List, Literal, Mapping, Optional, Sequence, Set, SupportsFloat, Tuple, Union, overload

from . import _source, _themes
from ._answers import Amplification, Comparison, Head, Identification, Lint, Measurement, Risk
from ._bracket import Bracket, Brackets
from ._client import call
from ._data import is_many, plain, values_of
from ._errors import Refused
from ._names import checked
from ._types import Adjacency, Loader, Method, Run, Tries

__all__ = ["Account"]

#: One number, or a row of them: a list, a range, a generator, an array, a Series.
_Row = Iterable[SupportsFloat]


class Account:
    """
    The account of a run. Nothing is computed before it is asked for.

    :param run: what was run: the path of a file (an Opacus state, a checkpoint, …), the text or the data of one, a history such as
        ``[(1.1, 0.01, 1000)]``, or a mechanism of :mod:`gdp_kernel.mechanisms`.
    :param adjacency: ``"add-remove"``, ``"replace-one"`` or ``"zero-out"``; by default what the run says, else add-remove.
    :param tolerance: relative width of brackets to aim at.
    :param method: ``"auto"``, ``"closed-form"``, ``"spectral"`` or ``"grid"``.
    :param effort: work that a question may cost: 1 is about two seconds of CPU, ``"unlimited"`` sets no limit.
    :param timeout: seconds for one question.
    :param allow_empty_history: whether a history without steps is a run that released nothing. By default it is refused, since
        Opacus' GaussianAccountant of 1.1 to 1.3 empties its history when it is asked for epsilon.
    :param sampling: how batches were formed, where the run does not say: ``"poisson"``, ``"shuffled"``, ``"balls-and-bins"``, …
    :param dataset_size: records of the data set, for ``sampling``.
    :param batch_cap: most records that a capped-poisson batch keeps.
    :param bins: batches an epoch, of balls-and-bins and shuffled.
    :param epochs: epochs, in place of the steps of the run.
    :param drop_last: whether the last, smaller batch of an epoch is not run.
    :param places: ``"kept"`` where adding or removing a record moves no other record to another batch.
    :param records_per_person: records that one person has; the answers are about the person.
    :param tries: of a private selection, where the best of so many tries is published.

    Every question raises :class:`Refused` for what cannot be answered and :class:`AccountingError` where there is no
    answer. A question about a list, a range, an array of NumPy or a Series is answered by :class:`Brackets`.

    >>> Account.dp_sgd(noise_multiplier=1.1, sampling_rate=0.01, steps=1000).epsilon(1e-5).upper
    1.51536191666...
    >>> Account([(1.1, 0.01, 1000)]) == Account({"history": [(1.1, 0.01, 1000)]})
    True
    """

    @checked
    def __init__(
        self,
        run: Run,
        *,
        adjacency: Optional[Adjacency] = None,
        tolerance: Optional[float] = None,
        method: Optional[Method] = None,
        effort: Union[float, Literal["unlimited"], None] = None,
        timeout: Optional[float] = None,
        allow_empty_history: bool = False,
        sampling: Optional[Loader] = None,
        dataset_size: Optional[int] = None,
        batch_cap: Optional[int] = None,
        bins: Optional[int] = None,
        epochs: Optional[float] = None,
        drop_last: bool = False,
        places: Optional[Literal["kept"]] = None,
        records_per_person: Optional[int] = None,
        tries: Optional[Tries] = None,
    ) -> None:
        told = {
            "sampling": sampling,
            "dataset_size": dataset_size,
            "batch_cap": batch_cap,
            "bins": bins,
            "epochs": epochs,
            "drop_last": drop_last,
            "places": places,
            "records_per_person": records_per_person,
            "tries": tries,
        }
        how = {"adjacency": adjacency, "tolerance": tolerance, "method": method, "effort": effort}
        how["allow_empty_history"] = allow_empty_history
        self._set(_source.source_of(run), f"Account({_source.shortly(run)}", told, how, timeout)

    def _set(
        self, source: Dict[str, Any], called: str, told: Mapping[str, Any], how: Mapping[str, Any], timeout: Optional[float]
    ) -> None:
        #: Seconds for one question; none is no limit.
        self.timeout = timeout
        #: What bounds the last answer: ``"tolerance"``, which it reaches; ``"effort"``, as its work is spent; ``"theory"``, as between its
        #: ends no theorem is known. None before the first question.
        self.limited_by: Optional[str] = None
        self._source = source
        self._told = _source.options_of(told)
        self._how = _source.options_of(how)
        self._called = called
        self._warns = True
        self._said: Set[str] = set()
        self._stated: Optional[Dict[str, Any]] = None

    @classmethod
    @checked
    def dp_sgd(
        cls,
        *,
        noise_multiplier: Optional[SupportsFloat] = None,
        sampling_rate: Optional[SupportsFloat] = None,
        steps: Optional[SupportsFloat] = None,
        sample_rate: Optional[SupportsFloat] = None,
        epochs: Optional[SupportsFloat] = None,
        batch_size: Optional[int] = None,
        dataset_size: Optional[int] = None,
        sampling: Optional[Loader] = None,
        batch_cap: Optional[int] = None,
        bins: Optional[int] = None,
        bins_per_record: Optional[int] = None,
        drop_last: bool = False,
        places: Optional[Literal["kept"]] = None,
        records_per_person: Optional[int] = None,
        noise_std: Optional[SupportsFloat] = None,
        clip_norm: Optional[SupportsFloat] = None,
        clip_groups: Optional[int] = None,
        mean_of: Optional[SupportsFloat] = None,
        tries: Optional[Tries] = None,
        adjacency: Optional[Adjacency] = None,
        tolerance: Optional[float] = None,
        method: Optional[Method] = None,
        effort: Union[float, Literal["unlimited"], None] = None,
        timeout: Optional[float] = None,
    ) -> "Account":
        """
        DP-SGD, by the probability that a record is in a batch and the number of steps, or by epochs and the sizes of batch and data set.

        :param noise_multiplier: noise over clipping norm, 0 or more.
        :param sampling_rate: probability that a record is in a batch, in [0, 1].
        :param steps: number of optimisation steps.
        :param sample_rate: Opacus' name of ``sampling_rate``.
        :param epochs: in place of ``steps``, with ``batch_size`` and ``dataset_size``.
        :param batch_size: records in a batch, on average where batches are Poisson samples.
        :param dataset_size: records of the data set.
        :param sampling: how batches are formed: ``"poisson"`` (default), ``"shuffled"``, ``"balls-and-bins"``, ``"fixed"``, …
        :param bins_per_record: batches of an epoch that a record is in, of balls-and-bins.
        :param noise_std: standard deviation of the noise, in place of ``noise_multiplier``; with ``clip_norm``.
        :param clip_norm: norm that gradients are clipped to.
        :param clip_groups: layers or groups that are clipped to it each.
        :param mean_of: records that the sum is divided by before noise is added.
        :raises Refused: at once, for numbers out of these ranges.

        The other parameters are those of :class:`Account`.

        >>> run = Account.dp_sgd(noise_multiplier=1.1, epochs=10, batch_size=256, dataset_size=60000)
        >>> print(run.epsilon(1e-5))
        [0.9201699, 0.92017]
        """
        if sample_rate is not None:
            if sampling_rate is not None:
                raise Refused('give either "sampling_rate" or "sample_rate": they are the same')
            sampling_rate = sample_rate
        given = _source.options_of(
            {
                "noise_multiplier": noise_multiplier,
                "sampling_rate": sampling_rate,
                "steps": steps,
                "epochs": epochs,
                "batch_size": batch_size,
                "dataset_size": dataset_size,
                "sampling": sampling,
                "batch_cap": batch_cap,
                "bins": bins,
                "bins_per_record": bins_per_record,
                "drop_last": drop_last,
                "places": places,
                "records_per_person": records_per_person,
                "noise_std": noise_std,
                "clip_norm": clip_norm,
                "clip_groups": clip_groups,
                "mean_of": mean_of,
            }
        )
        _require_numbers(given)
        how = {"adjacency": adjacency, "tolerance": tolerance, "method": method, "effort": effort}
        account = cls.__new__(cls)
        called = ", ".join(f"{name}={value if isinstance(value, SupportsFloat) else repr(value)}" for name, value in given.items())
        source = dict(given)
        if set(given) == {"noise_multiplier", "sampling_rate", "steps"}:
            names = {"noise_multiplier": "noiseMultiplier", "sampling_rate": "samplingRate", "steps": "steps"}
            source = {"input": {"kind": "dp-sgd", **{names[name]: value for name, value in given.items()}}}
        account._set(source, f"Account.dp_sgd({called}", {"tries": tries}, how, timeout)
        return account

    def ask(self, command: str, **options: Any) -> Dict[str, Any]:
        """
        The whole answer of a command of ``gdp`` about the run, as its ``--json`` prints it; hyphens of options are underscores.

        >>> Account([(2, 1, 30)]).ask("epsilon", delta=1e-5)["method"]
        'closed-form'
        """
        return dict(self._result(command, options)["answer"])

    @overload
    def epsilon(self, delta: _Row) -> Brackets: ...
    @overload
    def epsilon(self, delta: SupportsFloat = 1e-5) -> Bracket: ...
    def epsilon(self, delta: Union[_Row, SupportsFloat] = 1e-5) -> Union[Bracket, Brackets]:
        """
        epsilon at a delta in [0, 1]: a :class:`Bracket`; of a row of them, :class:`Brackets`.

        >>> Account([(2, 1, 30)]).epsilon([1e-5, 1e-6]).upper
        [14.829941542..., 16.190420358...]
        """
        return self._at("epsilon", "delta", delta, "epsilon")

    @overload
    def delta(self, epsilon: _Row) -> Brackets: ...
    @overload
    def delta(self, epsilon: SupportsFloat) -> Bracket: ...
    def delta(self, epsilon: Union[_Row, SupportsFloat]) -> Union[Bracket, Brackets]:
        """
        delta at a finite epsilon: a :class:`Bracket`; of a row of them, :class:`Brackets`.

        >>> Account([(2, 1, 30)]).delta(15) <= 1e-5
        True
        """
        return self._at("delta", "epsilon", epsilon, "delta")

    @overload
    def beta(self, alpha: _Row) -> Brackets: ...
    @overload
    def beta(self, alpha: SupportsFloat) -> Bracket: ...
    def beta(self, alpha: Union[_Row, SupportsFloat]) -> Union[Bracket, Brackets]:
        """
        The least false negative rate of an attack whose false positive rate is at most alpha; ``lower`` is the safe end.

        >>> Account([(2, 1, 30)]).beta(0.1).lower
        0.07254974068...
        """
        return self._at("tradeoff", "alpha", alpha, "beta")

    #: The trade-off function, by its other name.
    tradeoff = beta

    def mu(self, alpha_min: float = 1e-10) -> Bracket:
        """
        mu over error rates from ``alpha_min`` up.

        >>> print(Account([(2, 1, 30)]).mu())
        [2.738612, 2.738613]
        """
        return self.measure(alpha_min).mu

    def measure(self, alpha_min: float = 1e-10) -> Measurement:
        """
        mu and its regret over error rates from ``alpha_min`` up.

        >>> Account([(2, 1, 30)]).measure().tier
        'I'
        """
        found = self.ask("mu", alpha_min=alpha_min)
        return Measurement(
            Bracket.of(found["mu"]), Bracket.of(found["regret"]), float(found["alphaMin"]), str(found["tier"])
        )

    def head(self, epsilon_head: float = 10, *, resolution: int = 1000) -> Head:
        """
        mu over a head of epsilons, from 0 to ``epsilon_head``, to 1/``resolution``. To publish mu, use :meth:`mu`.

        >>> print(Account([(2, 1, 30)]).head(3).mu)
        [2.738612, 2.738613]
        """
        return Head.of(self.ask("measure", epsilon_head=epsilon_head, resolution=resolution))

    @checked
    def risk(
        self,
        *,
        prior: Union[float, Sequence[float]] = 0.5,
        fpr: Union[float, Sequence[float]] = (0.001, 0.01, 0.1),
        baseline: Union[float, Sequence[float]] = (1e-6, 0.001, 0.1),
        secrets: Union[int, Sequence[int], None] = None,
        singling_out: Optional[Tuple[float, int]] = None,
    ) -> Risk:
        """
        What the best attack on one record reaches.

        :param prior: probabilities before the release that the record was used.
        :param fpr: false positive rates of a membership test.
        :param baseline: best chances of guessing a secret without the release.
        :param secrets: numbers of records whose secrets are guessed together.
        :param singling_out: a weight of a predicate, and the number of records of which it is to meet one.

        >>> risk = Account([(2, 1, 30)]).risk(fpr=0.01)
        >>> print(risk.advantage, risk.true_positive_rate[0.01])
        [0.8290964, 0.8290965] [0.6599273, 0.6599274]
        """
        pair = None if singling_out is None else f"{float(singling_out[0])!r},{int(singling_out[1])}"
        options = {"prior": prior, "fpr": fpr, "baseline": baseline, "secrets": secrets, "singling_out": pair}
        return Risk.of(self.ask("risk", **_source.options_of(options)))

    def advantage(self) -> Bracket:
        """
        The membership advantage of the best attack, the largest difference of true and false positive rates.

        >>> print(Account([(2, 1, 30)]).advantage())
        [0.8290964, 0.8290965]
        """
        return self.risk().advantage

    def identify(self) -> Identification:
        """
        Whether the run is Gaussian DP at all.

        >>> Account([(2, 1, 30)]).identify().verdict
        'gdp'
        """
        found = self.ask("identify")
        tail = found.get("tailMu")
        return Identification(
            str(found["verdict"]), str(found["standing"]), None if tail is None else Bracket.of(tail), str(found["reason"])
        )

    @overload
    def compare(self, delta: SupportsFloat = 1e-5) -> Comparison: ...
    @overload
    def compare(self, *, epsilon: SupportsFloat) -> Comparison: ...
    def compare(self, delta: Optional[SupportsFloat] = None, *, epsilon: Optional[SupportsFloat] = None) -> Comparison:
        """
        What other accountants say of the run: epsilon at ``delta``, or delta at ``epsilon``.

        >>> found = Account([(2, 1, 30)]).compare(1e-5)
        >>> [f"{each.value:.3f}" for each in found.baselines if each.name == "RDP, tight conversion"]
        ['15.849']
        """
        at = {"delta": 1e-5 if delta is None and epsilon is None else delta, "epsilon": epsilon}
        return Comparison.of(self.ask("compare", **_source.options_of(at)))

    def certify(self, epsilon: SupportsFloat) -> Dict[str, Any]:
        """
        delta at an epsilon as a certificate, for :func:`verify`.

        >>> Account([(2, 1, 30)]).certify(8)["format"]
        'gdp-kernel-certificate'
        """
        return self.ask("certify", epsilon=epsilon)

    def lint(self, claim: Mapping[str, Any]) -> Lint:
        """
        Checks what is published of the run against what it supports.

        :param claim: what is published, such as ``{"epsilon": 2, "delta": 1e-5}``.

        >>> Account([(2, 1, 30)]).lint({"epsilon": 2, "delta": 1e-5}).findings[0].way_out
        'publish epsilon 14.83 at delta 1e-5'
        """
        files = {"claim": _source.as_file(claim)}
        return Lint.of(self._about(self.as_file(), files, "lint", {"claim": "claim"}))

    @overload
    def amplify(self, *, rate: float, epsilon_head: float = 10, resolution: int = 1000) -> Amplification: ...
    @overload
    def amplify(self, *, mu: float, epsilon_head: float = 10, resolution: int = 1000) -> Amplification: ...
    def amplify(
        self, *, rate: Optional[float] = None, mu: Optional[float] = None, epsilon_head: float = 10, resolution: int = 1000
    ) -> Amplification:
        """
        The run on a Poisson sample of the records.

        :param rate: sampling rate of the whole.
        :param mu: or the mu to reach over the head: the largest rate found is answered.
        :param epsilon_head: right end of the head of epsilons.
        :param resolution: mu is bracketed to 1/``resolution``.
        :raises Refused: where no rate reaches ``mu``.

        >>> print(Account([(2, 1, 30)]).amplify(rate=0.1, epsilon_head=1).mu)
        [0.7438..., 0.7439...]
        """
        options = {"rate": rate, "mu": mu, "epsilon_head": epsilon_head, "resolution": resolution}
        found = self.ask("amplify", **_source.options_of(options))
        if found.get("reachable") is False:
            raise Refused(f"out of reach: {found['reason']}")
        measured = found.get("measured", found)
        return Amplification(float(found["rate"]), Bracket.of(measured["headMu"]), float(measured["epsilonHead"]))

    def steps_left(self, epsilon: float, delta: float = 1e-5) -> int:
        """
        How many more steps, as the last ones, may be taken until epsilon at ``delta`` is reached; 0 where it is passed.

        >>> Account([(1.1, 0.01, 1000)]).steps_left(epsilon=3)
        2712
        """
        options = {"unknown": "steps", "epsilon": epsilon, "delta": delta}
        answer = self._about(self.as_file(), {}, "calibrate", options, warn=False)
        return int(answer["value"]) if answer["reached"] else 0

    @checked
    def report(
        self,
        format: Literal["text", "markdown", "html", "json"] = "text",
        *,
        delta: Union[float, Sequence[float], None] = None,
        alpha_min: Optional[float] = None,
        title: Optional[str] = None,
        unit: Optional[str] = None,
        dataset: Optional[str] = None,
        purpose: Optional[str] = None,
        contact: Optional[str] = None,
        about: Optional[Mapping[str, Any]] = None,
        evidence: Optional[Mapping[str, Any]] = None,
        provenance: Optional[str] = None,
        paper_columns: bool = False,
        digits: Optional[int] = None,
        brackets: bool = False,
    ) -> str:
        """
        The page to publish: epsilon, mu, regret, risks of attacks. :meth:`save_report` writes it to a file.

        :param format: ``"text"``, ``"markdown"``, ``"html"`` or ``"json"``.
        :param delta: deltas to report epsilon at.
        :param title: heading.
        :param unit: what one record stands for: ``"one patient"``.
        :param dataset: which data were used.
        :param purpose: what the release is for.
        :param contact: who answers questions.
        :param about: further details by name.
        :param evidence: counts or scores of an attack on the release, as :func:`audit` takes them.
        :param provenance: a date, YYYY-MM-DD, that is shown with the command.
        :param paper_columns: whether the trade-off curve is shown at the eight rates of the papers' tables.
        :param digits: significant digits.
        :param brackets: whether both ends of every number are shown.

        >>> "one patient" in Account([(2, 1, 30)]).report(unit="one patient")
        True
        """
        if format not in ("text", "markdown", "html", "json"):
            raise Refused(f'"format" must be text, markdown, html or json, got {format!r}; save_report writes to a path')
        options = {"delta": delta, "alpha_min": alpha_min, "title": title, "unit": unit, "dataset": dataset}
        options.update(purpose=purpose, contact=contact, provenance=provenance, paper_columns=paper_columns)
        options.update(digits=digits, brackets=brackets)
        held = {"about": about, "evidence": evidence}
        files = {name: _source.as_file(each) for name, each in held.items() if each is not None}
        asked = {"format": format, "json": False, **_source.options_of(options), **{name: name for name in files}}
        if files:
            asked["files"] = files
        source = self._source
        if files and "operands" in source:
            source = {"inputBase64": _source.content_of(source["operands"][0])}
        result = self._result("report", asked, source)
        # a report in JSON comes parsed
        return str(result["text"]) if "text" in result else json.dumps(result["answer"], indent=2) + "\n"

    def save_report(self, path: Union[str, "os.PathLike[str]"], **options: Any) -> Path:
        """
        Writes the page to publish: HTML, Markdown, JSON or text by the ending of the name.

        :param options: those of :meth:`report`.
        :returns: the path.

        >>> import os, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     saved = Account([(2, 1, 30)]).save_report(os.path.join(folder, "report.html"), title="Our model")
        ...     "<h1" in saved.read_text(encoding="utf-8")
        True
        """
        file = Path(os.fspath(path)).expanduser()
        formats = {".html": "html", ".htm": "html", ".md": "markdown", ".markdown": "markdown", ".json": "json"}
        options.setdefault("format", formats.get(file.suffix.lower(), "text"))
        file.write_text(self.report(**options), encoding="utf-8")
        return file

    def mechanism(self) -> Dict[str, Any]:
        """
        What was run, as gdp-kernel writes it.

        >>> Account([(2, 1, 30)]).mechanism()["kind"]
        'compose'
        """
        stated = self._stated
        if stated is None:
            # the epsilon at delta 1 is known without any work
            stated = self._result("epsilon", {"delta": 1}, warn=False)["answer"]["mechanism"]
            self._stated = stated
        return dict(stated)

    def curve(self, scale: Literal["linear", "log"] = "linear") -> str:
        """
        The trade-off curve as the text of an SVG picture.

        >>> Account([(2, 1, 30)]).curve()[:4]
        '<svg'
        """
        return self._curve(scale, self._warns)

    def _curve(self, scale: str, warn: bool) -> str:
        asked = {"alpha": 0.5, "svg": "curve.svg", "scale": scale, "files": {}}
        source = self._source
        if "operands" in source:
            source = {"inputBase64": _source.content_of(source["operands"][0])}
        return str(self._result("tradeoff", asked, source, warn)["files"]["curve.svg"])

    def as_file(self) -> str:
        """What a file of the run would hold, as base64."""
        if self._told or not {"input", "inputBase64", "operands"} & set(self._source):
            return _source.as_file(self.mechanism())
        if "inputBase64" in self._source:
            return str(self._source["inputBase64"])
        return _source.as_file(self._source["input"] if "input" in self._source else Path(self._source["operands"][0]))

    def __eq__(self, other: object) -> bool:
        """Whether both are of the same run, stated in the same way, and are answered alike."""
        return isinstance(other, Account) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> str:
        return json.dumps(plain({**self._source, **self._told, **self._how}, "run"), sort_keys=True)

    def __repr__(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in {**self._told, **self._how}.items())
        return f"{self._called}{options})"

    def _repr_html_(self) -> str:
        # nobody asked for what is shown, so that there is nobody to warn
        answer = self._result("epsilon", {"delta": 1e-5}, warn=False)["answer"]
        mu = self._result("mu", {}, warn=False)["answer"]
        rows: List[Tuple[str, str]] = [
            ("ε at δ = 10⁻⁵", str(Bracket.of(answer["epsilon"]))),
            (f"μ over error rates from {mu['alphaMin']:g}", str(Bracket.of(mu["mu"]))),
            ("adjacency", str(answer["adjacency"])),
        ]
        return _themes.cell(repr(self), rows, self._curve("linear", warn=False))

    def _at(self, command: str, option: str, value: Any, answered: str) -> Union[Bracket, Brackets]:
        """The answers at one value, or at each of a row."""
        if not is_many(value):
            return Bracket.of(self.ask(command, **{option: value})[answered])
        flat = values_of(value)
        if not flat:
            return Brackets(value, [])
        found = self.ask(command, **{option: flat})
        return Brackets(value, [Bracket.of(each[answered]) for each in found.get("results", [found])])

    def _result(
        self, command: str, options: Mapping[str, Any], source: Optional[Mapping[str, Any]] = None, warn: bool = True
    ) -> Dict[str, Any]:
        asked = {**(self._source if source is None else source), **self._told, **self._how, **options}
        found = call(command, asked, self.timeout, warn and self._warns, self._said)
        answer = found.get("answer")
        self.limited_by = answer.get("limitedBy") if isinstance(answer, dict) else None
        return found

    def _about(
        self, file: str, files: Mapping[str, str], command: str, options: Mapping[str, Any], warn: bool = True
    ) -> Dict[str, Any]:
        """The answer of a command that takes no more than the file of a run, and others."""
        known = {name: value for name, value in self._how.items() if name in ("tolerance", "allow_empty_history")}
        named = {"for" if name == "unknown" else name: value for name, value in options.items()}
        asked = {"operands": ["run"], "files": {"run": file, **files}, **known, **named}
        return dict(call(command, asked, self.timeout, warn and self._warns, self._said)["answer"])


def _require_numbers(given: Mapping[str, Any]) -> None:
    """Refuses numbers that are out of range before a run is asked about."""
    noise = "noise_multiplier" in given or "noise_std" in given
    length = {"steps", "epochs"} & set(given)
    rate = {"sampling_rate", "batch_size", "bins"} & set(given)
    if not noise or not (length or given.get("sampling") == "fixed") or not rate and given.get("sampling") is None:
        raise Refused(
            "dp_sgd needs noise_multiplier, sampling_rate and steps, or noise_multiplier, epochs, batch_size and dataset_size"
        )
    for name, expected, least, most in _RANGES:
        if name in given:
            value = given[name]
            try:
                number = float(value)
                met = not isinstance(value, str) and least <= number <= most and number < float("inf")
                met = met and (number == int(number) or "whole" not in expected)
            except (TypeError, ValueError, OverflowError):
                met = False
            if not met:
                raise Refused(f'"{name}" must be {expected}, got {value!r}')


_RANGES = (
    ("noise_multiplier", "a finite number >= 0", 0, float("inf")),
    ("noise_std", "a finite number >= 0", 0, float("inf")),
    ("sampling_rate", "a number in [0, 1]", 0, 1),
    ("steps", "a whole number >= 0", 0, float("inf")),
    ("epochs", "a finite number >= 0", 0, float("inf")),
    ("batch_size", "a whole number >= 1", 1, float("inf")),
    ("dataset_size", "a whole number >= 1", 1, float("inf")),
)
