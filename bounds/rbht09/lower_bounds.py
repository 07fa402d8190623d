"""Lower bounds for every private SVM: Rubinstein et al. 2009, Definition 4, Lemma 17 and Theorem 18.

Letters: `acc` is the paper's epsilon (sup-norm accuracy), `delta` the probability that a useful mechanism misses it
(the proofs' reading; Definition 2 prints the chance of success), `beta` a privacy level, `C`, `n`, `sigma` as printed.
f*_D is the hinge SVM on the database D, without an intercept. A *packing* is a set of databases, any two of them
neighbours, whose SVMs are pairwise more than 2 acc apart. `M` > `m` > 0
are the coordinates of Lemma 17's databases on the line. The stronger bound for the RBF kernel: `lower_bounds_rbf`.
"""

from math import ceil, exp, log, sqrt

import numpy as np

from lemmata.bounds.exact.numbers import Array, Real
from lemmata.bounds.theorem import in_unit_interval, integer, positive, require, theorem

SIZES = [positive("C"), integer("n", 2)]
LEVEL = r"\beta(\epsilon,\delta,C,n)\ge"
HALF = r"\log\frac{1-\delta}{\delta}"
MANY = r"\log\frac{(1-\delta)(N-1)}{\delta}"

# Definition 4 ---------------------------------------------------------------------------------------------------------


@theorem(
    "rbht09.def4",
    kind="definition",
    says=r"\beta(\epsilon,\delta,C,n,\ell,k)=\inf_{\hat M\in\mathcal{I}}\sup_{(D_1,D_2)\in\mathcal{D}}\sup_t"
    r"\log\frac{\Pr(\hat M(D_1)=t)}{\Pr(\hat M(D_2)=t)}",
)
def optimal_privacy(*, log_ratios: Array) -> float:
    """Optimal differential privacy of the SVM: the best level of a useful mechanism.

    `log_ratios` has a row for each mechanism of a finite list, a column for each pair of neighbours and response.

    >>> optimal_privacy(log_ratios=[[1.0, 3.0], [2.0, 0.5]])
    2.0
    """
    return float(np.max(log_ratios, axis=1).min())


@optimal_privacy.explicit(
    part="packing",
    kind="identity",
    says=r"\inf_{\hat M}\sup_{i\ne j,\,t}\log\frac{\Pr(\hat M(D_i)=t)}{\Pr(\hat M(D_j)=t)}=\max\{0," + MANY + r"\}",
    needs=[in_unit_interval("delta"), integer("N", 2)],
    source=", on N neighbouring databases whose SVMs are more than 2 epsilon apart",
)
def packing_level(*, delta: float, N: int) -> float:
    """The optimal privacy on a packing of databases, an equality.

    The heart of Theorems 18 and 20.

    Derivation. The N balls of radius acc around the SVMs are disjoint, and row i puts at least 1 - delta into ball i.
    If beta is the level, row 1 puts at least e^-beta (1 - delta) into each of the N - 1 other balls, and at most delta
    into all of them: (N - 1) (1 - delta) <= delta e^beta. Randomised response, which returns the own ball with
    probability 1 - delta and each other one with delta / (N - 1), attains it; above delta = (N - 1) / N the uniform
    choice does.

    >>> round(packing_level(delta=0.05, N=2), 4), packing_level(delta=0.9, N=5)
    (2.9444, 0.0)
    """
    return max(0.0, log_odds(delta, N))


def log_odds(delta: float, N: int = 2) -> float:
    """log((1 - delta) (N - 1) / delta), which is negative above delta = (N - 1) / N."""
    return log((1 - delta) * (N - 1) / delta)


# Lemma 17: two neighbouring databases, linear kernel ------------------------------------------------------------------

FAR = r"\exists D_1\sim D_2:\ \|f_1^\star-f_2^\star\|_\infty>2\epsilon"


