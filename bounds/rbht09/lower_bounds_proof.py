"""The steps of the proofs of Lemma 17 and Theorem 18 of Rubinstein et al. 2009, in their order.

Letters as in `bounds.rbht09.lower_bounds`; `M` > `m` > 0 are the coordinates of Lemma 17's databases on the line.
"""

from __future__ import annotations

from bounds.exact.numbers import Real
from bounds.rbht09.lower_bounds import SIZES
from bounds.theorem import in_unit_interval, positive, require, theorem

LINE = [*SIZES, positive("M"), positive("m"), require("0 < m < M", lambda m, M: 0 < m < M)]
FLAT = require("C (M n - m) / n < 1 / M", lambda C, n, M, m: C * (M * n - m) / n * M < 1)

# Lemma 17 -------------------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.lem17.s1",
    kind="identity",
    says=r"\frac{C(M(n-2)+m)}{n}<\frac1M\ \Rightarrow\ w_1^\star=\frac{C(M(n-2)+m)}{n}",
    needs=[*LINE, require("C (M (n - 2) + m) / n < 1 / M", lambda C, n, M, m: C * (M * (n - 2) + m) / n * M < 1)],
)
def first_weight(*, C: Real, n: int, M: Real, m: Real) -> Real:
    """The SVM of the database whose last row, at M - m, has label -1: all rows are active."""
    return C * (M * (n - 2) + m) / n


@theorem(
    "rbht09.lem17.s2",
    kind="identity",
    says=r"\frac{C(Mn-m)}{n}<\frac1M\ \Rightarrow\ w_2^\star=\frac{C(Mn-m)}{n}",
    needs=[*LINE, FLAT],
)
def second_weight(*, C: Real, n: int, M: Real, m: Real) -> Real:
    """The SVM of the database whose last row has label +1."""
    return C * (M * n - m) / n


@theorem(
    "rbht09.lem17.s3",
    kind="identity",
    says=r"\frac{C(Mn-m)}{n}=\max\left\{\frac{C(M(n-2)+m)}{n},\frac{C(Mn-m)}{n}\right\}",
    needs=LINE,
)
def larger_weight(*, C: Real, n: int, M: Real, m: Real) -> Real:
    """The second of the two is the larger: they differ by 2 (M - m) C / n."""
    return C * (M * n - m) / n


@theorem(
    "rbht09.lem17.s4",
    kind="identity",
    says=r"|w_1^\star-w_2^\star|=\frac{2C}{n}|M-m|",
    needs=[*LINE, FLAT],
)
def line_distance(*, C: Real, n: int, M: Real, m: Real) -> Real:
    """How far the two SVMs are apart at x = 1."""
    return 2 * C / n * (M - m)


@theorem(
    "rbht09.lem17.s5",
    kind="identity",
    says=r"M=\frac{2n\epsilon}{C},\ m=\frac{n\epsilon}{C},\ \epsilon<\frac{\sqrt{C}}{2n}\ \Rightarrow\ "
    r"\frac{C(Mn-m)}{n}<\frac1M,\ |f_1^\star(1)-f_2^\star(1)|=2\epsilon",
    needs=[*SIZES, positive("acc"), require("acc < sqrt(C) / (2 n)", lambda acc, C, n: (2 * n * acc) ** 2 < C)],
)
def coordinates(*, acc: Real, C: Real, n: int) -> tuple[Real, Real]:
    """(M, m) for the accuracy acc: then M (M n - m) C / n = 2 n (2 n - 1) acc^2 / C < 1, and the distance is 2 acc."""
    return 2 * n * acc / C, n * acc / C


# Theorem 18 -----------------------------------------------------------------------------------------------------------

WRONG = r"\Pr(\hat f_2\in\mathcal{B}_\epsilon(f_1^\star))\le\Pr(\hat f_2\notin\mathcal{B}_\epsilon(f_2^\star))"


@theorem(
    "rbht09.thm18.s2",
    says=WRONG + r"<\delta",
    needs=[in_unit_interval("delta")],
    source=", proof, (6.2)",
)
def wrong_ball_strict(*, delta: Real) -> Real:
    """What the wrong ball gets, with the strict inequality printed: usefulness gives at most delta, not less."""
    return delta


@wrong_ball_strict.corrected(
    says=WRONG + r"\le\delta",
    source=", proof, (6.2), not strict",
)
def wrong_ball(*, delta: Real) -> Real:
    """What the wrong ball gets: the balls are disjoint, and all outside the own ball is at most delta."""
    return wrong_ball_strict.theorem.formula(delta=delta)


@theorem(
    "rbht09.thm18.s3",
    says=r"\mathbb{E}_{T\sim\mathcal{P}_1}\left[\frac{d\mathcal{P}_2(T)}{d\mathcal{P}_1(T)}\,\middle|\,"
    r"T\in\mathcal{B}_\epsilon(f_1^\star)\right]\le\frac{\delta}{1-\delta}",
    needs=[in_unit_interval("delta")],
)
def mean_ratio(*, delta: Real) -> Real:
    """The mean likelihood ratio on the ball is P_2(ball) / P_1(ball), where P_1 vanishes nowhere that P_2 does not."""
    return delta / (1 - delta)
