"""Relative deviation: how far the risk of any hypothesis can exceed its empirical risk when that is small.

Bassily, Mohri & Suresh (2022), Lemma A.1, cited as Lemma I.2 by Wang, Zhu & Wang (2025), who deduce their Lemma 6.6:

    R_D(h) <= R_S(h) + 2 sqrt(R_S(h) Q) + 4 Q,    Q = (V log(2m) + log(4/beta)) / m,    for all h of H at once,

with probability at least 1 - beta over a sample S of m records. Losses lie in {0, 1}: y h(x) <= 0 in the first paper,
y h(x) < 0 in the second; V is the VC dimension of the sets of errors {(x, y): h errs on (x, y)}. For classifiers, and
for linear functions whatever happens at 0, that is the VC dimension of H (step s0 shows a class where it is not).

*Derivation* of Lemma A.1, for all m >= 1, V >= 0, beta in (0, 1), all distributions and all (permissible) classes. The
paper gives none: it cites Cortes, Greenberg & Mohri (2019, Corollary 7) "and VC-dimension bounds". Let e^2 = 4 Q and
L = m Q = m e^2 / 4 >= log 4.
  s1  If R(h) - R_S(h) > e sqrt(R(h)) then m R(h) > m e^2 >= 4 log 4 > 1, so a ghost sample S' of m records has
      R_S'(h) >= R(h) with probability above 1/4.
  s2  Then R_S'(h) - R_S(h) > e sqrt((R_S(h) + R_S'(h)) / 2).
  s3  Swap the i-th records of S and S' by fair coins. Of a pattern of errors on the 2m records with a errors in all
      and s <= min(a, m) pairs that differ, that happens with probability at most exp(-L - L^2 / (3m)) <= exp(-L).
  s4  There are at most Phi_V(2m) = sum_{i <= V} C(2m, i) patterns (Sauer's lemma), and
      4 Phi_V(2m) exp(-L - L^2 / (3m)) <= beta. Phi_V(2m) <= (2m)^V would do, but is false for V = 1, where the
      second-order term of s3 pays for the missing pattern.
  s5  R - R_S <= 2 sqrt(Q R) gives R <= R_S + 2 sqrt(Q R_S) + 4 Q.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
from flint import arb

from bounds.certify import exact
from bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

BMS22 = "Bassily, Mohri & Suresh 2022"
WZW25 = "Wang, Zhu & Wang 2025"
CGM19 = "Cortes, Greenberg & Mohri 2019, Corollary 7"
SAMPLE = [integer("m"), integer("V", 0), in_unit_interval("beta")]


def _log(x):
    return x.log() if isinstance(x, arb) else np.log(x)


def _root(x):
    return x.sqrt() if isinstance(x, arb) else np.sqrt(x)


def complexity(m, V, beta):
    """Q = (V log(2m) + log(4/beta)) / m; balls in, ball out.

    >>> round(float(complexity(100, 1, 0.1)), 6)
    0.089872
    """
    return (V * _log(2 * m) + _log(4 / beta)) / m


def relative(risk, Q):
    """R_S + 2 sqrt(R_S Q) + 4 Q at the empirical risk R_S = `risk`."""
    return risk + 2 * _root(risk * Q) + 4 * Q


# Section 2 of bms22: losses -----------------------------------------------------------------------------------------


@theorem(
    "bms22.def.losses",
    kind="definition",
    says=r"\hat R_S(h)=\frac1m\sum_i1_{y_ih(x_i)\le0},\quad\hat R^\rho_S(h)=\frac1m\sum_i1_{y_ih(x_i)\le\rho},\quad"
    r"\ell^\rho(u)=\max\left(1-\frac u\rho,0\right)",
    needs=[positive("rho")],
    source=f"{BMS22}, Section 2",
)
def losses(*, u, rho):
    """The zero-one, margin and hinge losses of one record at u = y h(x)

    (1[u <= 0], 1[u <= rho], max(1 - u/rho, 0)). A tie u = 0 is an error. The margin loss is defined for rho = 0 too.

    >>> losses(u=0.5, rho=1)
    (0, 1, 0.5)
    """
    return int(u <= 0), int(u <= rho), max(1 - u / rho, 0)


LOSS = dict(kind="inequality", reading="explicit", source=f"consequence of the definitions of {BMS22}, Section 2")


@theorem("bms22.def.losses", part="margin", says=r"1_{u\le0}\le1_{u\le\rho}", needs=[at_least("rho", 0)], **LOSS)
def margin_loss(*, u, rho):
    """The margin loss is at least the zero-one loss, rho = 0 included"""
    return int(u <= rho)


@theorem("bms22.def.losses", part="hinge", says=r"1_{u\le0}\le\ell^\rho(u)", needs=[positive("rho")], **LOSS)
def hinge_loss(*, u, rho):
    """The hinge loss is at least the zero-one loss"""
    return max(1 - u / rho, 0)


@theorem(
    "bms22.def.losses",
    part="ramp",
    says=r"\min(1,\ell^\rho(u))\le1_{u\le\rho}",
    needs=[positive("rho")],
    **LOSS,
)
def ramp_loss(*, u, rho):
    """The hinge loss capped at 1 is at most the margin loss; the hinge loss itself is not"""
    return min(1, max(1 - u / rho, 0))


@theorem(
    "bms22.def.losses",
    part="lipschitz",
    says=r"|\ell^\rho(u)-\ell^\rho(v)|\le\frac{|u-v|}\rho",
    needs=[positive("rho")],
    **LOSS,
)
def lipschitz_constant(*, rho):
    """The hinge loss is (1/rho)-Lipschitz"""
    return 1 / rho


@theorem(
    "bms22.def.losses",
    part="origin",
    says=r"\min_{\|w\|\le\Lambda}\hat L^\rho_S(w)\le\hat L^\rho_S(0)=1",
    needs=[positive("rho")],
    **LOSS,
)
def loss_of_zero(*, rho):
    """The smallest empirical hinge loss over a ball is at most 1, whatever the data"""
    return max(1 - 0 / rho, 0)


# Lemma A.1 of bms22, Lemma I.2 of wzw25 -----------------------------------------------------------------------------

DISPLAY = (
    r"\Pr_{S\sim\mathcal{D}^m}\left[\forall h:\ R_{\mathcal{D}}(h)\le\hat R_S(h)+2\sqrt{\hat R_S(h)\,Q}+4Q\right]"
    r"\ge1-\beta,\quad Q=\frac{V\log(2m)+\log(4/\beta)}m"
)


@theorem(
    "bms22.lemA.1",
    kind="tail",
    says=DISPLAY,
    needs=SAMPLE,
    source=f"{BMS22}, Appendix A, Lemma A.1; {CGM19}",
)
def relative_deviation(*, m, V, beta, empirical):
    """Relative deviation: the risk of every hypothesis is near its empirical risk, nearer where that is small

    The right-hand side at the empirical risk `empirical`. The paper's own text has the square root over the product, as
    here; in the text of the separate appendix it ends before Q (part appendix). Derivation: docstring of this module.
    At empirical risk 0 it says something from 4 Q < 1 on.

    >>> round(float(relative_deviation(m=1000, V=1, beta=0.1, empirical=0.0)), 4)
    0.0452
    """
    return relative(empirical, complexity(m, V, beta))


@theorem(
    "bms22.lemA.1",
    part="appendix",
    kind="tail",
    says=r"\Pr_{S\sim\mathcal{D}^m}\left[\forall h:\ R_{\mathcal{D}}(h)\le\hat R_S(h)+2\sqrt{\hat R_S(h)}\,Q+4Q"
    r"\right]\ge1-\beta",
    needs=SAMPLE,
    source=f"{BMS22}, text of the separate appendix, Lemma A.1",
)
def relative_deviation_of_the_appendix(*, m, V, beta, empirical):
    """Relative deviation with the square root over the empirical risk alone: what the other text says

    It would make every deviation O(1/m), also where the number of errors has standard deviation of order sqrt(m).
    """
    Q = complexity(m, V, beta)
    return empirical + 2 * _root(empirical) * Q + 4 * Q


@theorem(
    "wzw25.lemI.2",
    kind="tail",
    says=r"\Pr_{S\sim D^{\otimes n}}\left[\forall h:\ \mathcal{R}_D(h)\le\tilde{\mathcal{R}}_S(h)"
    r"+2\sqrt{\tilde{\mathcal{R}}_S(h)\,Q}+4Q\right]\ge1-\beta,\quad "
    r"Q=\frac{\mathrm{VC}(\mathcal{H})\log(2n)+\log(4/\beta)}n",
    needs=[integer("n"), integer("V", 0), in_unit_interval("beta")],
    source=f"{WZW25}, Appendix I.1, Lemma I.2, citing {BMS22}, Lemma A.1",
)
def relative_deviation_cited(*, n, V, beta, empirical):
    """Relative deviation, as the second paper cites it

    Ties are not errors here (the loss is 1[y h(x) < 0]); the derivation covers every loss with values in {0, 1}.
    """
    return relative(empirical, complexity(n, V, beta))


# Steps of the derivation --------------------------------------------------------------------------------------------

STEP = dict(parent="bms22.lemA.1", reconstructed=True)


@theorem(
    "bms22.lemA.1.s0",
    says=r"\mathrm{VC}\{(x,y):\,y\,h(x)\le0\}\le\mathrm{VC}\{\mathrm{sign}\circ h\}",
    kind="construction",
    source="what turns the VC dimension of H into that of the sets of errors",
    **STEP,
)
def vc_of_signs(*, patterns):
    """The sets of errors have no larger VC dimension than the classifiers sign(h), if ties count as errors

    The VC dimension of a finite class given by its `patterns`, shape (hypotheses, points), booleans. The lemma is
    stated for functions to R; for functions that never vanish, and for linear ones, both dimensions agree.

    >>> vc_of_signs(patterns=[[0, 0], [0, 1], [1, 1]])
    1
    """
    patterns = np.unique(np.asarray(patterns, dtype=bool), axis=0)
    shattered: list[tuple[int, ...]] = [()]
    for size in range(patterns.shape[1]):
        larger = {
            (*chosen, new)
            for chosen in shattered
            for new in range(chosen[-1] + 1 if chosen else 0, patterns.shape[1])
            if len(np.unique(patterns[:, [*chosen, new]], axis=0)) == 2 ** (size + 1)
        }
        if not larger:
            return size
        shattered = sorted(larger)
    return patterns.shape[1]


@theorem(
    "bms22.lemA.1.s1",
    says=r"p>\frac1m\ \Rightarrow\ \Pr[\mathrm{Bin}(m,p)\ge mp]>\frac14",
    needs=[integer("m", 2)],
    source="Greenberg & Mohri 2014, Theorem 1",
    **STEP,
)
def ghost_reaches(*, m):
    """A ghost sample has at least the expected number of errors with probability above 1/4

    On (j/m, (j+1)/m] the event is B >= j + 1 and its probability increases in p, so the infimum over p is that of
    P(Bin(m, j/m) >= j + 1) over j = 1, ..., m - 1. It is attained at m = 2 (1/4 itself, approached and not reached by
    p > 1/2) and tends to 1 - 2/e = 0.264 for j = 1 and large m.
    """
    return Fraction(1, 4)


@theorem(
    "bms22.lemA.1.s2",
    says=r"0\le r\le p\le r'\ \Rightarrow\ \frac{r'-r}{\sqrt{(r+r')/2}}\ge\frac{p-r}{\sqrt p}",
    needs=[require("0 <= r <= p <= ghost, 0 < p", lambda r, p, ghost: 0 <= r <= p <= ghost and p > 0)],
    source=CGM19,
    **STEP,
)
def deviation_of_risk(*, r, p, ghost):
    """A deviation from the risk becomes one from the ghost sample

    The right-hand side, squared: (p - r)^2 / p. The left-hand side increases in r' (its square is 2 (x - r)^2/(x + r))
    and at r' = p is (p - r) / sqrt((p + r)/2) >= (p - r) / sqrt(p) because r <= p.
    """
    return (p - r) ** 2 / p


@theorem(
    "bms22.lemA.1.s3",
    says=r"\Pr_\sigma\left[\sum_{i\le s}\sigma_i\ge u\right]\le\exp\left(-\frac{u^2}{2s}-\frac{u^4}{12s^3}\right)",
    kind="tail",
    needs=[integer("s"), at_least("u", 0)],
    source=f"{CGM19} has exp(-u^2/(2s)), Hoeffding's bound; the second term is ours",
    **STEP,
)
def swapping_tail(*, s, u):
    """Swapping records: the tail of a sum of s fair signs

    Chernoff's bound exp(-s D) with D = ((1+x) log(1+x) + (1-x) log(1-x)) / 2 >= x^2/2 + x^4/12 at x = u/s. In the proof
    u = e sqrt(m a / 2) with s <= min(a, m), so u^2/(2s) >= L and u^4/(12 s^3) >= L^2/(3m).
    """
    u = exact(u)
    return (-(u**2) / (2 * s) - u**4 / (12 * exact(s) ** 3)).exp()


def patterns_of_errors(m, V):
    """Phi_V(2m) = sum_{i <= V} C(2m, i): Sauer's bound on the number of patterns of errors on 2m records.

    >>> patterns_of_errors(3, 1), patterns_of_errors(1, 2)
    (7, 4)
    """
    return sum(comb(2 * m, i) for i in range(min(V, 2 * m) + 1))


@theorem(
    "bms22.lemA.1.s4",
    says=r"\Pi_{\mathcal{H}}(2m)\le(2m)^{V}",
    needs=[integer("m"), integer("V", 0)],
    source='what "and VC-dimension bounds" must mean to arrive at V log(2m)',
    **STEP,
)
def growth(*, m, V):
    """VC dimension bounds: the growth function at 2m is at most (2m)^V

    True for V = 0 and V >= 2: nonempty sets of at most V points are images of sequences of V points, and {a, b} is the
    image of two of them, which leaves one for the empty set. False for V = 1: thresholds make 2m + 1 patterns.
    """
    return (2 * m) ** V


@theorem(
    "bms22.lemA.1.s4",
    reading="corrected",
    says=r"4\sum_{i\le V}\binom{2m}i\,e^{-L-L^2/(3m)}\le\beta,\quad L=V\log(2m)+\log\frac4\beta",
    needs=SAMPLE,
    source="derived here",
    **STEP,
)
def union_over_patterns(*, m, V, beta):
    """The union over all patterns of errors costs beta, V = 1 included

    The left-hand side. For V = 0 and V >= 2 by Phi_V(2m) <= (2m)^V alone; for V = 1 by (2m + 1)/(2m) <= exp(1/(2m)) and
    L^2/(3m) >= 1/(2m), since L >= log 2 + log 4 > sqrt(3/2).
    """
    L = m * complexity(exact(m), V, exact(beta))
    return 4 * patterns_of_errors(m, V) * (-L - L**2 / (3 * m)).exp()


@theorem(
    "bms22.lemA.1.s5",
    says=r"R-r\le2\sqrt{QR}\ \Rightarrow\ R\le r+2\sqrt{Qr}+4Q",
    needs=[at_least("root_r", 0), at_least("root_Q", 0)],
    source=CGM19,
    **STEP,
)
def solved(*, root_r, root_Q):
    """Solving the deviation for the risk

    p = r + 2 sqrt(Q r) + 4 Q, in terms of a = sqrt(r) and b = sqrt(Q). R - 2 sqrt(Q R) increases for R >= Q, so it is
    enough that p - r >= 2 sqrt(Q p): the squares differ by (2ab + 4b^2)^2 - 4 b^2 p = 8 a b^3 >= 0.
    """
    return root_r**2 + 2 * root_r * root_Q + 4 * root_Q**2


# Lemma 6.6 of wzw25 -------------------------------------------------------------------------------------------------

HALFSPACES = [integer("n"), integer("k"), in_unit_interval("beta")]


@theorem(
    "wzw25.lem6.6",
    kind="tail",
    says=r"\mathcal{R}_D(\mathbf{w}_k)\le2\tilde{\mathcal{R}}_S(\mathbf{w}_k)"
    r"+\frac{5(\mathrm{VC}(\mathcal{H}_k)\log(2n))+\log(\beta/4)}n\quad\mathrm{w.p.}\ge1-\beta",
    needs=HALFSPACES,
    source=f"{WZW25}, Section 6.3, Lemma 6.6",
)
def population_printed(*, n, k, beta, empirical):
    """Twice the empirical risk and a complexity term, as printed: log(beta/4) outside the factor 5

    VC(H_k) = k for homogeneous halfspaces in R^k (the class is printed as {x -> sign(<x, w>) | x in R^k}; meant is w).
    The last line of its proof has 5 (VC log(2n) + log(4/beta)) / n. As printed the bound *decreases* when beta does and
    is negative for beta < 4 (2n)^(-5k).

    >>> round(float(population_printed(n=10, k=1, beta=1e-6, empirical=0.0)), 4)
    -0.0223
    """
    return 2 * empirical + (5 * k * _log(2 * n) + _log(beta / 4)) / n


@theorem(
    "wzw25.lem6.6",
    reading="corrected",
    kind="tail",
    says=r"\Pr\left[\forall\mathbf{w}:\ \mathcal{R}_D(\mathbf{w})\le2\tilde{\mathcal{R}}_S(\mathbf{w})"
    r"+\frac5n\left(\mathrm{VC}(\mathcal{H}_k)\log(2n)+\log\frac4\beta\right)\right]\ge1-\beta",
    needs=HALFSPACES,
    source=f"{WZW25}, last line of the proof of Lemma 6.6",
)
def population_corrected(*, n, k, beta, empirical):
    """Twice the empirical risk and a complexity term: what the proof proves

    Lemma I.2 and 2 sqrt(R Q) <= R + Q. (4 in place of 5 would do: R - R_S <= 2 sqrt(Q R) <= R/2 + 2 Q.)

    >>> round(float(population_corrected(n=1000, k=1, beta=0.1, empirical=0.0)), 4)
    0.0564
    """
    return 2 * empirical + 5 * complexity(n, k, beta)


@theorem(
    "wzw25.lem6.6.s1",
    parent="wzw25.lem6.6",
    says=r"2\sqrt{\tilde{\mathcal{R}}_S(h)\,Q}\le\tilde{\mathcal{R}}_S(h)+Q",
    needs=[at_least("root_r", 0), at_least("root_Q", 0)],
    source=f"{WZW25}, Appendix I.1, proof of Lemma 6.6",
)
def twice_geometric_mean(*, root_r, root_Q):
    """AM-GM for the middle term

    The right-hand side a^2 + b^2 in terms of a = sqrt(R_S), b = sqrt(Q); minus the left-hand side it is (a - b)^2.
    """
    return root_r**2 + root_Q**2


@theorem(
    "wzw25.lem6.6.s2",
    parent="wzw25.lem6.6",
    says=r"\tilde{\mathcal{R}}_S+2\sqrt{\tilde{\mathcal{R}}_S\,Q}+4Q\le2\tilde{\mathcal{R}}_S+5Q",
    needs=[at_least("root_r", 0), at_least("root_Q", 0)],
    source=f"{WZW25}, Appendix I.1, last line of the proof of Lemma 6.6",
)
def doubled(*, root_r, root_Q):
    """The last line of the proof follows from Lemma I.2

    The right-hand side 2 a^2 + 5 b^2; minus the left-hand side it is (a - b)^2.
    """
    return 2 * root_r**2 + 5 * root_Q**2
