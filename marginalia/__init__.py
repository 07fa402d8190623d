"""Differentially private learning with margin guarantees: learners, budgets, audits, and the theorems behind them.

    import marginalia

    # learn privately: nothing to choose but the budget
    classifier = marginalia.MarginClassifier(epsilon=1.0, delta=1e-5, classes=(0, 1)).fit(X, y)
    classifier.predict(X_new), classifier.privacy_

    # choose a setting privately: the choice is paid for, and its cost is known before any data is seen
    search = marginalia.PrivateSearchCV(marginalia.NoisyGD(), {"width": [0.03, 0.1, 0.3]}, epsilon=1.0)
    print(search.cost())

    # keep one account of a dataset
    accountant = marginalia.Accountant(marginalia.ApproxDP(1.0, 1e-5))
    accountant.spend(marginalia.PureDP(0.25), "a histogram")

    # attack a mechanism on two neighbouring datasets: yours or ours
    marginalia.audit(sample_a, sample_b, marginalia.PureDP(1.0), root=1)

    # sizes that hold with a stated probability
    marginalia.rows_needed(points=1000, distortion=0.1, beta=0.05)
    marginalia.features_needed("gaussian", points=1000, error=0.1)

    # the statements of the four papers, as functions
    [t.label for t in marginalia.theorems("wzw25.lemA.5")]
    marginalia.bounds.wzw25                # the papers' formulas, a module each; `marginalia explain ID` in a terminal
    marginalia.figure("wzw25.lemA.5")      # decide it and draw it

Guarantees are `PureDP`, `ApproxDP`, `GaussianDP` and `LabelDP`; `to_pure`, `to_approx`, `to_gaussian`, `to_neighbours`
turn one into another, `compose` and `group` add them up, all rounded towards less privacy claimed. Noise other than
that of `PrivateSVM` is drawn in floating point and is not hardened against an adversary who reads low bits.

Importing this costs nothing: a name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import bounds as bounds
    import mechanisms as mechanisms
    from bounds.theorem import Theorem as Theorem
    from bounds.theorem import theorems as theorems
    from experiments.audits.game import Audit as Audit
    from experiments.audits.game import audit as audit
    from experiments.figure import figure as figure
    from mechanisms.accountant import Accountant as Accountant
    from mechanisms.accountant import OverBudget as OverBudget
    from mechanisms.estimators import DPERM as DPERM
    from mechanisms.estimators import AdaptiveMargin as AdaptiveMargin
    from mechanisms.estimators import EfficientMargin as EfficientMargin
    from mechanisms.estimators import MarginClassifier as MarginClassifier
    from mechanisms.estimators import NoisyGD as NoisyGD
    from mechanisms.estimators import PhasedSGD as PhasedSGD
    from mechanisms.estimators import PrivateSVM as PrivateSVM
    from mechanisms.estimators import ProjectedGD as ProjectedGD
    from mechanisms.estimators import PureMargin as PureMargin
    from mechanisms.estimators import TunedMargin as TunedMargin
    from mechanisms.privacy import ApproxDP as ApproxDP
    from mechanisms.privacy import GaussianDP as GaussianDP
    from mechanisms.privacy import LabelDP as LabelDP
    from mechanisms.privacy import PureDP as PureDP
    from mechanisms.privacy import compose as compose
    from mechanisms.privacy import gaussian_delta as gaussian_delta
    from mechanisms.privacy import gaussian_epsilon as gaussian_epsilon
    from mechanisms.privacy import gaussian_mu as gaussian_mu
    from mechanisms.privacy import gaussian_noise_multiplier as gaussian_noise_multiplier
    from mechanisms.privacy import group as group
    from mechanisms.privacy import to_approx as to_approx
    from mechanisms.privacy import to_gaussian as to_gaussian
    from mechanisms.privacy import to_neighbours as to_neighbours
    from mechanisms.privacy import to_pure as to_pure
    from mechanisms.search import PrivateSearchCV as PrivateSearchCV
    from mechanisms.sizes import features_needed as features_needed
    from mechanisms.sizes import rows_compared as rows_compared
    from mechanisms.sizes import rows_needed as rows_needed

HOMES = {
    "experiments.audits.game": "audit Audit",
    "bounds.theorem": "theorems Theorem",
    "mechanisms.estimators": "MarginClassifier NoisyGD ProjectedGD PhasedSGD PrivateSVM PureMargin DPERM "
    "EfficientMargin AdaptiveMargin TunedMargin",
    "mechanisms.search": "PrivateSearchCV",
    "mechanisms.accountant": "Accountant OverBudget",
    "mechanisms.privacy": "PureDP ApproxDP GaussianDP LabelDP to_pure to_approx to_gaussian to_neighbours compose "
    "group gaussian_delta gaussian_epsilon gaussian_mu gaussian_noise_multiplier",
    "mechanisms.sizes": "rows_needed rows_compared features_needed",
    "experiments.figure": "figure",
}
_HOME = {name: module for module, names in HOMES.items() for name in names.split()}
PACKAGES = ("bounds", "mechanisms")
__all__ = [*_HOME, *PACKAGES]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("marginalia")
    elif name in PACKAGES:
        found = importlib.import_module(name)
    elif name in _HOME:
        found = getattr(importlib.import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'marginalia' has no attribute {name!r}; dir(marginalia) lists what it has")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__version__"])
