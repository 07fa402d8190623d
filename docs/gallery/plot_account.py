"""
One account of one dataset
==========================

An `Accountant` holds one budget for all releases of a dataset. It charges a release before any noise is drawn, and
refuses a release that the budget does not cover. For Gaussian releases the squares of mu add up, so many small ones are
cheap.
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
# If each release is converted to (epsilon, delta) by itself, the sum exceeds the budget after a few releases.

counts = range(1, len(account.history) + 1)
delta = MOST.delta / len(account.history)
alone = lemmata.gaussian_epsilon(ONE.mu, delta)
together = [lemmata.gaussian_epsilon(ONE.mu * k**0.5, MOST.delta) for k in counts]
plt.plot(counts, together, color="#1d6b45", label="as Gaussian releases, exactly")
plt.plot(counts, [alone * k for k in counts], color="grey", ls="--", label="epsilons added up")
plt.axhline(MOST.epsilon, color="#a3262a", ls=":", label="the budget")
plt.gca().set(xlabel="releases", ylabel="epsilon at delta = 1e-5", ylim=(0, 2 * MOST.epsilon))
plt.legend()
plt.show()
