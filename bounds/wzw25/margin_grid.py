r"""The doubling grid of margins: Wang, Zhu & Wang (2025), Lemma 6.4 and Appendix G.

    Gamma = {2^j / n : 0 <= j <= floor(log2 n)} u {1},        g(gamma) = |S_out| / (n gamma) + 1 / (n gamma^2 epsilon)

Everything here depends on the data through M_0 <= M_1 <= ... <= M_{n-1} alone, M_k the largest margin that is left
when k records are removed: m(gamma) = min{k : M_k >= gamma}, and n (all records) where no M_k reaches gamma. Every
nondecreasing M in [0, 1]^n is that of n records on a ray, y_i x_i = M_{i-1} e_1, so what holds for records on a ray
holds for all. The empty subset has margin +inf (`lemmata.bounds.wzw25.margins`): S is an outlier set of every level,
where it costs n/(n gamma) >= 1; where a display takes gamma := gamma(S minus S_out), S_out = S makes its right side 0,
and the corrected readings leave it out.
"""

import functools
from collections.abc import Sequence
from fractions import Fraction

from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import integer, positive, require, theorem

G = r"\left(\frac{|S_{\mathrm{out}}|}{n\gamma}+\frac{1}{n\gamma^2\varepsilon}\right)"
G_TILDE = r"\left(\frac{|S_{\mathrm{out}}|}{n\tilde{\gamma}}+\frac{1}{n\tilde{\gamma}^2\varepsilon}\right)"
ON_GRID = r"\min_{\gamma\in\Gamma,\,S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\gamma)}"
ON_SETS = r"\min_{S_{\mathrm{out}}\subset S,\,\gamma:=\gamma(S\setminus S_{\mathrm{out}})>0}"
ON_PROPER = r"\min_{S_{\mathrm{out}}\subsetneq S,\,\gamma:=\gamma(S\setminus S_{\mathrm{out}})>0}"
AT_TILDE = r"\min_{S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\tilde{\gamma})}"
AT_GAMMA = r"\min_{S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\gamma)}"
SIZES = [integer("n"), positive("epsilon")]
TERM = [*SIZES, integer("outliers", 0), positive("gamma")]
LEVEL = require("1/n <= gamma <= 1", lambda n, gamma: n * gamma >= 1 and gamma <= 1)


@functools.lru_cache(maxsize=1024)  # one grid a sample size, asked for at each of its margins: nobody changes the list
def doubling_grid(n: int, radius: Real = 1) -> list[Fraction]:
    """Gamma as fractions, ascending: radius 2^j / n up to radius, and radius itself.

    >>> [str(level) for level in doubling_grid(5)]
    ['1/5', '2/5', '4/5', '1']
    """
    radius = Fraction(radius)
    return sorted({radius * 2**j / n for j in range(n.bit_length())} | {radius})


def rate(*, outliers: int, n: int, gamma: Real, epsilon: Real, radius: Real = 1) -> Real:
    """b outliers / (n gamma) + b^2 / (n gamma^2 epsilon) for `radius` b: g at b = 1."""
    return radius * outliers / (n * gamma) + radius**2 / (n * gamma**2 * epsilon)


@theorem("wzw25.lem6.4", says=rf"{ON_GRID}{G}\wedge 1\le{ON_SETS}\mathcal{{O}}{G}\wedge 1", needs=TERM)
def grid_order(*, outliers: int, n: int, gamma: Real, epsilon: Real) -> Real:
    """The order of the best bound on the grid of margins: that of the best of all.

    What the printed O(.) contains: outliers / (n gamma) + 1 / (n gamma^2 epsilon), to be minimised over outlier sets
    with gamma = gamma(S minus S_out) on the right, over gamma in Gamma on the left. Printed for every epsilon > 0.

    >>> grid_order(outliers=2, n=10, gamma=0.5, epsilon=1.0)
    0.8
    """
    return rate(outliers=outliers, n=n, gamma=gamma, epsilon=epsilon)


