"""Differentially private learning with margin guarantees: learners, accounts, audits, and the theorems behind them.

    import lemmata

    # learn privately from a raw table; only the budget is to choose
    classifier = lemmata.MarginClassifier(epsilon=1.0, delta=1e-5, classes=(0, 1)).fit(X, y)
    classifier.predict(X_new), classifier.privacy_

    # choose a setting privately: the choice costs privacy, and the cost is known before any data is read
    search = lemmata.PrivateSearchCV(lemmata.NoisyGD(), {"width": [0.03, 0.1, 0.3]}, epsilon=1.0)
    print(search.cost())

    # keep one account per dataset, in memory or (`Accountant.open`) in a file; a release may depend on earlier ones
    accountant = lemmata.Accountant(lemmata.ApproxDP(1.0, 1e-5))
    accountant.spend(lemmata.PureDP(0.25), "a histogram")

    # attack a mechanism of any library: the audit searches for neighbours and names the line of a leak
    lemmata.audit(GaussianNB(bounds=(0, 1)), X, y, lemmata.PureDP(1.0))
    lemmata.audit(sample_a, sample_b, lemmata.PureDP(1.0), root=1)      # or on two datasets of your own
    lemmata.trace(mechanism, data, neighbour)                           # where do two runs with equal noise diverge?

    # sizes that hold with a stated probability
    lemmata.rows_needed(points=1000, distortion=0.1, beta=0.05)
    lemmata.features_needed("gaussian", points=1000, error=0.1)

    # the statements of the four papers, as functions, and their verdicts
    [t.label for t in lemmata.theorems("wzw25 Lemma A.5")]
    lemmata.verdict("wzw25 Lemma 6.4")  # is it true, where, what to cite instead
    lemmata.bounds.wzw25                # the papers' formulas, a module each
    lemmata.figure("wzw25.lemA.5")      # decide it and draw it

Guarantees are `PureDP`, `ApproxDP`, `GaussianDP`, `LabelDP`, `ZCDP`, `RenyiDP` and `PrivacyCurve` (a function
delta(epsilon) or a privacy loss distribution by `privacy_curve`, a trade-off function by `from_trade_off`); `to_pure`,
`to_approx`, `to_gaussian`, `to_zcdp`, `to_renyi`, `to_curve`, `to_neighbours` turn one into another, `compose` and
`group` combine them, all rounded towards weaker privacy.
Every `fit` releases exactly by default, to the last bit; `lemmata.mechanisms.hardening` names the row behind it, and
the parts that stay floats.

Importing this is cheap: a name is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lemmata import bounds as bounds
    from lemmata import mechanisms as mechanisms
    from lemmata.bounds.theorem import Theorem as Theorem
    from lemmata.bounds.theorem import theorems as theorems
    from lemmata.command.main import script as script
    from lemmata.command.verdict import Verdict as Verdict
    from lemmata.command.verdict import verdict as verdict
    from lemmata.experiments.figures.statement import figure as figure
    from lemmata.mechanisms.audit.front.assertion import assert_private as assert_private
    from lemmata.mechanisms.audit.front.entry import audit as audit
    from lemmata.mechanisms.audit.play.audit_result import Audit as Audit
    from lemmata.mechanisms.audit.play.audit_result import Found as Found
    from lemmata.mechanisms.audit.subjects.tracing import Trace as Trace
    from lemmata.mechanisms.audit.subjects.tracing import trace as trace
    from lemmata.mechanisms.estimators.erm_estimators import DPERM as DPERM
    from lemmata.mechanisms.estimators.erm_estimators import EfficientMargin as EfficientMargin
    from lemmata.mechanisms.estimators.erm_estimators import PhasedSGD as PhasedSGD
    from lemmata.mechanisms.estimators.erm_estimators import PrivateSVM as PrivateSVM
    from lemmata.mechanisms.estimators.erm_estimators import PureMargin as PureMargin
    from lemmata.mechanisms.estimators.gd_estimators import AdaptiveMargin as AdaptiveMargin
    from lemmata.mechanisms.estimators.gd_estimators import NoisyGD as NoisyGD
    from lemmata.mechanisms.estimators.gd_estimators import ProjectedGD as ProjectedGD
    from lemmata.mechanisms.estimators.gd_estimators import TunedMargin as TunedMargin
    from lemmata.mechanisms.estimators.margin_classifier import MarginClassifier as MarginClassifier
    from lemmata.mechanisms.estimators.scaling import PrivateScaler as PrivateScaler
    from lemmata.mechanisms.estimators.search import PrivateSearchCV as PrivateSearchCV
    from lemmata.mechanisms.features.sizes import features_needed as features_needed
    from lemmata.mechanisms.features.sizes import rows_compared as rows_compared
    from lemmata.mechanisms.features.sizes import rows_needed as rows_needed
    from lemmata.mechanisms.privacy import ZCDP as ZCDP
    from lemmata.mechanisms.privacy import ApproxDP as ApproxDP
    from lemmata.mechanisms.privacy import GaussianDP as GaussianDP
    from lemmata.mechanisms.privacy import LabelDP as LabelDP
    from lemmata.mechanisms.privacy import PrivacyCurve as PrivacyCurve
    from lemmata.mechanisms.privacy import PureDP as PureDP
    from lemmata.mechanisms.privacy import RenyiDP as RenyiDP
    from lemmata.mechanisms.privacy import compose as compose
    from lemmata.mechanisms.privacy import gaussian_delta as gaussian_delta
    from lemmata.mechanisms.privacy import gaussian_epsilon as gaussian_epsilon
    from lemmata.mechanisms.privacy import gaussian_mu as gaussian_mu
    from lemmata.mechanisms.privacy import gaussian_noise_multiplier as gaussian_noise_multiplier
    from lemmata.mechanisms.privacy import group as group
    from lemmata.mechanisms.privacy import to_approx as to_approx
    from lemmata.mechanisms.privacy import to_curve as to_curve
    from lemmata.mechanisms.privacy import to_gaussian as to_gaussian
    from lemmata.mechanisms.privacy import to_neighbours as to_neighbours
    from lemmata.mechanisms.privacy import to_pure as to_pure
    from lemmata.mechanisms.privacy import to_renyi as to_renyi
    from lemmata.mechanisms.privacy import to_zcdp as to_zcdp
    from lemmata.mechanisms.privacy.accountant import Accountant as Accountant
    from lemmata.mechanisms.privacy.accountant import OverBudget as OverBudget
    from lemmata.mechanisms.privacy.disclosure import PrivacyLeakWarning as PrivacyLeakWarning
    from lemmata.mechanisms.privacy.privacy_curve import from_trade_off as from_trade_off
    from lemmata.mechanisms.privacy.privacy_curve import privacy_curve as privacy_curve
    from lemmata.mechanisms.privacy.privacy_curve import trade_off as trade_off

HOMES = {
    "lemmata.mechanisms.audit.front.entry": "audit",
    "lemmata.mechanisms.audit.play.audit_result": "Audit Found",
    "lemmata.mechanisms.audit.front.assertion": "assert_private",
    "lemmata.mechanisms.audit.subjects.tracing": "trace Trace",
    "lemmata.bounds.theorem": "theorems Theorem",
    "lemmata.mechanisms.estimators.margin_classifier": "MarginClassifier",
    "lemmata.mechanisms.estimators.gd_estimators": "NoisyGD ProjectedGD AdaptiveMargin TunedMargin",
    "lemmata.mechanisms.estimators.erm_estimators": "PhasedSGD DPERM EfficientMargin PrivateSVM PureMargin",
    "lemmata.mechanisms.estimators.scaling": "PrivateScaler",
    "lemmata.mechanisms.privacy.disclosure": "PrivacyLeakWarning",
    "lemmata.mechanisms.estimators.search": "PrivateSearchCV",
    "lemmata.mechanisms.privacy.accountant": "Accountant OverBudget",
    "lemmata.mechanisms.privacy": "PureDP ApproxDP GaussianDP LabelDP ZCDP RenyiDP PrivacyCurve to_pure to_approx "
    "to_gaussian to_zcdp to_renyi to_curve to_neighbours compose group gaussian_delta gaussian_epsilon gaussian_mu "
    "gaussian_noise_multiplier",
    "lemmata.mechanisms.privacy.privacy_curve": "privacy_curve from_trade_off trade_off",
    "lemmata.mechanisms.features.sizes": "rows_needed rows_compared features_needed",
    "lemmata.experiments.figures.statement": "figure",
    "lemmata.command.main": "script",
    "lemmata.command.verdict": "verdict Verdict",
}
_HOME = {name: module for module, names in HOMES.items() for name in names.split()}
PACKAGES = ("bounds", "mechanisms")
__all__ = [*_HOME, *PACKAGES]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("lemmata")
    elif name in PACKAGES:
        found = importlib.import_module(f"lemmata.{name}")
    elif name in _HOME:
        found = getattr(importlib.import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module 'lemmata' has no attribute {name!r}; dir(lemmata) lists what it has")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__version__"])
