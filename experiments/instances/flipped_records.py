"""Neighbouring datasets of phased SGD, DP-ERM and the efficient learner: they differ in the label of one record."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from bounds.bms22.dp_erm import sides
from bounds.bms22.phased_sgd import phase_lengths
from bounds.exact.balls import Phi, exact
from bounds.exact.numbers import Array
from experiments.engine.verdict import inconclusive
from mechanisms import dp_erm
from mechanisms.privacy import ApproxDP

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


def flipped_laws(calibration: str, factor: float = 1, *, m: int, radius: float, **parameters: float) -> list[Any]:
    """DP-ERM on m records of R, (radius, 1) or (radius, -1) and the others 0; the sensitivity is `factor` too small."""
    X, y = radius * np.eye(m, 1), np.ones(m)
    labels = [np.append(sign, y[1:]) for sign in (1.0, -1.0)]
    asked = with_privacy(**parameters)
    pair = [dp_erm.law(X, y, radius=radius, calibration=calibration, **asked) for y in labels]
    return [replace(law, sensitivity=law.sensitivity / factor) for law in pair]


def with_privacy(*, epsilon: float, delta: float, **parameters: Any) -> dict[str, Any]:
    """A setting's parameters as a law takes them: epsilon and delta as one guarantee."""
    return {"privacy": ApproxDP(epsilon, delta), **parameters}


def without_size(setting: dict) -> dict:
    """The parameters of a law: the setting but for the number of records."""
    return {name: value for name, value in setting.items() if name != "m"}


def selection_ratio(law: Any, other: Any, candidates: int) -> tuple[float, list[float], list[float]]:
    """The largest log-ratio of the selection over its outputs, and both laws' log-probabilities at two of them.

    One candidate lies at Lambda e, the others at -Lambda e.
    """
    W = np.append(law.norm_bound, np.full(candidates - 1, -law.norm_bound))[:, None]
    p, q = (one.select(W).log_probabilities() for one in (law, other))
    return float(np.abs(p - q).max()), [float(p[0]), float(p[-1])], [float(q[0]), float(q[-1])]


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


def privacy_cases(setting: dict, law: Any, other: Any, record: float | None, factor: float = 1) -> Iterator[tuple]:
    """What (epsilon, delta)-DP asks of the law: that the budgets add up, and of two records end to end, in balls.

    With a score sensitivity `factor` times too small. The selection may spend half of epsilon, whatever the number of
    candidates: that is enough for privacy and not necessary, so it is asked of the law as it is, never of the weakened.
    """
    epsilon = Fraction(setting["epsilon"])
    rounds = law.rounds * (epsilon / (2 * law.rounds))  # each of them at epsilon / (2M)
    yield setting | {"of": "budgets"}, rounds + Fraction(law.selection.epsilon), epsilon
    if record is not None:
        low, high = end_to_end(replace(law, sensitivity=law.sensitivity / factor), record)
        yield setting, low, allowed(setting, high)
    spent = max(selection_ratio(law, other, candidates)[0] for candidates in (2, law.rounds, 1000)) / setting["epsilon"]
    if spent > 1 / 2 * (1 + ROUNDING):
        return inconclusive("FAILED", f"the selection spends {spent} ε")
    note = f"M = {law.rounds} rounds of (ε/(2M), δ/M); the selection reaches {2 * spent:.3f} of its ε/2"
    return {"tightness": (spent, 1.0), "note": note}


def allowed(setting: dict, high: arb) -> arb:
    """What (epsilon, delta)-DP allows the first dataset where the flipped one has probability at most `high`."""
    return exact(setting["epsilon"]).exp() * high + exact(setting["delta"])
