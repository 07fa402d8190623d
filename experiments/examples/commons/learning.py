"""What learners are analysed with: perturbed minimisers, gradient descent, finite classes and Rademacher averages."""

from typing import Any

import numpy as np
from laws import count_at_least
from scipy.stats import binom

from lemmata.paper import (
    Step,
    between,
    exp,
    grid,
    in_unit_interval,
    inequality_claim,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    sqrt,
    theorem,
)

RIDGE = [integer("n"), positive("lam")]
ALGEBRA = [Step("algebra")]


@theorem("cms11.cor8", kind="inequality", says=r"\|f(D)-f(D')\|\le\frac{2}{n\Lambda}", needs=RIDGE)
def minimiser_moves(*, n: Any, lam: Any) -> Any:
    """How far a regularised minimiser moves with one record, losses 1-Lipschitz. Use this for output perturbation."""
    return 2 / (n * lam)


oracle_claim(
    minimiser_moves,
    oracle="exact",
    quick=grid(n=[10, 1000], lam=[0.1], a=[1.0, 0.5], b=[-1.0, 0.2]),
    over=[between("a", -1, 1), between("b", -1, 1)],
    steps=ALGEBRA,
    cites=["Chaudhuri et al. 2011, Lemma 7: how far gradients move a minimiser"],
    note="sharp for linear losses",
)(lambda *, n, lam, a, b: abs(a - b) / (n * lam))


@theorem(
    "cms11.thm9",
    kind="privacy",
    says=r"\log\frac{|\det(A+E)|}{|\det A|}\le\log\left(1+\frac{2c}{n\Lambda}+\frac{c^2}{n^2\Lambda^2}\right)",
    needs=[*RIDGE, positive("c")],
)
def curvature_loss(*, n: Any, lam: Any, c: Any) -> Any:
    """What objective perturbation pays for the Jacobian, losses c-smooth. Use this: the formula is the budget's."""
    return log(1 + 2 * c / (n * lam) + c**2 / (n * lam) ** 2)


UNITS = [between("a", 0, 1), between("b", 0, 1)]
oracle_claim(
    curvature_loss,
    oracle="exact",
    quick=grid(n=[10, 1000], lam=[0.1], c=[0.25], a=[1.0, 0.5], b=[1.0, 0.2]),
    over=UNITS,
    steps=ALGEBRA,
    cites=["Chaudhuri et al. 2011, Lemma 10: E has rank 2 and eigenvalues of at most c"],
)(lambda *, n, lam, c, a, b: log(1 + a * c / (n * lam)) + log(1 + b * c / (n * lam)))

DESCENT = [positive("B"), positive("rho"), integer("T")]


@theorem(
    "ssbd14.lem14.1",
    kind="inequality",
    says=r"\frac1T\sum_t\langle w_t-w^*,v_t\rangle\le\frac{B^2}{2\eta T}+\frac{\eta\rho^2}{2}",
    needs=[*DESCENT, positive("eta")],
)
def regret(*, B: Any, rho: Any, T: Any, eta: Any) -> Any:
    """The mean regret of gradient descent with a fixed step. Use this for any step."""
    return B**2 / (2 * eta * T) + eta * rho**2 / 2


@theorem(
    "ssbd14.thm14.8",
    kind="mean",
    says=r"\eta=\frac{B}{\rho\sqrt T}\Rightarrow E f(\bar w)-f(w^*)\le\frac{B\rho}{\sqrt T}",
    needs=DESCENT,
)
def mean_iterate(*, B: Any, rho: Any, T: Any) -> Any:
    """The excess of the mean iterate of stochastic gradient descent. Use this without privacy."""
    return B * rho / sqrt(T)


def descend(*, B: float, rho: float, T: int, eta: float) -> float:
    """The mean regret on rho |w - B|, from 0."""
    w, total = 0.0, 0.0
    for _ in range(T):
        slope = rho * float(np.sign(w - B))
        total += (w - B) * slope
        w -= eta * slope
    return total / T


oracle_claim(
    regret,
    oracle="exact",
    quick=grid(B=[1.0], rho=[1.0], T=[1, 400], eta=[1.0, 0.05]),
    reach={"T": 400},
    caught=(1.5, 2),
)(descend)
oracle_claim(
    mean_iterate, oracle="exact", given=[regret], quick=grid(B=[1.0, 3.0], rho=[1.0, 0.2], T=[1, 100]), steps=ALGEBRA
)(lambda *, B, rho, T: regret(B=B, rho=rho, T=T, eta=B / rho / sqrt(T)))


