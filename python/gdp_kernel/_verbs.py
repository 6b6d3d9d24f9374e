"""Questions that are about no one run."""

from __future__ import annotations

import inspect
from typing import Any, Dict, Iterable, List, Literal, Mapping, Optional, Sequence, SupportsFloat, Tuple, Union, overload

from . import _source
from ._account import Account
from ._answers import Audit, Calibration, Conversion, Lint, Measurement, Noise, Verification
from ._bracket import Bracket
from ._client import call
from ._data import is_many, values_of
from ._errors import Refused
from ._names import checked
from ._types import Adjacency, Loader, Method, Run, Unknown

__all__ = ["audit", "calibrate", "convert", "lint", "measure", "noise", "noise_multiplier_of", "report", "verify"]

_Target = Union[SupportsFloat, Iterable[SupportsFloat], None]


def _account(run: Union[Account, Run], options: Mapping[str, Any]) -> Account:
    return run if isinstance(run, Account) else Account(run, **options)


def measure(run: Union[Account, Run], alpha_min: float = 1e-10, **options: Any) -> Measurement:
    """
    mu and its regret; ``options`` are those of :class:`Account`.

    >>> print(measure([(2, 1, 30)]).mu)
    [2.738612, 2.738613]
    """
    return _account(run, options).measure(alpha_min)


def report(run: Union[Account, Run], format: Literal["text", "markdown", "html", "json"] = "text", **options: Any) -> str:
    """
    The page to publish, as :meth:`Account.report`.

    >>> "differentially private" in report([(2, 1, 30)])
    True
    """
    return _account(run, {}).report(format, **options)


#: What has to be said of a run beside what is solved for; another way of forming batches says the same in its own words.
_NEEDED: Dict[str, Tuple[str, ...]] = {
    "noise_multiplier": ("steps", "sampling_rate"),
    "sampling_rate": ("noise_multiplier", "steps"),
    "steps": ("noise_multiplier", "sampling_rate"),
    "laplace_scale": ("steps", "sensitivity"),
}
_LOADER = {"sampling", "batch_size", "dataset_size", "bins", "epochs"}
_MEANING = {
    "steps": "the number of optimisation steps, or of queries",
    "sampling_rate": "the probability that a record is in a batch, 1 for all the data in every step",
    "noise_multiplier": "the noise over the clipping norm",
    "sensitivity": "the L1 sensitivity of a query",
}


@checked
def _calibrate(
    unknown: Optional[Unknown] = None,
    run: Union[Account, Run, None] = None,
    *,
    epsilon: _Target = None,
    delta: Optional[SupportsFloat] = None,
    target_epsilon: _Target = None,
    target_delta: Optional[SupportsFloat] = None,
    mu: Optional[SupportsFloat] = None,
    alpha_min: Optional[SupportsFloat] = None,
    advantage: Optional[SupportsFloat] = None,
    tpr: Optional[SupportsFloat] = None,
    fpr: Optional[SupportsFloat] = None,
    bayes_error: Optional[SupportsFloat] = None,
    prior: Optional[SupportsFloat] = None,
    ppv: Optional[SupportsFloat] = None,
    reconstruction: Optional[SupportsFloat] = None,
    baseline: Optional[SupportsFloat] = None,
    rho: Optional[SupportsFloat] = None,
    renyi: Optional[SupportsFloat] = None,
    order: Optional[SupportsFloat] = None,
    noise_multiplier: Optional[SupportsFloat] = None,
    sampling_rate: Optional[SupportsFloat] = None,
    sample_rate: Optional[SupportsFloat] = None,
    steps: Optional[SupportsFloat] = None,
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
    sensitivity: Optional[SupportsFloat] = None,
    adjacency: Optional[Adjacency] = None,
    tolerance: Optional[float] = None,
    method: Optional[Method] = None,
    effort: Union[float, Literal["unlimited"], None] = None,
    timeout: Optional[float] = None,
) -> Union[Calibration, List[Calibration]]:
    given = dict(locals())
    for name, theirs in (("epsilon", "target_epsilon"), ("delta", "target_delta"), ("sampling_rate", "sample_rate")):
        other = given.pop(theirs)
        if other is not None and given[name] is not None:
            raise Refused(f'give either "{name}" or "{theirs}": they are the same')
        given[name] = given[name] if other is None else other
    told = {name: value for name, value in given.items() if name not in ("unknown", "run", "timeout")}
    return _solved(unknown, run, _source.options_of(told), timeout)


