"""Every learner as it is made with what it needs, for tests that ask the same of all of them."""

from lemmata.mechanisms.estimators import margin_classifier
from lemmata.mechanisms.estimators.margin_classifier import MarginClassifier, NoisyGD, PrivateSVM

LEARNERS = [
    MarginClassifier(),
    NoisyGD(),
    margin_classifier.ProjectedGD(k=3),
    margin_classifier.PhasedSGD(),
    PrivateSVM(),
    margin_classifier.PureMargin(),
    margin_classifier.DPERM(),
    margin_classifier.EfficientMargin(),
    margin_classifier.AdaptiveMargin(),
    margin_classifier.TunedMargin(beta=0.4),
]
