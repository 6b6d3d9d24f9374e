"""
What a run is made of: a constructor of every kind of mechanism, each a dictionary as ``gdp`` reads it.

Made of schema/mechanism.schema.json by ``npm run docs:python``. A number may be ``"?"`` where :func:`gdp_kernel.calibrate` is to find it.

>>> from gdp_kernel import Account
>>> Account(compose([gaussian(2), repeat(laplace(4, 1), 3)])).epsilon(1e-5) <= 3.5
True
"""

from __future__ import annotations

from typing import Any, Dict, Literal, Mapping, Optional, Sequence

from ._types import Mechanism, Number

__all__ = [
    "adaptive_clipping",
    "approximate_dp",
    "balls_and_bins",
    "band_mf",
    "binned_matrix",
    "binomial",
    "bounded_range",
    "capped_poisson",
    "compose",
    "discrete_gaussian",
    "discrete_gaussian_vector",
    "discrete_laplace",
    "divided_sgd",
    "dp_sgd",
    "fixed_batches",
    "gaussian",
    "gaussian_mixture",
    "gdp",
    "iterate_phases",
    "joint",
    "laplace",
    "last_iterate",
    "matrix_mechanism",
    "mcdp",
    "noisy_max",
    "parallel",
    "poisson_subsampled",
    "pure_dp",
    "random_allocation",
    "randomized_response",
    "rdp",
    "repeat",
    "replaced_gaussian",
    "select",
    "shuffle_model",
    "shuffled",
    "skellam",
    "tabulated",
    "tcdp",
    "trade_off",
    "tree_aggregation",
    "with_replacement",
    "without_replacement",
    "zcdp",
]


def adaptive_clipping(
    noise_multiplier: Number,
    count_noise: Number,
    count: Literal["centred", "raw"],
    *,
    total: Optional[bool] = None,
) -> Mechanism:
    """
    A noisy sum of clipped gradients and a noisy count of those below the clipping norm, of one step.

    :param noise_multiplier: Noise of the sum over clipping norm; of sum and count together where total is true; 0 or in [1e-9,
        1000000000].
    :param count_noise: Standard deviation of the noise of the count; in [1e-9, 1000000000].
    :param count: A record adds -1/2 or 1/2 (centred), or 0 or 1 (raw).
    :param total: Whether the noise multiplier is that of sum and count together.

    >>> adaptive_clipping(noise_multiplier=2, count_noise=10, count='centred')
    {'kind': 'adaptive-clipping', 'noiseMultiplier': 2, 'countNoise': 10, 'count': 'centred'}
    """
    return _made("adaptive-clipping", {"noiseMultiplier": noise_multiplier, "countNoise": count_noise, "count": count, "total": total})


def approximate_dp(
    epsilon: Number,
    delta: Number,
) -> Mechanism:
    """
    Anything (ε, δ)-DP.

    :param epsilon: ε; 0 or in [1e-12, 300].
    :param delta: δ; in [0, 1].

    >>> approximate_dp(epsilon=1, delta=1e-06)
    {'kind': 'approximate-dp', 'epsilon': 1, 'delta': 1e-06}
    """
    return _made("approximate-dp", {"epsilon": epsilon, "delta": delta})


def balls_and_bins(
    noise_multiplier: Number,
    bins: Number,
    *,
    visited: Optional[Number] = None,
    bins_per_record: Optional[Number] = None,
) -> Mechanism:
    """
    One epoch of Gaussian steps in which every record is put in one of several batches, uniformly and by itself (add-remove adjacency).

    :param noise_multiplier: Noise standard deviation over the sensitivity of a batch's sum; in [0.001, 1000000].
    :param bins: Batches that a record may be in; a whole number in [1, 1000000].
    :param visited: Batches run, at most bins; all unless given; a whole number in [1, 1000000].
    :param bins_per_record: Different batches that a record is in, at most bins; 1 unless given. More than 1 is answered between
        bounds; a whole number in [1, 1000000].

    >>> balls_and_bins(noise_multiplier=2, bins=3)
    {'kind': 'balls-and-bins', 'noiseMultiplier': 2, 'bins': 3}
    """
    return _made("balls-and-bins", {"noiseMultiplier": noise_multiplier, "bins": bins, "visited": visited, "binsPerRecord": bins_per_record})


