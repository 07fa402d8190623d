"""Lemma A.4 of Bassily, Mohri & Suresh (2022): the fast Johnson-Lindenstrauss embedding.

Phi = sqrt(D/k) S H diag(s): random signs, a Hadamard transform, k coordinates drawn with replacement
(`lemmata.mechanisms.features.fast_projection`). The printed k does not contain the dimension; a moment argument shows
why it need not.
"""

from math import ceil, e, exp, log, sqrt

from lemmata.bounds.bms22.sign_projection import PRESERVED, SETTING
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, require, theorem

CONSTANT = 48_600  # c of Lemma A.4, certified in experiments.bms22.fast_projection
STEPS = 4  # c' of Lemma A.4


@theorem(
    "bms22.lemA.4",
    part="embedding",
    kind="tail",
    says=r"k=\frac{c\log(m/\beta)\log(m/(\gamma\beta))}{\gamma^2}:\quad " + PRESERVED,
    needs=SETTING,
    source=", (6) and (7)",
)
def fast_projection_order(*, m: int, gamma: float, beta: float) -> float:
    """The order of rows of a fast projection that keeps inner products: log(m/beta) log(m/(gamma beta)) / gamma^2.

    "c sufficiently large" has no number; the rows are c g rounded up.
    """
    logs = log(m) - log(beta)
    return logs * (logs - log(gamma)) / gamma**2


@theorem(
    "bms22.lemA.4",
    part="time",
    says=r"\mathrm{time}(v\mapsto\Phi v)\le c'd\log d+c'k",
    needs=[integer("d"), integer("k")],
)
def fast_projection_time(*, d: int, k: int) -> float:
    """The order of the operations of applying the fast projection once: d log d + k.

    Derivation. One application costs D (log2 D + 1) + k operations, D < 2d the padded length, which is at most d (2
    log2 d + 4) + k. That is at most 4 d log d + k = 2.77 d log2 d + k as soon as log2 d >= 4/0.77, d <= 4097 is
    enumerated by the check, and d = 1 costs 1 + k <= 4k.
    """
    return d * log(d) + k


def fast_projection_operations(d: int, k: int) -> int:
    """Operations of `FastProjection.apply` (`features.fast_projection`) on one vector, D >= d the power of two.

    D signs, log2 D rounds of D/2 butterflies, a sum and a difference each, and k scalings.

    >>> fast_projection_operations(5, 3)
    35
    """
    levels = (int(d) - 1).bit_length()
    return (levels + 1) * 2**levels + k


@fast_projection_order.explicit(
    says=r"k\ge\frac{36e^3(1+\gamma/(3e))(p-1)(q-1)}{\gamma^2},\ p=\max(2,\log(m^2/\beta)),\ q=\max(2p,2\log k):\quad "
    + PRESERVED,
    needs=[*SETTING, require("d a whole number >= 1, or None", lambda d: d is None or d == int(d) >= 1)],
    source=", our constants, by moments",
)
def fast_projection_rows(*, m: int, gamma: float, beta: float, d: int | None = None) -> int:
    """Rows k of the fast projection that keep norms and inner products of any m points in R^d.

    The smaller of two numbers (`failure_by_moments`, `failure_of_flat_points`), with t = gamma/3 and the m^2 vectors of
    Lemma A.3; the second one for a given d only.

    >>> fast_projection_rows(m=100, gamma=0.9, beta=0.1), fast_projection_rows(m=100, gamma=0.9, beta=0.1, d=1024)
    (248492, 17054)
    """
    p = max(2.0, 2 * log(m) - log(beta))
    scale = 36 * e**3 * (1 + gamma / (3 * e)) * (p - 1) / gamma**2
    k = 1
    while k < (needed := ceil(scale * (max(2 * p, 2 * log(k)) - 1))):
        k = needed
    if d is None:
        return k
    width = 1 << (int(d) - 1).bit_length()
    spread = 2 * (log(4 * width * m**2) - log(beta))
    return min(k, ceil(27 * spread * (log(4 * m**2) - log(beta)) / gamma**2))


def failure_by_moments(*, m: int, gamma: float, beta: float, k: int) -> float:
    """m^2 (||Y - 1||_p / t)^p at p = max(2, log(m^2/beta)), at most beta: Markov for the moment of step s1.

    The moment is t/e at the explicit k, which leaves e^{-p} a vector.
    """
    p = max(2.0, 2 * log(m) - log(beta))
    return exp(2 * log(m) + p * log(fast_projection_moment(k=k, p=p) / (gamma / 3)))


