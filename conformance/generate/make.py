"""
Writes the pack, a file for each group: ``python3 conformance/generate/make.py [GROUP ...]``. Needs mpmath and gmpy2.
"""

import sys
from pathlib import Path

import bins
import closed
import iterates
import lists
import parties
import runs
import sampled
from common import Pack

GROUPS = {
    "gaussian": closed.gaussian,
    "laplace": closed.laplace,
    "pure-dp": closed.pure,
    "approximate-dp": closed.approximate,
    "discrete-laplace": closed.discrete_laplace,
    "discrete-gaussian": closed.discrete_gaussian,
    "mu": closed.windows,
    "calibration": closed.calibrations,
    "bad-input": closed.bad_input,
    "replaced": sampled.replaced,
    "mixture": sampled.mixtures,
    "one-step": sampled.single,
    "many-steps": runs.many_steps,
    "phases": runs.phases,
    "unlike": runs.unlike,
    "replaced-steps": runs.replaced_steps,
    "persons": runs.persons,
    "two-bins": sampled.bins,
    "balls-and-bins": bins.epochs,
    "audit": closed.audits,
    "unlike-answers": lists.unlike_answers,
    "sampled-answers": lists.sampled_answers,
    "lattice-noise": lists.lattice_noise,
    "unlike-laplace": lists.unlike_laplace,
    "fixed-size": lists.fixed_size,
    "bounded-range": lists.bounded_range,
    "all-but-one": lists.all_but_one,
    "sampled-mixture": lists.sampled_mixtures,
    "many-parties": parties.many_parties,
    "whole-vectors": parties.vectors,
    "disjoint-parts": parties.disjoint_parts,
    "last-iterate": iterates.last_iterates,
    "binned-matrix": iterates.binned_matrices,
}

for name in sys.argv[1:] or GROUPS:
    pack = Pack()
    GROUPS[name](pack)
    path = Path(__file__).resolve().parent.parent / "vectors" / f"{name}.jsonl"
    path.parent.mkdir(exist_ok=True)
    pack.write(path)
    print(name, len(pack.lines), flush=True)
