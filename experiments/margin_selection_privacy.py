"""Privacy of margin selection: Lemma F.1 and Corollary F.2 of Bassily, Mohri & Suresh (2022), on exact joint laws."""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement

import numpy as np

from bounds import margin_selection as bounds
from bounds.exponential import smallest_delta, smallest_epsilon
from experiments.bound_sensitivity import least_hinge, least_margin
from experiments.claim import Sabotage, attack_claim, exact_claim, grid, holds, refuted
from experiments.selection import rare_choice
from mechanisms import exponential
from mechanisms.privacy import PureDP
from mechanisms.selection import MarginSelectionLaw, law, margin_law

ROUNDING = 1e-12
UNIVERSE = (-1.0, -0.5, 0.5, 1.0)  # y x on the line, r = Lambda = 1
RECORDS = 5  # two margins


def neighbours(m):
    """All samples of m signed records as multisets, and the pairs that differ in one."""
    samples = list(combinations_with_replacement(range(len(UNIVERSE)), m))
    counts = np.array([np.bincount(s, minlength=len(UNIVERSE)) for s in samples])
    pairs = [(i, j) for i, j in combinations(range(len(samples)), 2) if abs(counts[i] - counts[j]).sum() == 2]
    return samples, pairs


def learner(X, y, *, rho, privacy, beta):
    """The exponential mechanism between the classifiers +-x, by their errors."""
    z = y * X[:, 0]
    errors = np.array([(sign * z <= 0).mean() for sign in (1, -1)])
    return exponential.law(-errors, sensitivity=1 / len(z), privacy=PureDP(privacy.epsilon))


def joint(chosen):
    """The probabilities of all (margin, classifier), shape (2 J,)."""
    J = len(chosen.margins)
    every = {"index": np.repeat(np.arange(J), 2), "model": np.tile([0, 1], J)}
    return np.exp(chosen.log_density(every))


def selection_laws(epsilon, *, kind):
    """The joint law on every sample of the universe: F = t + 0.1/rho with the least margin or hinge loss."""
    samples, pairs = neighbours(RECORDS)
    least, moves = {
        "margin": (least_margin, lambda rho: 1 / RECORDS),
        "hinge": (least_hinge, lambda rho: 2 / (RECORDS * rho)),
    }[kind]
    laws = []
    for sample in samples:
        X, y = np.array([[UNIVERSE[i]] for i in sample]), np.ones(RECORDS)
        chosen = margin_law(
            X,
            y,
            learner=learner,
            bound=lambda rho, t: t + 0.1 / rho,
            best_loss=lambda X, y, rho: float(least(list(X[:, 0]), rho, 1)),
            sensitivity=moves,
            h_max=1.0,
            privacy=PureDP(epsilon),
            beta=0.1,
        )
        laws.append(joint(chosen))
    return np.array(laws), pairs


def worst_pair(epsilon, delta=0.0, heavy=400, rare=1):
    """Choice and learner both at their worst: two laws over (candidate, output), products of finite ones.

    With probability delta the learner tells which of the two datasets it has.
    """
    before, after, gamma = rare_choice(heavy, epsilon=epsilon, beta=0.05, rare=rare)
    moved = np.array([1.0] * heavy + [0.0]), np.array([0.0] * heavy + [1.0])
    products = []
    for side, (scores, quality) in enumerate(((before, moved[0]), (after, moved[1]))):
        choice = np.exp(law(scores, gamma, beta=0.05, privacy=PureDP(epsilon)).log_probabilities())
        run = exponential.law(quality, sensitivity=1.0, privacy=PureDP(epsilon)).log_probabilities()
        run = np.append((1 - delta) * np.exp(run), [delta * (side == 0), delta * (side == 1)])
        # outputs alike are merged: one heavy, one rare, the reference
        choice = np.array([choice[0], choice[1 : heavy + 1].sum(), choice[heavy + 1 :].sum()])
        run = np.array([run[:heavy].sum(), *run[heavy:]])
        products.append(np.outer(choice, run).ravel())
    return products


