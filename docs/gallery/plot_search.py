"""
What a private search costs
===========================

Trying several settings and keeping the best reveals more about the data than one fit does. `PrivateSearchCV` pays for
that. Before it reads any data, it reports how much the noise of a run grows. More settings add hardly any noise.
"""

import matplotlib.pyplot as plt
import numpy as np

import lemmata

counts = [2, 4, 8, 16, 32, 64]
grids = [{"width": list(np.geomspace(0.01, 1, k))} for k in counts]
costs = [lemmata.PrivateSearchCV(lemmata.NoisyGD(), grid, epsilon=1.0, delta=1e-5).cost() for grid in grids]
print(costs[2])

plt.plot(counts, [c.alone / c.training for c in costs], "o-", color="#1d6b45", label="PrivateSearchCV")
plt.plot(counts, [c.alone / c.each_once for c in costs], "o--", color="grey", label="every setting once, budgets added")
plt.axhline(1, color="grey", ls=":", label="one setting, no search")
plt.xscale("log", base=2)
plt.yscale("log", base=2)
plt.gca().set(xlabel="settings in the grid", ylabel="noise, as a multiple of a fit without a search")
plt.legend()
plt.show()

# %%
# The search itself, on simulated data. You may publish the chosen setting, but not the scores of the others.

rng = np.random.default_rng(0)
X = rng.normal(size=(3000, 5)) / 4
y = (X @ [1, -1, 0.5, 0, 0] > 0).astype(int)
search = lemmata.PrivateSearchCV(lemmata.NoisyGD(), {"width": [0.01, 0.1, 1.0]}, epsilon=1.0, classes=(0, 1)).fit(X, y)
print(search.best_params_, search.privacy_)