def band_mf(
    noise_multiplier: Number,
    sampling_rate: Number,
    bands: Number,
    steps: Number,
    *,
    places: Optional[Literal["kept"]] = None,
) -> Mechanism:
    """
    Banded matrix factorisation with cyclic Poisson sampling: steps/bands Poisson-subsampled Gaussian steps.

    :param noise_multiplier: Noise standard deviation over clipping norm, C's columns of norm at most 1; 0 or in [1e-9, 1000000000].
    :param sampling_rate: Probability that a record of the step's group is drawn; in [0, 1].
    :param bands: Bands of C, and groups of records; a whole number in [1, 2**53).
    :param steps: Number of steps; a whole number in [0, 2**53).
    :param places: Left out: a record's group depends on its place in the data set, and nothing is proved of a record added or removed.
        kept: on that record alone.

    >>> band_mf(noise_multiplier=2, sampling_rate=0.1, bands=4, steps=64)
    {'kind': 'band-mf', 'noiseMultiplier': 2, 'samplingRate': 0.1, 'bands': 4, 'steps': 64}
    """
    return _made("band-mf", {"noiseMultiplier": noise_multiplier, "samplingRate": sampling_rate, "bands": bands, "steps": steps, "places": places})


def binned_matrix(
    noise_multiplier: Number,
    bins: Number,
    *,
    column: Optional[Sequence[Number]] = None,
    steps: Optional[Number] = None,
    matrix: Optional[Sequence[Sequence[Number]]] = None,
) -> Mechanism:
    """
    Cx + Z on batches drawn by balls and bins, C lower triangular; one of column and matrix.

    :param noise_multiplier: Standard deviation of Z over clipping norm; 0 or in [1e-9, 1000000000].
    :param column: First column of a Toeplitz C, 0 beyond.
    :param steps: Rows of the Toeplitz C; default the column's length; a whole number in [1, 65536].
    :param matrix: C by rows, square and lower triangular.
    :param bins: Batches; a record is in one, which is used every bins steps; a whole number in [1, 2048].

    >>> binned_matrix(noise_multiplier=2, column=[1, 0.5, 0.25], steps=12, bins=4)
    {'kind': 'binned-matrix', 'noiseMultiplier': 2, 'column': [1, 0.5, 0.25], 'steps': 12, 'bins': 4}
    """
    return _made("binned-matrix", {"noiseMultiplier": noise_multiplier, "column": column, "steps": steps, "matrix": matrix, "bins": bins})


def binomial(
    trials: Number,
    sensitivity: Number,
    *,
    dimension: Optional[Number] = None,
    sensitivity_l1: Optional[Number] = None,
    sensitivity_l2: Optional[Number] = None,
) -> Mechanism:
    """
    Integer query, of one number or several, plus binomial noise of many parties: the sum of fair coins, each 0 or 1.

    :param trials: Coins of all parties together; 0 is no noise; a whole number in [0, 400000000].
    :param sensitivity: Largest change of a number: a whole number; a whole number in [1, 1000000].
    :param dimension: How many numbers there are, each with such noise; any if a norm is stated alone, one if nothing is; a whole
        number in [1, 1000000000].
    :param sensitivity_l1: Largest l1 norm of the vector by which one record changes the numbers; no limit of its own if left out; a
        whole number in [1, 1000000000].
    :param sensitivity_l2: Largest l2 norm of that vector; no limit of its own if left out; in [1, 30000].

    >>> binomial(trials=2000, sensitivity=1)
    {'kind': 'binomial', 'trials': 2000, 'sensitivity': 1}
    """
    return _made("binomial", {"trials": trials, "sensitivity": sensitivity, "dimension": dimension, "sensitivityL1": sensitivity_l1, "sensitivityL2": sensitivity_l2})


def bounded_range(
    epsilon: Number,
) -> Mechanism:
    """
    Anything whose losses span at most ε, as the exponential mechanism's do.

    :param epsilon: ε; 0 or in [1e-12, 300].

    >>> bounded_range(epsilon=1)
    {'kind': 'bounded-range', 'epsilon': 1}
    """
    return _made("bounded-range", {"epsilon": epsilon})


def capped_poisson(
    noise_multiplier: Number,
    rate: Number,
    dataset_size: Number,
    batch_cap: Number,
) -> Mechanism:
    """
    A Gaussian step on a Poisson sample that is cut to a random subset where it has more than batchCap records (zero-out or replace-one
        adjacency).

    :param noise_multiplier: Noise standard deviation over the sensitivity of a batch's sum; 0 or in [0.001, 1000000].
    :param rate: Probability that a record is drawn before the cap; in [0, 1].
    :param dataset_size: Records of the data set, the one in question included; a whole number in [1, 1000000000].
    :param batch_cap: Records that a batch has at most; a whole number in [1, 1000000000].

    >>> capped_poisson(noise_multiplier=2, rate=0.1, dataset_size=100, batch_cap=15)
    {'kind': 'capped-poisson', 'noiseMultiplier': 2, 'rate': 0.1, 'datasetSize': 100, 'batchCap': 15}
    """
    return _made("capped-poisson", {"noiseMultiplier": noise_multiplier, "rate": rate, "datasetSize": dataset_size, "batchCap": batch_cap})


