"""Neighbouring datasets of phased SGD, DP-ERM and the efficient learner: they differ in the label of one record."""

from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from flint import arb

from lemmata.bounds.bms22 import dp_erm_proof as steps
from lemmata.bounds.bms22.dp_erm import sides
from lemmata.bounds.bms22.phased_sgd import phase_lengths
from lemmata.bounds.exact.balls import Phi, exact
from lemmata.bounds.exact.numbers import Array
from lemmata.experiments.checks.inequality import Link
from lemmata.experiments.checks.pair import weaker
from lemmata.mechanisms.learners.erm import dp_erm
from lemmata.mechanisms.privacy import ApproxDP

SMALL_RHO = {"m": 2, "epsilon": 0.5, "delta": 0.01, "beta": 0.01, "radius": 1.0, "norm_bound": 1.0, "rho": 0.01}
ROUNDING = 1e-9  # of floating-point arithmetic, relative


def one_label_flipped(n: int, k: int, position: int, seed: int | None = None) -> tuple[Array, Array, Array]:
    """(X, y, y') with record `position` flipped: rows +-e_1 that keep every iterate small, or random rows of norm 1."""
    if seed is None:
        X, y = np.eye(k)[np.zeros(n, int)], np.where(np.arange(n) % 2, 1.0, -1.0)
    else:
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(n, k)), rng.choice([-1.0, 1.0], n)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    other = y.copy()
    other[position] = -other[position]
    return X, y, other


def flipped_laws(calibration: str, factor: float = 1, *, m: int, radius: float, **parameters: float) -> tuple:
    """DP-ERM on m records of R, (radius, 1) or (radius, -1) and the others 0; the sensitivity is `factor` too small."""
    X, y = radius * np.eye(m, 1), np.ones(m)
    labels = [np.append(sign, y[1:]) for sign in (1.0, -1.0)]
    asked = with_privacy(**parameters)
    pair = [dp_erm.law(X, y, radius=radius, calibration=calibration, **asked) for y in labels]
    return weaker(pair, factor, "sensitivity")


def with_privacy(*, epsilon: float, delta: float, **parameters: Any) -> dict[str, Any]:
    """A setting's parameters as a law takes them: epsilon and delta as one guarantee."""
    return {"privacy": ApproxDP(epsilon, delta), **parameters}


def without_size(setting: dict) -> dict:
    """The parameters of a law: the setting but for the number of records."""
    return {name: value for name, value in setting.items() if name != "m"}


def selection_ratio(law: Any, other: Any, candidates: int) -> float:
    """The largest log-ratio of the selection over its outputs.

    One candidate lies at Lambda e, the others at -Lambda e.
    """
    W = np.append(law.norm_bound, np.full(candidates - 1, -law.norm_bound))[:, None]
    p, q = (one.select(W).log_probabilities() for one in (law, other))
    return float(np.abs(p - q).max())


def end_to_end(law: Any, record: float) -> tuple[arb, arb]:
    """Balls (low, high): P(release = norm_bound) >= low on the first dataset and <= high on the flipped one.

    `record`: |x| of the record that is flipped, after whatever came before the training. With m = 2 the only phase
    averages its start, so the candidates do not see the data and both probabilities are those of `sides`.
    """
    if phase_lengths(2) != [1]:
        raise ValueError("m = 2 has phases that read data before they average")
    rho, bound, x = exact(law.rho), exact(law.norm_bound), exact(record)
    sigma = 2 * exact(law.radius) / rho * exact(law.eta) / 4 * exact(law.multiplier)
    a = bound * x / rho
    gap = (1 + a - max(1 - a, exact(0))) / 2  # of the two scores, m = 2
    odds = (-exact(law.selection.epsilon) / (2 * exact(law.sensitivity)) * gap).exp()
    return sides(law.rounds, Phi(-bound / sigma), odds)


def privacy_cases(
    statement: Callable, setting: dict, law: Any, other: Any, record: float | None, factor: float = 1
) -> Generator[tuple, None, dict]:
    """The links of the derivation of (epsilon, delta)-DP at a score sensitivity `factor` times too small.

    M rounds spend M T epsilon', a round's delta is that of the group and of too many copies, the selection spends the
    rest of epsilon whatever the number of candidates; and two records end to end, in balls, where `record` is given.
    """
    epsilon, M = statement(**setting), law.rounds
    point = {"m": setting["m"], "delta": setting["delta"], "rounds": M}
    T = steps.allowed_copies(setting["delta"], M)
    share, _ = steps.round_parameters(epsilon=setting["epsilon"], **point)
    yield Link("epsilon", setting, M * T * share + law.selection.epsilon, epsilon)
    group, copies = steps.half_bound(epsilon=setting["epsilon"], **point), steps.copies_allowance(**point)
    yield Link("delta", setting, M * (group + copies), setting["delta"])
    law, other = weaker((law, other), factor, "sensitivity")
    spent = max(selection_ratio(law, other, candidates) for candidates in (2, M, 10_000))
    yield Link("selection", setting, spent, epsilon - M * T * share)
    if record is not None:
        low, high = end_to_end(law, record)
        yield Link("end to end", setting, low, allowed(setting, high))
    note = f"M = {M} rounds of (ε/(2M), δ/M); the selection reaches {2 * spent / epsilon:.3f} of its ε/2"
    return {"tightness": (spent / epsilon, 1.0), "note": note}


def allowed(setting: dict, high: arb) -> arb:
    """What (epsilon, delta)-DP allows the first dataset where the flipped one has probability at most `high`."""
    return exact(setting["epsilon"]).exp() * high + exact(setting["delta"])
