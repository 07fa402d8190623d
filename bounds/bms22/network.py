"""Private networks: Bassily, Mohri & Suresh (2022), Section 5, Theorem 5.1 and Claims D.2 to D.5 of its proof.

A network has L layers, N neurons in each hidden one, weights ||W_j||_F <= Lambda and the activation sigma_eta(a) =
tanh(eta a/4). Every layer's input is projected to R^k by random signs, the weights come from a gamma-cover of
B^{kN}(2 Lambda)^{L-1} x B^k(2 Lambda), and the exponential mechanism picks them by the number of errors.

The printed bound has r (2 eta Lambda)^L/rho where the proof has r Lambda (2 eta Lambda)^{L-1}/rho. One factor 2 eta is
too many, so the bound is false as eta -> 0 (with one layer eta does not matter at all). It also has log(r (eta
Lambda)^L/rho), which vanishes at rho = r (eta Lambda)^L and is negative beyond. For eta >= 1/2, rho <= r (eta
Lambda)^L/2 and beta <= 1/2 all is true, for every L: sigma_eta is eta/4-Lipschitz where the proof takes eta, and this
makes up for the L layers that the printed size of the cover leaves out. The explicit readings use eta/4; k grows like
L^2 (H/rho)^2 log(Lm/beta),

    H = r Lambda (eta Lambda/4)^{L-1} >= |h(x)|.
"""

from math import sqrt
from typing import Any

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.bms22.network_cover import cover_resolution
from lemmata.bounds.bms22.network_embedding import (
    NEEDS,
    REPAIRED,
    SHAPE,
    WHERE,
    embedding_rows,
    printed_logarithm,
    printed_scale,
    sample_logarithm,
    slope,
)
from lemmata.bounds.bms22.network_selection import log_cover_size
from lemmata.bounds.bms22.pure_learner import Terms, class_complexity, excess, least_informative, selection_error
from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import between, positive, require, theorem


@theorem(
    "bms22.thm5.1.lipschitz",
    says=r"|\sigma_\eta(a)-\sigma_\eta(b)|\le\eta|a-b|,\quad "
    r"\sigma_\eta(a)=\frac{1-e^{-\eta a/2}}{1+e^{-\eta a/2}}",
    needs=[positive("eta")],
    source=f"{BMS22}, Section 5",
)
def lipschitz_constant(*, eta: Any) -> Any:
    """The activation tanh(eta a/4) is eta-Lipschitz, as printed."""
    return eta


@lipschitz_constant.explicit(
    says=r"\sup_{a\ne b}\frac{|\sigma_\eta(a)-\sigma_\eta(b)|}{|a-b|}=\frac\eta4", source="ours: its slope at 0"
)
def slope_at_zero(*, eta: Any) -> Any:
    """The activation tanh(eta a/4) has the Lipschitz constant eta/4, its slope at 0.

    Derivation. The derivative of tanh(eta a/4) is (eta/4) (1 - tanh^2) <= eta/4, which bounds every difference quotient
    by the mean value theorem, and quotients across 0 come arbitrarily close to it.
    """
    return slope(eta)


@theorem(
    "bms22.thm5.1",
    part="privacy",
    kind="privacy",
    says=r"\mathrm{the\ construction\ is}\ \varepsilon\mathrm{-differentially\ private}",
    needs=[positive("epsilon")],
)
def learner_epsilon(*, epsilon: float) -> float:
    """The epsilon that the network learner spends.

    Derivation. The embeddings and the cover are drawn without the data (k depends on m, which neighbours share). The
    score -R_S(h) is a mean of m indicators, one a record, of sensitivity 1/m, and the exponential mechanism is
    epsilon-DP (bms22.thm3.1.em-privacy). Section 5 prints the score R_S(h), without its sign. That is as private, but
    it would prefer the networks that err most; Appendix D has the sign.

    >>> learner_epsilon(epsilon=0.5)
    0.5
    """
    return epsilon


GAP = (
    r"\Pr\left[R_{\mathcal D}(h^{\mathrm{Priv}})\le\min_{h\in\mathcal H_{\mathrm{NN}^\Lambda}}\hat R^\rho_S(h)+O\left("
    r"\frac{r(2\eta\Lambda)^L\sqrt{N\theta}}{\rho\sqrt m}+\frac{r^2(2\eta\Lambda)^{2L}N\theta}{\rho^2\varepsilon m}"
    r"\right)\right]\ge1-\beta,\quad\theta=\log\frac{Lm}\beta\log\frac{r(\eta\Lambda)^L}\rho"
)


