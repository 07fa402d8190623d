"""Remark 2.3 of Wang, Zhu & Wang (2025), applied: counts of all columns of a table, and releases planned as they come.

No statements of the paper: what `lemmata.mechanisms.column_ranges` rests on.
"""

from __future__ import annotations

from math import sqrt

from scipy.special import ndtr, ndtri

from lemmata.bounds.theorem import in_unit_interval, integer, positive
from lemmata.bounds.wzw25.gaussian_privacy import gaussian_mechanism_gdp, textbook_release

SOURCE = ", the Gaussian mechanism, on counts"


@textbook_release.explicit(
    part="counts",
    says=r"\Big(\#\{i:b(x_{ij})=k\}+h\left\lfloor\tfrac{\sigma\xi_{jk}}{h}\right\rceil\Big)_{j\le d,\,k}"
    r"\ \text{is}\ \frac{\sqrt{2d}}{\sigma}\text{-GDP},\quad h=2^{-q}\le1",
    needs=[integer("columns"), positive("sigma")],
    source=SOURCE,
)
def column_counts(*, columns: int, sigma: float) -> float:
    """Privacy of the noisy counts of every column of a table at once, in whatever bins: sqrt(2 d) / sigma.

    Derivation. (1) A record is in one bin of each of the d columns, by a function b of its own entries: float64 decides
    which, and may decide as it likes. (2) Replacing a record takes 1 from one count of each column and adds 1 to
    another, or to the same: the vector of all counts moves by at most sqrt(2 d) in the L2 norm. (3) Counts are whole,
    so they lie on every grid h = 2^-q <= 1: a count plus h round(sigma xi / h), xi exact, is count plus sigma xi,
    rounded to that grid: post-processing of a Gaussian mechanism (Remark 2.3), whose mu is sensitivity over sigma.
    Counts to 2^53 are exact in float64.

    >>> column_counts(columns=8, sigma=16.0)
    0.25
    """
    return gaussian_mechanism_gdp(sensitivity=sqrt(2 * columns), sigma=sigma)


@textbook_release.explicit(
    part="schedule",
    says=r"\mu_{t+1}=\mu_{t+1}(\text{releases }1..t),\ \sum_t\mu_t^2\le\mu^2\ \text{always}\ \Rightarrow\ "
    r"\text{power at level }\alpha\le\Phi(\Phi^{-1}(\alpha)+\mu)",
    needs=[positive("mu"), in_unit_interval("level")],
    source=", Gaussian releases whose budgets depend on those before; Smith & Thakurta 2022",
)
def scheduled_power(*, mu: float, level: float) -> float:
    """The power at `level` of the best test between neighbours, if each budget is chosen by what was released before.

    Derivation. Write G_r(a) = Phi(Phi^-1(a) + r), which is concave in a and grows with r. By induction from the last
    release to the first, a test of level a has power at most G_r(a) with r^2 what is left of mu^2. (1) After the last
    release the outcome is known: power is level, G_0. (2) The next release, of budget m <= r chosen by what is known,
    is a function of one draw of N(0, 1) or N(m, 1). Given its outcome x the test has level a(x), with mean a, and by
    induction power at most G_s(a(x)), s^2 = r^2 - m^2. (3) The mean of G_s(a(x)) under N(m, 1) is at most the power of
    a test, of level a, of the pair (N(0, 1), N(0, 1)) against (N(m, 1), N(s, 1)), which is that of N(0, 1) against
    N(r, 1): G_r(a). Whether there is another release is a choice of m = 0.

    >>> round(scheduled_power(mu=1.0, level=0.5), 5)
    0.84134
    """
    return float(ndtr(ndtri(level) + mu))
