"""Warnings about what a fit reveals in addition to its release: `PrivacyLeakWarning`.

Only public things are looked at: parameters, shapes, types, the steps of a Pipeline. No warning depends on a record.
"""

import contextlib
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from typing import Any

import numpy as np
from sklearn import model_selection
from sklearn.base import MetaEstimatorMixin
from sklearn.pipeline import Pipeline

from lemmata.mechanisms.privacy.accountant import Accountant
from lemmata.mechanisms.privacy.guarantees import Guarantee

DEPTH = 48  # frames above a fit in which a Pipeline or a search is looked for
FITS = ("fit", "fit_transform", "fit_predict")
VALIDATION = "scikit-learn's validation"  # whose name cannot be seen
WITHIN = ("lemmata.mechanisms.", "numpy.")  # between a warning and who called fit, which `quiet` decorates
WARNED: set[str] = set()  # what this process was warned of
SILENT: ContextVar[bool] = ContextVar("SILENT", default=False)  # whether what is fitted is nobody's data


class PrivacyLeakWarning(UserWarning):
    """A fit reveals information about the data, or loses its protection, outside of its release.

    Each text is shown once a process; none depends on a record.

    Examples
    --------
    >>> warnings.filterwarnings("error", category=PrivacyLeakWarning)  # doctest: +SKIP
    """


def warn_once(text: str) -> None:
    """Warn once per process of a leak."""
    if text not in WARNED and not SILENT.get():
        WARNED.add(text)
        caller, level = sys._getframe(1), 2
        while caller.f_back and str(caller.f_globals.get("__name__")).startswith(WITHIN):
            caller, level = caller.f_back, level + 1
        warnings.warn(text, PrivacyLeakWarning, stacklevel=level)


@contextlib.contextmanager
def silence_leaks() -> Iterator[None]:
    """Fits to made-up data warn of nothing in this thread, and use up no warning."""
    before = SILENT.set(True)
    try:
        yield
    finally:
        SILENT.reset(before)


def warn_of_leaks(estimator: Any, n: int, *, labels: bool = True) -> None:
    """Warn of labels taken from the data, a seed, a delta of 1/n or more, steps that look, and fits that are repeated.

    `n`: how many records; `labels`: whether the estimator has `classes`.
    """
    if labels and estimator.classes is None:
        warn_once("classes was left out: the labels that occur in y are taken to be public. Give classes=(...)")
    if isinstance(estimator.random_state, int | np.integer | np.random.RandomState):
        warn_once("random_state is a seed: whoever knows it can take the noise away. Leave it out for a release")
    if getattr(estimator, "delta", 0) * n >= 1:
        warn_once("delta is 1/n or more: it would allow to publish a record that is picked at random")
    pipelines, repeating = find_fit_callers()
    for around in pipelines:
        for name, step in around.steps[:-1]:
            if step is not estimator and _reads_data(step):
                warn_once(f"Pipeline step {name!r} looks at the data and promises no privacy: use PrivateScaler")
    for name in repeating:
        warn_once(f"{name} fits several times, and each fit spends the whole budget: add them up")


def find_fit_callers() -> tuple[list[Pipeline], list[str]]:
    """Return the Pipelines around a fit, and the names of what fits several times, as far as can be seen.

    A step of a Pipeline is fine that fits nothing (scikit-learn's tag `requires_fit`), or says what it spent
    (`privacy_`). Searches, ensembles, calibrations and one class against the rest are scikit-learn's meta-estimators;
    `cross_validate`, `learning_curve` and their kin are functions of `sklearn.model_selection`, of which the outermost
    counts: in a process of joblib's there is only what they call.
    """
    pipelines: list[Pipeline] = []
    repeating: list[str] = []
    validation = ""
    frame = sys._getframe(1)
    for _ in range(DEPTH):
        if (caller := frame.f_back) is None:
            break
        frame = caller
        code = frame.f_code
        if code.co_name in FITS:
            around = frame.f_locals.get("self")
            if isinstance(around, Pipeline) and not any(around is one for one in pipelines):
                pipelines.append(around)
            elif isinstance(around, MetaEstimatorMixin) and type(around).__name__ not in repeating:
                repeating.append(type(around).__name__)
        elif str(frame.f_globals.get("__name__")).startswith(model_selection.__name__):
            named = code.co_name in model_selection.__all__
            validation = code.co_name if named else validation or VALIDATION
    if validation and (validation != VALIDATION or not repeating):
        repeating.append(validation)
    return pipelines, repeating


def _reads_data(step: Any) -> bool:
    """Whether fitting a step takes something from the data for nothing."""
    if step is None or isinstance(step, str) or hasattr(step, "privacy_") or hasattr(type(step), "is_private_step"):
        return False
    tags = getattr(step, "__sklearn_tags__", None)
    return bool(tags().requires_fit) if tags else True


def charge_account(accountant: Any, guarantee: Guarantee, label: str) -> None:
    """Charge a release to an account before it is drawn, if there is one. Raises OverBudget beyond its budget."""
    if check_account(accountant):
        accountant.spend(guarantee, label)


def check_account(accountant: Any) -> bool:
    """Return whether there is an account. Raises ValueError for other objects than an Accountant."""
    if accountant is None:
        return False
    if not isinstance(accountant, Accountant):
        raise ValueError(f"accountant must be an Accountant, got {type(accountant).__name__}")
    return True


def reject_fit_parameters(given: dict[str, Any]) -> None:
    """Raise for unsupported arguments of `fit`, with a reason for those that other estimators support."""
    if given.pop("sample_weight", None) is not None:
        raise ValueError(
            "sample_weight is refused: a record of weight w would count w times, and the guarantee is one for records"
        )
    if given:
        raise TypeError(f"fit() got an unexpected keyword argument {next(iter(given))!r}")
