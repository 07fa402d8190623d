"""
How many rows a random projection needs
=======================================

`rows_needed` says how many rows keep all distances among given points within a distortion, with a stated
probability. scikit-learn's `johnson_lindenstrauss_min_dim` asks for fewer rows; for its answer the same proof
guarantees no positive probability.
"""

import matplotlib.pyplot as plt
import numpy as np

import lemmata

print(lemmata.rows_compared(points=1000, distortion=0.1))

points = np.unique(np.geomspace(10, 10**6, 40).astype(int))
for distortion, colour in ((0.1, "#2b6cb0"), (0.2, "#1d6b45"), (0.5, "#6a5d9c")):
    plt.plot(points, lemmata.rows_needed(points, distortion), color=colour, label=f"distortion {distortion}")
    theirs = [lemmata.rows_compared(int(m), distortion).scikit_learn for m in points]
    plt.plot(points, theirs, color=colour, ls="--", lw=1)
plt.plot([], [], color="grey", ls="--", label="scikit-learn's")
plt.gca().set(xscale="log", yscale="log", xlabel="points", ylabel="rows that fail with probability at most 0.05")
plt.legend()
plt.show()
