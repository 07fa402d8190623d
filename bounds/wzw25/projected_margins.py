"""Random signs keep margins: Wang, Zhu & Wang (2025), Lemmas 5.1, 6.2 (= B.3), B.1 and B.2.

The margin is gamma(S) = max_w max(min_i y_i <w, x_i>/||w||, 0) (`lemmata.mechanisms.solvers.margin`). If w attains it,
then Phi w nearly does for the projected data: one needs n inner products and one norm, whatever the dimension.
"""

from fractions import Fraction
from math import ceil, log, sqrt
from typing import Any

from lemmata.bounds.bms22.sign_projection import rows_for
from lemmata.bounds.exact import numbers
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

WITHIN = require("gamma <= b, the largest norm", lambda gamma, b: gamma <= b)
UP_TO_ONE = require("0 < e <= 1", lambda e: 0 < e <= 1)
UP_TO_HALF = require("0 <= rate <= 1/2", lambda rate: 0 <= rate <= 0.5)


# Lemma 5.1, informal --------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lem5.1",
    kind="tail",
    says=r"S\subset\mathbb{R}^d\times\{\pm1\},\ \gamma(S)>0,\ k=\tilde O\left(\frac{1}{\gamma(S)^2}\right)"
    r"\ \Rightarrow\ \gamma(\Phi S)>\frac{\gamma(S)}{2}\ \mathrm{w.h.p.}",
    needs=[positive("gamma")],
)
def informal_order(*, gamma: float) -> float:
    """The order of rows that keep half the margin, as printed: 1/gamma^2.

    The expression inside the O~; the hidden logarithms are log n and log(1/beta).
    """
    return 1 / gamma**2


@informal_order.corrected(
    says=r"\|x_i\|\le b,\ k=O\left(\frac{b^2\log((n+1)/\beta)}{\gamma(S)^2}\right)\ \Rightarrow\ "
    r"\Pr_\Phi\left[\gamma(\Phi S)>\frac{\gamma(S)}{2}\right]\ge 1-\beta",
    needs=[integer("n"), positive("gamma"), positive("b"), WITHIN, in_unit_interval("beta")],
    source=", with the radius b",
)
def half_margin_order(*, n: int, gamma: float, beta: float, b: float = 1) -> float:
    """The order of rows that keep half the margin: (b/gamma)^2 log((n+1)/beta).

    The explicit k is at most 94.1 of these, because (2n+1)/beta <= 2(n+1)/beta <= ((n+1)/beta)^2.
    """
    return informal_order.theorem.formula(gamma=gamma / b) * (log(n + 1) - log(beta))


@informal_order.explicit(
    says=r"k=\left\lceil\frac{36\log((2n+1)/\beta)}{g^2(1-2g/9)}\right\rceil,\ g=\frac{\gamma(S)}{b}:\quad"
    r"\Pr_\Phi\left[\gamma(\Phi S)>\frac{\gamma(S)}{2}\right]\ge 1-\beta",
    needs=[integer("n"), positive("gamma"), positive("b"), WITHIN, in_unit_interval("beta")],
    source=", our constants",
)
def half_margin_rows(*, n: int, gamma: float, beta: float, b: float = 1) -> int:
    """Rows of a random-sign matrix that keep more than half the margin.

    Lemma B.2 with e = gamma/b: gamma(Phi S) >= (gamma - gamma/3)/sqrt(1 + g/3) >= 0.577 gamma. The bound printed in
    Lemma B.2, gamma/2 - e b/6, never exceeds gamma/2; its proof does.

    >>> half_margin_rows(n=200, gamma=0.6, beta=0.1)
    958
    """
    return margin_rows(n=n, e=gamma / b, beta=beta)


def long_records(k: int) -> float:
    """How long s must be for records e_0 +- s e_j, j <= N, to lose their margin 1 whenever N sign columns span R^k.

    Phi e_0 = sum t_i Phi e_i over a basis of columns; by Cramer and Hadamard |t_i| <= k^{k/2}/2^{k-1}, as a k x k sign
    determinant is a multiple of 2^{k-1}. For s >= sum |t_i| the origin is a convex combination of projected records.

    >>> long_records(2)
    2.0
    """
    return k ** (1 + k / 2) / 2.0 ** (k - 1)


def spanning_chance(N: int, k: int) -> Fraction:
    """A lower bound of P(N random sign columns span R^k): 1 - 2^{k-N}, for k <= N.

    Modulo 2 the rows (r_i - r_1)/2, i >= 2, are uniform and independent. If they and the all-ones row are independent
    over GF(2), then no integer combination sum c_i r_i of the rows vanishes unless every c_i is even.

    >>> spanning_chance(4, 2)
    Fraction(3, 4)
    """
    return 1 - Fraction(1, 2 ** (N - k))


