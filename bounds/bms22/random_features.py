r"""Theorem 4.1 of Bassily, Mohri & Suresh (2022): random Fourier features on m points.

A kernel K(x, x') = r^2 K_bar(x - x') is approximated by the inner products of

    psi(x) = r / sqrt(D) (cos <omega_1, x>, sin <omega_1, x>, ..., cos <omega_D, x>, sin <omega_D, x>),

omega_1..omega_D independent with law P, K_bar(z) = E cos <omega, z>. The kernels and their spectral laws are in
`lemmata.bounds.rbht09.kernel_spectra`, the comparison on a compact set in `lemmata.bounds.rbht09.random_features`.
"""

from typing import Any

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.exact.numbers import Number, exp, log, sqrt
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

# Theorem 4.1 ----------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm4.1",
    part="norm",
    kind="identity",
    says=r"\Pr\left[\forall x\in\mathcal{X}:\ \|\hat{\psi}(x)\|_2=r\right]=1",
    needs=[positive("radius")],
    source=", first assertion; psi is Equation 2",
)
def feature_norm(*, radius: float) -> float:
    """The Euclidean norm of the random features of x is r.

    This holds for every x and every draw of the frequencies.

    D pairs with squared norm r^2/D (cos^2 + sin^2) = r^2/D each.

    Derivation. psi(x) has D pairs (r/sqrt D) (cos <omega, x>, sin <omega, x>), each of squared norm (r^2/D) (cos^2 +
    sin^2) = r^2/D; all D of them make r^2, whatever omega and x are.
    """
    return radius


@theorem(
    "bms22.thm4.1",
    part="inner-products",
    kind="tail",
    says=r"\Pr\left[\forall i\ne j:\ |\langle\hat{\psi}(x_i),\hat{\psi}(x_j)\rangle-K(x_i,x_j)|"
    r"\le 2r^2\sqrt{\frac{\log(m/\beta)}{D}}\right]\ge 1-\beta",
    needs=[integer("m"), in_unit_interval("beta"), integer("count"), positive("radius")],
    source=", second assertion",
)
def inner_product_error(*, m: int, beta: Number, count: int, radius: float = 1.0) -> Any:
    """Error of random features on all pairs of m points at once, as printed.

    It is the distance of the inner products from the kernel.

    The error is 2 r^2 sqrt(log(m / beta) / D), in units of the kernel, and D is `count`. It holds with room to spare:
    with t = 2 sqrt(log(m/beta)/D) one pair fails with probability at most 2 exp(-D t^2 / 2) = 2 (beta/m)^2 (step s2),
    and there are m (m-1)/2 unordered pairs, so the failure probability is at most beta^2 (m-1)/m < beta, for every m >=
    1, beta in (0, 1), D >= 1 and every kernel and points.

    >>> round(float(inner_product_error(m=20, beta=0.05, count=100)), 3)
    0.49
    """
    return 2 * radius**2 * sqrt(log(m / beta) / count)


@inner_product_error.explicit(
    says=r"\Pr\left[\forall i\ne j:\ |\langle\hat{\psi}(x_i),\hat{\psi}(x_j)\rangle-K(x_i,x_j)|"
    r"\le r^2\sqrt{\frac{2\log(m(m-1)/\beta)}{D}}\right]\ge 1-\beta",
    needs=[integer("m", 2), in_unit_interval("beta"), integer("count"), positive("radius")],
    source=", the same proof with its constants kept",
)
def inner_product_error_sharp(*, m: int, beta: Number, count: int, radius: float = 1.0) -> Any:
    """Error of random features on all pairs, by Hoeffding and the union bound.

    The bound uses no other property of the features.

    The error is r^2 sqrt(2 log(m (m-1) / beta) / D): the union bound m (m-1)/2 * 2 exp(-D t^2/2) then equals beta. The
    squares of the two errors differ by 2 r^4 (log(1/beta) + log(m/(m-1))) / D > 0.

    >>> round(float(inner_product_error_sharp(m=20, beta=0.05, count=100)), 3)
    0.423
    """
    return radius**2 * sqrt(2 * log(m * (m - 1) / beta) / count)


