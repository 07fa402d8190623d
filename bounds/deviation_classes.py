"""Lemma A.1 on classes whose suprema are computed exactly: thresholds, decision stumps, halfspaces of the plane."""

from __future__ import annotations

from bounds.deviation import BMS22, SAMPLE, complexity, relative
from bounds.theorem import theorem


def _row(part, vc):
    return theorem(
        "bms22.lemA.1",
        part=part,
        kind="tail",
        says=r"\Pr\left[\sup_h\left(R_{\mathcal{D}}(h)-\hat R_S(h)-2\sqrt{\hat R_S(h)\,Q}-4Q\right)>0\right]\le\beta,"
        rf"\quad V={vc}",
        needs=[SAMPLE[0], SAMPLE[2]],
        source=f"{BMS22}, Appendix A, Lemma A.1",
    )


@_row("thresholds", 1)
def thresholds(*, m, beta, empirical):
    """Relative deviation of thresholds on the line: exact suprema

    >>> round(float(thresholds(m=1000, beta=0.1, empirical=0.0)), 4)
    0.0452
    """
    return relative(empirical, complexity(m, 1, beta))


@_row("halfspaces", 2)
def halfspaces(*, m, beta, empirical):
    """Relative deviation of homogeneous halfspaces of the plane, records on the circle: exact suprema"""
    return relative(empirical, complexity(m, 2, beta))


@_row("mixture", 2)
def mixture(*, m, beta, empirical):
    """Relative deviation of homogeneous halfspaces of the plane, two Gaussians: exact suprema"""
    return relative(empirical, complexity(m, 2, beta))


@_row("stumps", 3)
def stumps(*, m, beta, empirical):
    """Relative deviation of decision stumps on two features: exact suprema"""
    return relative(empirical, complexity(m, 3, beta))
