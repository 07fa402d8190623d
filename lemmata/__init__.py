"""Differentially private learning with margin guarantees: learners, accounts, audits, and the theorems behind them.

    import lemmata

    # learn privately from a raw table; only the budget is to choose
    classifier = lemmata.MarginClassifier(epsilon=1.0, delta=1e-5, classes=(0, 1)).fit(X, y)
    classifier.predict(X_new), classifier.privacy_

    # predict a number, count, and average
    lemmata.PrivateRidge(epsilon=1.0, delta=1e-6).fit(X, amounts)
    lemmata.private_mean(ages, bounds=(0, 120), epsilon=0.5)  # and private_histogram, private_quantile

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
    lemmata.replay(mechanism, data, neighbour, lemmata.PureDP(1.0))     # the exact loss of what noise is added to
    lemmata.audit_one_run(scores_in, scores_out, lemmata.PureDP(1.0))   # canaries of one training run

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

Importing this is cheap: a name is loaded when it is first used. Type checkers read `__init__.pyi`, which
`python -m lemmata.tools.public_names` writes.
"""

import importlib
import os
from typing import Any

if os.path.isfile(_link := os.path.join(os.path.dirname(__file__), "bounds")):  # a symbolic link that git wrote as text
    raise ImportError(
        f"{_link} must be a symbolic link, got a text file: this checkout was made without links. "
        "Run `git config core.symlinks true && git checkout -- lemmata`, or install the package with pip."
    )

from lemmata.mechanisms.hardening import ESTIMATORS

HOMES = {  # in addition to the estimators, which `lemmata.mechanisms.hardening` lists
    "lemmata.mechanisms.audit.front.entry": "audit",
    "lemmata.mechanisms.audit.play.audit_result": "Audit Found",
    "lemmata.mechanisms.audit.front.assertion": "assert_private",
    "lemmata.mechanisms.audit.subjects.tracing": "trace Trace",
    "lemmata.mechanisms.audit.front.pair_replay": "replay Replay",
    "lemmata.mechanisms.audit.front.one_run": "audit_one_run OneRun",
    "lemmata.mechanisms.tables.table_columns": "inspect Inspection",
    "lemmata.mechanisms.estimators.statistics": "private_mean private_histogram private_quantile",
    "lemmata.bounds.theorem": "theorems Theorem",
    "lemmata.mechanisms.privacy.disclosure": "PrivacyLeakWarning",
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
HOME = {name: module for module, names in HOMES.items() for name in names.split()}
HOME |= {one.name: f"lemmata.mechanisms.estimators.{one.home}" for one in ESTIMATORS}
PACKAGES = ("bounds", "mechanisms")
__all__ = [*HOME, *PACKAGES]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("lemmata")
    elif name in PACKAGES:
        found = importlib.import_module(f"lemmata.{name}")
    elif name in HOME:
        found = getattr(importlib.import_module(HOME[name]), name)
    else:
        raise AttributeError(f"module 'lemmata' has no attribute {name!r}; dir(lemmata) lists what it has")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__version__"])