def failure_of_flat_points(*, m: int, gamma: float, beta: float, k: int, d: int) -> float:
    """m^2 (2 D e^{-R/2} + 2 e^{-k t^2/(3R)}), at most beta, for D the power of two above d and R = 2 log(4 D m^2/beta).

    All D coordinates z of all vectors satisfy z^2 <= R except with half of it, and then a mean of k independent values
    in [0, R] with mean 1 leaves [1 - t, 1 + t] with the other half, by Chernoff's bound.
    """
    width = 1 << (int(d) - 1).bit_length()
    R = 2 * (log(4 * width * m**2) - log(beta))
    return m**2 * (2 * width * exp(-R / 2) + 2 * exp(-k * (gamma / 3) ** 2 / (3 * R)))


@theorem(
    "bms22.lemA.4.s1",
    reading="explicit",
    says=r"\left\|\,\|\Phi x\|_2^2-1\right\|_p\le\frac{a^2+\sqrt{a^4+4a^2}}{2},\quad "
    r"a^2=\frac{4e(p-1)(q-1)}{k},\ q=\max(2p,2\log k)",
    needs=[integer("k"), at_least("p", 2)],
    source="our reconstruction of what the lemma cites from Nelson's notes",
)
def fast_projection_moment(*, k: int, p: float) -> float:
    """The p-th moment of a fast projection's distortion of one unit vector is bounded without the dimension.

    Derivation. z = sqrt(D) H diag(s) x has entries that are Rademacher sums with variance 1; given s, Y = ||Phi x||^2
    is the mean of z_j^2 over k independent coordinates, each with mean ||x||^2 = 1. With ||.||_p the L_p norm and p >=
    2,

    ||Y - 1||_p <= (2/k) || sum_j s_j z_j^2 ||_p                       symmetrisation
                <= (2 sqrt(p-1)/k) || (sum_j z_j^4)^{1/2} ||_p         Khintchine, hypercontractive constant
                <= (2 sqrt(p-1)/sqrt(k)) ||max |z_j| ||_{2p} ||Y||_p^{1/2}   sum z^4 <= max z^2 * k Y, Cauchy-Schwarz
    ||max_j |z_j| ||_{2p} <= (k E|z|^q)^{1/q} <= sqrt(e) sqrt(q-1)        q = max(2p, 2 log k)

    so E = ||Y - 1||_p satisfies E^2 <= a^2 (1 + E), whose largest root is returned.
    """
    q = max(2 * p, 2 * log(k))
    a2 = 4 * e * (p - 1) * (q - 1) / k
    return (a2 + sqrt(a2**2 + 4 * a2)) / 2


@theorem(
    "bms22.lemA.4.s2",
    reading="explicit",
    kind="construction",
    says=r"\Pr\left[1-\frac{\gamma}{3}\le N^2\le 1+\frac{\gamma}{3}\right]\ge 0.118\,\gamma,\ N\sim\mathcal{N}(0,1)",
    needs=[in_unit_interval("gamma")],
    source="ours: the corner m = 1, beta > 1/2 of Lemma A.4",
)
def one_gaussian_row(*, gamma: float) -> float:
    """A single Gaussian row keeps the length of one vector with probability at least 0.118 gamma.

    Derivation. The window has length 2 gamma/3, and the density of N^2 decreases: in it, it is at least that at 4/3,
    0.1773, so the chance is at least 0.1773 * 2 gamma/3 >= 0.118 gamma.

    For m = 1 and s = 1 - beta < 1/2 the printed k = c g >= c s^2/gamma^2 may round up to a single row, where no sign
    matrix works (cf. Lemma A.3). But Lemma A.4 lets us choose the law of Phi. If s <= 0.118 gamma: one row of d
    Gaussians, the others zero; the density of N^2 on [1 - gamma/3, 1 + gamma/3] is at least 0.177. Otherwise k >=
    c 0.118^2 >= 32 rows: the fast projection times V^{-1/2}, V uniform on [1 - w, 1 + w], w = sqrt(8/k) <= 1/2. The
    variance of ||Phi x||^2 is at most 2/k, so by Chebyshev it lands in the window with probability at least
    (3/4) min(1, gamma/(12 w)) >= s once c >= 2048. Both laws are oblivious and within the time of the lemma.
    """
    return 0.118 * gamma
