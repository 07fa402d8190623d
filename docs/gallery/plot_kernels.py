"""
Random features in place of a kernel
====================================

Random Fourier features turn a Gaussian kernel into inner products, which private linear learners can use.
`features_needed` says how many frequencies keep all pairs of points within an error. The measured errors are smaller
than the bound.
"""

import matplotlib.pyplot as plt
import numpy as np

import lemmata
from lemmata.mechanisms.features.random_features import fourier_map, profile

rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
kernel = profile("gaussian", X[:, None] - X[None, :])

counts = [30, 100, 300, 1000, 3000]
largest = []
for count in counts:
    features = fourier_map("gaussian", 3, count, rng=rng)(X)
    largest.append(np.abs(features @ features.T - kernel).max())

errors = np.geomspace(0.08, 0.8, 30)
plt.plot(counts, largest, "o", color="#2b6cb0", label="largest error among all pairs, one draw each")
needed = lemmata.features_needed("gaussian", points=len(X), error=errors)
plt.plot(needed, errors, color="#1d6b45", label="bound, with probability 0.95")
plt.gca().set(xscale="log", yscale="log", xlabel="frequencies", ylabel="error of the kernel")
plt.legend()
plt.show()
