"""What learners are analysed with: perturbed minimisers, gradient descent, finite classes and Rademacher averages."""

from typing import Any

import numpy as np
from laws import count_at_least
from scipy.special import ndtr
from scipy.stats import binom

from lemmata.paper import (
    Control,
    OutOfReach,
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


@noisy_descent.explicit(
    part="one dimension",
    says=r"f(w)=L|w-B|,\ T\text{ noisy steps from }0:\ \tfrac1T\sum_tE f(w_t)\le BL\sqrt{\frac1T+\frac{2}{n^2\rho}}",
    needs=[positive("B"), positive("L"), integer("T"), integer("n"), positive("rho")],
)
def noisy_iterates(*, B: Any, L: Any, T: Any, n: Any, rho: Any) -> Any:
    """The same bound on one problem, whose iterates have laws that can be computed. Use this to see how loose it is.

    Derivation. This is the bound for d = 1: the losses are L-Lipschitz and convex, and the minimum is 0.

    >>> print(round(noisy_iterates(B=2.0, L=3.0, T=4, n=2, rho=0.25), 6))  # 6 sqrt(1/4 + 2)
    9.0
    """
    return B * L * sqrt(1 / T + 2 / (n**2 * rho))


def chain_regret(*, B: float, L: float, T: int, n: int, rho: float) -> float:
    """The mean regret of the noisy iterates on L |w - B|, by their laws on a lattice, one by one.

    Its spacing is an eighth of the noise of a step. To round to it adds 1/768 of the noise to each variance. Where the
    noise is below L/4, or T above 60, the lattice is too large.
    """
    noise = sqrt(gradient_noise(L=L, T=T, n=n, rho=rho))
    if T > 60 or noise < L / 4:
        raise OutOfReach("the lattice needs T <= 60 and noise of L/4 at least")
    eta = B / (sqrt(L**2 + noise**2) * sqrt(T))
    spacing = eta * noise / 8
    end = int(np.ceil((B + eta * L + 9 * eta * noise * sqrt(T)) / spacing))
    x = spacing * np.arange(-end, end + 1)
    ends = ndtr((x[None, :] + spacing / 2 - (x - eta * L * np.sign(x))[:, None]) / (eta * noise))
    move = np.diff(ends, axis=1, prepend=0)
    law = np.diff(ndtr((x + spacing / 2 + B - eta * L) / (eta * noise)), prepend=0)  # after the first step, from -B
    total = B
    for _ in range(T - 1):
        total += float(law @ abs(x))
        law = law @ move
    return L * total / T


oracle_claim(
    noisy_iterates,
    oracle="exact",
    rounding=1e-3,
    cost=0.02,
    caught=(1.1, 1.5, 2),
    reach={"T": 60, "n": 60},
    quick=grid(B=[1.0], L=[1.0, 3.0], T=[1, 2, 40], n=[10, 2], rho=[0.1]),
)(chain_regret)


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
    "mrt18.thm3.3",
    kind="tail",
    says=r"E\,g\le\frac1m\sum_ig(z_i)+2R_m(G)+\sqrt{\frac{\log(1/\delta)}{2m}}",
    needs=[integer("m"), in_unit_interval("delta")],
)
def rademacher_gap(*, m: Any, delta: Any, complexity: Any = 0.0) -> Any:
    """How far means of a class of functions to [0, 1] fall below their expectations. Use this for infinite classes.

    >>> print(round(rademacher_gap(m=18, delta=exp(-4.0), complexity=0.25), 6))  # 1/2 + 1/3
    0.833333
    """
    return 2 * complexity + sqrt(log(1 / delta) / (2 * m))


@inequality_claim(
    rademacher_gap,
    cost=0.01,
    oracle="exact",
    over=[in_unit_interval("p")],
    reach={"m": 200},
    quick=grid(m=[100, 7], delta=[0.2, 0.01], p=[0.5, 0.1]),
    control=Control("the gap divided by {}", (2, 4, 8)),
)
def functions_of_a_bit(*, m, delta, p, factor=1):
    """All functions of one bit, whose largest gap is |mean - p|: their average over signs is that of two sums."""
    sizes = [mean_size(k) / 2 for k in range(m + 1)]  # of the positive part
    chances = binom.pmf(np.arange(m + 1), m, p)
    complexity = float(chances @ (np.array(sizes) + sizes[::-1])) / m
    gap = rademacher_gap(m=m, delta=delta, complexity=complexity) / factor
    yield {"m": m, "delta": delta, "p": p}, deviates(gap, m, p), delta


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