@theorem(
    "bms22.thm4.1.s1",
    kind="identity",
    says=r"\mathbb{E}_{\omega_1,\ldots,\omega_D}\left[\langle\hat{\psi}(x_i),\hat{\psi}(x_j)\rangle\right]"
    r"=r^2\,\mathbb{E}\cos\langle\omega,x_i-x_j\rangle=K(x_i,x_j)",
    needs=[positive("radius")],
)
def mean_inner_product(*, mean_cosine: Any, radius: float = 1.0) -> Any:
    """The mean of the inner product of two random features is the kernel.

    Derivation. <psi(x), psi(x')> = (r^2/D) sum_l cos <omega_l, x - x'>, since cos a cos b + sin a sin b = cos(a - b);
    each term has mean r^2 E cos <omega, x - x'> = r^2 K_bar(x - x') by Bochner's theorem (the law is symmetric where K
    is real). `mean_cosine` is that expectation.
    """
    return radius**2 * mean_cosine


@theorem(
    "bms22.thm4.1.s2",
    kind="tail",
    says=r"\Pr\left[|\langle\hat{\psi}(x_i),\hat{\psi}(x_j)\rangle-K(x_i,x_j)|\ge r^2t\right]\le 2e^{-Dt^2/2}",
    needs=[integer("count"), at_least("t", 0)],
    source=", proof: Hoeffding's bound",
)
def one_pair_tail(*, count: float, t: Number) -> Any:
    """Hoeffding's tail 2 exp(-D t^2/2) for the mean of D terms in [-1, 1].

    Derivation. Hoeffding's lemma: for a term c in [-1, 1] the log-mgf L of c - E c has L(0) = L'(0) = 0 and L'' = the
    variance of a law on [-1, 1] <= 1, so L(s) <= s^2/2; Markov at s = t, both signs.
    """
    return 2 * exp(-count * t**2 / 2)


@theorem(
    "bms22.thm4.1.s3",
    kind="tail",
    says=r"\binom{m}{2}\cdot 2\exp\left(-\frac{D}{2}\cdot\frac{4\log(m/\beta)}{D}\right)"
    r"=\beta^2\,\frac{m-1}{m}\le\beta",
    needs=[integer("m"), in_unit_interval("beta")],
    source=", proof: union bound over about m^2 pairs",
)
def all_pairs_tail(*, m: int, beta: Number) -> Number:
    """The probability that some pair of m points exceeds the printed error.

    It is at most beta^2 (m-1)/m, over unordered pairs.

    With m^2 pairs, as the proof's words have it, it would be 2 beta^2, too much above beta = 1/2; there are half of
    m (m-1) pairs, because the error of (i, j) is that of (j, i).

    Derivation. There are m (m - 1)/2 unordered pairs, and each fails with probability at most 2 exp(-(D/2) 4
    log(m/beta)/D) = 2 (beta/m)^2: in all beta^2 (m - 1)/m <= beta^2 <= beta.
    """
    return beta**2 * (m - 1) / m


# Section 4: Fastfood --------------------------------------------------------------------------------------------------


@theorem(
    "bms22.thm4.1.fastfood",
    kind="rate",
    says=r"[\mathrm{LSS13}]:\ O((m+d)\log d)\ \mathrm{instead\ of}\ O(md)",
    needs=[integer("m"), integer("d", 2)],
    source=f"{BMS22}, Section 4, further extensions, at the D of Algorithm 3",
)
def fastfood_order(*, m: int, d: int) -> float:
    """Order of the time of the fast features of one record, as printed.

    m is the size of the sample.

    >>> round(fastfood_order(m=100, d=1000), 1)
    7598.5
    """
    return float((m + d) * log(d))


