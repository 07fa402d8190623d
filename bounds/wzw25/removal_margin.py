"""The margin of normalised records, and its curve as outliers are removed: Wang, Zhu & Wang (2025), Appendix N.

Margins are those of Equation 1 (`lemmata.bounds.wzw25.margins`) for records divided by their length. A record x = 0,
for which the paper prints 0/0, has normalised margin 0.
"""

import numpy as np

from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.theorem import theorem
from lemmata.bounds.wzw25.margins import hull_distance, signed_records


@theorem(
    "wzw25.defN.1",
    kind="definition",
    says=r"\mathrm{Margin}(w;S)=\max\left\{\min_{(x,y)\in S}\frac{y\langle w,x\rangle}{\|x\|\|w\|},0\right\}",
    source=", Equation 32",
)
def normalised_margin(*, w: Array, X: Array, y: Array) -> float:
    """The normalised margin of a direction on the data.

    max(min_i y_i <w, x_i> / (||x_i|| ||w||), 0), in [0, 1]. A record x_i = 0 counts 0.

    >>> normalised_margin(w=np.array([1.0, 0.0]), X=[[3.0, 4.0], [3.0, -4.0]], y=[1, 1])
    0.6
    """
    Z = signed_records(X, y)
    lengths = np.linalg.norm(Z, axis=1) * np.linalg.norm(w)
    return max(float((Z @ w / np.where(lengths > 0, lengths, 1.0)).min()), 0.0)


@normalised_margin.explicit(
    part="curve",
    says=r"\mathrm{Margin}(w_t;S_t)\le\gamma(\hat S_t)\le\gamma(\hat S_{t+1}),\quad "
    r"\hat S=\{(x/\|x\|,y):(x,y)\in S\},\quad S_{t+1}=S_t\setminus\{(x_t,y_t)\},\quad "
    r"\frac{y_t\langle w_t,x_t\rangle}{\|x_t\|}=\min_{(x,y)\in S_t}\frac{y\langle w_t,x\rangle}{\|x\|}",
    kind="construction",
    source=", Appendix N.1",
)
def best_normalised_margin(*, weights: Array, X: Array, y: Array) -> float:
    """The largest normalised margin after removals, on real data (Appendix N).

    ||sum_i a_i z_i / ||z_i|| || for convex weights a: an upper bound on the normalised margin of every direction,
    because Margin of Definition N.1 is that of Equation 1 for records of unit length. Removing records cannot lower the
    best normalised margin gamma(S hat); it can lower the recorded one, of an SVM that maximises another margin.

    >>> best_normalised_margin(weights=np.array([0.5, 0.5]), X=[[3.0, 4.0], [3.0, -4.0]], y=[1, 1])
    0.6
    """
    X = np.asarray(X, dtype=float)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return hull_distance(weights=weights, X=X / np.where(lengths > 0, lengths, 1.0), y=y)