def compose(
    parts: Sequence[Mapping[str, Any]],
) -> Mechanism:
    """
    Mechanisms run one after the other, adaptively.

    :param parts: The mechanisms.

    >>> compose(parts=[{'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'gaussian', 'noiseMultiplier': 2}])
    {'kind': 'compose', 'parts': [{'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'gaussian', 'noiseMultiplier': 2}]}
    """
    return _made("compose", {"parts": parts})


def discrete_gaussian(
    sigma: Number,
    sensitivity: Number,
    *,
    parties: Optional[Number] = None,
) -> Mechanism:
    """
    Integer query plus discrete Gaussian noise; sensitivity/sigma at most 50.

    :param sigma: Scale σ of the noise; 0 or in [0.05, 10000].
    :param sensitivity: Sensitivity, a whole number; a whole number in [1, 1000000].
    :param parties: Parties that each add such noise, 1 unless given; a whole number in [1, 1000000].

    >>> discrete_gaussian(sigma=2, sensitivity=1)
    {'kind': 'discrete-gaussian', 'sigma': 2, 'sensitivity': 1}
    """
    return _made("discrete-gaussian", {"sigma": sigma, "sensitivity": sensitivity, "parties": parties})


def discrete_gaussian_vector(
    sigma: Number,
    sensitivity: Number,
    *,
    sensitivity_l1: Optional[Number] = None,
    dimension: Optional[Number] = None,
) -> Mechanism:
    """
    Several whole numbers, each plus discrete Gaussian noise; sensitivity/sigma at most 50.

    :param sigma: Scale σ of the noise of each number; 0 or in [0.05, 10000].
    :param sensitivity: Largest l2 norm of the vector by which one record changes the numbers; in [1, 1000000].
    :param sensitivity_l1: Largest l1 norm of that vector; no limit of its own if left out; a whole number in [1, 1000000000000].
    :param dimension: How many numbers there are; any if left out; a whole number in [1, 1000000000000].

    >>> discrete_gaussian_vector(sigma=4, sensitivity=2)
    {'kind': 'discrete-gaussian-vector', 'sigma': 4, 'sensitivity': 2}
    """
    return _made("discrete-gaussian-vector", {"sigma": sigma, "sensitivity": sensitivity, "sensitivityL1": sensitivity_l1, "dimension": dimension})


def discrete_laplace(
    scale: Number,
    sensitivity: Number,
) -> Mechanism:
    """
    Integer query plus discrete Laplace (geometric) noise; sensitivity/scale in [1e-9, 300].

    :param scale: Scale of the noise; 0 or in [1e-300, 1e+300].
    :param sensitivity: Sensitivity, a whole number; a whole number in [1, 1000000].

    >>> discrete_laplace(scale=2, sensitivity=1)
    {'kind': 'discrete-laplace', 'scale': 2, 'sensitivity': 1}
    """
    return _made("discrete-laplace", {"scale": scale, "sensitivity": sensitivity})


def divided_sgd(
    noise_multiplier: Number,
    sampling_rate: Number,
    steps: Number,
    divisor: Literal["expected", "expected-whole"],
    parameters: Number,
    dataset_size: Number,
) -> Mechanism:
    """
    DP-SGD whose noisy sums are divided by the expected size of a batch of the secret data set.

    :param noise_multiplier: Noise standard deviation over clipping norm; in [0.001, 1000000].
    :param sampling_rate: Probability that a record takes part in a step; in (0, 1].
    :param steps: Number of steps; a whole number in [0, 2**53).
    :param divisor: q n (expected), or that cut to a whole number (expected-whole).
    :param parameters: Coordinates of a gradient; times steps from 400 to 1e13; a whole number in [1, 1000000000000].
    :param dataset_size: Records of the data set; a whole number in [2, 999999999].

    >>> divided_sgd(noise_multiplier=2, sampling_rate=0.1, steps=16, divisor='expected', parameters=100, dataset_size=5000)
    {'kind': 'divided-sgd', 'noiseMultiplier': 2, 'samplingRate': 0.1, 'steps': 16, 'divisor': 'expected', 'parameters': 100, 'datasetSize': 5000}
    """
    return _made("divided-sgd", {"noiseMultiplier": noise_multiplier, "samplingRate": sampling_rate, "steps": steps, "divisor": divisor, "parameters": parameters, "datasetSize": dataset_size})