@theorem("rbht09.lem17", kind="construction", says=r"0<\epsilon<\frac{\sqrt{C}}{2n}\ \Rightarrow\ " + FAR, needs=SIZES)
def line_accuracy(*, C: float, n: int) -> float:
    """Up to this epsilon, neighbouring linear SVMs can be 2 epsilon apart at x = 1.

    The proof ends in "= 2 epsilon" at x = 1, where more than that is claimed; because the range is open, the same
    construction for a slightly larger epsilon gives it. Its rows lie in [-1 / sqrt(C), 1 / sqrt(C)].

    >>> line_accuracy(C=4.0, n=10)
    0.1
    """
    return sqrt(C) / (2 * n)


@line_accuracy.explicit(
    says=r"\max_{D_1\sim D_2\subset\mathbb{R}}|f_1^\star(1)-f_2^\star(1)|=\sqrt{C}\,\frac{n+1}{n}"
    r",\quad\epsilon<\frac{\sqrt{C}(n+1)}{2n}\ \Leftrightarrow\ \exists D_1\sim D_2:\ "
    r"|f_1^\star(1)-f_2^\star(1)|>2\epsilon",
    source=", with the farthest neighbours on the line, at x = 1 as its proof",
)
def line_accuracy_sharp(*, C: float, n: int) -> float:
    """Half the largest distance of two neighbouring linear SVMs at x = 1.

    Derivation. Attained: n rows at 1 / sqrt(C) with label +1 have w = sqrt(C); with x_n = -n / sqrt(C) instead, w =
    -sqrt(C) / n. Largest: let s(w) = w - (C / n) sum_{i<n} v_i 1[v_i w < 1] with v_i = y_i x_i, which grows at least as
    fast as w. A solution a > 0 has s(a) <= C / (n a), because the last row pulls only while v_n a <= 1; a solution -b <
    0 has s(-b) >= -C / (n b). Subtract: a + b <= (C / n) (1 / a + 1 / b), so a b <= C / n. Every solution is at most
    sqrt(C) in size, and a + b on {a b <= C / n, a, b <= sqrt(C)} is largest at a corner, sqrt(C) + sqrt(C) / n. Two
    solutions of one sign differ by at most sqrt(C).

    >>> line_accuracy_sharp(C=4.0, n=10)
    1.1
    """
    return sqrt(C) * (n + 1) / (2 * n)


@line_accuracy.explicit(
    part="region",
    says=r"\mathcal{M}=[-R,R]\supset D_1,D_2,\ 0<\epsilon<\frac{\min\{CR^2,\sqrt{C}R\}}{n}\ \Rightarrow\ "
    + FAR.replace(r"\infty", r"{\infty;\mathcal{M}}"),
    needs=[*SIZES, positive("R")],
    source=", over a bounded set that contains the data",
)
def region_accuracy(*, C: float, n: int, R: float) -> float:
    """Up to this epsilon, neighbouring linear SVMs can be 2 epsilon apart on [-R, R].

    All rows at x = min(R, 1 / sqrt(C)) with label +1: every margin is at most 1, so w = C x, and one flipped label
    moves it by 2 C x / n; the distance at R is 2 C x R / n. For C R^2 <= 1 no neighbours are farther apart, because
    Lemma 21's sharp sensitivity at kappa = R is 2 C R / n.

    >>> region_accuracy(C=0.01, n=2, R=1.0), line_accuracy(C=0.01, n=2)
    (0.005, 0.025)
    """
    return min(C * R**2, sqrt(C) * R) / n


# Lemma 17: the steps of its proof -------------------------------------------------------------------------------------

POINTS = [*SIZES, positive("M"), positive("m"), require("0 < m < M", lambda m, M: 0 < m < M)]
FLAT = require("C (M n - m) / n < 1 / M", lambda C, n, M, m: C * (M * n - m) / n * M < 1)