# Lemma 6.2 (B.3) ------------------------------------------------------------------------------------------------------

THIRD = r"\Pr_\Phi\left[\gamma(\Phi S_{\mathrm{in}})\ge\frac{\gamma}{3}\right]\ge 1-\beta"


@theorem(
    "wzw25.lem6.2",
    kind="tail",
    says=r"\|x\|\le 1,\ \gamma\in[0,1],\ k=O\left(\frac{\log((n+1)(n+2)/\beta)}{\gamma^2}\right),\ "
    r"S_{\mathrm{in}}\in\mathcal{S}_{\mathrm{in}}(\gamma)\ \Rightarrow\ " + THIRD,
    needs=[integer("n"), between("gamma", 0, 1), in_unit_interval("beta")],
)
def third_order(*, n: int, gamma: float, beta: float) -> float:
    """The order of rows that keep a third of the margin of every set of inliers.

    The expression inside the O(.): g = log((n+1)(n+2)/beta)/gamma^2, infinite at gamma = 0, where every k works because
    no margin is negative.
    """
    return (log((n + 1) * (n + 2)) - log(beta)) / gamma**2 if gamma else float("inf")


@third_order.explicit(
    says=r"k=\left\lceil\frac{9+9g+4g^2+9g^3}{2g^2}\log\frac{2n+1}{\beta}\right\rceil,\ g=\frac{\gamma}{b}:\quad"
    r"\Pr_\Phi\left[\gamma(\Phi S_{\mathrm{in}})\ge\frac{\gamma}{3}\ \wedge\ \max_i\|\Phi x_i\|\le"
    r"\left(1+\frac{g(12-5g)}{25}\right)b\right]\ge 1-\beta",
    needs=[integer("n"), positive("gamma"), positive("b"), WITHIN, in_unit_interval("beta")],
    source=", our constants",
)
def third_margin_rows(*, n: int, gamma: float, beta: float, b: float = 1) -> int:
    """Rows that keep a third of the margin and lengthen no record beyond s b, s = 1 + g (12 - 5 g)/25 <= 1.28.

    Derivation. Let ||w|| = b = 1, <w, x> >= g for the signed inliers. 2n + 1 one-sided events of probability at most
    e^(-k E) each, E = 2 g^2/D with D = 9 + 9g + 4g^2 + 9g^3. (1) ||Phi w|| <= s and ||Phi x|| <= s for n records:
    E e^(h <r, x>^2) <= (1 - 2h)^(-1/2) for a row r of signs (`bms22.lemA.3.s2`), and Chernoff gives the exponent
    (s^2 - 1)/2 - log s >= v^2 - v^3/3 >= E with v = s - 1, as log(1 + v) <= v - v^2/2 + v^3/3 (`norm_gap`).
    (2) <Phi w, Phi x> > s g/3 for n inliers: it is the mean of k independent Z = <r, w><r, x>, and step s2 at the rate
    g (80 - 57 g)/120 gives the exponent E (`product_gap`). So the margin is at least (s g/3)/s = g/3. As s < 2,
    clipping at 2b, as Algorithm 1 does, changes nothing.

    >>> third_margin_rows(n=200, gamma=0.6, beta=0.1), third_margin_rows(n=3000, gamma=0.5, beta=0.05)
    (205, 366)
    """
    g = gamma / b
    return ceil((log(2 * n + 1) - log(beta)) * (9 + 9 * g + 4 * g**2 + 9 * g**3) / (2 * g**2))


def stretch(g: Any) -> Any:
    """How long a record of norm 1 is at most on the event of Lemma 6.2 (explicit), at the margin g.

    >>> stretch(1.0)
    1.28
    """
    return 1 + g * (12 - 5 * g) / 25


def bad_projection(*, n: int, g: Any, k: int) -> Any:
    """The chance that k rows lose 2/3 of the margin g of n records of norm 1, or lengthen one beyond `stretch`.

    >>> bool(bad_projection(n=100, g=0.1, k=third_margin_rows(n=100, gamma=0.1, beta=0.05)) < 0.05)
    True
    """
    rate, s = g * (80 - 57 * g) / 120, stretch(g)
    product = numbers.log(product_transform(g=g, rate=rate)) + rate * s * g / 3
    return n * numbers.exp(k * product) + (n + 1) * numbers.exp(-k * ((s**2 - 1) / 2 - numbers.log(s)))