def dp_sgd(
    noise_multiplier: Number,
    sampling_rate: Number,
    steps: Number,
    *,
    records_per_person: Optional[Number] = None,
) -> Mechanism:
    """
    Poisson-subsampled Gaussian steps.

    :param noise_multiplier: Noise standard deviation over clipping norm; 0 or in [1e-9, 1000000000].
    :param sampling_rate: Probability that a record takes part in a step; in [0, 1].
    :param steps: Number of steps; a whole number in [0, 2**53).
    :param records_per_person: Records that one person has at most; default 1. The guarantee is the person's; a whole number in [1,
        1024].

    >>> dp_sgd(noise_multiplier=2, sampling_rate=0.1, steps=16)
    {'kind': 'dp-sgd', 'noiseMultiplier': 2, 'samplingRate': 0.1, 'steps': 16}
    """
    return _made("dp-sgd", {"noiseMultiplier": noise_multiplier, "samplingRate": sampling_rate, "steps": steps, "recordsPerPerson": records_per_person})


def fixed_batches(
    noise_multiplier: Number,
    *,
    bins: Optional[Number] = None,
    places: Optional[Literal["kept"]] = None,
) -> Mechanism:
    """
    One epoch of Gaussian steps on batches in a fixed order: a record is in one of them, once.

    :param noise_multiplier: Noise standard deviation over clipping norm; 0 or in [1e-9, 1000000000].
    :param bins: Batches of the epoch, if it is known; 1 is the whole data set; a whole number in [1, 2**53).
    :param places: Left out: a record's batch depends on its place in the data set, and nothing is proved of a record added or removed.
        kept: on that record alone.

    >>> fixed_batches(noise_multiplier=2, bins=100)
    {'kind': 'fixed-batches', 'noiseMultiplier': 2, 'bins': 100}
    """
    return _made("fixed-batches", {"noiseMultiplier": noise_multiplier, "bins": bins, "places": places})


def gaussian(
    noise_multiplier: Number,
    *,
    sensitivity: Optional[Number] = None,
) -> Mechanism:
    """
    Sum query of L2 sensitivity 1 plus N(0, σ²I) noise.

    :param noise_multiplier: Noise standard deviation over sensitivity; 0 is no privacy; 0 or in [1e-9, 1000000000].
    :param sensitivity: L2 sensitivity, in the unit of the noise; 1 unless given. What is accounted is their quotient; in [1e-300,
        1e+300].

    >>> gaussian(noise_multiplier=2)
    {'kind': 'gaussian', 'noiseMultiplier': 2}
    """
    return _made("gaussian", {"noiseMultiplier": noise_multiplier, "sensitivity": sensitivity})


def gaussian_mixture(
    noise_multiplier: Number,
    sensitivities: Sequence[Number],
    probabilities: Sequence[Number],
) -> Mechanism:
    """
    Gaussian noise on a sum that the record shifts by one of several distances (add-remove adjacency).

    :param noise_multiplier: Noise standard deviation, in units of the sensitivities; 0 or in [1e-9, 1000000000].
    :param sensitivities: The distances.
    :param probabilities: Their probabilities, as many, with sum 1.

    >>> gaussian_mixture(noise_multiplier=2, sensitivities=[0, 1, 2], probabilities=[0.81, 0.18, 0.01])
    {'kind': 'gaussian-mixture', 'noiseMultiplier': 2, 'sensitivities': [0, 1, 2], 'probabilities': [0.81, 0.18, 0.01]}
    """
    return _made("gaussian-mixture", {"noiseMultiplier": noise_multiplier, "sensitivities": sensitivities, "probabilities": probabilities})


def gdp(
    mu: Number,
) -> Mechanism:
    """
    Anything μ-GDP.

    :param mu: μ; 0 or in [1e-9, 1000000000].

    >>> gdp(mu=0.5)
    {'kind': 'gdp', 'mu': 0.5}
    """
    return _made("gdp", {"mu": mu})