@grid_order.corrected(
    says=rf"{ON_GRID}{G}\wedge 1\le{ON_PROPER}\max\left\{{4,\frac{{\varepsilon}}{{n}}\right\}}{G}\wedge 1",
    needs=SIZES,
    source=", our constant",
)
def grid_constant(*, n: int, epsilon: Real) -> Real:
    """The best grid margin loses a factor max(4, epsilon / n) against the best of all.

    max(4, epsilon / n). Let k outliers leave the margin gamma. (1) gamma >= 1/n: the largest grid value gamma' below
    gamma has gamma < 2 gamma', and needs no more outliers, so g(gamma') < 4 g(gamma) (Lemma G.1). (2) gamma < 1/n:
    g(gamma) >= 1 / (n gamma^2 epsilon) > n / epsilon, and the left side is at most 1. Sharp in both cases: n records
    of norm r on a ray have g(r) on the right, and on the left g(gamma') with r / gamma' -> 2 (case 1), and 1 with
    r -> 1/n from below (case 2, no grid value is reached).

    >>> grid_constant(n=100, epsilon=1.0), grid_constant(n=100, epsilon=1000.0)
    (4.0, 10.0)
    """
    return max(4.0, epsilon / n)


@theorem(
    "wzw25.lem6.4",
    part="size",
    says=r"|\Gamma|=\lceil\log_2 n\rceil+1\le 4\log_2 n\quad (n\ge 2)",
    needs=[integer("n", 2)],
    source=", Section 5, Step 3, and Appendix H",
)
def grid_size(*, n: int) -> int:
    """The grid of margins has at most log2(n) + 1 values, rounded up.

    Derivation. ceil(log2 n) + 1 distinct values: j = 0, ..., floor(log2 n), and 1, which is 2^j / n exactly when n is a
    power of two. At most log2(n) + 2, which is at most 4 log2(n) once log2(n) >= 2/3. A list that repeats the value 1,
    as Algorithm 3 prints it, has one entry more for powers of two.

    >>> grid_size(n=5), grid_size(n=8)
    (4, 4)
    """
    return (n - 1).bit_length() + 1


# Lemma G.1 and its proof ----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemG.1",
    says=r"\forall\gamma\in[1/n,1]\ \exists\tilde{\gamma}\in\Gamma:\ " + f"{AT_TILDE}{G_TILDE}\\le{AT_GAMMA}4{G}",
    needs=[*TERM, LEVEL],
    source=", Equation 10",
)
def neighbour_bound(*, outliers: int, n: int, gamma: Real, epsilon: Real) -> Real:
    """Some grid value is within a factor 4 of any margin of at least 1/n.

    4 (outliers / (n gamma) + 1 / (n gamma^2 epsilon)) with outliers = m(gamma). Because gamma/2 < gamma' <= gamma for
    the largest grid value gamma' below gamma (s1) and m(gamma') <= m(gamma) (s2): the first term at most doubles, the
    second at most quadruples (s3, s4). 4 is the infimum of the constants that work, and is not attained.

    >>> neighbour_bound(outliers=2, n=10, gamma=0.5, epsilon=1.0)
    3.2
    """
    return 4 * rate(outliers=outliers, n=n, gamma=gamma, epsilon=epsilon)


@theorem(
    "wzw25.lemG.1.s1",
    says=r"\forall\gamma\in[1/n,1]\ \exists\tilde{\gamma}\in\Gamma:\ \gamma/2\le\tilde{\gamma}\le\gamma",
    needs=[integer("n"), LEVEL],
)
def grid_neighbour(*, n: int, gamma: Real) -> Fraction:
    """Every margin of at least 1/n has a grid value within a factor 2 below it.

    Derivation. The largest grid value that is at most gamma. 2^j / n <= gamma < 2^(j+1) / n for one j >= 0, and 2^j <=
    n gamma <= n, so j <= floor(log2 n). Below 1/n there is none.

    >>> grid_neighbour(n=5, gamma=Fraction(7, 10))
    Fraction(2, 5)
    """
    return max(level for level in doubling_grid(n) if level <= gamma)


