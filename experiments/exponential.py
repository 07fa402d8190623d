"""The exponential mechanism decided exactly: every output, every neighbouring pair, the worst scores."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import log

import numpy as np

from bounds import exponential
from bounds.certify import at, exact, supremum
from experiments.claim import Sabotage, attack_claim, exact_claim, grid, holds, inconclusive, refuted
from mechanisms.exponential import law
from mechanisms.privacy import PureDP

ROUNDING = 1e-12  # relative error allowed to floats where an identity is compared
UNIVERSE = [(x, y) for x in (0, 1) for y in (-1, 1)]  # records of the enumerated datasets
CLASSIFIERS = list(itertools.product((-1, 1), repeat=2))  # all sign functions of x in {0, 1}


# Definitions 2.1 and 6.1 ----------------------------------------------------------------------------------


@exact_claim(
    exponential.smallest_epsilon,
    quick=grid(outputs=[6]),
    full=grid(outputs=[2, 10]),
    control=Sabotage("the largest log-ratio divided by {}", (1.01, 2)),
    cost=0.05,
)
def events_give_no_more_than_outputs(*, outputs, factor=1):
    """All 2^k events of random finite laws, ties and rare outputs included, in exact arithmetic."""
    rng = np.random.default_rng(outputs)
    found, claimed = [], []
    for _ in range(10):
        weights = rng.choice([1, 1, 2, 5, 1000], size=(2, outputs))
        p, q = ([Fraction(int(w), int(row.sum())) for w in row] for row in weights)
        events = itertools.chain.from_iterable(
            itertools.combinations(range(outputs), size) for size in range(1, outputs + 1)
        )
        worst = max(max(_share(p, event) / _share(q, event), _share(q, event) / _share(p, event)) for event in events)
        found.append(log(worst))
        laws = [[float(x) for x in p], [float(x) for x in q]]
        claimed.append(float(exponential.smallest_epsilon(laws=laws, pairs=[(0, 1)])) / factor)
    off = int(np.argmax(np.abs(np.array(found) - claimed)))
    series = {"law": list(range(10)), "bound": claimed, "exact": found}
    if abs(found[off] - claimed[off]) <= ROUNDING * (1 + found[off]):
        return holds("derivation", "everywhere", tightness=(1.0, 1.0), series=series)
    witness = {
        "setting": {"outputs": outputs},
        "claimed": claimed[off],
        "found": found[off],
        "object": "two finite laws",
        "property": "log of the largest ratio over all events",
        "value": found[off],
        "python": "",
    }
    return refuted("enumeration", witness, series=series)


def _share(p, event):
    return sum(p[o] for o in event)


def empirical_risk_laws(m, epsilon, pairs_of):
    """Scores, laws and neighbouring pairs: the exponential mechanism on -R over all classifiers, all datasets."""
    datasets, pairs = pairs_of(UNIVERSE, m)
    wrong = np.array([[h[x] != y for h in CLASSIFIERS] for x, y in UNIVERSE], dtype=float)
    scores = np.array([-wrong[list(data)].mean(axis=0) for data in datasets])
    return scores, _laws(scores, 1 / m, epsilon), np.array(pairs)


def _laws(scores, sensitivity, epsilon):
    """Probabilities of the mechanism under test for every row of scores."""
    return np.exp([law(q, sensitivity=sensitivity, privacy=PureDP(epsilon)).log_probabilities() for q in scores])


@exact_claim(
    exponential.label_delta_bound,
    quick=grid(m=[2], epsilon=[0.3]),
    full=grid(m=[3], epsilon=[0.0, 0.1, 1.0]),
    control=Sabotage("the smallest delta over all samples divided by {}", (1.5, 4)),
    cost=0.1,
)
def label_pairs_are_pairs(*, m, epsilon, factor=1):
    """Smallest delta over label pairs against all pairs: exponential mechanism, randomised response on a label."""
    _, selected, pairs = empirical_risk_laws(m, 1.0, exponential.replace_pairs)
    datasets, labels = exponential.label_pairs(UNIVERSE, m)
    told = np.array([[0.75, 0.25] if UNIVERSE[data[0]][1] > 0 else [0.25, 0.75] for data in datasets])
    subset = set(map(tuple, labels)) <= set(map(tuple, pairs.tolist()))
    lhs, rhs = [], []
    for laws in (selected, told):
        lhs.append(float(exponential.smallest_label_delta(laws=laws, pairs=labels, epsilon=epsilon)))
        rhs.append(float(exponential.label_delta_bound(laws=laws, pairs=pairs, epsilon=epsilon)) / factor)
    if subset and all(a <= b for a, b in zip(lhs, rhs, strict=True)):
        ratios = [a / b for a, b in zip(lhs, rhs, strict=True) if b > 0]
        return holds("derivation", "everywhere", tightness=(max(ratios, default=0.0), 1.0))
    worst = int(np.argmax(np.subtract(lhs, rhs)))
    witness = {
        "setting": {"m": m, "epsilon": epsilon},
        "claimed": rhs[worst],
        "found": lhs[worst],
        "point": {"m": m, "epsilon": epsilon},
        "lhs": [lhs[worst]] * 2,
        "rhs": [rhs[worst]] * 2,
        "python": "",
    }
    return refuted("enumeration", witness)


# Privacy --------------------------------------------------------------------------------------------------


def _privacy_witness(epsilon, sensitivity, a, b, log_ratio):
    """The witness on score vectors a, b with one candidate apart from all others, which are alike."""
    rows = [f"[{x[0]}] + [{x[1]}] * {len(x) - 1}" for x in (a, b)]
    code = [
        "from mechanisms.exponential import law",
        "from mechanisms.privacy import PureDP",
        f"parameters = dict(sensitivity={sensitivity!r}, privacy=PureDP({epsilon!r}))",
        f"p, q = (law(s, **parameters).log_density([0])[0] for s in ({rows[0]}, {rows[1]}))",
        f"assert p - q > {epsilon!r}",
    ]
    return {
        "setting": {"epsilon": epsilon, "candidates": len(a)},
        "claimed": epsilon,
        "found": log_ratio,
        "a": a.tolist() if len(a) <= 20 else rows[0],
        "b": b.tolist() if len(b) <= 20 else rows[1],
        "output": 0,
        "log_ratio": log_ratio,
        "python": "\n".join(code),
    }


def score_grid(candidates, levels):
    """All score vectors on {0, ..., levels} and all pairs at most 1 apart in every coordinate: sensitivity 1."""
    scores = np.array(list(itertools.product(range(levels + 1), repeat=candidates)), dtype=float)
    apart = np.abs(scores[:, None, :] - scores[None, :, :]).max(axis=2)
    return scores, np.argwhere(np.triu(apart <= 1, k=1))


def rare_candidate(candidates):
    """The worst neighbours: one score rises by Dq = 1, all others fall by 1."""
    return np.array([[0.0] + [1.0] * (candidates - 1), [1.0] + [0.0] * (candidates - 1)])


@exact_claim(
    exponential.selection_epsilon,
    quick=grid(epsilon=[1.0]),
    full=grid(epsilon=[1e-6, 0.01, 0.1, 5.0, 50.0]),
    control=Sabotage("a mechanism short by a factor of {}", (1.05, 1.5, 2)),
    cost=0.4,
)
def every_pair_of_score_vectors(*, epsilon, factor=1):
    """The largest log-ratio over all outputs and neighbouring pairs: score grids, datasets, the worst
    family.

    The grids and datasets look for a hole in the derivation; the family shows that nothing can be saved.
    """
    spent, bound = factor * epsilon, exponential.selection_epsilon(epsilon=epsilon)
    reached = 0.0
    searched = [(*score_grid(k, top), 1.0) for k, top in ((2, 6), (3, 3), (4, 2))]
    for m in (1, 2, 3):
        scores, _, pairs = empirical_risk_laws(m, epsilon, exponential.replace_pairs)
        moved = np.abs(scores[pairs[:, 0]] - scores[pairs[:, 1]]).max()
        if moved > (1 / m) * (1 + ROUNDING):
            return inconclusive("FAILED", f"the empirical risk moved by {moved}, more than 1/m")
        searched.append((scores, pairs, 1 / m))
    for scores, pairs, sensitivity in searched:
        laws = _laws(scores, sensitivity, spent)
        reached = max(reached, float(exponential.smallest_epsilon(laws=laws, pairs=pairs)))

    sizes = [2, 4, 10, 20, 100, 10**4, 10**6]
    family, formula = [], []
    for k in sizes:
        below, above = (
            law(q, sensitivity=1.0, privacy=PureDP(spent)).log_density(np.array([0]))[0] for q in rare_candidate(k)
        )
        family.append(float(above - below))
        formula.append(float(exponential.worst_log_ratio(np.exp(below), spent)))
    series = {"candidates": sizes, "bound": [bound] * len(sizes), "exact": family}
    worst = max(reached, *family)
    if worst > bound * (1 + ROUNDING):
        k = next((k for k, ratio in zip(sizes, family, strict=True) if ratio > bound * (1 + ROUNDING)), None)
        if k is None:
            return inconclusive("FAILED", "the search exceeds epsilon where the worst family does not")
        a, b = rare_candidate(k)[::-1]
        witness = _privacy_witness(epsilon, 1 / factor, a, b, family[sizes.index(k)])
        return refuted("enumeration", witness, series=series)
    if not np.allclose(family, formula, rtol=1e-8, atol=1e-12 * epsilon):
        return inconclusive("FAILED", "the worst family is not what the formula says")
    note = f"searched pairs reach {reached / bound:.3f} epsilon, the worst family {max(family) / bound:.6f} epsilon"
    return holds("derivation", "everywhere", tightness=(worst / bound, 1.0), note=note, series=series)


@attack_claim(
    exponential.selection_epsilon,
    law="exponential",
    attack="pure",
    bound=lambda epsilon, **_: epsilon,
    quick=grid(epsilon=[1.0], candidates=[10]),
    full=grid(epsilon=[0.5, 2.0, 3.0], candidates=[20]),
    control=Sabotage("a mechanism short by a factor of {}", (1.3, 1.6, 2)),
    chunk=lambda **_: 20_000,
    cap=20,
    cost=4e-7,
)
def neighbouring_scores(*, epsilon, candidates, factor=1):
    """One rare candidate rises by Dq, all others fall: kappa = 0.90 at ten candidates and epsilon = 1."""
    a, b = rare_candidate(candidates)[::-1]
    laws = (law(q, sensitivity=1.0 / factor, privacy=PureDP(epsilon)) for q in (a, b))
    return tuple(laws)


# Accuracy -------------------------------------------------------------------------------------------------


def _failure(scores, excess, sensitivity, epsilon):
    """P(the selected score is more than `excess` below the best), exactly."""
    scores = np.asarray(scores, dtype=float)
    logs = law(scores, sensitivity=sensitivity, privacy=PureDP(epsilon)).log_probabilities()
    return float(np.exp(logs[scores < scores.max() - excess]).sum())


def _worst_failure(candidates, excess, sensitivity, epsilon):
    """The supremum of that over all scores: all others at the threshold, in the limit from below."""
    scores = np.full(candidates, -excess)
    scores[0] = 0.0
    logs = law(scores, sensitivity=sensitivity, privacy=PureDP(epsilon)).log_probabilities()
    return float(np.exp(logs[1:]).sum())


def _searched_failure(candidates, excess, sensitivity, epsilon):
    """The largest failure over random scores: ties, levels just beyond the threshold, far ones."""
    rng = np.random.default_rng(candidates)
    k = min(candidates, 30)
    found = 0.0
    for _ in range(40):
        levels = rng.choice([0.0, 0.5, 1.0, 1.0 + 1e-9, 1.01, 2.0, 10.0], size=k, p=[0.1] * 3 + [0.4] + [0.1] * 3)
        found = max(found, _failure(-excess * levels, excess, sensitivity, epsilon))
    return found, _worst_failure(k, excess, sensitivity, epsilon)


def _largest_share(power, top):
    """An enclosure of the supremum of failure / y over every K >= 1 and y in (0, top).

    The worst failure is (K - 1) x / ((K - 1) x + 1) at x = (y / K)^power. Branch and bound in k = 1 / K in
    [0, 1]: limits included.
    """

    def value(k, y):
        rare = (1 - k) * (k * y) ** (power - 1)
        return rare / (1 + y * rare)

    def upper(k, y):
        most = exact(1 - k[0]) * (exact(k[1]) * exact(y[1])) ** (power - 1)
        least = exact(1 - k[1]) * (exact(k[0]) * exact(y[0])) ** (power - 1)
        return most / (1 + exact(y[0]) * least)

    return supremum(upper, at(value), {"k": (0.0, 1.0), "y": (0.0, top)}, gap=0.01)


def _accuracy(setting, excess, sensitivity, epsilon, candidates, allowed, top):
    """Decide P(failure) <= allowed here, and for every K and every allowed < top.

    The latter if exp(-epsilon excess / (2 Dq)) is a whole power of allowed / K.
    """
    exactly = _worst_failure(candidates, excess, sensitivity, epsilon)
    if exactly > allowed * (1 + 1e-9):
        code = [
            "import numpy as np",
            "from mechanisms.exponential import law",
            "from mechanisms.privacy import PureDP",
            f"scores = np.array([0.0] + [{-excess * (1 + 1e-12)!r}] * {candidates - 1})  # all others just too low",
            f"chosen = law(scores, sensitivity={sensitivity!r}, privacy=PureDP({epsilon!r})).log_probabilities()",
            f"assert np.exp(chosen[1:]).sum() > {allowed!r}",
        ]
        witness = {"setting": setting, "claimed": allowed, "found": exactly, "python": "\n".join(code)}
        return refuted("enumeration", witness)
    searched, limit = _searched_failure(candidates, excess, sensitivity, epsilon)
    if searched > limit * (1 + 1e-9):
        return inconclusive("FAILED", "a random score vector fails more often than the two-level one")
    power = epsilon * excess / (2 * sensitivity) / log(candidates / allowed)
    ratio = exactly / allowed
    if abs(power - round(power)) > 1e-9 or round(power) < 1:
        return holds("enumeration", "settings", tightness=(ratio, ratio))
    share = _largest_share(round(power), top)
    if share.bound > 1:
        return inconclusive("BUDGET", f"failure / allowed is at most {share.bound}")
    sizes = [2, 5, 10, 100, 10**3, 10**4, 10**5, 10**6]
    unit = 2 * sensitivity / epsilon * power
    per_size = [_worst_failure(k, unit * log(k / allowed), sensitivity, epsilon) for k in sizes]
    return holds(
        "certificate",
        "everywhere",
        tightness=(share.reached, share.bound),
        note=f"failure / allowed is at most {share.bound:.3f} for all |C| and beta at once",
        series={"candidates": sizes, "bound": [allowed] * len(sizes), "exact": per_size},
    )


def _never_exceeded(*, candidates, epsilon, m, beta):
    """Why the printed excess says nothing, or None: an empirical risk is at most 1."""
    alpha = exponential.printed_excess(candidates=candidates, epsilon=epsilon, m=m, beta=beta)
    return f"alpha = {alpha:.3g} is at least 1, the largest excess risk" if alpha >= 1 else None


def _first_m(**others):
    """The smallest m at which the printed excess is below 1; it decreases in m."""
    return next(m for m in itertools.count(1) if not _never_exceeded(m=m, **others))


@exact_claim(
    exponential.printed_excess,
    quick=({"candidates": 1000, "epsilon": 1.0, "m": 500, "beta": 0.1},),
    full=(
        {"candidates": 1, "epsilon": 1.0, "m": 6, "beta": 0.99},
        {"candidates": 1, "epsilon": 1.0, "m": 1, "beta": 0.99},
        {"candidates": 2, "epsilon": 0.01, "m": 10**4, "beta": 0.999},
        {"candidates": 10**6, "epsilon": 8.0, "m": 10**5, "beta": 1e-12},
    ),
    control=Sabotage("the excess alpha divided by {}; up to 2 the statement stays true", (1.5, 2.2, 4)),
    cost=0.2,
    trivial=_never_exceeded,
    nonvacuous_from=lambda: _first_m(candidates=1000, epsilon=1.0, beta=0.1),
    note="the printed condition on m has a factor 4 where 2 suffices; smallest m at |C| = 1000, epsilon = 1",
)
def printed_excess_is_exceeded(*, candidates, epsilon, m, beta, factor=1):
    """The worst scores have two levels: P(excess > alpha) against beta / 4."""
    alpha = float(exponential.printed_excess(candidates=candidates, epsilon=epsilon, m=m, beta=beta)) / factor
    setting = {"candidates": candidates, "epsilon": epsilon, "m": m, "beta": beta}
    return _accuracy(setting, alpha, 1 / m, epsilon, candidates, beta / 4, top=0.25)


@exact_claim(
    exponential.selection_excess,
    quick=({"candidates": 1000, "epsilon": 1.0, "sensitivity": 0.01, "beta": 0.1},),
    full=(
        {"candidates": 1, "epsilon": 1.0, "sensitivity": 1.0, "beta": 0.99},
        {"candidates": 2, "epsilon": 0.01, "sensitivity": 100.0, "beta": 0.999},
        {"candidates": 10**6, "epsilon": 8.0, "sensitivity": 1e-5, "beta": 1e-12},
    ),
    control=Sabotage("the excess divided by {}", (1.1, 2)),
    cost=0.2,
    note="a constant below 2 is false: the ratio tends to 1 as |C| grows and beta falls",
)
def excess_is_exceeded(*, candidates, epsilon, sensitivity, beta, factor=1):
    """The worst scores have two levels: P(more than the excess below the best) against beta."""
    excess = exponential.selection_excess(candidates=candidates, epsilon=epsilon, sensitivity=sensitivity, beta=beta)
    setting = {"candidates": candidates, "epsilon": epsilon, "sensitivity": sensitivity, "beta": beta}
    return _accuracy(setting, float(excess) / factor, sensitivity, epsilon, candidates, beta, top=1.0)


if __name__ == "__main__":
    from experiments.run import script

    script("exponential")