def norm_gap(g: Any) -> Any:
    """(v^2 - v^3/3)/g^2 - 2/D at v = g (12 - 5 g)/25: above 0 on [0, 1] where the lengths of Lemma 6.2 are proved."""
    v = (12 - 5 * g) / 25  # over g
    return v**2 * (1 - g * v / 3) - 2 / (9 + 9 * g + 4 * g**2 + 9 * g**3)


def product_gap(g: Any) -> Any:
    """-(log M + h s g/3 + 2 g^2/D)/g^3, at least: above 0 on [0, 1] where the products of Lemma 6.2 are proved.

    M is `product_transform` at h = g l, l = (80 - 57 g)/120. The terms of M above mu^2 are at most 14 mu^3/5 for mu =
    h (1 - g)/2 <= 1/17, so M <= 1 + g^2 y, and log(1 + x) <= x - x^2/2 + x^3/3. The terms in g^2 are those of (l -
    2/3)^2/2 = (19/40)^2 g^2/2, which is divided by g by hand, so nothing cancels near 0.
    """
    l, v = (80 - 57 * g) / 120, (12 - 5 * g) / 25
    cube = 7 * l**3 * (1 - g) ** 3 / 20
    y = l**2 * (1 + 2 * g**2) / 2 - l + g * cube
    fractions = 2 * (9 + 4 * g + 9 * g**2) / (9 * (9 + 9 * g + 4 * g**2 + 9 * g**3))  # (2/9 - 2/D)/g
    return fractions - 361 * g / 3200 - l**2 * g - cube - l * v / 3 + g * y**2 / 2 - g**3 * y**3 / 3


@theorem(
    "wzw25.lem6.2.s2",
    reading="explicit",
    says=r"\|w\|=1,\ \|x\|\le 1,\ \langle w,x\rangle\ge g,\ \mu=\frac{\lambda(1-g)}{2}:\quad"
    r"\mathbb{E}_{r\in\{\pm1\}^d}e^{-\lambda\langle r,w\rangle\langle r,x\rangle}\le\frac{1}{\sqrt{1-2\mu}}-\mu"
    r"-\frac{3\mu^2}{2}-\lambda g+\lambda^2\left(\frac12+g^2\right)",
    needs=[between("g", 0, 1), UP_TO_HALF],
    source="ours",
)
def product_transform(*, g: Any, rate: Any) -> Any:
    """The Laplace transform of the product of two projected coordinates, at most; `rate` is lambda.

    Derivation. Z = <r, w><r, x> has E Z = <w, x> = p >= g and E Z^2 = ||x||^2 + 2 p^2 - 2 sum w_i^2 x_i^2 <= 1 + 2 p^2.
    For z >= 0, e^(-z) <= 1 - z + z^2/2; for z < 0 there is the rest R(-z), R(u) = e^u - 1 - u - u^2/2, which increases.
    4 Z = <r, w + x>^2 - <r, w - x>^2, so -Z <= <r, w - x>^2/4, and ||w - x||^2 <= 2 - 2p. The moments of signs are at
    most those of a Gaussian, so E R <= (1 - 2 mu)^(-1/2) - 1 - mu - 3 mu^2/2 with mu = lambda (1 - p)/2 < 1/2. The sum
    decreases in p where 2 p lambda <= 1, so g may stand for p.

    >>> float(product_transform(g=1.0, rate=0.5))
    0.875
    """
    mu = rate * (1 - g) / 2
    return 1 / numbers.sqrt(1 - 2 * mu) - mu - 3 * mu**2 / 2 - rate * g + rate**2 * (1 + 2 * g**2) / 2


@theorem(
    "wzw25.lem6.2.s1",
    kind="identity",
    says=r"e=\gamma,\ b=1:\quad\frac{\gamma}{2}-\frac{eb}{6}=\frac{\gamma}{3}",
    needs=[between("gamma", 0, 1)],
)
def third_step(*, gamma: float) -> float:
    """A projection that loses half the margin and gamma b/6 leaves gamma/3.

    The step is used for 0 < e < 1 (cf. Lemma B.2), for gamma = 1 too (cf. Lemma B.1), and gamma = 0 needs no lemma.

    Derivation. With e = gamma and b = 1 the bound (cf. Lemma B.2) is gamma/2 - gamma/6 = (3 gamma - gamma)/6 =
    gamma/3, an identity that is linear in gamma.
    """
    return gamma / 3


# Lemma B.1 ------------------------------------------------------------------------------------------------------------

