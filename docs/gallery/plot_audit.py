"""
An audit that refutes, and one that does not
============================================

A noisy total claims to be 1-DP, but its author forgot that one person can count twice. `lemmata.audit` draws releases
on two neighbouring datasets and guesses which dataset each release came from. Too many right guesses refute the
claim.
"""

import matplotlib.pyplot as plt
import numpy as np

import lemmata

VISITS, NEIGHBOUR = np.array([2, 0, 1, 2, 0]), np.array([0, 0, 1, 2, 0])  # one person replaced
CLAIM = lemmata.PureDP(1.0)


def total(visits, sensitivity):
    return lambda rng, size: visits.sum() + rng.laplace(scale=sensitivity / CLAIM.epsilon, size=size)


figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True, layout="constrained")
for axis, sensitivity in zip(axes, (1, 2), strict=True):
    sides = [total(visits, sensitivity) for visits in (VISITS, NEIGHBOUR)]
    found = lemmata.audit(*sides, CLAIM, root=1, budget=20_000)
    print(f"sensitivity {sensitivity}: {found}\n")
    for side, colour in zip(sides, ("#2b6cb0", "#a3262a"), strict=True):
        axis.hist(side(np.random.default_rng(0), 20_000), bins=np.arange(-5, 13, 0.5), histtype="step", color=colour)
    axis.set(title=f"noise for sensitivity {sensitivity}: {found.verdict.lower()}", xlabel="noisy total")
axes[0].set_ylabel("releases of 20,000")
plt.show()

# %%
# The correct mechanism survives, which proves nothing. The audit says how large a leak it would have detected.