@theorem(
    "rbht09.lem17.s1",
    kind="identity",
    says=r"\frac{C(M(n-2)+m)}{n}<\frac1M\ \Rightarrow\ w_1^\star=\frac{C(M(n-2)+m)}{n}",
    needs=[*POINTS, require("C (M (n - 2) + m) / n < 1 / M", lambda C, n, M, m: C * (M * (n - 2) + m) / n * M < 1)],
)
def first_weight(*, C: Real, n: int, M: Real, m: Real) -> Real:
    """The linear SVM of the database on the line whose last row has label -1.

    All rows are active; the last row is at M - m.

    Derivation. Where all rows are active the optimality condition is w = (C/n) sum_i y_i x_i = (C/n) ((n - 1) M - (M -
    m)) = (C/n) (M (n - 2) + m); and they are, since w M < 1 is the hypothesis and the last margin is negative.
    """
    return C * (M * (n - 2) + m) / n


@theorem(
    "rbht09.lem17.s2",
    kind="identity",
    says=r"\frac{C(Mn-m)}{n}<\frac1M\ \Rightarrow\ w_2^\star=\frac{C(Mn-m)}{n}",
    needs=[*POINTS, FLAT],
)
def second_weight(*, C: Real, n: int, M: Real, m: Real) -> Real:
    """The linear SVM of the database on the line whose last row has label +1.

    Derivation. Where all rows are active the optimality condition is w = (C/n) sum_i y_i x_i = (C/n) ((n - 1) M + M -
    m) = (C/n) (M n - m); and they are, since w M < 1 is the hypothesis and M - m < M.
    """
    return C * (M * n - m) / n


@theorem(
    "rbht09.lem17.s3",
    kind="identity",
    says=r"\frac{C(Mn-m)}{n}=\max\left\{\frac{C(M(n-2)+m)}{n},\frac{C(Mn-m)}{n}\right\}",
    needs=POINTS,
)
def larger_weight(*, C: Real, n: int, M: Real, m: Real) -> Real:
    """The second of the two linear SVMs is the larger, by 2 (M - m) C / n."""
    return C * (M * n - m) / n


@theorem("rbht09.lem17.s4", kind="identity", says=r"|w_1^\star-w_2^\star|=\frac{2C}{n}|M-m|", needs=[*POINTS, FLAT])
def line_distance(*, C: Real, n: int, M: Real, m: Real) -> Real:
    """The two linear SVMs are this far apart at x = 1."""
    return 2 * C / n * (M - m)


@theorem(
    "rbht09.lem17.s5",
    kind="identity",
    says=r"M=\frac{2n\epsilon}{C},\ m=\frac{n\epsilon}{C},\ \epsilon<\frac{\sqrt{C}}{2n}\ \Rightarrow\ "
    r"\frac{C(Mn-m)}{n}<\frac1M,\ |f_1^\star(1)-f_2^\star(1)|=2\epsilon",
    needs=[*SIZES, positive("acc"), require("acc < sqrt(C) / (2 n)", lambda acc, C, n: (2 * n * acc) ** 2 < C)],
)
def coordinates(*, acc: Real, C: Real, n: int) -> tuple[Real, Real]:
    """The coordinates (M, m) at which the two linear SVMs are 2 acc apart at x = 1.

    Then M (M n - m) C / n = 2 n (2 n - 1) acc^2 / C < 1.
    """
    return 2 * n * acc / C, n * acc / C


# Theorem 18 -----------------------------------------------------------------------------------------------------------

SMALL = require("0 < acc < sqrt(C) / (2 n)", lambda acc, C, n: 0 < acc < line_accuracy(C=C, n=n))
LINE = [in_unit_interval("delta"), *SIZES, SMALL]
ON_LINE = r"0<\epsilon<\frac{\sqrt{C}}{2n}\ \Rightarrow\ "