def iterate_phases(
    batches: Number,
    phases: Sequence[Mapping[str, Any]],
) -> Mechanism:
    """
    Phases of noisy gradient descent on a convex loss, batches in one fixed order, of which only the last iterate is published.

    :param batches: Batches an epoch; a whole number in [1, 1000000000].
    :param phases: Phases in their order; at most a million epochs in all.

    >>> iterate_phases(batches=100, phases=[{'noiseMultiplier': 1, 'stepSize': 1, 'epochs': 10, 'contraction': 1}, {'noiseMultiplier': 1, 'stepSize': 0.5, 'epochs': 10, 'contraction': 0.99}])
    {'kind': 'iterate-phases', 'batches': 100, 'phases': [{'noiseMultiplier': 1, 'stepSize': 1, 'epochs': 10, 'contraction': 1}, {'noiseMultiplier': 1, 'stepSize': 0.5, 'epochs': 10, 'contraction': 0.99}]}
    """
    return _made("iterate-phases", {"batches": batches, "phases": phases})


def joint(
    parts: Sequence[Mapping[str, Any]],
) -> Mechanism:
    """
    Releases on the same records: put on a sample, they see one and the same draw.

    :param parts: Single releases on all records, and repeats and compositions of these.

    >>> joint(parts=[{'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'laplace', 'scale': 2, 'sensitivity': 1}])
    {'kind': 'joint', 'parts': [{'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'laplace', 'scale': 2, 'sensitivity': 1}]}
    """
    return _made("joint", {"parts": parts})


def laplace(
    scale: Number,
    sensitivity: Number,
) -> Mechanism:
    """
    Query of L1 sensitivity plus Laplace noise; sensitivity/scale in [1e-9, 300].

    :param scale: Scale b of the noise; 0 or in [1e-300, 1e+300].
    :param sensitivity: L1 sensitivity; in [1e-300, 1e+300].

    >>> laplace(scale=2, sensitivity=1)
    {'kind': 'laplace', 'scale': 2, 'sensitivity': 1}
    """
    return _made("laplace", {"scale": scale, "sensitivity": sensitivity})


def last_iterate(
    noise_multiplier: Number,
    batches: Number,
    epochs: Number,
    contraction: Number,
    *,
    order: Optional[Literal["fixed", "shuffled"]] = None,
    noise_error: Optional[Number] = None,
) -> Mechanism:
    """
    Noisy gradient descent on a convex, smooth loss; only the last iterate is published.

    :param noise_multiplier: Noise of a mean gradient over what one record moves it by; 0 or in [1e-9, 1000000000].
    :param batches: Batches an epoch; a whole number in [1, 1000000000].
    :param epochs: Epochs; a whole number in [1, 1000000000].
    :param contraction: Factor by which a step brings any two points together; in [0, 1].
    :param order: Of the batches of an epoch, fixed unless given, or shuffled anew each epoch.
    :param noise_error: Relative error of the noise multiplier, 0 unless given; in [0, 0.000001].

    >>> last_iterate(noise_multiplier=2, batches=100, epochs=10, contraction=1)
    {'kind': 'last-iterate', 'noiseMultiplier': 2, 'batches': 100, 'epochs': 10, 'contraction': 1}
    """
    return _made("last-iterate", {"noiseMultiplier": noise_multiplier, "batches": batches, "epochs": epochs, "contraction": contraction, "order": order, "noiseError": noise_error})


def matrix_mechanism(
    noise_multiplier: Number,
    *,
    column: Optional[Sequence[Number]] = None,
    steps: Optional[Number] = None,
    matrix: Optional[Sequence[Sequence[Number]]] = None,
    participations: Optional[Number] = None,
    separation: Optional[Number] = None,
    places: Optional[Literal["kept"]] = None,
) -> Mechanism:
    """
    Cx + Z without sampling, C lower triangular; one of column and matrix.

    :param noise_multiplier: Standard deviation of Z over clipping norm; 0 or in [1e-9, 1000000000].
    :param column: First column of a Toeplitz C, 0 beyond.
    :param steps: Rows of the Toeplitz C; default the column's length; a whole number in [1, 65536].
    :param matrix: C by rows, square and lower triangular.
    :param participations: Steps that one record is in, at most; default 1; a whole number in [1, 65536].
    :param separation: Steps from one of them to the next, at least; default 1; a whole number in [1, 65536].
    :param places: Left out: which steps a record is in depends on its place in the data set, and nothing is proved of a record added
        or removed. kept: on that record alone.

    >>> matrix_mechanism(noise_multiplier=2, column=[1, 0.5, 0.25])
    {'kind': 'matrix-mechanism', 'noiseMultiplier': 2, 'column': [1, 0.5, 0.25]}
    """
    return _made("matrix-mechanism", {"noiseMultiplier": noise_multiplier, "column": column, "steps": steps, "matrix": matrix, "participations": participations, "separation": separation, "places": places})