@theorem(
    "wzw25.lemG.1.s2",
    says=r"|S_{\mathrm{out}}|\ge\min_{\tilde S\in\mathcal{S}_{\mathrm{out}}(\gamma)}|\tilde S|"
    r"\ge\min_{\tilde S\in\mathcal{S}_{\mathrm{out}}(\tilde{\gamma})}|\tilde S|",
)
def fewest(*, profile: Sequence[Real], gamma: Real) -> int:
    """Margins below gamma have an outlier set that is no larger than that of gamma.

    m(gamma) = min{k : M_k >= gamma}, and n if there is none, for the nondecreasing `profile` M; nondecreasing in gamma.

    >>> fewest(profile=[0.0, 0.2, 0.7], gamma=0.5)
    2
    """
    return next((k for k, margin in enumerate(profile) if margin >= gamma), len(profile))


@theorem(
    "wzw25.lemG.1.s3",
    says=f"{AT_TILDE}{G_TILDE}\\le{AT_TILDE}"
    r"\left(\frac{2|S_{\mathrm{out}}|}{n\gamma}+\frac{4}{n\gamma^2\varepsilon}\right)",
    needs=[*TERM, LEVEL],
    source=", Equation 11, first line",
)
def doubled_terms(*, outliers: int, n: int, gamma: Real, epsilon: Real) -> Real:
    """Half the margin doubles the bound's outlier term and quadruples its noise term.

    2 outliers / (n gamma) + 4 / (n gamma^2 epsilon) with outliers = m(gamma'), gamma' >= gamma / 2.

    >>> doubled_terms(outliers=2, n=10, gamma=0.5, epsilon=1.0)
    2.4
    """
    return 2 * outliers / (n * gamma) + 4 / (n * gamma**2 * epsilon)


@theorem(
    "wzw25.lemG.1.s4",
    says=f"{AT_TILDE}"
    r"\left(\frac{2|S_{\mathrm{out}}|}{n\gamma}+\frac{4}{n\gamma^2\varepsilon}\right)" + f"\\le{AT_GAMMA}4{G}",
    needs=[*TERM, LEVEL],
    source=", Equation 11, second line",
)
def quadrupled_terms(*, outliers: int, n: int, gamma: Real, epsilon: Real) -> Real:
    """At half a margin or more the bound is at most four times that at the margin.

    4 (outliers / (n gamma) + 1 / (n gamma^2 epsilon)) with outliers = m(gamma) >= m(gamma').

    >>> quadrupled_terms(outliers=2, n=10, gamma=0.5, epsilon=1.0)
    3.2
    """
    return 4 * rate(outliers=outliers, n=n, gamma=gamma, epsilon=epsilon)


@theorem(
    "wzw25.lemG.1.s5",
    says=r"\min_{\tilde{\gamma}\in\Gamma}" + f"{AT_TILDE}{G_TILDE}" + r"\le\min_{\gamma\in[1/n,1]}" + f"{AT_GAMMA}4{G}",
    needs=[*TERM, LEVEL],
    source=", Equation 12",
)
def best_level_bound(*, outliers: int, n: int, gamma: Real, epsilon: Real) -> Real:
    """The best grid value is within a factor 4 of the best margin of at least 1/n.

    4 (outliers / (n gamma) + 1 / (n gamma^2 epsilon)) at the best gamma. The minimum over [1/n, 1] exists: m is a step
    function that jumps behind its steps, so g is lower semicontinuous; it is attained at an M_k or at 1.

    >>> best_level_bound(outliers=2, n=10, gamma=0.5, epsilon=1.0)
    3.2
    """
    return 4 * rate(outliers=outliers, n=n, gamma=gamma, epsilon=epsilon)


