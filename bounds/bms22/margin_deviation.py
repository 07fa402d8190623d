"""Relative deviation of the margin loss: Lemma A.2 of Bassily, Mohri & Suresh (2022).

    R_D(h) <= R_S^rho(h) + 2 sqrt(R_S^rho(h) M / m) + M / m = (sqrt(R_S^rho(h)) + sqrt(M/m))^2,
    M = 1 + d log2(2 c^2 m) log2(2 c e m / d) + log(1/beta),   c = 17,   d = fat_{rho/16}(H).

It is cited from Cortes, Mohri & Suresh (2021). The two logarithms are those of a covering number bound (Bartlett 1998,
after Alon, Ben-David, Cesa-Bianchi & Haussler 1997; `log_cover`), for 1 <= d <= m. Lemma A.2 forgets d <= m: its M
decreases beyond d = 34 m and is negative beyond d = 2 c e m, where it would prove negative risks.

*Derivation* for d <= m, every beta and every class, with the printed constants (`margin_deviation_derived`):
  h, g    Take m further records, and a cover of H clipped to [-rho, rho] at a distance below rho/2 on all 2m points
      (`log_cover`). If g is so near to h clipped, then 1[y h <= 0] <= 1[y g <= rho/2] <= 1[y h <= rho], as y h > rho is
      clipped to rho and y g > rho - rho/2 (at distance rho/2 itself a tie could be an error).
  ghost   Let h have x errors at margin rho on S, and a risk above p = (sqrt(x/m) + sqrt(Q))^2. The further records have
      y = T - x errors of h or more with probability at least P(Bin(m, p) = y), where T = floor((2m+1) p), which is near
      its mean, or m + x if that is less. A larger T than usual costs nothing, as the same small probability is paid
      for twice and cancels.
  swap    Then some g has at most x errors at margin rho/2 on S and at least y on the rest. Given the 2m records, that
      has for each g its largest probability if T of them are errors. Step s1 bounds it.
  union   Over x < m and the cover: N (2m+1) m (m+1)/2 exp(-m Q) <= N 3 m^3 exp(-m Q) = beta.

fat_g(H) is the size of the largest set that is shattered with margin g: there are r_i such that each subset is cut out
by some h with h(x_i) >= r_i + g inside and h(x_i) <= r_i - g outside. For rho = 0 with these signs it is the number of
points of the domain; with strict ones the pseudo-dimension, and Sauer's lemma takes the place of the cover.
"""

from math import e as EULER
from typing import Any

from flint import arb

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.relative_deviation import EMPIRICAL
from lemmata.bounds.exact.balls import exact
from lemmata.bounds.exact.numbers import Number, exp, log, sqrt
from lemmata.bounds.theorem import in_unit_interval, integer, positive, require, theorem

BARTLETT = "Bartlett 1998; Alon, Ben-David, Cesa-Bianchi & Haussler 1997"
C = 17
DISPLAY = (
    r"\Pr_{S\sim\mathcal{D}^m}\left[\forall h:\ R_{\mathcal{D}}(h)\le\hat R^\rho_S(h)"
    r"+2\sqrt{\hat R^\rho_S(h)\frac Mm}+\frac Mm\right]\ge1-\beta,"
    r"\quad M=1+d\log_2(2c^2m)\log_2\frac{2cem}d+\log\frac1\beta,\ c=17,\ d=\mathrm{fat}_{\rho/16}(\mathcal{H})"
)
PRINTED = [integer("m"), integer("d"), in_unit_interval("beta")]
UP_TO_M = require("d <= m", lambda d, m: d <= m)


def log_cover(m: int, d: int) -> arb:
    """log N for a cover of the functions clipped to [-rho, rho], at a distance below rho/2 on 2m points.

    Alon et al. (1997): functions from n points into b levels, of fat-shattering dimension d (at one level), have a
    cover at distance two levels of size 2 (n b^2)^(d log2(e n b / d)), d <= n. Here the levels are rho/8 apart, so
    that two of them, and less than one by which a function is rounded to them, are below rho/2.

    >>> round(float(log_cover(1000, 1)), 1)
    219.6
    """
    n, levels = 2 * exact(m), 1 + 2 * 8  # from -rho to rho
    power = d * (arb(1).exp() * n * levels / d).log() / arb(2).log()
    return arb(2).log() + power * (n * levels**2).log()


def margin_complexity(m: Number, d: Number, beta: Number) -> Any:
    """M / m, as printed; for d = 0 read d log(1/d) as 0.

    >>> round(float(margin_complexity(1000, 1, 0.1)), 3), bool(margin_complexity(10, 1000, 0.1) < 0)
    (0.319, True)
    """
    return (1 + _logs(m, d) + log(1 / beta)) / m


