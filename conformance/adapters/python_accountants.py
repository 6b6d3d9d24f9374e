"""
Four Python accountants on the pack: ``python3 conformance/adapters/python_accountants.py NAME``, NAME one of pld, rdp (dp_accounting), opacus-prv and prv
(prv_accountant). Reads a question a line, answers a line; exit code 3 where the library is not installed. What an accountant has no event for is
refused by its adapter.
"""

import json
import math
import sys


class Refused(Exception):
    pass


def phases_of(run, times=1):
    """(noise multiplier, sampling rate, steps) of each phase of a Gaussian run."""
    kind = run.get("kind") if isinstance(run, dict) else None
    if kind == "dp-sgd":
        return [(run["noiseMultiplier"], run["samplingRate"], times * run["steps"])]
    if kind == "gaussian":
        return [(run["noiseMultiplier"], 1.0, times)]
    if kind == "repeat":
        return phases_of(run["inner"], times * run["count"])
    if kind == "compose":
        return [phase for part in run["parts"] for phase in phases_of(part, times)]
    raise Refused(f"no Gaussian run: {kind}")


def event_of(dp, run):
    kind = run.get("kind") if isinstance(run, dict) else None
    if kind == "laplace":
        return dp.LaplaceDpEvent(run["scale"] / run["sensitivity"])
    if kind == "pure-dp":
        return dp.EpsilonDeltaDpEvent(run["epsilon"], 0.0)
    if kind == "approximate-dp":
        return dp.EpsilonDeltaDpEvent(run["epsilon"], run["delta"])
    if kind == "discrete-laplace":
        return dp.DiscreteLaplaceDpEvent(1 / run["scale"], run["sensitivity"])
    if kind == "gaussian-mixture":
        return dp.MixtureOfGaussiansDpEvent(run["noiseMultiplier"], run["sensitivities"], run["probabilities"])
    if kind == "repeat":
        return dp.SelfComposedDpEvent(event_of(dp, run["inner"]), run["count"])
    if kind == "compose":
        return dp.ComposedDpEvent([event_of(dp, part) for part in run["parts"]])
    [(noise, rate, steps)] = phases_of(run)
    gaussian = dp.GaussianDpEvent(noise)
    return dp.SelfComposedDpEvent(gaussian if rate == 1 else dp.PoissonSampledDpEvent(rate, gaussian), steps)


def dp_accounting(name):
    import dp_accounting as dp

    if name == "pld":
        from dp_accounting.pld.pld_privacy_accountant import PLDAccountant as Accountant
    else:
        from dp_accounting.rdp.rdp_privacy_accountant import RdpAccountant as Accountant

    def answer(run, adjacency, quantity, at):
        relation = dp.NeighboringRelation.REPLACE_ONE if adjacency == "replace-one" else dp.NeighboringRelation.ADD_OR_REMOVE_ONE
        arguments = {"neighboring_relation": relation}
        accountant = Accountant(**arguments).compose(event_of(dp, run))
        if quantity == "epsilon":
            return {"value": accountant.get_epsilon(at)}
        if quantity == "delta":
            return {"value": accountant.get_delta(at)}
        raise Refused(quantity)

    return answer


def opacus_prv():
    from opacus.accountants import PRVAccountant

    def answer(run, adjacency, quantity, at):
        if adjacency != "add-remove" or quantity != "epsilon":
            raise Refused("epsilon of add-remove alone")
        accountant = PRVAccountant()
        accountant.history = phases_of(run)
        return {"value": accountant.get_epsilon(at)}

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


MAKERS = {"pld": lambda: dp_accounting("pld"), "rdp": lambda: dp_accounting("rdp"), "opacus-prv": opacus_prv, "prv": prv}


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
            for end, value in found.items():
                if math.isinf(value):
                    found[end] = "Infinity"
        except Exception as refusal:  # an accountant refuses by any exception it likes
            found = {"error": f"{type(refusal).__name__}: {refusal}"[:300]}
        print(json.dumps({"id": number, **found}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