@theorem(
    "rbht09.thm18",
    part="defined",
    kind="privacy",
    says=ON_LINE + LEVEL + HALF + r",\quad\Pr\left(\|\hat f-f^\star\|_\infty\le\epsilon\right)\ge\delta",
    needs=LINE,
    source=", with Definition 2 as printed",
)
def line_level_defined(*, delta: float, acc: float, C: float, n: int) -> float:
    """No mechanism useful by Definition 2 is more private than this on the line.

    False below delta = 1 / (2 n + 1): a uniform choice among 2 n + 1 constants, which ignores the data, is that useful.
    """
    return log_odds(delta)


@theorem(
    "rbht09.thm18",
    part="used",
    kind="privacy",
    says=ON_LINE + LEVEL + HALF + r",\quad\Pr\left(\|\hat f-f^\star\|_\infty\le\epsilon\right)\ge1-\delta",
    needs=LINE,
    source=", as its proof uses Definition 2, for databases on the whole line",
)
def line_level(*, delta: float, acc: float, C: float, n: int) -> float:
    """No useful mechanism for the linear SVM on the line is more private than this.

    The printed level at a chance delta of failure: Lemma 17 has a packing of N = 2 for every acc < sqrt(C) / (2 n),
    also if the norm counts x = 1 only, and `packing_level` at N = 2 is the bound.

    >>> round(line_level(delta=0.05, acc=0.01, C=1.0, n=10), 4)
    2.9444
    """
    return line_level_defined.theorem.formula(delta=delta, acc=acc, C=C, n=n)


@line_level.explicit(
    part="packing",
    says=r"0<\epsilon<\frac{\sqrt{C}(n+1)}{2n}\ \Rightarrow\ "
    + LEVEL
    + MANY
    + r",\quad N=\left\lceil\frac{\sqrt{C}(n+1)}{2n\epsilon}\right\rceil",
    needs=[
        in_unit_interval("delta"),
        *SIZES,
        require("0 < acc < sqrt(C) (n + 1) / (2 n)", lambda acc, C, n: 0 < acc < line_accuracy_sharp(C=C, n=n)),
    ],
    source=", with many databases and the whole range",
)
def line_packing_level(*, delta: float, acc: float, C: float, n: int) -> float:
    """No useful mechanism for the linear SVM is more private than this (a packing).

    Unbounded as the accuracy goes to zero, and with n + 1 times Theorem 18's range of accuracies.

    n - 1 rows at 1 / sqrt(C) with label +1; a last row v = y x moves w to any point of [-sqrt(C) / n, sqrt(C)], with
    v = (n / C) (w - sqrt(C) (n - 1) / n). N points of it are pairwise more than 2 acc apart when N - 1 steps of 2 acc
    are less than its length.

    >>> round(line_packing_level(delta=0.05, acc=0.04, C=1.0, n=10), 3)
    5.509
    """
    return log_odds(delta, N=ceil(line_accuracy_sharp(C=C, n=n) / acc))


@theorem(
    "rbht09.thm18",
    part="region",
    kind="privacy",
    says=ON_LINE + LEVEL + HALF + r",\quad\|\cdot\|_{\infty;\mathcal{M}},\ \mathcal{M}=[-R,R]\supset D",
    needs=[*LINE, positive("R")],
    source=", with the sup-norm over a bounded set that contains the data (Section 2)",
)
def region_level(*, delta: float, acc: float, C: float, n: int, R: float) -> float:
    """No useful linear SVM mechanism over a bounded set is more private than this.

    False for small sets: on [-1, 1] every SVM is at most C in size, so for C < 1 / (4 n^2) the zero function, which
    ignores the data, is within acc of all of them for some acc in the printed range.
    """
    return log_odds(delta)


