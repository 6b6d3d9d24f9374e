"""
Python accountants on the pack: ``python3 conformance/adapters/python_accountants.py NAME``, NAME one of pld, rdp (dp_accounting), opacus-prv,
opacus-rdp, opacus-gdp, prv (prv_accountant), autodp, riskcal. Reads a question a line, answers a line; exit code 3 where the library is not
installed. What an accountant has no event for is refused by its adapter; nothing but its defaults is set where it has any.

Where Opacus lies without torch (a checkout), its accountants alone are imported: they need none of it.
"""

import json
import importlib.util
import math
import sys
import types


class Refused(Exception):
    pass


def phases_of(run, times=1):
    """(noise multiplier, sampling rate, steps) of each phase of a Gaussian run."""
    kind = run.get("kind") if isinstance(run, dict) else None
    if kind == "dp-sgd" and run.get("recordsPerPerson", 1) == 1:
        return [(run["noiseMultiplier"], run["samplingRate"], times * run["steps"])]
    if kind == "gaussian":
        return [(run["noiseMultiplier"], 1.0, times)]
    if kind == "repeat":
        return phases_of(run["inner"], times * run["count"])
    if kind == "compose":
        return [phase for part in run["parts"] for phase in phases_of(part, times)]
    raise Refused(f"no Gaussian run: {kind}")


def event_of(events, run, times_sensitivity=1):
    """The run as an event; its sensitivities are of adding a record, and count twice where one is replaced (but for the pairs of Poisson samples)."""
    kind = run.get("kind") if isinstance(run, dict) else None
    if kind == "laplace":
        return events.LaplaceDpEvent(run["scale"] / (times_sensitivity * run["sensitivity"]))
    if kind == "pure-dp":
        return events.EpsilonDeltaDpEvent(run["epsilon"], 0.0)
    if kind == "approximate-dp":
        return events.EpsilonDeltaDpEvent(run["epsilon"], run["delta"])
    if kind == "discrete-laplace":
        return events.DiscreteLaplaceDpEvent(1 / run["scale"], times_sensitivity * run["sensitivity"])
    if kind == "discrete-gaussian":
        return events.DiscreteGaussianDpEvent(run["sigma"], times_sensitivity * run["sensitivity"])
    if kind == "gaussian-mixture":
        return events.MixtureOfGaussiansDpEvent(run["noiseMultiplier"], run["sensitivities"], run["probabilities"])
    if kind == "repeat":
        return events.SelfComposedDpEvent(event_of(events, run["inner"], times_sensitivity), run["count"])
    if kind == "compose":
        return events.ComposedDpEvent([event_of(events, part, times_sensitivity) for part in run["parts"]])
    records = run.get("recordsPerPerson", 1) if isinstance(run, dict) else 1
    if kind == "dp-sgd" and records > 1:
        q = run["samplingRate"]
        weights = [math.comb(records, i) * q**i * (1 - q) ** (records - i) for i in range(records + 1)]
        event = events.MixtureOfGaussiansDpEvent(run["noiseMultiplier"], list(range(records + 1)), weights)
        return events.SelfComposedDpEvent(event, run["steps"])
    [(noise, rate, steps)] = phases_of(run)
    gaussian = events.GaussianDpEvent(noise if rate < 1 else noise / times_sensitivity)
    return events.SelfComposedDpEvent(gaussian if rate == 1 else events.PoissonSampledDpEvent(rate, gaussian), steps)


def dp_accounting(name):
    import dp_accounting as dp
    from dp_accounting import dp_event as events

    if name == "pld":
        from dp_accounting.pld.pld_privacy_accountant import PLDAccountant as Accountant
    else:
        from dp_accounting.rdp.rdp_privacy_accountant import RdpAccountant as Accountant

    def answer(run, adjacency, quantity, at):
        relation = dp.NeighboringRelation.REPLACE_ONE if adjacency == "replace-one" else dp.NeighboringRelation.ADD_OR_REMOVE_ONE
        arguments = {"neighboring_relation": relation}
        accountant = Accountant(**arguments).compose(event_of(events, run, 2 if adjacency == "replace-one" else 1))
        if quantity == "epsilon":
            return {"value": accountant.get_epsilon(at)}
        if quantity == "delta":
            return {"value": accountant.get_delta(at)}
        raise Refused(quantity)

    return answer