def _solved(
    unknown: Optional[str], run: Union[Account, Run, None], options: Dict[str, Any], timeout: Optional[float]
) -> Union[Calibration, List[Calibration]]:
    name = "noise_multiplier" if unknown is None else str(unknown).replace("-", "_")
    if run is None and not _LOADER & set(options):
        missing = [each for each in _NEEDED.get(name, ()) if options.get(each) is None]
        if missing:
            meant = "; ".join(f"{each}: {_MEANING[each]}" for each in missing)
            raise Refused(f"calibrate needs {' and '.join(missing)} ({meant})")
    many = is_many(options.get("epsilon"))
    if many:
        options["epsilon"] = values_of(options["epsilon"])
        if not options["epsilon"]:
            return []
    source: Dict[str, Any] = {}
    if isinstance(run, Account):
        source = {"inputBase64": run.as_file()}
    elif run is not None:
        source = _source.source_of(run)
    if unknown is not None:
        source["for"] = name.replace("_", "-")
    answer = call("calibrate", {**source, **options}, timeout)["answer"]
    found = [_calibration(each) for each in answer.get("results", [answer])]
    return found if many else found[0]


def _calibration(answer: Mapping[str, Any]) -> Calibration:
    if not answer["reached"]:
        at = f" for epsilon {answer['epsilon']}" if "epsilon" in answer else ""
        raise Refused(f"out of reach{at}: {answer['reason']}")
    achieved = {each: Bracket.of(value) for each, value in answer["achieved"].items()}
    unknown = str(answer["unknown"]).replace(" ", "_").replace("-", "_")
    return Calibration(unknown, float(answer["value"]), achieved, dict(answer.get("mechanism", {})))


