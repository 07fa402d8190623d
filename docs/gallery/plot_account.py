"""
One account of one dataset
==========================

An `Accountant` holds a budget for everything that is ever released of a dataset. A release is paid for before it
is drawn, and what the budget does not cover is refused. Gaussian releases add up like squares, so that many small
ones are cheap.
"""

import matplotlib.pyplot as plt

import lemmata

MOST = lemmata.ApproxDP(1.0, 1e-5)
ONE = lemmata.GaussianDP(0.02)  # one noisy mean

account = lemmata.Accountant(MOST, way="gaussian")
while account.affords(ONE):
    account.spend(ONE, "a noisy mean")
try:
    account.spend(ONE, "one too many")
except lemmata.OverBudget as refused:
    print(refused)

# %%
# The same releases, each turned into (epsilon, delta) by itself and added up, would be over the budget after a few.

counts = range(1, len(account.history) + 1)
delta = MOST.delta / len(account.history)
alone = lemmata.gaussian_epsilon(ONE.mu, delta)
together = [lemmata.gaussian_epsilon(ONE.mu * k**0.5, MOST.delta) for k in counts]
plt.plot(counts, together, color="#1d6b45", label="as Gaussian releases, exactly")
plt.plot(counts, [alone * k for k in counts], color="grey", ls="--", label="epsilons added up")
plt.axhline(MOST.epsilon, color="#a3262a", ls=":", label="the budget")
plt.ylim(0, 2 * MOST.epsilon)
plt.xlabel("releases")
plt.ylabel("epsilon at delta = 1e-5")
plt.legend()
plt.show()