# The proof of Lemma 6.4 -----------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lem6.4.s1",
    says=r"\text{without loss of generality }\varepsilon\le n",
    needs=SIZES,
    source=", proof, first sentence",
)
def general_constant(*, n: int, epsilon: Real) -> int:
    """The constant with which the grid serves every epsilon, also epsilon > n.

    4, the constant of Lemma G.1: the claim of "without loss of generality" is that the case epsilon <= n settles the
    others. 4 = max(4, epsilon / n) for epsilon <= 4 n; for larger epsilon the other cases need a larger one.

    >>> general_constant(n=10, epsilon=1e6)
    4
    """
    return 4


restricted_constant = general_constant.corrected(
    says=r"\varepsilon\le 4n",
    needs=[*SIZES, require("epsilon <= 4 n", lambda n, epsilon: epsilon <= 4 * n)],
    source=", proof, first sentence; our condition",
)(general_constant.theorem.formula)


@theorem(
    "wzw25.lem6.4.s2",
    says=r"\gamma<1/n\ \Rightarrow\ \frac{1}{n\gamma^2\varepsilon}>1\quad(\varepsilon\le n)",
    needs=[
        *SIZES,
        positive("gamma"),
        require("epsilon <= n", lambda n, epsilon: epsilon <= n),
        require("gamma < 1/n", lambda n, gamma: n * gamma < 1),
    ],
    source=", proof, second sentence",
)
def short_margin(*, n: int, gamma: Real, epsilon: Real) -> Real:
    """A margin below 1/n has a bound that is trivial.

    1 / (n gamma^2 epsilon) = (n / epsilon) / (n gamma)^2 > n / epsilon >= 1.

    Derivation. With n gamma < 1 and epsilon <= n, 1/(n gamma^2 epsilon) = (n/epsilon)/(n gamma)^2 > n/epsilon >= 1.

    >>> short_margin(n=10, gamma=0.05, epsilon=10.0)
    4.0
    """
    return 1 / (n * gamma**2 * epsilon)


@theorem(
    "wzw25.lem6.4.s3",
    says=rf"{ON_GRID}{G}\wedge 1\le\min_{{\gamma\in(0,1],\,S_{{\mathrm{{out}}}}\in\mathcal{{S}}_{{\mathrm{{out}}}}"
    rf"(\gamma)}}\mathcal{{O}}{G}\wedge 1\quad(\varepsilon\le n)",
    needs=[*TERM, require("epsilon <= n", lambda n, epsilon: epsilon <= n)],
    source=", proof, Equation 13, first line",
)
def any_margin(*, outliers: int, n: int, gamma: Real, epsilon: Real) -> Real:
    """The best grid margin has a bound as good as the best of all, for epsilon <= n.

    outliers / (n gamma) + 1 / (n gamma^2 epsilon), the expression in O(.); the constant is 4, by s2 and Lemma G.1.

    >>> any_margin(outliers=2, n=10, gamma=0.5, epsilon=1.0)
    0.8
    """
    return rate(outliers=outliers, n=n, gamma=gamma, epsilon=epsilon)


@theorem(
    "wzw25.lem6.4.s4",
    kind="identity",
    says=rf"\min_{{\gamma\in(0,1],\,S_{{\mathrm{{out}}}}\in\mathcal{{S}}_{{\mathrm{{out}}}}(\gamma)}}{G}\wedge 1"
    rf"={ON_SETS}{G}\wedge 1",
    needs=TERM,
    source=", proof, Equation 13, second line",
)
def left_margin(*, outliers: int, n: int, gamma: Real, epsilon: Real) -> Real:
    """The best margin for an outlier set is the one that the remaining records have.

    Derivation. min(outliers / (n gamma) + 1 / (n gamma^2 epsilon), 1), the term of one S_out on the right. At S_out =
    S, gamma = inf, it is 0, and the left side never is. Other S_out: the term decreases in gamma, and S_out is in
    S_out(gamma) for gamma <= gamma(S minus S_out), which is at most 1 in the unit ball. On the left S_out = S costs at
    least n / n = 1.

    >>> left_margin(outliers=2, n=10, gamma=0.5, epsilon=1.0)
    0.8
    """
    return min(rate(outliers=outliers, n=n, gamma=gamma, epsilon=epsilon), 1)


