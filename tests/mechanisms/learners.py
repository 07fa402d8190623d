"""Every learner as it is made with what it needs, for tests that ask the same of all of them."""

from lemmata.mechanisms import estimators
from lemmata.mechanisms.estimators import MarginClassifier, NoisyGD, PrivateSVM

LEARNERS = [
    MarginClassifier(),
    NoisyGD(),
    estimators.ProjectedGD(k=3),
    estimators.PhasedSGD(),
    PrivateSVM(),
    estimators.PureMargin(),
    estimators.DPERM(),
    estimators.EfficientMargin(),
    estimators.AdaptiveMargin(),
    estimators.TunedMargin(beta=0.4),
]
