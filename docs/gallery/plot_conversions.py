"""
From epsilon and delta to noise, and back
=========================================

`gaussian_noise_multiplier` is the standard deviation of Gaussian noise, as a multiple of the sensitivity, that a
guarantee needs. It is exact and rounded up. The textbook formula, valid only below epsilon = 1, asks for more.
"""

from math import log, sqrt

import matplotlib.pyplot as plt
import numpy as np

import lemmata

epsilons, delta = np.geomspace(0.05, 10, 40), 1e-5
exact = [lemmata.gaussian_noise_multiplier(lemmata.ApproxDP(epsilon, delta)) for epsilon in epsilons]
below = epsilons < 1
plt.plot(epsilons, exact, color="#1d6b45", label="exact")
plt.plot(
    epsilons[below], sqrt(2 * log(1.25 / delta)) / epsilons[below], color="grey", ls="--", label="textbook formula"
)
plt.gca().set(xscale="log", yscale="log", xlabel="epsilon, at delta = 1e-5", ylabel="noise multiplier")
plt.legend()
plt.show()

# %%
# Guarantees convert into one another. Every conversion rounds towards weaker privacy.

spent = lemmata.compose(lemmata.GaussianDP(0.3), lemmata.GaussianDP(0.4))
print(spent)
print(lemmata.to_approx(spent, delta=delta))
print(lemmata.to_gaussian(lemmata.PureDP(1.0)))
print(lemmata.group(lemmata.PureDP(0.5), 3))