def mcdp(
    mean: Number,
    tau: Number,
) -> Mechanism:
    """
    Anything (mean, τ)-mCDP: the loss has at most this mean, and is τ-subgaussian about its mean.

    :param mean: largest mean of the loss; 0 or in [1e-12, 10000].
    :param tau: τ; 0 or in [0.000001, 100].

    >>> mcdp(mean=0.125, tau=0.5)
    {'kind': 'mcdp', 'mean': 0.125, 'tau': 0.5}
    """
    return _made("mcdp", {"mean": mean, "tau": tau})


def noisy_max(
    epsilon: Number,
) -> Mechanism:
    """
    Permute-and-flip, or report-noisy-max with Laplace or exponential noise.

    :param epsilon: 2 sensitivities over the scale of the noise; one where a record moves all scores the same way; 0 or in [1e-9, 300].

    >>> noisy_max(epsilon=1)
    {'kind': 'noisy-max', 'epsilon': 1}
    """
    return _made("noisy-max", {"epsilon": epsilon})


def parallel(
    parts: Sequence[Mapping[str, Any]],
) -> Mechanism:
    """
    Runs on disjoint parts of the data: a rule that looks at a record alone puts it into one part.

    :param parts: The run on each part.

    >>> parallel(parts=[{'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'laplace', 'scale': 2, 'sensitivity': 1}])
    {'kind': 'parallel', 'parts': [{'kind': 'gaussian', 'noiseMultiplier': 2}, {'kind': 'laplace', 'scale': 2, 'sensitivity': 1}]}
    """
    return _made("parallel", {"parts": parts})


def poisson_subsampled(
    inner: Mapping[str, Any],
    rate: Number,
) -> Mechanism:
    """
    A single mechanism on a Poisson sample (add-remove adjacency).

    :param inner: The mechanism.
    :param rate: Probability that a record takes part in a step; in [0, 1].

    >>> poisson_subsampled(rate=0.1, inner={'kind': 'gaussian', 'noiseMultiplier': 2})
    {'kind': 'poisson-subsampled', 'inner': {'kind': 'gaussian', 'noiseMultiplier': 2}, 'rate': 0.1}
    """
    return _made("poisson-subsampled", {"inner": inner, "rate": rate})


def pure_dp(
    epsilon: Number,
) -> Mechanism:
    """
    Anything ε-DP.

    :param epsilon: ε; 0 or in [1e-12, 300].

    >>> pure_dp(epsilon=1)
    {'kind': 'pure-dp', 'epsilon': 1}
    """
    return _made("pure-dp", {"epsilon": epsilon})


def random_allocation(
    inner: Mapping[str, Any],
    bins: Number,
) -> Mechanism:
    """
    An epoch of releases of one kind on batches, of which each record is in one; losses of a release at most 4.

    :param inner: The mechanism.
    :param bins: Batches of an epoch; a whole number in [1, 10000].

    >>> random_allocation(inner={'kind': 'laplace', 'scale': 2, 'sensitivity': 1}, bins=100)
    {'kind': 'random-allocation', 'inner': {'kind': 'laplace', 'scale': 2, 'sensitivity': 1}, 'bins': 100}
    """
    return _made("random-allocation", {"inner": inner, "bins": bins})


def randomized_response(
    epsilon: Number,
    *,
    categories: Optional[Number] = None,
) -> Mechanism:
    """
    One of several answers, the true one e^ε times as likely as any other.

    :param epsilon: ε; 0 or in [1e-12, 300].
    :param categories: Number of answers; default 2; a whole number in [2, 2**53).

    >>> randomized_response(epsilon=1, categories=3)
    {'kind': 'randomized-response', 'epsilon': 1, 'categories': 3}
    """
    return _made("randomized-response", {"epsilon": epsilon, "categories": categories})


def rdp(
    points: Sequence[Mapping[str, Any]],
) -> Mechanism:
    """
    Anything with Rényi divergence at most epsilon at each of the orders.

    :param points: Orders and divergences.

    >>> rdp(points=[{'order': 2, 'epsilon': 0.2}])
    {'kind': 'rdp', 'points': [{'order': 2, 'epsilon': 0.2}]}
    """
    return _made("rdp", {"points": points})


def repeat(
    inner: Mapping[str, Any],
    count: Number,
) -> Mechanism:
    """
    A mechanism run several times, adaptively.

    :param inner: The mechanism.
    :param count: Number of times; a whole number in [0, 2**53).

    >>> repeat(count=4, inner={'kind': 'gaussian', 'noiseMultiplier': 2})
    {'kind': 'repeat', 'inner': {'kind': 'gaussian', 'noiseMultiplier': 2}, 'count': 4}
    """
    return _made("repeat", {"inner": inner, "count": count})