@theorem(
    "bst14.sgd",
    reading="explicit",
    kind="mean",
    says=r"\rho\text{-zCDP},\ T\text{ full gradients}:\ "
    r"E f(\bar w)-f(w^*)\le BL\sqrt{\frac1T+\frac{2d}{n^2\rho}}",
    needs=[positive("B"), positive("L"), integer("T"), integer("d"), integer("n"), positive("rho")],
)
def noisy_descent(*, B: Any, L: Any, T: Any, d: Any, n: Any, rho: Any) -> Any:
    """Noisy gradient descent on n losses, L-Lipschitz and convex, one record replaced. Use this to choose T.

    Derivation. The mean gradient moves by at most 2 L/n, so that T Gaussian releases of `gradient_noise` are rho-zCDP.
    Given the past the noise has mean 0, so that `regret` holds in the mean with E||v||² = L² + d sigma² for rho², and
    with eta = B/sqrt(T (L² + d sigma²)), a projection onto a ball of radius B changing nothing.
    """
    return B * L * sqrt(1 / T + 2 * d / (n**2 * rho))


def gradient_noise(*, L: Any, T: Any, n: Any, rho: Any) -> Any:
    """The variance sigma² of each coordinate: T (2 L/n)²/(2 sigma²) = rho."""
    return 2 * T * L**2 / (n**2 * rho)


def noisy_regret(*, B: Any, L: Any, T: Any, d: Any, n: Any, rho: Any) -> Any:
    """The mean regret at the best step."""
    size = sqrt(L**2 + d * gradient_noise(L=L, T=T, n=n, rho=rho))
    return regret(B=B, rho=size, T=T, eta=B / (size * sqrt(T)))


oracle_claim(
    noisy_descent,
    oracle="exact",
    given=[regret],
    steps=ALGEBRA,
    quick=grid(B=[1.0], L=[1.0, 3.0], T=[1, 100], d=[1, 20], n=[1000], rho=[0.1]),
    cites=["Bun & Steinke 2016: Gaussian noise is zCDP, and budgets add up"],
)(noisy_regret)


@theorem(
    "ssbd14.cor2.3",
    kind="tail",
    says=r"\Pr[\exists h:\ L(h)>\varepsilon,\ L_S(h)=0]\le|H|e^{-\varepsilon m}",
    needs=[integer("m"), integer("size"), in_unit_interval("epsilon")],
)
def realizable(*, m: Any, size: Any, epsilon: Any) -> Any:
    """The chance that a bad hypothesis of a finite class looks perfect. Use this where the error can be 0."""
    return size * exp(-epsilon * m)


oracle_claim(
    realizable, oracle="exact", quick=grid(m=[1, 100], size=[5], epsilon=[0.01, 0.5]), steps=[Step("1 - ε ≤ e^(-ε)")]
)(lambda *, m, size, epsilon: size * (1 - epsilon) ** m)


@theorem(
    "mrt18.thm2.13",
    kind="tail",
    says=r"R(h)\le\hat R_S(h)+\sqrt{\frac{\log|H|+\log(2/\delta)}{2m}}",
    needs=[integer("m"), integer("size"), in_unit_interval("delta")],
)
def finite_class(*, m: Any, size: Any, delta: Any) -> Any:
    """The deviation of all risks of a finite class, both ways. Use this for a validation set.

    >>> print(round(finite_class(m=18, size=1, delta=2 * exp(-4.0)), 6))
    0.333333
    """
    return sqrt((log(size) + log(2 / delta)) / (2 * m))


oracle_claim(
    finite_class,
    against="delta",
    oracle="above",
    over=[in_unit_interval("p")],
    quick=grid(m=[50, 400], size=[1, 100], delta=[0.1], p=[0.5, 0.1]),
    caught=(1.2, 1.5, 2),
)(lambda radius, *, m, size, delta, p: size * deviates(radius, m, p))


def deviates(radius: float, m: int, p: float) -> float:
    """P(|mean - p| > radius) of m coins."""
    return count_at_least(m, int(np.floor(m * (p + radius))) + 1, p) + float(
        binom.cdf(np.ceil(m * (p - radius)) - 1, m, p)
    )


def mean_size(m: int) -> float:
    """E|s_1 + ... + s_m| of signs."""
    k = np.arange(m + 1)
    return float(abs(2 * k - m) @ binom.pmf(k, m, 0.5))