@region_level.corrected(
    says=r"0<\epsilon<\frac{\min\{CR^2,\sqrt{C}R\}}{n}\ \Rightarrow\ " + LEVEL + HALF,
    needs=[
        in_unit_interval("delta"),
        *SIZES,
        positive("R"),
        require("0 < acc < min(C R^2, sqrt(C) R) / n", lambda acc, C, n, R: 0 < acc < region_accuracy(C=C, n=n, R=R)),
    ],
    source=", with the range that a set of radius R allows",
)
def region_level_corrected(*, delta: float, acc: float, C: float, n: int, R: float) -> float:
    """No useful mechanism for the linear SVM on [-R, R] is more private than this.

    Theorem 18 there: Lemma 17, and a packing of N = 2. At R = 1 and C >= 1/4 it covers the printed range.

    >>> round(region_level_corrected(delta=0.05, acc=0.09, C=1.0, n=10, R=1.0), 4)
    2.9444
    """
    return region_level.theorem.formula(delta=delta, acc=acc, C=C, n=n, R=R)


@theorem(
    "rbht09.thm18",
    part="words",
    kind="privacy",
    says=r"\epsilon<\frac{\sqrt{C}}{2n},\ \beta\text{-private}\ \Rightarrow\ \delta\ge e^{-\beta}",
    needs=[positive("beta")],
    source=", 'in other words'",
)
def least_failure(*, beta: float) -> float:
    """A beta-private mechanism fails with at least this chance, by the second sentence.

    Not the first sentence solved for delta, which is 1 / (1 + e^beta), and false.
    """
    return exp(-beta)


@least_failure.corrected(
    says=r"\epsilon<\frac{\sqrt{C}}{2n},\ \beta\text{-private}\ \Rightarrow\ \delta\ge\frac{1}{1+e^{\beta}}",
    source=", 'in other words', solved",
)
def least_failure_corrected(*, beta: float) -> float:
    """A beta-private mechanism fails with at least this chance, by the first sentence.

    log((1 - delta) / delta) <= beta.

    Attained for n = 2 over [-1, 1] at acc = C / 2 (inside the printed range for C < 1/4): randomised response between
    the two halves of [-C, C].

    >>> round(least_failure_corrected(beta=1.0), 4)
    0.2689
    """
    return 1 / (1 + exp(beta))


# Theorem 18: the steps of its proof -----------------------------------------------------------------------------------

WRONG = r"\Pr(\hat f_2\in\mathcal{B}_\epsilon(f_1^\star))\le\Pr(\hat f_2\notin\mathcal{B}_\epsilon(f_2^\star))"


@theorem("rbht09.thm18.s2", says=WRONG + r"<\delta", needs=[in_unit_interval("delta")], source=", proof, (6.2)")
def wrong_ball_strict(*, delta: Real) -> Real:
    """The ball around the other SVM has probability less than delta, as printed.

    Usefulness gives at most delta, not less.
    """
    return delta


@wrong_ball_strict.corrected(says=WRONG + r"\le\delta", source=", proof, (6.2), not strict")
def wrong_ball(*, delta: Real) -> Real:
    """The ball around the other database's SVM has probability at most delta.

    Derivation. The balls around f_1* and f_2* are disjoint, so f^_2 in the ball of f_1* is part of the event that f^_2
    is not in the ball of f_2*, which has probability <= delta by the accuracy that is asked for.
    """
    return wrong_ball_strict.theorem.formula(delta=delta)


@theorem(
    "rbht09.thm18.s3",
    says=r"\mathbb{E}_{T\sim\mathcal{P}_1}\left[\frac{d\mathcal{P}_2(T)}{d\mathcal{P}_1(T)}\,\middle|\,"
    r"T\in\mathcal{B}_\epsilon(f_1^\star)\right]\le\frac{\delta}{1-\delta}",
    needs=[in_unit_interval("delta")],
)
def mean_ratio(*, delta: Real) -> Real:
    """The mean likelihood ratio on a ball is the ratio of its two probabilities.

    P_2(ball) / P_1(ball), where P_1 vanishes nowhere that P_2 does not.
    """
    return delta / (1 - delta)