def opacus(name):
    if importlib.util.find_spec("torch") is None:
        alone("opacus")
    from opacus import accountants

    Accountant = {
        "opacus-prv": accountants.PRVAccountant,
        "opacus-rdp": accountants.RDPAccountant,
        "opacus-gdp": accountants.GaussianAccountant,
    }[name]

    def answer(run, adjacency, quantity, at):
        if adjacency != "add-remove" or quantity != "epsilon":
            raise Refused("epsilon of add-remove alone")
        accountant = Accountant()
        accountant.history = phases_of(run)
        if name == "opacus-gdp" and len(accountant.history) > 1:
            # its step raises ValueError where noise or rate change
            raise Refused("one phase alone")
        return {"value": float(accountant.get_epsilon(at))}

    return answer


def alone(name):
    """Lets `opacus.accountants` be imported without the package around it, whose optimizers (a type there) need torch."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        raise ImportError(f"{name} is not installed")
    package = types.ModuleType(name)
    package.__path__ = list(spec.submodule_search_locations)
    optimizers = types.ModuleType(f"{name}.optimizers")
    optimizers.DPOptimizer = object
    sys.modules[name], sys.modules[f"{name}.optimizers"] = package, optimizers


def autodp():
    from autodp.mechanism_zoo import ExactGaussianMechanism, LaplaceMechanism, PureDP_Mechanism
    from autodp.transformer_zoo import AmplificationBySampling, Composition

    def parts_of(run, times=1):
        kind = run.get("kind") if isinstance(run, dict) else None
        if kind == "repeat":
            return parts_of(run["inner"], times * run["count"])
        if kind == "compose":
            return [part for each in run["parts"] for part in parts_of(each, times)]
        if kind == "laplace":
            return [(LaplaceMechanism(run["scale"] / run["sensitivity"]), times)]
        if kind == "pure-dp":
            return [(PureDP_Mechanism(run["epsilon"]), times)]
        [(noise, rate, steps)] = phases_of(run, times)
        gaussian = ExactGaussianMechanism(noise)
        if rate == 1:
            return [(gaussian, steps)]
        gaussian.neighboring = "add_remove"
        return [(AmplificationBySampling(PoissonSampling=True)(gaussian, rate, improved_bound_flag=True), steps)]

    def answer(run, adjacency, quantity, at):
        if adjacency != "add-remove" or quantity not in ("epsilon", "delta"):
            raise Refused("epsilon and delta of add-remove alone")
        parts = parts_of(run)
        [(mechanism, times), *rest] = parts
        if times > 1 or rest:
            mechanism = Composition()([each for each, _ in parts], [count for _, count in parts])
        return {"value": float(mechanism.get_approxDP(at) if quantity == "epsilon" else mechanism.approx_delta(at))}

    return answer


def riskcal():
    from riskcal.accountants import CTDAccountant

    def answer(run, adjacency, quantity, at):
        if adjacency != "add-remove" or quantity not in ("epsilon", "beta"):
            raise Refused("epsilon and beta of add-remove alone")
        accountant = CTDAccountant()
        accountant.history = phases_of(run)
        return {"value": float(accountant.get_epsilon(delta=at) if quantity == "epsilon" else accountant.get_beta(alpha=at))}

    return answer


def prv():
    from prv_accountant import PRVAccountant, PoissonSubsampledGaussianMechanism

    def answer(run, adjacency, quantity, at):
        if adjacency != "add-remove" or quantity != "epsilon":
            raise Refused("epsilon of add-remove alone")
        phases = phases_of(run)
        accountant = PRVAccountant(
            prvs=[PoissonSubsampledGaussianMechanism(noise_multiplier=s, sampling_probability=q) for s, q, _ in phases],
            eps_error=0.01,
            delta_error=at * 1e-3,
            max_self_compositions=[steps for _, _, steps in phases],
        )
        lower, _, upper = accountant.compute_epsilon(delta=at, num_self_compositions=[steps for _, _, steps in phases])
        return {"lower": lower, "upper": upper}

    return answer


MAKERS = {
    **{name: lambda name=name: dp_accounting(name) for name in ("pld", "rdp")},
    **{name: lambda name=name: opacus(name) for name in ("opacus-prv", "opacus-rdp", "opacus-gdp")},
    "prv": prv,
    "autodp": autodp,
    "riskcal": riskcal,
}


def main():
    try:
        answer = MAKERS[sys.argv[1]]()
    except ImportError as missing:
        print(f"{sys.argv[1]}: {missing}", file=sys.stderr)
        return 3
    for line in sys.stdin:
        question = json.loads(line)
        number = question.pop("id")
        try:
            found = answer(**question)
            if any(math.isnan(value) for value in found.values()):
                raise ArithmeticError("not a number")
            found = {end: "Infinity" if value == math.inf else value for end, value in found.items()}
        except Exception as refusal:  # an accountant refuses by any exception it likes
            found = {"error": f"{type(refusal).__name__}: {refusal}"[:300]}
        print(json.dumps({"id": number, **found}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