ANGLES = (
    r"\Pr_\Phi\left[\forall u,v\in X:\ \sqrt{1-\frac{e}{3}}\|u\|\le\|\Phi u\|\le\sqrt{1+\frac{e}{3}}\|u\|"
    r"\ \wedge\ \left|\langle\Phi u,\Phi v\rangle-\langle u,v\rangle\right|\le\frac{e}{3}\|u\|\|v\|\right]\ge 1-\beta"
)


@theorem(
    "wzw25.lemB.1",
    kind="tail",
    says=r"k=O\left(\frac{\log(n(n+1)/\beta)}{e^2}\right)\ \Rightarrow\ " + ANGLES,
    needs=[integer("n"), UP_TO_ONE, in_unit_interval("beta")],
)
def angles_order(*, n: int, e: float, beta: float) -> float:
    """The order of rows at which random signs keep distances and angles of n points.

    The expression inside the O(.): g = log(n (n + 1)/beta) / e^2, at least log(2)/e^2.
    """
    return (log(n * (n + 1)) - log(beta)) / e**2


@angles_order.explicit(
    says=r"k=\left\lceil\frac{36\log(2n^2/\beta)}{e^2(1-2e/9)}\right\rceil:\quad " + ANGLES, source=", our constants"
)
def angles_rows(*, n: int, e: float, beta: float) -> int:
    """Rows of a random-sign matrix that keep distances and angles of any n points.

    Lemma A.3 of bms22 with gamma = e, and e = 1 allowed: k <= 94.1 log(n(n+1)/beta)/e^2, because
    2n^2/beta <= 2 n(n+1)/beta <= (n(n+1)/beta)^2.

    >>> angles_rows(n=50, e=1, beta=0.1)
    501
    """
    return rows_for(n**2, e / 3, beta)


# Lemma B.2 ------------------------------------------------------------------------------------------------------------

KEPT = r"\Pr_\Phi\left[\gamma(\Phi S')\ge\frac{\gamma}{2}-\frac{eb}{6}\right]\ge 1-\beta"


@theorem(
    "wzw25.lemB.2",
    kind="tail",
    says=r"\|x\|\le b,\ e\in(0,1),\ k=O\left(\frac{\log((n+1)(n+2)/\beta)}{e^2}\right),\ \gamma(S')\ge\gamma"
    r"\ \Rightarrow\ " + KEPT,
    needs=[integer("n"), in_unit_interval("e"), in_unit_interval("beta")],
)
def margin_order(*, n: int, e: float, beta: float) -> float:
    """The order of rows at which random signs keep half the margin up to e b/6.

    The expression inside the O(.): g = log((n+1)(n+2)/beta)/e^2, at least log(6)/e^2.
    """
    return (log((n + 1) * (n + 2)) - log(beta)) / e**2


@margin_order.explicit(
    says=r"k=\left\lceil\frac{36\log((2n+1)/\beta)}{e^2(1-2e/9)}\right\rceil:\quad"
    r"\Pr_\Phi\left[\gamma(\Phi S')\ge\frac{\gamma-eb/3}{\sqrt{1+e/3}}\right]\ge 1-\beta\quad(\gamma\ge eb/3)",
    needs=[integer("n"), UP_TO_ONE, in_unit_interval("beta")],
    source=", our constants",
)
def margin_rows(*, n: int, e: float, beta: float) -> int:
    """Rows that keep the margin up to e b/3 and a factor sqrt(1 + e/3).

    2n + 1 one-sided events at distortion t = e/3, each of probability at most exp(-k (t^2/4 - t^3/6)): for each of the
    n records, ||Phi(w + z)||^2 not too small and ||Phi(w - z)||^2 not too large (w and z normalised), whence
    <Phi w, Phi z> >= <w, z> - t ||w|| ||z||; and ||Phi w||^2 <= 1 + t.
    """
    return rows_for(2 * n + 1, e / 3, beta, sides=1)


def margin_kept(*, gamma: Any, e: Any, b: Any = 1) -> Any:
    """The printed gamma/2 - e b/6, which is below 0, hence empty, when gamma < e b/3; of numbers or balls."""
    return gamma / 2 - e * b / 6


def margin_of_the_proof(*, gamma: float, e: float, b: float = 1) -> float:
    """(gamma - e b/3)/sqrt(1 + e/3): what the proof of Lemma B.2 shows when gamma >= e b/3, and 0 otherwise.

    >>> margin_of_the_proof(gamma=0.5, e=0.5) > margin_kept(gamma=0.5, e=0.5)
    True
    """
    return max(0.0, gamma - e * b / 3) / sqrt(1 + e / 3)


# The printed proof, line by line --------------------------------------------------------------------------------------
#
# Two links point the wrong way where gamma < e b/3, where the lemma is vacuous; the corrected readings ask for the
# sign.