def decide_budget(budget, setting, spent, kind):
    """Does the mechanism that spends `spent` on the choice and on the learner keep `budget`?"""
    epsilon, delta = budget
    laws, pairs = selection_laws(spent, kind=kind)
    searched = float(smallest_epsilon(laws=laws, pairs=pairs))
    worst = worst_pair(spent)
    reached = float(smallest_epsilon(laws=worst, pairs=[(0, 1)]))
    excess = float(smallest_delta(laws=worst_pair(spent, delta), pairs=[(0, 1)], epsilon=epsilon))
    if max(searched, reached) > epsilon * (1 + ROUNDING) or excess > delta * (1 + 1e-9):
        witness = {
            "setting": setting,
            "claimed": epsilon,
            "found": max(searched, reached),
            "a": "choice and learner at their worst",
            "b": "its neighbour",
            "output": "the rare margin and the rare model",
            "log_ratio": max(searched, reached),
            "python": "",
        }
        return refuted("enumeration", witness)
    note = f"{len(pairs)} neighbouring samples reach {searched / epsilon:.3f}, the worst pair {reached / epsilon:.4f} "
    note += f"of epsilon; delta reached {excess:.3g} of {delta:g}"
    return holds("derivation", "everywhere", tightness=(max(searched, reached) / epsilon, 1.0), note=note)


BUDGETS = {
    "quick": grid(epsilon=[1.0], delta=[1e-3]),
    "full": grid(epsilon=[0.1, 4.0], delta=[0.0, 0.3]),
    "control": Sabotage("choice and learner short by a factor of {}", (1.05, 1.5, 2)),
    "cost": 0.2,
}


@exact_claim(bounds.selection_budget, given=("abgmu22.thm.gem/printed/privacy",), **BUDGETS)
def selection_is_private(*, epsilon, delta, factor=1):
    """Joint laws of (rho*, model) on all samples of five records, and a pair that spends 2 epsilon."""
    setting = {"epsilon": epsilon, "delta": delta}
    return decide_budget(bounds.selection_budget(**setting), setting, factor * epsilon, "margin")


@exact_claim(
    bounds.corollary_budget,
    given=("bms22.lemF.1/printed/privacy", "bms22.lemF.3b/explicit"),
    note="takes A_EffPrivMrg to be (epsilon/2, delta)-DP, which Theorem 3.2 says for 0 < delta < 1/m and "
    "epsilon/2 <= log(1/delta) only",
    **BUDGETS,
)
def corollary_is_private(*, epsilon, delta, factor=1):
    """As above at epsilon/2, with the least hinge loss and the sensitivities 2 Lambda r / (m rho) of Lemma F.3."""
    setting = {"epsilon": epsilon, "delta": delta}
    return decide_budget(bounds.corollary_budget(**setting), setting, factor * epsilon / 2, "hinge")


@attack_claim(
    bounds.selection_budget,
    law="select_margin",
    attack="pure",
    bound=lambda epsilon, **_: 2 * epsilon,
    quick=grid(epsilon=[0.5]),
    full=grid(epsilon=[1.0]),
    control=Sabotage("choice and learner short by a factor of {}", (1.6, 2)),
    chunk=lambda **_: 10_000,
    cap=10,
    cost=4e-6,
)
def rare_margins_and_models(*, epsilon, factor=1):
    """Choice and learner near their worst, the rare ones frequent enough to be seen."""
    spent = PureDP(factor * epsilon)
    before, after, gamma = rare_choice(20, epsilon=spent.epsilon, beta=0.05, rare=10)
    sides = []
    for scores, quality in ((after, [0.0] * 20 + [1.0] * 10), (before, [1.0] * 20 + [0.0] * 10)):
        choice = law(scores, gamma, beta=0.05, privacy=spent)
        run = exponential.law(quality, sensitivity=1.0, privacy=spent)
        margins = 0.5 ** np.arange(1, choice.candidates + 1)
        sides.append(MarginSelectionLaw(choice, (run,) * choice.candidates, margins, PureDP(2 * spent.epsilon)))
    return tuple(sides)


if __name__ == "__main__":
    from experiments.run import script

    script("margin_selection")