@overload
def calibrate(
    unknown: Optional[Unknown] = None,
    run: Union[Account, Run, None] = None,
    *,
    epsilon: Optional[SupportsFloat] = None,
    delta: Optional[SupportsFloat] = None,
    target_epsilon: Optional[SupportsFloat] = None,
    target_delta: Optional[SupportsFloat] = None,
    mu: Optional[SupportsFloat] = None,
    alpha_min: Optional[SupportsFloat] = None,
    advantage: Optional[SupportsFloat] = None,
    tpr: Optional[SupportsFloat] = None,
    fpr: Optional[SupportsFloat] = None,
    bayes_error: Optional[SupportsFloat] = None,
    prior: Optional[SupportsFloat] = None,
    ppv: Optional[SupportsFloat] = None,
    reconstruction: Optional[SupportsFloat] = None,
    baseline: Optional[SupportsFloat] = None,
    rho: Optional[SupportsFloat] = None,
    renyi: Optional[SupportsFloat] = None,
    order: Optional[SupportsFloat] = None,
    noise_multiplier: Optional[SupportsFloat] = None,
    sampling_rate: Optional[SupportsFloat] = None,
    sample_rate: Optional[SupportsFloat] = None,
    steps: Optional[SupportsFloat] = None,
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
    sensitivity: Optional[SupportsFloat] = None,
    adjacency: Optional[Adjacency] = None,
    tolerance: Optional[float] = None,
    method: Optional[Method] = None,
    effort: Union[float, Literal["unlimited"], None] = None,
    timeout: Optional[float] = None,
) -> Calibration: ...
@overload
def calibrate(
    unknown: Optional[Unknown] = None,
    run: Union[Account, Run, None] = None,
    *,
    epsilon: Iterable[SupportsFloat],
    delta: Optional[SupportsFloat] = None,
    noise_multiplier: Optional[SupportsFloat] = None,
    sampling_rate: Optional[SupportsFloat] = None,
    sample_rate: Optional[SupportsFloat] = None,
    steps: Optional[SupportsFloat] = None,
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
    sensitivity: Optional[SupportsFloat] = None,
    adjacency: Optional[Adjacency] = None,
    tolerance: Optional[float] = None,
    method: Optional[Method] = None,
    effort: Union[float, Literal["unlimited"], None] = None,
    timeout: Optional[float] = None,
) -> List[Calibration]: ...
def calibrate(unknown: Optional[Unknown] = None, run: Union[Account, Run, None] = None, **options: Any) -> Any:
    """
    The least noise, or the most data or steps, that meets a target.

    :param unknown: ``noise_multiplier`` (default), ``sampling_rate``, ``steps``, ``epochs``, ``bins``, ``records_per_person`` or
        ``laplace_scale``; left out where ``run`` has a ``"?"``.
    :param run: a mechanism or a history with ``"?"`` in place of a number; or, with ``unknown``, what was run before: the answer comes on top.
    :param options: a target (``epsilon`` and ``delta``, ``mu``, ``advantage``, ``tpr`` and ``fpr``, ``bayes_error`` and ``prior``, ``ppv``,
        ``reconstruction`` and ``baseline``, ``rho``, ``renyi`` and ``order``), and the rest of the run: ``sampling_rate`` and ``steps``, or
        ``epochs``, ``batch_size`` and ``dataset_size``, … Nothing of it is assumed. ``target_epsilon``, ``target_delta`` and
        ``sample_rate`` are Opacus' names. A list of epsilons is answered by a list.
    :raises Refused: where something is missing, and where the target is out of reach.

    >>> calibrate(epsilon=2, delta=1e-5, sampling_rate=0.01, steps=1000).noise_multiplier
    0.95910...
    >>> calibrate(run={"history": [[1.1, 0.01, 1000], [1.1, 0.01, "?"]]}, epsilon=3, delta=1e-5).steps
    2712
    >>> [round(found.value, 3) for found in calibrate(epsilon=[2, 3], delta=1e-5, sampling_rate=1, steps=30)]
    [10.921, 7.617]
    """
    return _calibrate(unknown, run, **options)


# what help() and notebooks show
setattr(calibrate, "__signature__", inspect.signature(_calibrate))


def convert(
    guarantee: Union[Account, Mapping[str, Any], str],
    to: Literal[
        "pure-dp", "approximate-dp", "gdp", "zcdp", "rdp", "tabulated", "trade-off", "probabilistic-dp"
    ],
    *,
    delta: Optional[SupportsFloat] = None,
    epsilon: Union[SupportsFloat, Sequence[SupportsFloat], None] = None,
    order: Union[SupportsFloat, Sequence[SupportsFloat], None] = None,
    alpha: Union[SupportsFloat, Sequence[SupportsFloat], None] = None,
    count: Optional[int] = None,
) -> Conversion:
    """
    One kind of guarantee into another.

    :param guarantee: a text such as ``"zcdp:0.5"``, a mechanism of :mod:`gdp_kernel.mechanisms`, or an account.
    :param to: the kind of guarantee to convert into.
    :param delta: for ``approximate-dp``: where epsilon is answered.
    :param epsilon: or where delta is answered; for ``tabulated`` too.
    :param order: orders, for ``rdp``.
    :param alpha: false positive rates, for ``trade-off``.
    :param count: so many releases of the guarantee.
    :raises Refused: where the one does not follow from the other.

    >>> convert("zcdp:0.5", "approximate-dp", delta=1e-6).guarantee
    {'kind': 'approximate-dp', 'epsilon': 5.22153434..., 'delta': 1e-06}
    """
    source = {"inputBase64": guarantee.as_file()} if isinstance(guarantee, Account) else {"from": guarantee}
    options = {"to": to, "delta": delta, "epsilon": epsilon, "order": order, "alpha": alpha, "count": count}
    answer = call("convert", {**source, **_source.options_of(options)})["answer"]
    if "refused" in answer:
        raise Refused(f"{answer['from']} is not converted into {answer['to']}: {answer['refused']}")
    values = [Bracket.of(each) for each in answer["values"]]
    return Conversion(str(answer["to"]), dict(answer["guarantee"]), values, str(answer["theorem"]))


