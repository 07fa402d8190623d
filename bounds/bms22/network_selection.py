"""Claims D.4 and D.5 of Bassily, Mohri & Suresh (2022): selection from a cover of networks, and its generalization.

D.4: the exponential mechanism finds a member of the cover that errs little more than the best. D.5: its risk is near
its errors, by the size of the cover. The cover itself, and what is printed and corrected: `network_cover`.
"""

from math import lgamma, log, log1p, pi, sqrt
from typing import Any

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.network_embedding import NEEDS, REPAIRED, SHAPE, WHERE, WIDE, printed_logarithm, printed_rows
from lemmata.bounds.bms22.pure_learner import class_complexity, selection_error
from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

PRODUCT = [integer("k"), integer("layers"), integer("width"), positive("norm_bound"), positive("resolution")]

# Claims D.4 and D.5: selection and generalization ---------------------------------------------------------------------


@theorem(
    "bms22.clmD.4",
    kind="tail",
    says=r"\Pr\left[\hat R_S(h^{\mathrm{Priv}})\le\hat R_S(\hat h^\Phi)+O\left(\frac{r^2(2\eta\Lambda)^{2L}N"
    r"\log(Lm/\beta)\log(r(4\eta\Lambda)^L/\rho)}{\rho^2\varepsilon m}\right)\right]\ge1-\frac\beta4",
    needs=NEEDS,
)
def printed_selection(
    *, m: int, epsilon: Real, beta: Real, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int, width: int
) -> float:
    """Order of the loss of the private selection of a network, as printed.

    It vanishes at rho = r (4 eta Lambda)^L.
    """
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    logs = printed_logarithm(**shape) + layers * log(4)
    return printed_rows.theorem.formula(m=m, beta=beta, **shape) * width * logs / (epsilon * m)


SELECTION = 986.0  # C of the corrected reading


@printed_selection.corrected(
    says=WHERE + r"\Pr\left[\hat R_S(h^{\mathrm{Priv}})\le\hat R_S(\hat h^\Phi)+986\,\frac{r^2(2\eta\Lambda)^{2L}N"
    r"\log(Lm/\beta)\log(r(4\eta\Lambda)^L/\rho)}{\rho^2\varepsilon m}\right]\ge1-\frac\beta4",
    needs=[*NEEDS, *REPAIRED],
    source=", with three hypotheses, our k and our cover",
)
def selection_below_the_end(
    *, m: int, epsilon: Real, beta: Real, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int, width: int
) -> float:
    """Order of the loss of the private selection of a network, corrected.

    It holds for eta >= 1/2, rho <= r (eta Lambda)^L/2 and beta <= 1/2, with C = 986.
    """
    sizes: dict[str, Any] = dict(m=m, epsilon=epsilon, beta=beta, norm_bound=norm_bound, radius=radius)
    return SELECTION * printed_selection(**sizes, rho=rho, eta=eta, layers=layers, width=width)


@printed_selection.explicit(
    says=r"\Pr\left[\hat R_S(h^{\mathrm{Priv}})\le\hat R_S(\hat h^\Phi)+\frac{2(\log|\mathcal C|+\log(4/\beta))}"
    r"{\varepsilon m}\right]\ge1-\frac\beta4",
    needs=[integer("m"), positive("epsilon"), in_unit_interval("beta"), at_least("log_size", 0)],
    source=f"{BMS22}, Claim D.4; our constants, for any finite cover",
)
def selection_loss(*, m: int, epsilon: float, beta: float, log_size: float) -> float:
    """The loss of the private selection from a finite cover of a given size.

    The size is given by its logarithm.

    `log_size` is log|C|.
    """
    return selection_error(m=m, epsilon=epsilon, beta=beta, log_size=log_size)


@theorem(
    "bms22.clmD.5",
    kind="tail",
    says=r"\Pr\left[R_{\mathcal D}(h^{\mathrm{Priv}})\le\hat R_S(h^{\mathrm{Priv}})+O\left(\frac{r(2\eta\Lambda)^L"
    r"\sqrt{N\log(Lm/\beta)\log(r(\eta\Lambda)^L/\rho)}}{\rho\sqrt m}\right)\right]\ge1-\frac\beta4",
    needs=WIDE,
)
def printed_deviation(
    *, m: int, beta: Real, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int, width: int
) -> float:
    """Order by which the selected network's risk exceeds its errors, as printed."""
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    logs = printed_logarithm(**shape)
    return sqrt(printed_rows.theorem.formula(m=m, beta=beta, **shape) * width * logs / m)


DEVIATION = 27.2  # C of the corrected reading


@printed_deviation.corrected(
    says=WHERE + r"\Pr\left[R_{\mathcal D}(h^{\mathrm{Priv}})\le\hat R_S(h^{\mathrm{Priv}})+27.2\,\frac{r(2\eta\Lambda)"
    r"^L\sqrt{N\log(Lm/\beta)\log(r(\eta\Lambda)^L/\rho)}}{\rho\sqrt m}\right]\ge1-\frac\beta4",
    needs=[*WIDE, *REPAIRED],
    source=", with three hypotheses, our k and our cover",
)
def deviation_below_the_end(
    *, m: int, beta: Real, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int, width: int
) -> float:
    """Order by which the selected network's risk exceeds its errors, corrected.

    It holds for eta >= 1/2, rho <= r (eta Lambda)^L/2 and beta <= 1/2.

    The constant is C = 27.2.
    """
    sizes: dict[str, Any] = dict(m=m, beta=beta, norm_bound=norm_bound, radius=radius)
    return DEVIATION * printed_deviation(**sizes, rho=rho, eta=eta, layers=layers, width=width)


