"""
Compare private learners
========================

Four learners on handwritten digits, 3 against 8, at three budgets. The scale of pixels is public, so no
budget is spent on ranges. `lemmata compare` does the same for many tables, with a verdict on every difference.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import train_test_split

import lemmata
from lemmata.experiments.data import load

X, y = load("digits:3-8")
learners = [lemmata.MarginClassifier(ranges=None), lemmata.NoisyGD(), lemmata.PhasedSGD(), lemmata.PrivateSVM()]
epsilons = (0.5, 1.0, 4.0)


def accuracy(learner, epsilon, repeats=6):
    scores = []
    for seed in range(repeats):
        train, test, labels, truth = train_test_split(X, y, random_state=seed)
        model = learner.set_params(epsilon=epsilon, classes=(-1, 1)).fit(train, labels)
        scores.append(model.score(test, truth))
    return np.mean(scores)


for place, learner in enumerate(learners):
    heights = [accuracy(learner, epsilon) for epsilon in epsilons]
    colour = ("#1d6b45", "#2b6cb0", "#c9a227", "#6a5d9c")[place]
    plt.bar(np.arange(3) + 0.2 * place, heights, width=0.18, color=colour, label=type(learner).__name__)
plt.axhline(max(np.mean(y > 0), np.mean(y < 0)), color="grey", ls=":", label="always one digit")
plt.xticks(np.arange(3) + 0.3, [f"epsilon {epsilon:g}" for epsilon in epsilons])
plt.gca().set(ylabel="accuracy on held-out images", ylim=(0.4, 1))
plt.legend(ncols=2, loc="upper left")
plt.show()