def replaced_gaussian(
    noise_multiplier: Number,
    rate: Number,
) -> Mechanism:
    """
    Gaussian noise on a Poisson sample in which one record is replaced (replace-one adjacency).

    :param noise_multiplier: Noise standard deviation over the sensitivity to adding one record; in [1e-9, 1000000000].
    :param rate: Probability that a record takes part; in [1e-290, 1].

    >>> replaced_gaussian(noise_multiplier=2, rate=0.1)
    {'kind': 'replaced-gaussian', 'noiseMultiplier': 2, 'rate': 0.1}
    """
    return _made("replaced-gaussian", {"noiseMultiplier": noise_multiplier, "rate": rate})


def select(
    runs: Mapping[str, Any],
    inner: Mapping[str, Any],
) -> Mechanism:
    """
    The best of a random number of tries of a mechanism, published alone.

    :param runs: How many tries there are, a draw that is kept secret: ``{"kind": "geometric", "mean": 10}``, say.
    :param inner: The mechanism.

    >>> select(runs={'kind': 'negative-binomial', 'eta': 1, 'mean': 10}, inner={'kind': 'gaussian', 'noiseMultiplier': 2})
    {'kind': 'select', 'runs': {'kind': 'negative-binomial', 'eta': 1, 'mean': 10}, 'inner': {'kind': 'gaussian', 'noiseMultiplier': 2}}
    """
    return _made("select", {"runs": runs, "inner": inner})


def shuffle_model(
    epsilon: Number,
    users: Number,
) -> Mechanism:
    """
    Messages of users, made by one epsilon-DP local randomiser and shown in a random order.

    :param epsilon: epsilon of the local randomiser; 0 or in [0.001, 10].
    :param users: Users whose messages are shuffled, a whole number; a whole number in [1, 10000000].

    >>> shuffle_model(epsilon=1, users=100)
    {'kind': 'shuffle-model', 'epsilon': 1, 'users': 100}
    """
    return _made("shuffle-model", {"epsilon": epsilon, "users": users})


def shuffled(
    noise_multiplier: Number,
    bins: Number,
    *,
    left_out: Optional[Number] = None,
) -> Mechanism:
    """
    One epoch of Gaussian steps on batches of fixed size cut from a random permutation of the records, all of them run (zero-out or
        replace-one adjacency).

    :param noise_multiplier: Noise standard deviation over the sensitivity of a batch's sum; in [0.001, 1000000].
    :param bins: Batches an epoch; a whole number in [1, 1000000].
    :param left_out: Probability that a record is in no batch, as where the last one is dropped; 0 unless given; in [0, 1).

    >>> shuffled(noise_multiplier=2, bins=3)
    {'kind': 'shuffled', 'noiseMultiplier': 2, 'bins': 3}
    """
    return _made("shuffled", {"noiseMultiplier": noise_multiplier, "bins": bins, "leftOut": left_out})


def skellam(
    variance: Number,
    sensitivity: Number,
    *,
    dimension: Optional[Number] = None,
    sensitivity_l1: Optional[Number] = None,
    sensitivity_l2: Optional[Number] = None,
) -> Mechanism:
    """
    Integer query, of one number or several, plus Skellam noise of many parties; sensitivity/√variance at most 50.

    :param variance: Variance of all noise together; 0 or in [0.01, 100000000].
    :param sensitivity: Largest change of a number: a whole number; a whole number in [1, 1000000].
    :param dimension: How many numbers there are, each with such noise; any if a norm is stated alone, one if nothing is; a whole
        number in [1, 1000000000].
    :param sensitivity_l1: Largest l1 norm of the vector by which one record changes the numbers; no limit of its own if left out; a
        whole number in [1, 1000000000].
    :param sensitivity_l2: Largest l2 norm of that vector; no limit of its own if left out; in [1, 30000].

    >>> skellam(variance=25, sensitivity=1)
    {'kind': 'skellam', 'variance': 25, 'sensitivity': 1}
    """
    return _made("skellam", {"variance": variance, "sensitivity": sensitivity, "dimension": dimension, "sensitivityL1": sensitivity_l1, "sensitivityL2": sensitivity_l2})


def tabulated(
    points: Sequence[Mapping[str, Any]],
) -> Mechanism:
    """
    Anything (ε, δ)-DP for every point listed.

    :param points: Points of the profile.

    >>> tabulated(points=[{'epsilon': 1, 'delta': 1e-06}])
    {'kind': 'tabulated', 'points': [{'epsilon': 1, 'delta': 1e-06}]}
    """
    return _made("tabulated", {"points": points})