@fastfood_order.corrected(
    says=r"[\mathrm{LSS13}]:\ O((D+d)\log d)\ \mathrm{operations\ for\ the}\ D\ \mathrm{features\ of\ a\ record}",
    needs=[integer("count"), integer("d", 2)],
    source=f"{BMS22}, Section 4, further extensions, with the number of features for the size of the sample",
)
def fastfood_order_of_features(*, count: int, d: int) -> float:
    """Order of the time of the fast features of one record, corrected.

    It is an order in the number of features.

    For `count` features the operations are at most 8.2 of these.

    Derivation. A block has width h, the power of 2 with d <= h <= 2(d - 1) (h = 2 at d = 2), and costs 2 h log2 h sums
    and 3h products; there are ceil(D/h) <= (D + h - 1)/h blocks. So the operations are at most (D + h - 1)(2 log2 h +
    3). Where d = h this is below (D + d)(2 log2 d + 3), and (2 log2 d + 3)/log d <= 5/log 2 < 7.3. Elsewhere d <= h -
    1, so that over (D + d) log d it is at most (h/(1 + d)) (2 log2 h + 3)/log d, at D = 1; and at d = 2^j + 1, where h
    = 2(d - 1) = 2^(j+1) and this is largest, it is below (4 + 10/j)/log 2, less than 8.2 from j = 6 on. Up to there it
    is computed.
    """
    return float((count + d) * log(d))


# Section 4: Bochner's theorem -----------------------------------------------------------------------------------------

BOCHNER = (
    r"\exists P:\ \bar K(z)=\mathbb{E}_{\omega\sim P}\cos\langle\omega,z\rangle,\quad \mathrm{so}"
    r"\ 1-\bar K(2z)\le 4(1-\bar K(z))"
)
WHOLE = require("K is defined on all of R^d", lambda whole: whole)


@theorem(
    "bms22.thm4.1.bochner",
    says=r"K\succeq 0\ \mathrm{on}\ \mathcal{X}\ \Rightarrow\ " + BOCHNER,
    needs=[require("-1 <= K-bar(z) <= 1", lambda kernel: -1 <= kernel <= 1)],
    source=f"{BMS22}, Section 4: since K is positive-definite, K-bar is the Fourier transform of a distribution",
)
def doubled_gap(*, kernel: float, whole: bool) -> float:
    """What 1 - K_bar(2z) is at most if K_bar is the Fourier transform of a probability distribution.

    `kernel` is K_bar(z), and `whole` says whether K is defined on all of R^d, as Bochner's theorem asks, or on a proper
    subset only.

    Derivation. 1 - cos(2t) = 2 sin^2(t) = 2 (1 - cos t)(1 + cos t) <= 4 (1 - cos t); take the mean at t = <omega, z>.
    """
    return 4 * (1 - kernel)


doubled_gap_on_space = doubled_gap.corrected(
    says=r"K\succeq 0\ \mathrm{on}\ \mathbb{R}^d\ \Rightarrow\ " + BOCHNER,
    needs=[*doubled_gap.theorem.needs, WHOLE],
    source=f"{BMS22}, Section 4, for kernels on all of R^d",
)(doubled_gap.theorem.formula)


@theorem(
    "bms22.thm4.1.bochner",
    part="domain",
    kind="identity",
    says=r"\bar K(0)=\int_{\mathcal{X}}P_{\bar K}(\omega)\,d\omega",
    needs=[positive("share")],
    source=f"{BMS22}, Section 4, the display of Bochner's theorem, at z = 0",
)
def mass_on_the_records(*, share: float) -> float:
    """K_bar(0) by the printed integral: the share of the frequencies that lie in X, the domain of the records."""
    return share


@mass_on_the_records.corrected(says=r"\bar K(0)=\int_{\mathbb{R}^d}P_{\bar K}(\omega)\,d\omega=1", needs=[])
def mass_on_space() -> float:
    """K_bar(0) by the integral over all frequencies.

    Derivation. P is a probability distribution on R^d, the space of the frequencies, so its mass is 1; and K(x, x) =
    r^2 says that K_bar(0) = 1.
    """
    return 1.0