@theorem("bms22.thm5.1", part="tail", kind="tail", says=GAP, needs=NEEDS)
def printed_gap(
    *,
    m: int,
    epsilon: float,
    beta: float,
    norm_bound: Real,
    radius: Real,
    rho: Real,
    eta: Real,
    layers: int,
    width: int,
) -> float:
    """The order of the network learner's excess risk, as printed.

    The excess is over the best network's margin loss.

    It is not defined where rho > r (eta Lambda)^L.

    >>> sizes = dict(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=1, width=1)
    >>> round(printed_gap(m=10**6, epsilon=1.0, beta=0.1, **sizes), 4)
    0.0135
    """
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    theta = sample_logarithm(m=m, beta=beta, layers=layers) * printed_logarithm(**shape)
    spread = printed_scale(**shape) ** 2 * width * theta / m
    return sqrt(spread) + spread / epsilon


ORDER = 640.0  # C of the corrected reading


@printed_gap.corrected(says=WHERE + GAP, needs=[*NEEDS, *REPAIRED], source=", with three hypotheses")
def gap_below_the_end(
    *,
    m: int,
    epsilon: float,
    beta: float,
    norm_bound: Real,
    radius: Real,
    rho: Real,
    eta: Real,
    layers: int,
    width: int,
) -> float:
    """The order of the network learner's excess risk, corrected.

    It holds for eta >= 1/2, rho <= r (eta Lambda)^L/2 and beta <= 1/2.

    Derivation of min(1, explicit) <= C printed, C = `ORDER`. With Q = r (eta Lambda)^L/rho >= 2, y = Lm/beta and X = N
    theta r^2 (2 eta Lambda)^{2L}/rho^2 >= 16 log(2) log(y), the order is sqrt(X/m) + X/(epsilon m). Where it is at
    least 1/C there is nothing to show. Else m > C^2 X, so log y > 18.9 and log(4L(4m+1)/beta) <= 1.147 log y. So L k <=
    51.93 * 1.147 of the printed rows and 1, at most 59.6 of them (`network_embedding.rows_below_the_end` has 5.33 for
    1.147), N (L-1) + 1 <= N L, 1 + 4 Lambda sqrt(L)/gamma <= 1 + 19.6 Q, whose logarithm is at most 5.33 log Q, and
    log(4/beta) <= log y: mA <= 318 X. Then alpha + sqrt(2 (R + alpha) A) + 2A <= 1.002 alpha + sqrt(2A) + 252 A, with A
    <= 318/C sqrt(X/m): 1.002 * 636 and sqrt(636) + 252 * 318/C are below C.
    """
    sizes: dict[str, Any] = dict(m=m, epsilon=epsilon, beta=beta, norm_bound=norm_bound, radius=radius)
    return printed_gap(**sizes, rho=rho, eta=eta, layers=layers, width=width)


def explicit_terms(
    *,
    m: int,
    epsilon: float,
    beta: float,
    norm_bound: Real,
    radius: Real,
    rho: Real,
    eta: Real,
    layers: int,
    width: int,
) -> Terms:
    """k, a bound of log|C|, alpha and A of the explicit bound: those of Theorem 3.1 for the cover of networks."""
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
    k = embedding_rows.theorem.formula(m=m, beta=beta, **shape)
    resolution = cover_resolution.theorem.formula(**shape)
    sizes: dict[str, Any] = dict(k=k, layers=layers, width=width, norm_bound=norm_bound)
    log_size = log_cover_size.theorem.formula(resolution=resolution, **sizes)
    alpha = selection_error(m=m, epsilon=epsilon, beta=beta, log_size=log_size)
    return Terms(k, log_size, alpha, class_complexity(m=m, beta=beta, log_size=log_size))


