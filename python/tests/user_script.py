"""A user's script, as type checkers read it: ``mypy --strict`` and pyright pass it."""

from typing import Dict, List

import gdp_kernel as gdp
from gdp_kernel import Account, Bracket, Brackets, Meter, mechanisms


def epsilon_of(run: Account) -> float:
    return run.epsilon(1e-5).upper


def epsilons_of(run: Account, deltas: List[float]) -> List[Bracket]:
    return list(run.epsilon(deltas))


def row(run: Account) -> Brackets:
    return run.beta(alpha / 10 for alpha in range(1, 4))


def steps(run: Account) -> int:
    return run.steps_left(epsilon=30)


def risks(run: Account) -> Dict[float, Bracket]:
    return run.risk(fpr=[0.01, 0.1]).true_positive_rate


def noises() -> List[float]:
    return [found.noise_multiplier for found in gdp.calibrate(epsilon=[2, 3], sampling_rate=1, steps=30)]


def noise() -> float:
    return gdp.calibrate(target_epsilon=2, target_delta=1e-5, sample_rate=1, steps=30).value


def main() -> None:
    run = Account.dp_sgd(noise_multiplier=2, sample_rate=1, steps=30)
    ledger = Account(mechanisms.compose([mechanisms.gaussian(2), mechanisms.laplace(4, sensitivity=1)]))
    table: Dict[str, List[object]] = gdp.batch({"noise_multiplier": [2.0], "sampling_rate": [1.0], "steps": [30]})
    meter = Meter(noise_multiplier=2, sampling_rate=1).stop_at(15)
    more: bool = meter.step(30)
    print(epsilon_of(run), epsilons_of(run, [1e-5]), row(run), steps(run), risks(run), noises(), noise(), more)
    print(ledger.delta(1).upper, table["epsilon_upper"], gdp.verify(run.certify(8)).confirmed)


if __name__ == "__main__":
    main()