@printed_deviation.explicit(
    says=r"\Pr\left[\exists h\in\hat{\mathcal H}:\ R_{\mathcal D}(h)>\hat R_S(h)"
    r"+\sqrt{\frac{\log|\mathcal C|+\log(4/\beta)}{2m}}\right]\le\frac\beta4",
    needs=[integer("m"), in_unit_interval("beta"), at_least("log_size", 0)],
    source=f"{BMS22}, Claim D.5; Hoeffding and a union over a finite cover",
)
def uniform_deviation(*, m: int, beta: float, log_size: float) -> float:
    """How far the risk of any member of a finite cover exceeds its errors.

    The bound depends on the logarithm of the cover's size.

    `log_size` is log|C|.

    Derivation. Hoeffding's inequality gives P(R > R^ + t) <= exp(-2 m t^2) for one member, and the union bound |C|
    exp(-2 m t^2), which is beta/4 at the t that is stated.

    >>> round(uniform_deviation(m=1000, beta=0.1, log_size=10.0), 4)
    0.0827
    """
    return sqrt(class_complexity(m=m, beta=beta, log_size=log_size) / 2)


def dimension(*, k: int, layers: int, width: int) -> int:
    """k (N (L-1) + 1): how many weights an embedded network has."""
    return k * (width * (layers - 1) + 1)


@theorem(
    "bms22.clmD.5.s2",
    part="product",
    reading="explicit",
    says=r"\log|\mathcal C|\le k(N(L-1)+1)\log\left(1+\frac{4\Lambda\sqrt L}\gamma\right)",
    needs=PRODUCT,
    source=f"{BMS22}, Appendix D, before the proof of Claim D.2; a product of smallest covers of the layers",
)
def log_cover_size(*, k: int, layers: int, width: int, norm_bound: float, resolution: float) -> float:
    """The logarithm of the size of a product of smallest covers of the layers.

    Each cover has distance gamma/sqrt(L), and this is an upper bound.

    A smallest eta-cover of B^n(R) has at most (1 + 2R/eta)^n points (bms22.thm3.1.s1), R = 2 Lambda.
    """
    return dimension(k=k, layers=layers, width=width) * log1p(4 * norm_bound * sqrt(layers) / resolution)


# The size of the cover ------------------------------------------------------------------------------------------------


@theorem(
    "bms22.clmD.5.s1",
    kind="construction",
    says=r"|\mathcal C|=O\left(\left(\frac{\sqrt L\Lambda}\gamma\right)^{k\times N}\right)",
    needs=PRODUCT,
    source=f"{BMS22}, Appendix D, before the proof of Claim D.2",
)
def printed_size(*, k: int, layers: int, width: int, norm_bound: float, resolution: float) -> float:
    """Order of the size of the cover of networks, as printed.

    The exponent is that of one hidden layer.

    >>> printed_size(k=1, layers=4, width=2, norm_bound=1.0, resolution=0.5)
    16.0
    """
    return (sqrt(layers) * norm_bound / resolution) ** (k * width)


@theorem(
    "bms22.clmD.5.s2",
    says=r"\log|\mathcal C|=O\left(kN\log\frac{r(\eta\Lambda)^L}\rho\right)",
    needs=[*SHAPE, integer("k"), integer("width")],
    source=f"{BMS22}, Appendix D, before the proof of Claim D.2; gamma = rho/(10 r (4 eta Lambda)^{{L-1}})",
)
def printed_log_size(
    *, norm_bound: float, radius: float, rho: float, eta: float, layers: int, k: int, width: int
) -> float:
    """Order of the log size of the cover of networks, as printed.

    It has no factor for L - 1 hidden layers.

    >>> round(printed_log_size(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=3, k=2, width=3), 4)
    4.1589
    """
    logs = printed_logarithm(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    return k * width * logs


@printed_log_size.explicit(
    part="volume",
    says=r"\log|\mathcal C|\ge\log\frac{\mathrm{vol}(\mathbb B^{kN}(2\Lambda))^{L-1}"
    r"\,\mathrm{vol}(\mathbb B^k(2\Lambda))}{\mathrm{vol}(\mathbb B^{k(N(L-1)+1)}(\gamma))}",
    needs=PRODUCT,
    source="volumes",
)
def log_volume_bound(*, k: int, layers: int, width: int, norm_bound: float, resolution: float) -> float:
    """A lower bound on log|C| for every gamma-cover of the product of balls.

    It is the logarithm of a quotient of volumes.

    Derivation. The balls of radius gamma around the members of a cover, in the dimension k (N (L - 1) + 1) of the
    product, contain the product, so |C| times the volume of one of them is at least its volume: |C| >=
    vol(product)/vol(ball).

    >>> round(log_volume_bound(k=1, layers=1, width=1, norm_bound=1.0, resolution=0.1), 4)
    2.9957
    """
    whole = dimension(k=k, layers=layers, width=width)
    balls = (layers - 1) * log_unit_volume(k * width) + log_unit_volume(k)
    return balls - log_unit_volume(whole) + whole * log(2 * norm_bound / resolution)


def log_unit_volume(n: int) -> float:
    """log(pi^{n/2}/Gamma(n/2 + 1))."""
    return n / 2 * log(pi) - lgamma(n / 2 + 1)