left_margin_proper = left_margin.corrected(
    says=rf"\min_{{\gamma\in(0,1],\,S_{{\mathrm{{out}}}}\in\mathcal{{S}}_{{\mathrm{{out}}}}(\gamma)}}{G}\wedge 1"
    rf"={ON_PROPER}{G}\wedge 1",
    source=", proof, Equation 13, second line, without S_out = S",
)(left_margin.theorem.formula)


# Corollary G.2 --------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.corG.2",
    says=rf"S\in(\mathcal{{B}}^d(b)\times\{{\pm 1\}})^n,\ \Gamma=\{{b/n,2b/n,4b/n,\ldots,b\}}:\quad "
    rf"{ON_GRID}{G}\wedge 1\le{ON_SETS}\mathcal{{O}}{G}\wedge 1",
    needs=[*TERM, positive("radius")],
    source=", Equation 14",
)
def ball_order(*, outliers: int, n: int, gamma: Real, epsilon: Real, radius: Real) -> Real:
    """In a ball of radius b a grid from b/n to b is as good as all margins, as printed.

    What the printed O(.) contains, without any b: outliers / (n gamma) + 1 / (n gamma^2 epsilon).

    >>> ball_order(outliers=2, n=10, gamma=0.5, epsilon=1.0, radius=10.0)
    0.8
    """
    return rate(outliers=outliers, n=n, gamma=gamma, epsilon=epsilon)


@ball_order.corrected(
    says=rf"{ON_GRID}\left(\frac{{b|S_{{\mathrm{{out}}}}|}}{{n\gamma}}+\frac{{b^2}}{{n\gamma^2\varepsilon}}\right)"
    rf"\wedge 1\le{ON_PROPER}\max\left\{{4,\frac{{\varepsilon}}{{n}}\right\}}"
    r"\left(\frac{b|S_{\mathrm{out}}|}{n\gamma}+\frac{b^2}{n\gamma^2\varepsilon}\right)\wedge 1",
    needs=[*SIZES, positive("radius")],
    source=", with the b that the bounds of Appendix L carry",
)
def ball_constant(*, n: int, epsilon: Real, radius: Real) -> Real:
    """In a ball of radius b the grid is as good as all margins, with b in both terms.

    max(4, epsilon / n): Lemma 6.4 for the records divided by b, whose margins are gamma / b.

    >>> ball_constant(n=100, epsilon=1.0, radius=1000.0)
    4.0
    """
    return grid_constant(n=n, epsilon=epsilon)


@ball_order.corrected(
    part="same-display",
    says=rf"{ON_GRID}{G}\wedge 1\le{ON_PROPER}\max\left\{{4,\frac{{b^2\varepsilon}}{{n}}\right\}}{G}\wedge 1",
    needs=[*SIZES, positive("radius")],
    source=", our constant",
)
def same_display_constant(*, n: int, epsilon: Real, radius: Real) -> Real:
    """In a ball of radius b the unit ball's display holds with a constant that grows.

    max(4, b^2 epsilon / n). A margin of at least b/n has a grid value within a factor 2 below it, as in Lemma G.1; a
    margin gamma < b/n has g(gamma) > n / (b^2 epsilon), and the left side is at most 1. So the display holds as printed
    for b^2 epsilon <= 4 n.

    >>> same_display_constant(n=100, epsilon=1.0, radius=10.0), same_display_constant(n=100, epsilon=1.0, radius=100.0)
    (4.0, 100.0)
    """
    return max(4.0, radius**2 * epsilon / n)