STEP = [positive("b"), in_unit_interval("e")]
POSITIVE = require("gamma >= e b/3", lambda gamma, e, b: gamma >= e * b / 3)


@theorem(
    "wzw25.lemB.2.s1",
    says=r"\min_{(x,y)\in S'}y\langle\Phi w_{S'},\Phi x\rangle\ge\min_{(x,y)\in S'}y\langle w_{S'},x\rangle"
    r"-\frac{eb}{3}=\gamma-\frac{eb}{3}",
    needs=[at_least("gamma", 0), *STEP],
)
def projected_minimum(*, gamma: float, e: float, b: float) -> float:
    """A projection lowers the smallest signed product by at most e b/3.

    The margin is clipped at 0: for gamma = 0 the set S' need not be separable, and the minimum may be as low as -b.
    Where gamma(S') > gamma, the printed "=" is ">=".

    Derivation. On the event of Lemma B.1 |<Phi w, Phi x> - <w, x>| <= (e/3) ||w|| ||x|| <= e b/3 for every record, and
    y <w, x> >= gamma(S') >= gamma with ||w|| = 1, so y <Phi w, Phi x> >= gamma - e b/3.
    """
    return gamma - e * b / 3


projected_minimum_corrected = projected_minimum.corrected(
    says=r"\gamma(S')>0\ \Rightarrow\ \min_{(x,y)\in S'}y\langle\Phi w_{S'},\Phi x\rangle\ge\gamma-\frac{eb}{3}",
    needs=[positive("gamma"), *STEP],
    source=", proof, for separable S'",
)(projected_minimum.theorem.formula)


@theorem("wzw25.lemB.2.s2", says=r"\|\Phi w_{S'}\|\le\sqrt{1+\frac{e}{3}}", needs=[in_unit_interval("e")])
def projected_norm(*, e: float) -> float:
    """A projection lengthens the separating direction by at most sqrt(1 + e/3).

    Derivation. The event of Lemma B.1, with u = v = w, is | ||Phi w||^2 - ||w||^2 | <= (e/3) ||w||^2, and ||w|| = 1, so
    ||Phi w||^2 <= 1 + e/3.
    """
    return sqrt(1 + e / 3)


RATIO = (
    r"\min_{(x,y)\in S'}\frac{y\langle\Phi w_{S'},\Phi x\rangle}{\|\Phi w_{S'}\|}\ge\frac{\gamma-eb/3}{\sqrt{1+e/3}}"
)


@theorem(
    "wzw25.lemB.2.s3",
    says=RATIO,
    needs=[at_least("gamma", 0), *STEP],
    source=", proof (which prints S for S' under the min)",
)
def ratio_step(*, gamma: Any, e: Any, b: Any) -> Any:
    """The projected margin is the smallest projected product over ||Phi w||.

    The division by sqrt(1 + e/3) >= ||Phi w|| goes the right way only if the numerator is not negative.
    """
    return (gamma - e * b / 3) / numbers.sqrt(1 + e / 3)


ratio_step_corrected = ratio_step.corrected(
    says=r"\gamma\ge\frac{eb}{3}\ \Rightarrow\ " + RATIO,
    needs=[at_least("gamma", 0), *STEP, POSITIVE],
    source=", proof, with the sign of the numerator",
)(ratio_step.theorem.formula)


HALF = r"\frac{\gamma-eb/3}{\sqrt{1+e/3}}\ge\frac{\gamma}{2}-\frac{eb}{6}"


@theorem(
    "wzw25.lemB.2.s4",
    says=HALF,
    needs=[at_least("gamma", 0), *STEP],
    source=", proof, 'the last inequality is by e in [0, 1]'",
)
def half_step(*, gamma: Any, e: Any, b: Any) -> Any:
    """The factor 1/sqrt(1 + e/3) is at least one half, which leaves gamma/2 - e b/6.

    Derivation. 1/sqrt(1 + e/3) >= sqrt(3)/2 > 1/2 for 0 <= e <= 1, and gamma - e b/3 is not negative, so the quotient
    is at least (gamma - e b/3)/2. The left side is that of the step before; where gamma < e b/3 both are negative, and
    it is the smaller one.
    """
    return margin_kept(gamma=gamma, e=e, b=b)


half_step_corrected = half_step.corrected(
    says=r"\gamma\ge\frac{eb}{3}\ \Rightarrow\ " + HALF,
    needs=[at_least("gamma", 0), *STEP, POSITIVE],
    source=", proof, with the sign of the numerator",
)(half_step.theorem.formula)