def _logs(m: Any, d: Any) -> Any:
    """d log2(2 c^2 m) log2(2 c e m / d): balls in, ball out."""
    if not d:
        return 0
    two, e = (arb(2).log(), arb(1).exp()) if isinstance(m, arb) else (log(2), EULER)
    return d * log(2 * C**2 * m) / two * log(2 * C * e * m / d) / two


def square_of_sum(empirical: Any, part: Any) -> Any:
    """R + 2 sqrt(R M/m) + M/m = (sqrt R + sqrt(M/m))^2; at R = 0 it is M/m, whatever its sign."""
    return empirical + 2 * sqrt(empirical * part) + part


@theorem(
    "bms22.lemA.2",
    kind="tail",
    says=DISPLAY,
    needs=[*PRINTED, EMPIRICAL],
    source=f"{BMS22}, Appendix A, Lemma A.2; Cortes, Mohri & Suresh 2021",
)
def margin_deviation(*, m: Number, d: Number, beta: Number, empirical: Number) -> Number:
    """The largest risk that the relative margin bound allows.

    `empirical` is the empirical margin loss.

    It is printed for any class, and true for d <= m.

    >>> round(float(margin_deviation(m=10_000, d=1, beta=0.1, empirical=0.0)), 3)
    0.045
    """
    return square_of_sum(empirical, margin_complexity(m, d, beta))


@margin_deviation.corrected(
    says=DISPLAY + r",\quad d\le m",
    needs=[*PRINTED, UP_TO_M, EMPIRICAL],
    source=f", with the hypothesis of the covering number bound ({BARTLETT})",
)
def margin_deviation_up_to_m(*, m: Number, d: Number, beta: Number, empirical: Number) -> Number:
    """The largest risk that the relative margin bound allows, for d <= m.

    Derivation. With D = d log2(2c^2 m) log2(2cem/d), the explicit Q is (log 2 + D log 2 + log(3m^3) + log(1/beta))/m,
    and log 2 < 1 and log(3m^3) <= (1 - log 2) D (bms22.lemA.2.s3) make that at most M/m.
    """
    return margin_deviation.theorem.formula(m=m, d=d, beta=beta, empirical=empirical)


@margin_deviation.explicit(
    says=r"\Pr\left[\forall h:\ R_{\mathcal{D}}(h)\le\hat R^\rho_S(h)+2\sqrt{\hat R^\rho_S(h)\,Q}+Q\right]\ge1-\beta,"
    r"\quad Q=\frac{\log2\left(1+d\log_2(2c^2m)\log_2\frac{2cem}d\right)+\log(3m^3/\beta)}m,\ d\le m",
    needs=[*PRINTED, UP_TO_M, EMPIRICAL],
    source=f"derived here from {BARTLETT}",
)
def margin_deviation_derived(*, m: Number, d: Number, beta: Number, empirical: Number) -> Number:
    """The relative margin bound with the logarithm of the cover's size.

    It is the largest risk at a given empirical margin loss.

    Derivation: docstring of this module.

    >>> round(float(margin_deviation_derived(m=10_000, d=1, beta=0.1, empirical=0.0)), 3)
    0.034
    """
    two = arb(2).log() if isinstance(m, arb) else log(2)
    return square_of_sum(empirical, (two * (1 + _logs(m, d)) + log(3 * m**3) - log(beta)) / m)


@margin_deviation.explicit(
    part="zero",
    says=r"d=0:\quad\Pr\left[\forall h:\ \sqrt{R_{\mathcal{D}}(h)}\le\sqrt{\hat R^\rho_S(h)}"
    r"+\sqrt{\frac{1+\log(1/\beta)}m}\right]\ge1-\beta",
    needs=[integer("m"), in_unit_interval("beta"), EMPIRICAL],
    source="the limit d -> 0 of the printed M; derived here",
)
def margin_deviation_of_one(*, m: Number, beta: Number, empirical: Number) -> Number:
    """The relative margin bound for a class of fat-shattering dimension 0.

    It is the largest risk at a given empirical margin loss.

    A single hypothesis is an example. Here M = 1 + log(1/beta).

    Derivation. If no point is shattered at rho/16, all h lie within rho/8 of one h_0, and with v = 1[y h_0 <= rho/8]:
    1[y h <= 0] <= v <= 1[y h <= rho] for all h at once. One variable is left, and Chernoff's bound exp(-m KL(q || p))
    with KL(q || p) >= (sqrt p - sqrt q)^2 (bms22.lemA.2.s2) gives exp(-M) = beta / e.

    >>> round(float(margin_deviation_of_one(m=100, beta=0.1, empirical=0.0)), 4)
    0.033
    """
    return square_of_sum(empirical, margin_complexity(m, 0, beta))


