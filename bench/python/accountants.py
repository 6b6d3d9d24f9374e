"""dp_accounting and prv_accountant on the work of this bench, beside gdp-kernel's answers.

    python3 -m venv venv && venv/bin/pip install dp-accounting prv-accountant
    npm run build
    venv/bin/python bench/python/accountants.py

Prints one line per job and accountant: the epsilon (an estimate, or lower and upper where the tool gives them),
the milliseconds of the fastest of three runs, import excluded, and whether gdp-kernel's bracket agrees. Compare
times at like accuracy: the grid of dp_accounting is given by --mesh, the error of prv_accountant by --error,
the relative width of gdp-kernel by --tolerance. Not part of the package; needs Node for gdp-kernel's own line.
Whichever of the two accountants is not installed is left out, with a line that says so.
"""

import argparse
import json
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DELTA = 1e-5

# (noise multiplier, sampling rate, steps) of each phase: the whole jobs of bench/jobs.ts.
JOBS = {
    "cifar10-wrn40": [(9.4, 0.32768, 2000)],
    "q = 0.01, sigma = 1, T = 1000": [(1.0, 0.01, 1000)],
    "q = 0.001, sigma = 0.8, T = 10000": [(0.8, 0.001, 10000)],
    "300 distinct phases": [(1 + i / 300, 0.01, 10) for i in range(300)],
}


def dp_accounting_epsilon(phases, mesh):
    from dp_accounting import dp_event
    from dp_accounting.pld import pld_privacy_accountant

    accountant = pld_privacy_accountant.PLDAccountant(value_discretization_interval=mesh)
    for sigma, rate, steps in phases:
        step = dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(sigma))
        accountant.compose(step, steps)
    return None, accountant.get_epsilon(DELTA)


def prv_epsilon(phases, error):
    from prv_accountant import PoissonSubsampledGaussianMechanism, PRVAccountant

    accountant = PRVAccountant(
        prvs=[
            PoissonSubsampledGaussianMechanism(noise_multiplier=sigma, sampling_probability=rate)
            for sigma, rate, _ in phases
        ],
        eps_error=error,
        delta_error=DELTA * 1e-3,
        max_self_compositions=[steps for _, _, steps in phases],
    )
    lower, _, upper = accountant.compute_epsilon(
        delta=DELTA, num_self_compositions=[steps for _, _, steps in phases]
    )
    return lower, upper


KERNEL = """
const { account, compose, dpSgd, loadEngine } = await import(process.argv[1]);
const { phases, delta, tolerance, repeats } = JSON.parse(process.argv[2]);
const engine = await loadEngine();
const mechanism = compose(phases.map(([noiseMultiplier, samplingRate, steps]) =>
  dpSgd({ noiseMultiplier, samplingRate, steps })));
let best = Infinity;
let epsilon;
for (let i = 0; i < repeats; i++) {
  const start = performance.now();
  epsilon = account(engine, mechanism, { adjacency: 'add-remove', tolerance }).epsilon(delta);
  best = Math.min(best, performance.now() - start);
}
console.log(JSON.stringify({ ...epsilon, milliseconds: best }));
"""


def kernel_epsilon(phases, tolerance, repeats):
    job = {"phases": phases, "delta": DELTA, "tolerance": tolerance, "repeats": repeats}
    entry = (ROOT / "dist/index.js").as_uri()
    command = ["node", "--input-type=module", "-e", KERNEL, entry, json.dumps(job)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def timed(call, repeats):
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        bounds = call()
        best = min(best, time.perf_counter() - start)
    return bounds, 1000 * best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--mesh", type=float, default=1e-4, help="discretisation of dp_accounting (default 1e-4)")
    parser.add_argument("--error", type=float, default=1e-2, help="epsilon error of prv_accountant (default 0.01)")
    parser.add_argument("--tolerance", type=float, default=1e-5, help="relative width of gdp-kernel (default 1e-5)")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    others = {
        "dp_accounting": lambda phases: dp_accounting_epsilon(phases, arguments.mesh),
        "prv_accountant": lambda phases: prv_epsilon(phases, arguments.error),
    }
    for name, phases in JOBS.items():
        ours = kernel_epsilon(phases, arguments.tolerance, arguments.repeats)
        print(f"{name}\n  {'gdp-kernel':<16}[{ours['lower']:.9g}, {ours['upper']:.9g}]{ours['milliseconds']:12.2f} ms")
        for tool, answer in others.items():
            try:
                (lower, upper), milliseconds = timed(lambda: answer(phases), arguments.repeats)
            except ImportError as error:
                print(f"  {tool:<16}not installed ({error.name})")
                continue
            below = upper < ours["lower"]
            above = lower is not None and lower > ours["upper"]
            verdict = "its upper end is below the exact value" if below else "disagrees" if above else "agrees"
            shown = f"<= {upper:.9g}" if lower is None else f"[{lower:.9g}, {upper:.9g}]"
            print(f"  {tool:<16}{shown}{milliseconds:12.2f} ms  {verdict}")


if __name__ == "__main__":
    main()