@theorem(
    "ssbd14.lem26.8",
    kind="mean",
    says=r"R(A)\le\max_a\|a-\bar a\|\frac{\sqrt{2\log N}}{m}",
    needs=[integer("m"), integer("j"), require("j <= m", lambda j, m: j <= m)],
)
def massart(*, m: Any, j: Any) -> Any:
    """Massart's lemma, here for all N = 2^j signs on j of m points. Use this for finite classes."""
    return sqrt(j) * sqrt(2 * log(2) * j) / m


oracle_claim(massart, quick=grid(m=[10], j=[1, 8]), caught=(1.1, 1.5), oracle="exact")(lambda *, m, j: 1 * j / m)


@theorem(
    "mrt18.thm5.10",
    kind="mean",
    says=r"\hat R_S(H)\le\sqrt{\frac{r^2\Lambda^2}{m}}",
    needs=[integer("m"), positive("radius")],
)
def linear_class(*, m: Any, radius: Any) -> Any:
    """The Rademacher complexity of linear functions, radius = r Lambda. Use this for margins."""
    return radius / sqrt(m)


@inequality_claim(linear_class, oracle="exact", cost=0.002, reach={"m": 500}, quick=grid(m=[100, 1], radius=[2.0]))
def signs_add_up(*, m, radius):
    """E|sum of signs| for equal points, and for orthogonal ones, whose sum has length sqrt(m)."""
    yield {"m": m, "radius": radius, "points": "orthogonal"}, radius * sqrt(m) / m, linear_class(m=m, radius=radius)
    yield {"m": m, "radius": radius, "points": "equal"}, radius * mean_size(m) / m, linear_class(m=m, radius=radius)


MARGIN = [integer("m"), positive("ratio"), in_unit_interval("delta")]


@theorem(
    "mrt18.cor5.11",
    kind="tail",
    says=r"R(h)\le\hat R_{S,\rho}(h)+2\sqrt{\frac{r^2\Lambda^2/\rho^2}{m}}+\sqrt{\frac{\log(1/\delta)}{2m}}",
    needs=[*MARGIN, between("ratio", 1, 1e9)],
)
def margin_bound(*, m: Any, ratio: Any, delta: Any) -> Any:
    """The margin bound of linear functions, ratio = r Lambda/rho. Use this for support vector machines.

    >>> print(round(margin_bound(m=9, ratio=3.0, delta=exp(-2.0)), 6))  # 2 + 1/3
    2.333333
    """
    return 2 * ratio / sqrt(m) + sqrt(log(1 / delta) / (2 * m))


oracle_claim(
    margin_bound,
    against="delta",
    oracle="exact",
    over=[in_unit_interval("p")],
    quick=grid(m=[400, 20], ratio=[1.0, 3.0], delta=[0.2, 0.01], p=[0.5, 0.9]),
    caught=(2, 4, 8),
)(lambda gap, *, m, ratio, delta, p: deviates(gap, m, p))


@theorem("ygfj18.thm1", kind="privacy", says=r"\mathrm{Adv}\le e^\varepsilon-1", needs=[positive("epsilon")])
def membership(*, epsilon: Any) -> Any:
    """The advantage of membership inference. Use (e^epsilon - 1)/(e^epsilon + 1), which randomized response attains."""
    return exp(epsilon) - 1


@membership.explicit(part="sharp", says=r"\mathrm{Adv}\le\frac{e^\varepsilon-1}{e^\varepsilon+1}")
def membership_sharp(*, epsilon: Any) -> Any:
    """The largest advantage, by equal chances of error. Use this."""
    return 1 - 2 / (exp(epsilon) + 1)


GUESSES = {"quick": grid(epsilon=[0.01, 2.0]), "reach": {"epsilon": 300}}
oracle_claim(
    membership_sharp,
    oracle="exact",
    cites=["Kairouz, Oh & Viswanath 2015: every private pair is a function of randomized response"],
    over=[in_unit_interval("fpr")],
    **GUESSES | {"quick": grid(epsilon=[0.01, 2.0], fpr=[0.5, 0.2, 0.1])},
)(lambda *, epsilon, fpr: min(exp(epsilon) * fpr, 1 - exp(-epsilon) * (1 - fpr)) - fpr)


def advantages(**_: Any) -> dict[str, list]:
    """The printed and the sharp bound on the advantage."""
    epsilons = np.linspace(0.05, 3, 30).tolist()
    lines = {"printed": membership, "sharp": membership_sharp}
    return {"epsilon": epsilons, **{name: [float(f(epsilon=e)) for e in epsilons] for name, f in lines.items()}}


oracle_claim(
    membership, oracle="exact", figure=advantages, caught=(2, 4), steps=ALGEBRA, given=[membership_sharp], **GUESSES
)(lambda *, epsilon: membership_sharp(epsilon=epsilon))