def tcdp(
    rho: Number,
    *,
    omega: Optional[Number] = None,
    xi: Optional[Number] = None,
) -> Mechanism:
    """
    Anything (ρ, ω)-tCDP, or (ξ, ρ)-zCDP: Rényi divergence at most ξ + ρt at every order 1 < t < ω.

    :param rho: ρ; 0 or in [1e-12, 10000].
    :param omega: ω; left out, every order; in (1, 1000000].
    :param xi: ξ, 0 if left out and where ρ is 0; 0 or in [1e-12, 10000].

    >>> tcdp(rho=0.125, omega=8)
    {'kind': 'tcdp', 'rho': 0.125, 'omega': 8}
    """
    return _made("tcdp", {"rho": rho, "omega": omega, "xi": xi})


def trade_off(
    points: Sequence[Mapping[str, Any]],
    *,
    linear: Optional[bool] = None,
) -> Mechanism:
    """
    Anything whose trade-off function is, in one role of the neighbours, above the one of the points listed; what holds in both is the
        hull of it and its inverse.

    :param points: Breakpoints of the function, alpha ascending, beta never rising.
    :param linear: false: nothing is said of the straight lines between the points. Default true.

    >>> trade_off(points=[{'alpha': 0.1, 'beta': 0.6}])
    {'kind': 'trade-off', 'points': [{'alpha': 0.1, 'beta': 0.6}]}
    """
    return _made("trade-off", {"points": points, "linear": linear})


def tree_aggregation(
    noise_multiplier: Number,
    steps: Number,
    *,
    places: Optional[Literal["kept"]] = None,
) -> Mechanism:
    """
    Sums of one epoch by a binary tree with Gaussian noise in every node.

    :param noise_multiplier: Noise standard deviation of a node over clipping norm; 0 or in [1e-9, 1000000000].
    :param steps: Leaves of the tree; a whole number in [1, 2**53).
    :param places: Left out: a record's leaf depends on its place in the data set, and nothing is proved of a record added or removed.
        kept: on that record alone.

    >>> tree_aggregation(noise_multiplier=4, steps=15)
    {'kind': 'tree-aggregation', 'noiseMultiplier': 4, 'steps': 15}
    """
    return _made("tree-aggregation", {"noiseMultiplier": noise_multiplier, "steps": steps, "places": places})


def with_replacement(
    noise_multiplier: Number,
    sample_size: Number,
    dataset_size: Number,
) -> Mechanism:
    """
    A Gaussian step on a batch drawn record by record, with replacement (replace-one adjacency).

    :param noise_multiplier: Noise standard deviation over clipping norm; 0 is no privacy; 0 or in [0.001, 1000000].
    :param sample_size: Draws of a batch; a whole number in [1, 1000000000].
    :param dataset_size: Records of the data set; a whole number in [2, 1000000000].

    >>> with_replacement(noise_multiplier=2, sample_size=4, dataset_size=100)
    {'kind': 'with-replacement', 'noiseMultiplier': 2, 'sampleSize': 4, 'datasetSize': 100}
    """
    return _made("with-replacement", {"noiseMultiplier": noise_multiplier, "sampleSize": sample_size, "datasetSize": dataset_size})


def without_replacement(
    inner: Mapping[str, Any],
    sample_size: Number,
    dataset_size: Number,
) -> Mechanism:
    """
    A single mechanism on a random subset of fixed size (replace-one adjacency); sampleSize at most datasetSize.

    :param inner: The mechanism.
    :param sample_size: Records in a sample; a whole number in [0, 2**53).
    :param dataset_size: Records in the data set; a whole number in [1, 2**53).

    >>> without_replacement(sample_size=1, dataset_size=10, inner={'kind': 'gaussian', 'noiseMultiplier': 2})
    {'kind': 'without-replacement', 'inner': {'kind': 'gaussian', 'noiseMultiplier': 2}, 'sampleSize': 1, 'datasetSize': 10}
    """
    return _made("without-replacement", {"inner": inner, "sampleSize": sample_size, "datasetSize": dataset_size})


def zcdp(
    rho: Number,
) -> Mechanism:
    """
    Anything ρ-zCDP.

    :param rho: ρ; 0 or in [1e-12, 10000].

    >>> zcdp(rho=0.125)
    {'kind': 'zcdp', 'rho': 0.125}
    """
    return _made("zcdp", {"rho": rho})


def _made(kind: str, fields: Dict[str, Any]) -> Mechanism:
    """A mechanism of the fields that were given."""
    return {"kind": kind, **{name: value for name, value in fields.items() if value is not None}}
