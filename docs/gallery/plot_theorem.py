"""
A theorem of your own, refuted
==============================

A folder with a `paper.toml` is a paper. Its lemma is a function that computes the promised number, and a claim says
how it is decided. This lemma is false: 3! is larger than the bound. Its corrected reading holds.
"""

import math

import matplotlib.pyplot as plt

from lemmata.experiments.examples import add_a_paper

print(add_a_paper.MODULE)
add_a_paper.main()

# %%
# Both readings and the true value.

n = range(1, 9)
plt.plot(n, [math.factorial(k) for k in n], color="#2b6cb0", label="n!, the true value")
plt.plot(n, [k ** (k / 2) for k in n], color="#a3262a", label="as printed: n^(n/2)")
plt.plot(n, [((k + 1) / 2) ** k for k in n], color="#1d6b45", label="corrected: ((n+1)/2)^n")
plt.gca().set(yscale="log", xlabel="n", ylabel="bound on n!")
plt.legend()
plt.show()
