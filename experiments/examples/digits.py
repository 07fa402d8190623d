"""Private learners on handwritten digits, 4 against 9: accuracy on held-out images as epsilon grows.

python -m lemmata.experiments.examples.digits
"""

import numpy as np
from sklearn.base import ClassifierMixin, clone
from sklearn.model_selection import train_test_split

import lemmata
from lemmata.experiments.data import load

EPSILONS = (0.25, 0.5, 1.0, 2.0, 4.0)
REPEATS = 8
LEARNERS: dict[str, ClassifierMixin] = {
    "MarginClassifier": lemmata.MarginClassifier(ranges=None),  # pixels are on one scale, which is public
    "AdaptiveMargin": lemmata.AdaptiveMargin(),
    "TunedMargin": lemmata.TunedMargin(),
    "NoisyGD(width=0.03)": lemmata.NoisyGD(width=0.03),
    "PrivateSVM": lemmata.PrivateSVM(),
}


def accuracy(learner: ClassifierMixin, epsilon: float, repeats: int = REPEATS) -> float:
    """Mean accuracy over splits and releases."""
    X, y = load("digits:4-9")
    total = 0.0
    for seed in range(repeats):
        train, test, labels, truth = train_test_split(X, y, random_state=seed)
        model = clone(learner).set_params(epsilon=epsilon, classes=(-1, 1), random_state=seed).fit(train, labels)
        total += model.score(test, truth) / repeats
    return total


def main() -> None:
    """A table: a learner a row, an epsilon a column; delta is 1e-5, PrivateSVM has none."""
    print(f"{'epsilon':22}", *(f"{epsilon:6g}" for epsilon in EPSILONS))
    for name, learner in LEARNERS.items():
        print(f"{name:22}", *(f"{accuracy(learner, epsilon):6.3f}" for epsilon in EPSILONS), flush=True)
    chance = max(np.mean(load("digits:4-9")[1] > 0), np.mean(load("digits:4-9")[1] < 0))
    print(f"{'always one digit':22} {chance:6.3f}")


if __name__ == "__main__":
    main()