def noise(epsilon: SupportsFloat, delta: SupportsFloat, *, sensitivity: SupportsFloat = 1) -> List[Noise]:
    """
    The noise of one Gaussian release, by eight published formulas; the first is the least that serves.

    :param epsilon: 0, or in [1e-12, 1e6].
    :param delta: in [1e-300, 1).
    :param sensitivity: L2 sensitivity of the query.

    >>> print(noise(1, 1e-5)[0].sigma)
    [3.730631, 3.730632]
    """
    answer = call("noise", {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity})["answer"]
    return [Noise(each["name"], each["gives"], Bracket.of(each["sigma"]), each["source"]) for each in answer["noises"]]


def verify(certificate: Mapping[str, Any]) -> Verification:
    """
    Checks a certificate of :meth:`Account.certify` by an independent computation.

    >>> verify(Account([(2, 1, 30)]).certify(8)).verdict
    'confirmed'
    """
    answer = call("verify", {"input": certificate})["answer"]
    return Verification(answer["verdict"], answer["reason"], answer.get("logDelta"), answer.get("error"))


def audit(
    evidence: Union[Mapping[str, Any], str],
    claim: Union[Account, Run, None] = None,
    *,
    delta: Union[SupportsFloat, Sequence[SupportsFloat], None] = None,
    confidence: Optional[SupportsFloat] = None,
) -> Audit:
    """
    What an attack proves, and whether it refutes a claim.

    :param evidence: counts or scores, such as ``{"kind": "threshold", "falsePositives": 5, "nonMembers": 1000, "truePositives": 100,
        "members": 1000}``, ``{"kind": "one-run", …}``, or the path of a file.
    :param claim: a run, an account, ``{"epsilon": 1, "delta": 1e-5}`` or ``{"mu": 1}``; without it none is tested.
    :param delta: where epsilon is bounded; 1e-5 by default.
    :param confidence: of the bounds, 0.95 by default.

    >>> found = audit({"kind": "one-run", "canaries": 1000, "guesses": 100, "correct": 99}, {"epsilon": 1, "delta": 1e-5})
    >>> found.refuted
    True
    """
    files = {"evidence": _source.as_file(evidence)}
    options = _source.options_of({"delta": delta, "confidence": confidence})
    if claim is not None:
        files["claim"] = claim.as_file() if isinstance(claim, Account) else _source.as_file(claim)
        options["claim"] = "claim"
    return Audit.of(call("audit", {"operands": ["evidence"], "files": files, **options})["answer"])


def lint(claim: Mapping[str, Any], run: Union[Account, Run, None] = None) -> Lint:
    """
    Checks a published claim.

    :param claim: what is published, such as ``{"epsilon": 2, "delta": 1e-5}``; without ``run`` it describes its run itself.
    :param run: what was run.

    >>> claim = {"epsilon": 1.6, "delta": 1e-5, "noiseMultiplier": 1.1, "samplingRate": 0.01, "steps": 1000}
    >>> lint(claim).findings
    []
    """
    if run is not None:
        return _account(run, {}).lint(claim)
    return Lint.of(call("lint", {"input": claim})["answer"])


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
