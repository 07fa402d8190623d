"""
A private classifier for a raw table
====================================

`MarginClassifier` is fitted to the breast cancer table as scikit-learn loads it: thirty columns on very different
scales. It estimates the ranges of the columns within the same budget. An SVM without privacy shows the cost of
privacy.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC

import lemmata

X, y = load_breast_cancer(return_X_y=True)
train, test, labels, truth = train_test_split(X, y, random_state=0)
svm = make_pipeline(StandardScaler(), LinearSVC()).fit(train, labels).score(test, truth)

epsilons = [0.25, 0.5, 1, 2, 4]
models = [lemmata.MarginClassifier(epsilon=epsilon, delta=1e-5, classes=(0, 1)) for epsilon in epsilons]
scores = [[model.fit(train, labels).score(test, truth) for _ in range(10)] for model in models]

# %%
# A fit is random, so we draw ten for each budget. Releasing all ten would cost ten times as much.

plt.plot(epsilons, np.mean(scores, axis=1), "o-", color="#2b6cb0", label="MarginClassifier, mean of ten fits")
plt.fill_between(epsilons, np.min(scores, axis=1), np.max(scores, axis=1), alpha=0.15, label="least to largest of ten")
plt.axhline(svm, color="grey", ls="--", label="an SVM without privacy")
plt.axhline(max(truth.mean(), 1 - truth.mean()), color="grey", ls=":", label="always the same label")
plt.xscale("log", base=2)
plt.gca().set(xlabel="privacy budget epsilon, delta = 1e-5", ylabel="accuracy on held-out records")
plt.legend(loc="lower right")
plt.show()
