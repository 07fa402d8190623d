"""What a fit gives away beside its release, said once: `PrivacyLeakWarning`.

Only public things are looked at: parameters, shapes, types, the steps of a Pipeline. No warning depends on a record.
"""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from lemmata.mechanisms.accountant import Accountant
from lemmata.mechanisms.privacy import Guarantee

DEPTH = 16  # frames above a fit in which a Pipeline is looked for
TOLD: set[str] = set()  # what this process was warned of


class PrivacyLeakWarning(UserWarning):
    """Something about the data, or all of its protection, is given away beside the release.

    Each text is shown once a process.
    """


def leak(text: str) -> None:
    """One warning; none if this process had it before."""
    if text not in TOLD:
        TOLD.add(text)
        warnings.warn(text, PrivacyLeakWarning, stacklevel=4)


def warn_of_leaks(estimator: Any, n: int, *, labels: bool = True) -> None:
    """Warn of labels taken from the data, of a seed, of a delta of 1/n or more, and of steps that look at the data.

    `n`: how many records; `labels`: whether the estimator has `classes`.
    """
    if labels and estimator.classes is None:
        leak("classes was left out: the labels that occur in y are taken to be public. Give classes=(...)")
    if isinstance(estimator.random_state, int | np.integer | np.random.RandomState):
        leak("random_state is a seed: whoever knows it can take the noise away. Leave it out for a release")
    if getattr(estimator, "delta", 0) * n >= 1:
        leak("delta is 1/n or more: it would allow to publish a record that is picked at random")
    for name in leaking_steps(estimator):
        leak(f"Pipeline step {name!r} looks at the data and promises no privacy: PrivateScaler, or constants, would")


def leaking_steps(estimator: Any) -> list[str]:
    """The steps before `estimator` of the Pipelines that are fitting it, as far as they can be seen.

    A step is fine that fits nothing (scikit-learn's tag `requires_fit`), or says what it spent (`privacy_`).
    """
    from sklearn.pipeline import Pipeline

    frame, found = sys._getframe(1), []
    for _ in range(DEPTH):
        if (caller := frame.f_back) is None:
            break
        frame = caller
        pipeline = (
            frame.f_locals.get("self") if frame.f_code.co_name in ("fit", "fit_transform", "fit_predict") else None
        )
        if isinstance(pipeline, Pipeline):
            found += [name for name, step in pipeline.steps[:-1] if step is not estimator and _looks(step)]
    return found


def _looks(step: Any) -> bool:
    """Whether fitting a step takes something from the data for nothing."""
    if step is None or isinstance(step, str) or hasattr(step, "privacy_") or hasattr(type(step), "promises"):
        return False
    tags = getattr(step, "__sklearn_tags__", None)
    return bool(tags().requires_fit) if tags else True


def pay(accountant: Any, guarantee: Guarantee, label: str) -> None:
    """Charge a release to an account before it is drawn; nothing for None. OverBudget, and no release, beyond it."""
    if accountant is None:
        return
    if not isinstance(accountant, Accountant):
        raise ValueError(f"accountant is a {type(accountant).__name__}, not an Accountant")
    accountant.spend(guarantee, label)


def refuse(given: dict[str, Any]) -> None:
    """Raise for arguments of `fit` that these estimators do not have, and say why of those that others do."""
    if given.pop("sample_weight", None) is not None:
        raise ValueError(
            "sample_weight is refused: a record of weight w would count w times, and the guarantee is one for records"
        )
    if given:
        raise TypeError(f"fit() got an unexpected keyword argument {next(iter(given))!r}")