@margin_deviation.corrected(
    part="halfspaces",
    says=r"\Pr\left[\sup_{\|w\|\le\Lambda}\left(\sqrt{R_{\mathcal{D}}(h_w)}-\sqrt{\hat R^\rho_S(h_w)}\right)"
    r">\sqrt{\frac Mm}\right]\le\beta,\quad d=2",
    needs=[integer("m", 2), in_unit_interval("beta"), EMPIRICAL],
    source=", for linear functions of the plane",
)
def margin_deviation_of_halfspaces(*, m: Number, beta: Number, empirical: Number) -> Number:
    """The relative margin bound for linear functions of the plane.

    It is the largest risk at a given empirical margin loss.

    x in the unit disc, ||w|| <= Lambda, rho <= 16 Lambda / sqrt(2): e_1 and e_2 are shattered with margin rho/16, and
    three points of the plane never are, so d = 2.
    """
    return square_of_sum(empirical, margin_complexity(m, 2, beta))


# The steps of our derivation ------------------------------------------------------------------------------------------


@theorem(
    "bms22.lemA.2.s1",
    reading="explicit",
    says=r"\frac xm<p<1,\ T=\min\{\lfloor(2m+1)p\rfloor,m+x\}:\quad\frac{\Pr[\mathrm{Hyp}(2m,T,m)\le x]}"
    r"{\Pr[\mathrm{Bin}(m,p)=T-x]}\le(2m+1)(x+1)\,e^{-m(\sqrt p-\sqrt{x/m})^2}",
    needs=[integer("m"), integer("x", 0), require("x/m < p < 1", lambda x, m, p: x < m * p and p < 1)],
    source="a swap of the sample and as many further records, derived here",
)
def swapping_ratio(*, m: int, x: int, p: Number) -> Any:
    """A swapped sample has so few errors with this probability, in units of that of the further records.

    Derivation. With b(k; n) = P(Bin(n, p) = k), P(Hyp = k) = b(k; m) b(T-k; m)/b(T; 2m) for every p. It is symmetric
    about T/2 >= x and unimodal, so the left side is at most (x+1) b(x; m)/b(T; 2m), and Chernoff's bound is b(x; m) <=
    exp(-m KL(x/m || p)). If T = floor((2m+1) p), the mode of Bin(2m, p), then b(T; 2m) >= 1/(2m+1). Else T = m + x <
    2mp is that of Bin(2m, T/2m), so b(T; 2m) >= exp(-2m KL(T/2m || p))/(2m+1), and KL(q || p) - 2 KL((1+q)/2 || p) -
    (sqrt p - sqrt q)^2 has the derivative 1/p - 1 + sqrt(q/p) >= 0 in p, and is KL(q || p) - (sqrt p - sqrt q)^2 at p =
    (1+q)/2. That is at least 0: step s2, times q at t = p/q and times 1 - q at t = (1-p)/(1-q), summed.
    """
    return (2 * m + 1) * (x + 1) * exp(-m * (sqrt(p) - sqrt(exact(x) / m)) ** 2)


@theorem(
    "bms22.lemA.2.s2",
    reading="explicit",
    says=r"(\sqrt t-1)^2\le t-1-\log t",
    needs=[positive("t")],
    source="Okamoto's inequality KL(q || p) >= (sqrt p - sqrt q)^2 is a sum of two of these",
)
def poisson_divergence(*, t: Number) -> Any:
    """The divergence of one Poisson law from another, in units of its mean, is at least a square of square roots.

    Derivation. t - 1 - log t - (sqrt t - 1)^2 = 2 (sqrt t - 1 - log sqrt t) >= 0.
    """
    return t - 1 - log(t)


@theorem(
    "bms22.lemA.2.s3",
    reading="explicit",
    says=r"\log(3m^3)\le(1-\log2)\,d\log_2(2c^2m)\log_2\frac{2cem}d,\quad d\le m",
    needs=[*PRINTED[:2], UP_TO_M],
    source="derived here",
)
def room_of_the_logarithms(*, m: Number, d: Number) -> Any:
    """What the binary logarithms of M exceed the logarithm of the cover's size by is enough for the union over x.

    Derivation. The right side increases in d <= m, and at d = 1 it is more than 3 log(2m) >= log(3m^3).
    """
    return (1 - log(2)) * _logs(m, d)
