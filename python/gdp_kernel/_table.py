"""A table of runs: columns in, columns out."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, SupportsFloat, Tuple, TypeVar, Union, overload

from . import _source
from ._account import Account
from ._client import call_all
from ._data import is_many, plain, values_of
from ._errors import Refused
from ._names import checked, suggestion
from ._types import Adjacency, Method, Run

__all__ = ["batch"]

Table = TypeVar("Table")

#: What a column may be called, and what it is.
_COLUMNS = {
    **{
        name: name
        for name in (
            *("noise_multiplier", "sampling_rate", "steps", "epochs", "batch_size", "dataset_size", "sampling", "batch_cap", "bins"),
            *("bins_per_record", "drop_last", "places", "records_per_person", "noise_std", "clip_norm", "clip_groups", "mean_of"),
            *("tries", "adjacency", "history", "mechanism", "run", "kind", "delta", "target_epsilon", "target_delta"),
        )
    },
    **dict.fromkeys(("sample_rate", "q", "sampling_probability"), "sampling_rate"),
    **dict.fromkeys(("sigma", "noise"), "noise_multiplier"),
    **dict.fromkeys(("iterations", "num_steps"), "steps"),
}
_SOLVED = ("noise_multiplier", "sampling_rate", "steps")


@overload
def batch(
    runs: Mapping[str, Sequence[Any]],
    *,
    delta: Union[SupportsFloat, Iterable[SupportsFloat], None] = None,
    epsilon: Union[SupportsFloat, Iterable[SupportsFloat], None] = None,
    mu: bool = False,
    alpha_min: Optional[float] = None,
    columns: Optional[Mapping[str, str]] = None,
    adjacency: Optional[Adjacency] = None,
    method: Optional[Method] = None,
    tolerance: Optional[float] = None,
    timeout: Optional[float] = None,
) -> Dict[str, List[Any]]: ...
@overload
def batch(
    runs: Sequence[Union[Account, Run]],
    *,
    delta: Union[SupportsFloat, Iterable[SupportsFloat], None] = None,
    epsilon: Union[SupportsFloat, Iterable[SupportsFloat], None] = None,
    mu: bool = False,
    alpha_min: Optional[float] = None,
    columns: Optional[Mapping[str, str]] = None,
    adjacency: Optional[Adjacency] = None,
    method: Optional[Method] = None,
    tolerance: Optional[float] = None,
    timeout: Optional[float] = None,
) -> Dict[str, List[Any]]: ...
@overload
def batch(
    runs: Table,
    *,
    delta: Union[SupportsFloat, Iterable[SupportsFloat], None] = None,
    epsilon: Union[SupportsFloat, Iterable[SupportsFloat], None] = None,
    mu: bool = False,
    alpha_min: Optional[float] = None,
    columns: Optional[Mapping[str, str]] = None,
    adjacency: Optional[Adjacency] = None,
    method: Optional[Method] = None,
    tolerance: Optional[float] = None,
    timeout: Optional[float] = None,
) -> Table: ...
@checked
def batch(
    runs: Any,
    *,
    delta: Union[SupportsFloat, Iterable[SupportsFloat], None] = None,
    epsilon: Union[SupportsFloat, Iterable[SupportsFloat], None] = None,
    mu: bool = False,
    alpha_min: Optional[float] = None,
    columns: Optional[Mapping[str, str]] = None,
    adjacency: Optional[Adjacency] = None,
    method: Optional[Method] = None,
    tolerance: Optional[float] = None,
    timeout: Optional[float] = None,
) -> Any:
    """
    A table of runs, each answered. Equal runs are asked about once, and all go to the accountant together.

    :param runs: a DataFrame of pandas or Polars, columns by name, or a list of runs or accounts. Columns are the arguments of
        :meth:`Account.dp_sgd` by their names or other usual ones (``sigma``, ``q``, ``iterations``), or ``history``, ``mechanism`` or ``run``;
        a column ``delta`` is the delta of each row. A ``target_epsilon`` solves for the noise, rate or steps that a row leaves out.
        Other columns are not read.
    :param delta: epsilon at each; 1e-5 where nothing is asked for.
    :param epsilon: delta at each.
    :param mu: whether mu and its regret are asked for, over error rates from ``alpha_min`` up.
    :param columns: what columns of other names are: ``{"sd": "noise_multiplier"}``.
    :param timeout: seconds for each group of 20,000 questions.
    :returns: the table with the columns ``epsilon_lower`` and ``epsilon_upper``, ``error`` (why a row has no answer, None where it has one) and
        ``solved``, where there are targets. With several deltas the columns are ``epsilon_at_1e-5_lower`` and so on. Of a list of runs, the
        new columns alone.

    >>> found = batch({"noise_multiplier": [2.0, 4.0, -1.0], "sampling_rate": [1, 1, 1], "steps": [30, 30, 30]})
    >>> [f"{upper:.4f}" for upper in found["epsilon_upper"]]
    ['14.8299', '6.3257', 'nan']
    >>> found["error"][2]
    '"noise_multiplier" must be 0 or a number from 1e-9 to 1e9, got "-1"'
    """
    how = _source.options_of({"adjacency": adjacency, "method": method, "tolerance": tolerance})
    rows = _rows(runs, columns or {})
    solved = _solve(rows, delta, how, timeout)
    asked = _questions(delta, epsilon, mu, alpha_min, any("delta" in row for row in rows))
    answers = _answers(rows, asked, how, timeout)
    if solved is not None:
        answers = {"solved": solved, **answers}
    return _joined(runs, answers)


Row = Dict[str, Any]
#: A command, its options, and the columns that its answer fills: by name where in the answer they are.
Question = Tuple[str, Dict[str, Any], Dict[str, Tuple[str, ...]]]


def _rows(runs: Any, renamed: Mapping[str, str]) -> List[Row]:
    """Each run as the options that ask about it, or why it cannot be asked about."""
    for ours in renamed.values():
        if ours not in _COLUMNS:
            raise Refused(f'columns: "{ours}" is not what a column can be{suggestion(ours, list(_COLUMNS))}')
    if isinstance(runs, Mapping):
        table = {str(name): values_of(column) for name, column in runs.items()}
    elif hasattr(runs, "columns"):
        table = {str(name): values_of(runs[name]) for name in runs.columns}
    elif is_many(runs):
        return [_row({"run": run}) for run in runs]
    else:
        raise Refused(f"runs must be a table, columns by name or a list of runs, got {type(runs).__name__}")
    lengths = {len(column) for column in table.values()}
    if len(lengths) > 1:
        raise Refused(f"the columns must be of one length, got {sorted(lengths)}")
    named = {name: renamed.get(name, _COLUMNS.get(name, "")) for name in table}
    known = [(ours, table[name]) for name, ours in named.items() if ours]
    twice = {ours for ours, _ in known if [other for other, _ in known].count(ours) > 1}
    if twice:
        raise Refused(f"two columns say what {sorted(twice)[0]} is")
    if not known:
        raise Refused(f"no column says what was run; expected noise_multiplier, sampling_rate and steps, say, got {', '.join(named)}")
    return [_row(dict(zip([ours for ours, _ in known], cells))) for cells in zip(*(column for _, column in known))]


def _row(cells: Row) -> Row:
    given = {name: value for name, value in cells.items() if not _is_missing(value)}
    try:
        return _asked(given)
    except Refused as refusal:
        return {"error": str(refusal)}


def _is_missing(value: Any) -> bool:
    """None, NaN, and what pandas has for a cell without a value."""
    return value is None or value is False or type(value).__name__ in ("NAType", "NaTType") or isinstance(value, float) and value != value


def _asked(given: Row) -> Row:
    row: Row = {name: given.pop(name) for name in ("delta", "target_epsilon", "target_delta", "adjacency") if name in given}
    run = given.pop("run", None)
    for name in ("mechanism", "history"):
        if name in given and run is None:
            run = given.pop(name)
            run = json.loads(run) if isinstance(run, str) else run
            run = {"history": run} if name == "history" else run
    if isinstance(run, Account):
        return {**run._source, **run._told, **run._how, **row}
    if run is not None:
        return {**_source.source_of(run), **given, **row}
    if "kind" in given:
        raise Refused("a mechanism stands in a column mechanism, as a mapping or as JSON")
    return {**given, **row}


def _solve(rows: List[Row], delta: Any, how: Row, timeout: Optional[float]) -> Optional[List[Any]]:
    """Finds what rows with targets leave out, and puts the run that was found in their place."""
    targets = [row for row in rows if "target_epsilon" in row]
    if not targets:
        return None
    usual = 1e-5 if delta is None or is_many(delta) else delta
    questions = []
    for row in targets:
        unknown = next((name for name in _SOLVED if name not in row), None) if "input" not in row else None
        target = {"epsilon": row["target_epsilon"], "delta": row.get("target_delta", row.get("delta", usual))}
        rest = {name: value for name, value in row.items() if name not in ("target_epsilon", "target_delta", "delta")}
        solved_for = {} if unknown is None else {"for": unknown.replace("_", "-")}
        questions.append(("calibrate", {**how, **rest, **target, **solved_for}))
    found: Dict[int, Any] = {}
    for row, result in zip(targets, call_all(questions, timeout)):
        at = {"delta": row["delta"]} if "delta" in row else {}
        row.clear()
        answer = {"reached": False, "reason": str(result)} if isinstance(result, Refused) else result["answer"]
        if answer["reached"]:
            found[id(row)] = answer["value"]
            row.update(input=answer["mechanism"], **at)
        else:
            row["error"] = str(answer["reason"])
    return [found.get(id(row)) for row in rows]


def _questions(delta: Any, epsilon: Any, mu: bool, alpha_min: Optional[float], own: bool) -> List[Question]:
    asked: List[Question] = []
    if alpha_min is not None and not mu:
        raise Refused('"alpha_min" needs mu=True')
    usual = 1e-5 if delta is None and epsilon is None and not mu or own and delta is None else delta
    for command, option, values, answered in (("epsilon", "delta", usual, "epsilon"), ("delta", "epsilon", epsilon, "delta")):
        if values is None:
            continue
        many = is_many(values)
        for value in values_of(values) if many else [values]:
            name = f"{answered}_at_{_short(value)}" if many else answered
            asked.append((command, {option: value}, {name: (answered,)}))
    if mu:
        window = {} if alpha_min is None else {"alpha_min": alpha_min}
        asked.append(("mu", window, {"mu": ("mu",), "regret": ("regret",)}))
    return asked


def _short(value: SupportsFloat) -> str:
    """A number as ``gdp batch`` has it in names of columns: 1e-5."""
    text = repr(float(value))
    if "e" not in text:
        return text[:-2] if text.endswith(".0") else text
    digits, power = text.split("e")
    return f"{digits}e{int(power)}"


def _answers(rows: List[Row], asked: List[Question], how: Row, timeout: Optional[float]) -> Dict[str, List[Any]]:
    """The columns of answers: each different question is asked once."""
    places: Dict[str, int] = {}
    questions: List[Tuple[str, Row]] = []
    wanted: List[List[int]] = []
    for row in rows:
        mine: List[int] = []
        for command, options, _ in asked if "error" not in row else ():
            own = {**how, **row}
            at = own.pop("delta", None)
            params = {**own, **options, **({"delta": at} if command == "epsilon" and at is not None else {})}
            try:
                key = json.dumps([command, plain(params, "run")])
            except Refused as refusal:
                row["error"] = str(refusal)
                mine = []
                break
            if key not in places:
                places[key] = len(questions)
                questions.append((command, params))
            mine.append(places[key])
        wanted.append(mine)
    found = call_all(questions, timeout)
    columns: Dict[str, List[Any]] = {}
    for number, (_, _, filled) in enumerate(asked):
        for name, path in filled.items():
            for end in ("lower", "upper"):
                columns[f"{name}_{end}"] = [_end(found, mine, number, path, end) for mine in wanted]
    columns["error"] = [row.get("error") or _error(found, mine) for row, mine in zip(rows, wanted)]
    return columns


def _end(found: List[Any], mine: List[int], number: int, path: Tuple[str, ...], end: str) -> float:
    result = found[mine[number]] if mine else None
    if result is None or isinstance(result, Refused):
        return float("nan")
    return float(result["answer"][path[0]][end])


def _error(found: List[Any], mine: List[int]) -> Optional[str]:
    return next((str(found[place]) for place in mine if isinstance(found[place], Refused)), None)


def _joined(runs: Any, answers: Dict[str, List[Any]]) -> Any:
    if isinstance(runs, Mapping):
        return {**{name: list(column) for name, column in runs.items()}, **answers}
    if hasattr(runs, "assign"):
        # pandas: the index stays
        return runs.assign(**answers)
    if hasattr(runs, "hstack"):
        return runs.hstack(type(runs)(answers))
    return answers
