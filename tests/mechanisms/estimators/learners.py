"""The estimators of `lemmata.mechanisms.hardening`, for tests that ask the same of all of them."""

import lemmata
from lemmata.mechanisms.estimators.private_classifier import PrivateClassifier
from lemmata.mechanisms.hardening import ESTIMATORS

KINDS = {one.name: getattr(lemmata, one.name) for one in ESTIMATORS}
SEARCH, SCALER = lemmata.PrivateSearchCV, lemmata.PrivateScaler
CLASSIFIERS = [kind for kind in KINDS.values() if issubclass(kind, PrivateClassifier)]
LEARNERS = [KINDS[one.name](**one.small) for one in ESTIMATORS if KINDS[one.name] not in (SEARCH, SCALER)]


def known_classes(kind, classes):
    """The labels, for an estimator that asks for them."""
    return {"classes": classes} if hasattr(kind, "classes") else {}
