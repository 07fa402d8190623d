"""Johnson-Lindenstrauss embeddings by random signs: Bassily, Mohri & Suresh (2022), Lemma A.3.

A matrix of k rows with entries +-1/sqrt(k), drawn before anybody has seen the data, keeps the norms and the inner
products of any m points up to gamma/3.
"""

from __future__ import annotations

from math import ceil, log

import numpy as np

from bounds.theorem import in_unit_interval, integer, theorem


@theorem(
    "bms22.lemA.3",
    reading="explicit",
    kind="tail",
    says=r"k=\left\lceil\frac{36\log(2m^2/\beta)}{\gamma^2(1-2\gamma/9)}\right\rceil:\quad"
    r"\Pr_\Phi\left[\forall u,v\in T:\ \left|\langle\Phi u,\Phi v\rangle-\langle u,v\rangle\right|"
    r"\le\frac{\gamma}{3}\|u\|_2\|v\|_2\right]\ge 1-\beta",
    needs=[integer("m"), in_unit_interval("gamma"), in_unit_interval("beta")],
    source="Bassily, Mohri & Suresh 2022, App. A; tail bound of Achlioptas 2003",
)
def sign_projection_rows(*, m, gamma, beta):
    """Rows k of a random-sign matrix that keep norms and inner products of any m points

    The paper writes k = O(log(m/beta)/gamma^2). Our constant: one vector is distorted by more than t with
    probability at most 2 exp(-k (t^2/2 - t^3/3)/2) (`sign_projection_tail`); the proof needs t = gamma/3 for the m
    points and, up to sign, the m (m - 1) sums and differences of normalised pairs: m^2 vectors. The norms are the
    case u = v.

    >>> sign_projection_rows(m=1000, gamma=0.3, beta=0.05)
    7502
    """
    t = gamma / 3
    vectors = m + m * (m - 1)
    return ceil(2 * log(2 * vectors / beta) / (t**2 / 2 - t**3 / 3))


def inner_products_preserved(T, projected, gamma):
    """The event of Lemma A.3. T has shape (m, d), projected has shape (m, k); u = v gives the norms."""
    norms = np.linalg.norm(T, axis=1)
    distortion = np.abs(projected @ projected.T - T @ T.T)
    return bool(np.all(distortion <= gamma / 3 * np.outer(norms, norms)))