@printed_gap.explicit(
    says=r"\Pr\left[R_{\mathcal D}(h^{\mathrm{Priv}})\le\hat R^\rho_S(h)+\alpha+\sqrt{2(\hat R^\rho_S(h)+\alpha)A}+2A"
    r"\ \forall\,h\in\mathcal H_{\mathrm{NN}^\Lambda}\right]\ge 1-\beta,\quad "
    r"A=\frac{\log|\mathcal C|+\log(4/\beta)}{m},\ \alpha=\frac{2A}{\varepsilon}",
    needs=[*NEEDS, between("margin_loss", 0, 1)],
    source=f"{BMS22}, Appendix D; our constants",
)
def explicit_gap(
    *,
    m: int,
    epsilon: float,
    beta: float,
    norm_bound: Real,
    radius: Real,
    rho: Real,
    eta: Real,
    layers: int,
    width: int,
    margin_loss: float,
) -> float:
    """The network learner's excess risk, with our constants.

    The excess is over the best network's margin loss.

    Derivation. Four events, each of probability at least 1 - beta/4: the embeddings keep the best network up to rho/2
    on the sample (bms22.clmD.2/explicit/rows) and the norms that the cover needs (bms22.clmD.3.s5/explicit); the
    selection loses at most alpha (bms22.clmD.4/explicit); R <= R^ + sqrt(2 R^ A) + 2A for all members of the cover
    (bms22.thm3.1.s8). For rho >= H every margin loss is 1.

    >>> sizes = dict(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=1, width=1)
    >>> round(explicit_gap(m=10**6, epsilon=1.0, beta=0.1, margin_loss=0.0, **sizes), 3)
    0.076
    """
    shape: dict[str, Any] = dict(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers, width=width)
    terms = explicit_terms(m=m, epsilon=epsilon, beta=beta, **shape)
    return float(excess(margin_loss, terms.alpha, terms.complexity))


def informative_from(**setting: Any) -> float:
    """The smallest m at which margin loss + explicit gap < 1; beyond it the bound stays below 1.

    >>> shape = dict(norm_bound=1.0, radius=1.0, rho=0.5, eta=1.0, layers=1, width=1)
    >>> informative_from(epsilon=1.0, beta=0.1, margin_loss=0.0, **shape)
    65419
    """
    return least_informative(explicit_gap, **setting)


@theorem(
    "bms22.thm5.1.rows",
    kind="construction",
    says=r"k=O\left(\frac{r^2(2\eta\Lambda)^{2L}}{\rho^2}\right):\ "
    r"\Pr\left[\forall i:\ y_ih_*(x_i)>\rho\Rightarrow y_ih_*^\Phi(x_i)>\tfrac\rho2\right]\ge1-\beta",
    needs=SHAPE,
    source=f"{BMS22}, Section 5, our construction; Appendix D has another factor log(Lm/beta)",
)
def rows_of_the_main_text(*, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int) -> float:
    """Order of the embeddings' dimension in the main text.

    It depends neither on m nor on beta.

    >>> rows_of_the_main_text(norm_bound=3.0, radius=2.0, rho=0.5, eta=1.0, layers=2)
    20736.0
    """
    return float(radius**2 * (2 * eta * norm_bound) ** (2 * layers) / rho**2)


WIDE = require("4 eta Lambda >= 1", lambda eta, norm_bound: 4 * eta * norm_bound >= 1)


@theorem(
    "bms22.thm5.1.resolution",
    kind="construction",
    says=r"\gamma=O\left(\frac\rho{r(4\eta\Lambda)^L}\right):\ \forall h\in\mathcal H^\Phi_{\mathrm{NN}^{2\Lambda}}\ "
    r"\exists\tilde h\in\hat{\mathcal H}^\Phi_{\mathrm{NN}^{2\Lambda}}:\ |\tilde h(x_i)-h(x_i)|<\frac\rho2",
    needs=SHAPE,
    source=f"{BMS22}, Section 5, our construction; Appendix D has the power L - 1",
)
def resolution_of_the_main_text(*, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int) -> float:
    """Order of the resolution of the cover of networks in the main text.

    The denominator has one factor 4 eta Lambda more than in Appendix D.

    >>> resolution_of_the_main_text(norm_bound=1.0, radius=1.0, rho=0.5, eta=0.5, layers=2)
    0.125
    """
    return float(rho / (radius * (4 * eta * norm_bound) ** layers))


@resolution_of_the_main_text.corrected(
    says=resolution_of_the_main_text.theorem.says
    + r",\quad4\eta\Lambda\ge1,\ \mathcal C\mathrm{\ a\ product\ of\ covers"
    r"\ of\ the\ layers}",
    needs=[*SHAPE, WIDE],
    source=f"{BMS22}, Section 5, our construction, for 4 eta Lambda >= 1",
)
def resolution_of_wide_layers(*, norm_bound: Real, radius: Real, rho: Real, eta: Real, layers: int) -> float:
    """Order of the resolution of the cover of networks, for 4 eta Lambda >= 1.

    It is sufficient there.

    A tenth of it is at most Appendix D's resolution, enough by Claim D.3.
    """
    return resolution_of_the_main_text(norm_bound=norm_bound, radius=radius, rho=rho, eta=eta, layers=layers)
