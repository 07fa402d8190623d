"""Lemmas 1 and 2 and Theorem 3 of an invented paper. Lemma 2 is false."""

from math import log, sqrt

from lemmata.paper import in_unit_interval, integer, theorem


@theorem("lem1", says=r"\Pr[\mathrm{all}\ n\ \mathrm{heads}]\le 2^{-n}", needs=[integer("n")])
def all_heads(*, n: int) -> float:
    """The chance that n fair coins all show heads, Lemma 1."""
    return 0.5**n


@theorem("lem2", says=r"\sum_{i=1}^n(2i-1)\le n^2-1", needs=[integer("n")])
def odd_sum(*, n: int) -> int:
    """The bound on the sum of the first n odd numbers as printed, Lemma 2."""
    return n**2 - 1


@odd_sum.corrected(says=r"\sum_{i=1}^n(2i-1)\le n^2")
def odd_sum_corrected(*, n: int) -> int:
    """The sum of the first n odd numbers, Lemma 2 as it should read: the squares (i^2 - (i-1)^2 telescopes)."""
    return n**2


@theorem(
    "thm3",
    kind="tail",
    says=r"\Pr\left[\left|\frac1n\sum_i s_i\right|>\sqrt{\frac{2\log(2/\beta)}{n}}\right]\le\beta",
    needs=[integer("n"), in_unit_interval("beta")],
)
def deviation(*, n: int, beta: float) -> float:
    """How far the mean of n fair signs strays, with probability at most beta, Theorem 3 (Hoeffding)."""
    return sqrt(2 * log(2 / beta) / n)
