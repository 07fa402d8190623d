r"""The guarantees of Algorithm 1 at one margin: Appendix D of Wang, Zhu & Wang (2025), and Lemma 6.3.

S = S_in u S_out in the ball of radius b, gamma(S_in) >= gamma. Algorithm 1 projects with Phi, clips at 2b and runs
noisy gradient descent on the hinge loss of width gamma/3 with the budget mu.

Arguments: `outliers` |S_out|, `radius` b, `rows` the dimension k in which the descent runs, `steps` its number T of
steps. Some record is an inlier, so gamma <= b. (With S_in empty and gamma(S_in) = +inf, as Definition 6.1 needs, a
printed bound tends to 0 as gamma grows while the loss of w = 0 is 1: we do not use this reading.) Corollary D.2
includes gamma = 0, where no loss of width 0 exists and the bounds are infinite.

The rates are registered surrogates: each states that a mean grows or decreases, from the first to the last of its
points, at most or at least like the printed power, up to 0.1 in the exponent. They never change a printed verdict.
"""

from collections.abc import Callable
from math import log, sqrt
from typing import Any

from lemmata.bounds.theorem import Hypothesis, in_unit_interval, integer, positive, require, theorem
from lemmata.bounds.wzw25 import WZW25
from lemmata.bounds.wzw25.algorithms import RATE, descent, outlier_cost, power, slow_factor, spread, summed_loss
from lemmata.bounds.wzw25.hinge_gradient import replacement_sensitivity
from lemmata.bounds.wzw25.last_iterate import last_iterate_tail, weighted_tail
from lemmata.bounds.wzw25.projected_margins import WITHIN, third_margin_rows

WITHIN_RADIUS = Hypothesis(("gamma", "radius"), "gamma <= radius: some record is an inlier", WITHIN.holds)
FEW = require("outliers <= n", lambda outliers, n: outliers <= n)
RECORDS = [integer("n"), integer("outliers", 0), FEW, positive("gamma"), positive("radius"), WITHIN_RADIUS]
SETTING = [*RECORDS, positive("mu")]
SAMPLE_NEEDS = [*SETTING, in_unit_interval("beta")]
RUN = [*SAMPLE_NEEDS, integer("steps")]
MEAN = r"\Pr_\Phi\left[\mathbb{E}_{\mathcal{A}}[\tilde L_{\gamma/3}(\bar{\mathbf{w}};\Phi S)]\le%s\right]\ge 1-\beta"
NOISE = r"\frac{b^2\log^{1/2}((n+2)(n+1)/\beta)}{n\gamma^2\mu}"
OUT = r"\frac{b|S_{\mathrm{out}}|}{\gamma n}"
ORDER = r"O\left(" + NOISE + "+" + OUT + r"\right)"
OVER = r"\min_{S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\gamma)}"
COST = r"\left(1+\frac{3b}{\gamma}+\frac{36b-15\gamma}{25b}\right)"
EXPLICIT = r"\frac{|S_{\mathrm{out}}|}{n}" + COST + r"+\frac{12b}{\gamma n}\sqrt{\frac{n^2}{T}+\frac{k}{\mu^2}}"
LIFTED = r"\tilde L_{\gamma/3}(\Phi^\top%s;S)\le\frac{m(\gamma)}{n}" + COST


# Lemma 6.3 = D.3: privacy, and the last iterate with high probability -------------------------------------------------


@theorem(
    "wzw25.lem6.3",
    part="privacy",
    kind="privacy",
    says=r"\mathcal{A}_{JLGD}(\Phi,\gamma/3,S,\mu)\ \mathrm{is}\ \mu\mathrm{-GDP}",
    needs=[integer("n"), integer("steps"), positive("gamma"), positive("radius")],
    source=", and Algorithm 1",
)
def projected_gdp(*, n: int, steps: int, gamma: float, radius: float = 1.0) -> float:
    """The Gaussian budget that gradient descent on projected, clipped records spends.

    sqrt(T) Delta / sigma with sigma = n Delta, for mu = sqrt(T) / n, so that T = n^2 mu^2 is whole.

    Derivation, for every fixed Phi, whatever its size and law. (1) Line 2 clips Phi x at 2 v: no row is longer than
    2 v, whatever x is, also where ||Phi x|| > 2 ||x||, which no Phi with k < d excludes. (2) So the gradient sum
    changes by at most Delta = 2 (2 v) / c = 12 v / gamma when one record is replaced (Lemma A.10 b); clipping is record
    by record. (3) Descent with sigma = Delta sqrt(T) / mu is mu-GDP (Lemma C.1). (4) Phi' w is a function of w and of
    Phi, which is drawn without the data. Neither gamma < 1 nor a large k is needed (cf. Lemma 6.2).

    >>> projected_gdp(n=4, steps=4, gamma=0.5)
    0.5
    """
    sensitivity = replacement_sensitivity(radius=2 * radius, width=gamma / 3)
    return sqrt(steps) * sensitivity / (n * sensitivity)


@theorem(
    "wzw25.lem6.3",
    part="utility",
    kind="tail",
    says=r"\Pr\left[\tilde L_{\gamma/3}(\Phi^\top\mathbf{w};S)\le"
    + OVER
    + r"\tilde O\left(\frac{1}{\gamma^2\mu n}+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)\right]\ge 1-2\beta",
    needs=[*SAMPLE_NEEDS, require("radius = 1", lambda radius: radius == 1)],
)
def last_order_without_logs(*, n: int, gamma: float, outliers: int, mu: float, radius: float = 1.0) -> float:
    """The order, up to logarithms, of Algorithm 1's hinge loss on the records.

    1/(gamma^2 mu n) + m(gamma)/(gamma n). The logarithms left out are `last_logs`.
    """
    return 1 / (gamma**2 * mu * n) + outliers / (gamma * n)


def last_logs(*, n: int, mu: float, beta: float) -> float:
    """log^{1/2}(1/beta) log^{1/2}((n+1)(n+2)/beta) (4 + 3 log T), T = n^2 mu^2 rounded up.

    >>> round(last_logs(n=10, mu=1.0, beta=0.1), 1)
    72.5
    """
    return sqrt(-log(beta) * spread(n, beta)) * slow_factor(n, mu)


@theorem(
    "wzw25.lem6.3",
    part="projected",
    kind="tail",
    says=r"\Pr\left[\tilde L_{\gamma/3}(\mathbf{w};\Phi S)\le"
    + OVER
    + r"O\left(\frac{b^2\log^{1/2}(1/\beta)\log^{1/2}((n+1)(n+2)/\beta)}{n\gamma^2\mu}+"
    + OUT
    + r"\right)\right]\ge 1-2\beta",
    needs=SAMPLE_NEEDS,
    source=f"{WZW25}, Lemma D.3",
)
def last_order(*, n: int, gamma: float, outliers: int, mu: float, beta: float, radius: float = 1.0) -> float:
    """The order of Algorithm 1's hinge loss on the projected records, last iterate.

    All logarithms are printed. It is nonvacuous for beta < 1/2 only, where log(1/beta) >= log 2: what breaks Lemma C.2
    as beta tends to 1 does no harm here.
    """
    noise = noise_term(n=n, gamma=gamma, mu=mu, beta=beta, radius=radius)
    return noise * sqrt(-log(beta)) + radius * outliers / (gamma * n)


@projected_gdp.explicit(
    part="closed",
    says=LIFTED % r"\mathbf{w}"
    + r"+(4+3\log T)\frac{12b}{\gamma n\mu}\sqrt{1+k\log\frac1\beta}\quad\mathrm{w.p.}\ 1-2\beta",
    kind="tail",
    needs=[*SETTING, require("0 < beta <= 1/2", lambda beta: 0 < beta <= 0.5)],
    source="derived here; Lemma C.2 (part last) at the printed step size, Lemma 6.2 (explicit)",
)
def last_loss(*, n: int, gamma: float, outliers: int, mu: float, beta: float, radius: float = 1.0) -> float:
    """The hinge loss of Algorithm 1's last iterate with probability 1 - 2 beta.

    `last_iterate_tail` at v = 1/(4 eta^2 sigma^2 H_T), as in Lemma C.2 (corrected): the excess of w_T is at most

        D^2/(eta (T+2)) + eta G0^2 (H_T + 1/2) + eta sigma^2 H_T (k log 2 + 2 log(1/beta)),

    with G0 <= n Delta. Let A = n^2 Delta^2 + k sigma^2 log(1/beta) and eta = D/sqrt(T A), as printed. H_T >= 1,
    log(1/beta) >= log 2 and k >= 1 bound the last two terms by 3 H_T eta A, and the first is at most D sqrt(A/T). So
    the excess is at most (1 + 3 H_T) D sqrt(A/T), where H_T <= 1 + log T and, as T >= n^2 mu^2, sqrt(A/T) <=
    (Delta/mu) sqrt(1 + k log(1/beta)). The comparator is `expected_loss`'s. On the event of Lemma 6.2 (explicit)
    nothing is clipped, so the loss on Phi S is the loss of Phi' w on S (part lifting).

    >>> last_loss(n=100, gamma=1.0, outliers=0, mu=1e6, beta=0.1) < 0.01
    True
    """
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)
    noise = slow_factor(n, mu) * 12 / mu * sqrt(1 - rows * log(beta))
    return outliers / n * outlier_cost(gamma=gamma / radius) + radius * noise / (gamma * n)


@projected_gdp.explicit(
    part="dimension",
    says=r"\tilde L_{\gamma/3}(\Phi^\top\mathbf{w}_T;S)\le261\,\frac{b^2\log^{1/2}(1/\beta)\log^{1/2}((n+1)(n+2)"
    r"/\beta)}{n\gamma^2\mu}+4.84\,\frac{b\,m(\gamma)}{\gamma n}\quad\mathrm{w.p.}\ 1-2\beta",
    kind="tail",
    needs=[
        *SETTING,
        require("0 < beta <= 1/2", lambda beta: 0 < beta <= 0.5),
        require("mu <= n^7", lambda mu, n: mu <= n**7),
    ],
    source="ours; Lemma C.2 (part free-energy) at the printed step size, Lemma 6.2 (explicit)",
)
def last_loss_by_dimension(
    *, n: int, gamma: float, outliers: int, mu: float, beta: float, radius: float = 1.0
) -> float:
    """The printed order of the last iterate's hinge loss with constants, where the dimension is above log T.

    Derivation. Let l = log(1/beta) >= log 2, Delta = 12 b/gamma, and let k >= 28 be that of Lemma 6.2 (explicit), so k
    l >= 15.5 log(4 n + 2) log 2 > 19. As mu <= n^7, log T <= 16 log n + log 2 <= 1.5 k l. As in
    wzw25.lemC.2/explicit/dimension, the excess is at most (1 + 9/(4 log 2) + 15/(4 k) + (2.1 + 0.52 log T)/(1 + k l))
    (Delta/mu) sqrt(1 + k l) <= 5.4 Delta sqrt(k l)/mu, and wzw25.lem6.3.s1 makes 48.2 * 5.4 < 261 of it. An outlier
    costs at most 1 + (3 b/gamma) 1.28 <= 4.84 b/gamma. Comparator and event are those of
    wzw25.lem6.3/explicit/closed.

    >>> round(last_loss_by_dimension(n=1, gamma=1.0, outliers=1, mu=1.0, beta=0.5) - 4.84, 3)
    342.538
    """
    noise = noise_term(n=n, gamma=gamma, mu=mu, beta=beta, radius=radius)
    return 261 * noise * sqrt(-log(beta)) + 4.84 * radius * outliers / (gamma * n)


def _tail_loss(
    tail: Callable[..., float],
    n: int,
    outliers: int,
    gamma: float,
    beta: float,
    radius: float,
    d: int | None,
    **run: Any,
) -> float:
    """(The outliers' part + `tail` of the descent) / n, projected unless d <= k."""
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)
    projected = d is None or d > rows
    problem = descent(
        n=n, gamma=gamma, rows=rows if d is None else min(d, rows), projected=projected, radius=radius, **run
    )
    return (outliers * outlier_cost(gamma=gamma / radius, projected=projected) + tail(**problem, beta=beta)) / n


@projected_gdp.explicit(
    part="last",
    says=r"\Pr\left[" + LIFTED % r"\mathbf{w}_T" + r"+\frac{B_{\mathrm{last}}(\beta)}{n}\right]\ge 1-2\beta",
    kind="tail",
    needs=RUN,
    source="Lemma C.2 (part last) and Lemma 6.2 (explicit)",
)
def last_tail(
    *,
    n: int,
    gamma: float,
    outliers: int,
    mu: float,
    beta: float,
    steps: int,
    radius: float = 1.0,
    d: int | None = None,
) -> float:
    """The hinge loss of Algorithm 1's last iterate for any number of steps.

    B_last is `last_iterate_tail`, a number without closed form. With d <= k given, as in `expected_error`.
    """
    run = {"mu": mu, "steps": steps, "log_factor": -log(beta)}
    return _tail_loss(last_iterate_tail, n, outliers, gamma, beta, radius, d, **run)


@projected_gdp.explicit(
    part="weighted",
    says=r"\Pr\left[" + LIFTED % r"\bar{\mathbf{w}}_\lambda" + r"+\frac{B_\lambda(\beta)}{n}\right]\ge 1-2\beta",
    kind="tail",
    needs=RUN,
    source="Lemma C.2 (part weighted) and Lemma 6.2 (explicit)",
)
def weighted_average_tail(
    *,
    n: int,
    gamma: float,
    outliers: int,
    mu: float,
    beta: float,
    steps: int,
    radius: float = 1.0,
    d: int | None = None,
) -> float:
    """The hinge loss of a weighted average of Algorithm 1's iterates, without log T.

    B_lambda is `weighted_tail`, at the step size of the averaged iterate (cf. Lemma D.1). With d <= k given, as in
    `expected_error`.
    """
    return _tail_loss(weighted_tail, n, outliers, gamma, beta, radius, d, mu=mu, steps=steps)


# Lemma D.1: the averaged iterate, in expectation ----------------------------------------------------------------------


def noise_term(*, n: int, gamma: float, mu: float, beta: float, radius: float) -> float:
    """b^2 log^{1/2}((n+1)(n+2)/beta) / (n gamma^2 mu)."""
    return radius**2 * sqrt(spread(n, beta)) / (n * gamma**2 * mu)


@theorem(
    "wzw25.lemD.1",
    kind="mean",
    says=MEAN % (r" O\left(" + NOISE + r"+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)"),
    needs=SAMPLE_NEEDS,
)
def expected_order_as_printed(
    *, n: int, gamma: float, outliers: int, mu: float, beta: float, radius: float = 1.0
) -> float:
    """The order of Algorithm 1's expected hinge loss, averaged iterate, as printed.

    The loss does not change when records, b and gamma are multiplied by the same factor; the second term does.

    >>> expected_order_as_printed(n=2, gamma=1.0, outliers=2, mu=1e9, beta=0.5) < 1.0001
    True
    """
    return noise_term(n=n, gamma=gamma, mu=mu, beta=beta, radius=radius) + outliers / (gamma * n)


@expected_order_as_printed.corrected(says=MEAN % (" " + ORDER), source=", last line of its proof in Appendix D.1")
def expected_order(*, n: int, gamma: float, outliers: int, mu: float, beta: float, radius: float = 1.0) -> float:
    """The order of Algorithm 1's expected hinge loss, with b in the outliers' term.

    With k <= 15.5 (b/gamma)^2 log((2n+1)/beta) + 1 (Lemma 6.2, explicit), 2n + 1 <= (n+1)(n+2) and T >= n^2 mu^2, the
    noise of the explicit reading is at most 12 sqrt(15.5 + 2/log 6) times the first term, and an outlier costs at most
    4.84 b/gamma.
    """
    return expected_order_as_printed.theorem.formula(n=n, gamma=gamma / radius, outliers=outliers, mu=mu, beta=beta)


@expected_order_as_printed.explicit(
    says=MEAN % EXPLICIT, needs=RUN, source="Lemma C.1 (explicit) and Lemma 6.2 (explicit)"
)
def expected_loss(
    *, n: int, gamma: float, outliers: int, mu: float, beta: float, steps: int, radius: float = 1.0
) -> float:
    """The expected hinge loss of Algorithm 1's averaged iterate, with our constants.

    `summed_loss` / n at gamma/b, for k = `third_margin_rows` and any whole T, at the printed step size.

    >>> round(expected_loss(n=1000, gamma=0.8, outliers=0, mu=1.0, beta=0.05, steps=10**6), 3)
    0.209
    """
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)
    return summed_loss(n=n, gamma=gamma / radius, outliers=outliers, mu=mu, rows=rows, steps=steps) / n


@expected_order_as_printed.explicit(
    part="error",
    says=r"\mathbb{E}_{\Phi,\mathcal{A}}[\tilde{\mathcal R}_S(\Phi^\top\bar{\mathbf{w}})]\le" + EXPLICIT + r"+\beta",
    needs=RUN,
    source="the explicit reading of Lemma D.1; errors are at most 1",
)
def expected_error(
    *,
    n: int,
    gamma: float,
    outliers: int,
    mu: float,
    beta: float,
    steps: int,
    radius: float = 1.0,
    d: int | None = None,
) -> float:
    """The expected zero-one risk of Algorithm 1's averaged iterate.

    The hinge loss bounds the zero-one loss, clipping turns no record, and a bad projection costs at most 1. Where d is
    given and no larger than k, no projection is drawn: then an outlier costs 1 + 3b/gamma, Delta is 6b/gamma, the
    descent runs in R^d, and the failure probability beta is not needed.

    >>> round(expected_error(n=30, gamma=0.5, outliers=0, mu=2.0, beta=0.1, steps=1800, d=2), 3)
    0.4
    """
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)
    share = gamma / radius
    if d is not None and d <= rows:
        return summed_loss(n=n, gamma=share, outliers=outliers, mu=mu, rows=d, steps=steps, projected=False) / n
    return summed_loss(n=n, gamma=share, outliers=outliers, mu=mu, rows=rows, steps=steps) / n + beta


@expected_order_as_printed.rate(
    "n", says=r"\mathbb{E}[\min\{1,\tilde L_{\gamma/3}\}]\propto n^{-1}\ \mathrm{or\ faster}", **RATE
)
def loss_along_n(*, first: float, last: float) -> float:
    """The allowed ratio of two losses of Algorithm 1 if they decrease like 1/n."""
    return power(first, last, -1)


@expected_order_as_printed.rate(
    "gamma", says=r"\mathbb{E}[\tilde L_{\gamma/3}]\propto\gamma^{-2}\ \mathrm{or\ slower},\quad\gamma\to 0", **RATE
)
def loss_along_gamma(*, first: float, last: float) -> float:
    """The allowed ratio of two losses of Algorithm 1 if they grow like gamma^-2.

    The margin decreases from 1/first to 1/last.
    """
    return power(first, last, 2)


@expected_order_as_printed.rate(
    "outliers", says=r"\mathbb{E}[\tilde L_{\gamma/3}]\propto|S_{\mathrm{out}}|\ \mathrm{or\ slower}", **RATE
)
def loss_along_outliers(*, first: float, last: float) -> float:
    """The allowed ratio of Algorithm 1's losses growing like the number of outliers."""
    return power(first, last, 1)


@expected_order_as_printed.rate(
    "d",
    says=r"\mathbb{E}[\min\{1,\tilde L_{\gamma/3}\}]\propto d^0\ \mathrm{or\ slower}",
    **RATE,
    source=f"{WZW25}, Section 6.1: 'dimension-independent'",
)
def loss_along_dimension(*, first: float, last: float) -> float:
    """The allowed ratio of two losses of Algorithm 1 if they do not grow with d.

    The projection is the fast one, which the lemma's proof does not cover: the lemma's own takes k d operations.
    """
    return power(first, last, 0)


# Corollary D.2: the fewest outliers -----------------------------------------------------------------------------------


@theorem("wzw25.corD.2", kind="mean", says=r"\gamma\in[0,b]:\ " + MEAN % (OVER + ORDER), needs=SAMPLE_NEEDS)
def fewest_outliers_order(*, n: int, gamma: float, outliers: int, mu: float, beta: float, radius: float = 1.0) -> float:
    """The order of Algorithm 1's hinge loss against the best outlier set of a margin.

    `outliers` is m(gamma), the smallest |S_out| in S_out(gamma): the expression grows with |S_out|, so its minimum is
    there, and one S_in, whose projection keeps its margin with probability 1 - beta, is enough: no union over S_out.
    Here the term of the outliers has the factor b that Lemma D.1 lacks. There is always an outlier set: S itself, whose
    term is b/gamma >= 1.
    """
    return expected_order.theorem.formula(n=n, gamma=gamma, outliers=outliers, mu=mu, beta=beta, radius=radius)


@fewest_outliers_order.explicit(
    says=MEAN % (OVER + r"\left\{" + EXPLICIT + r"\right\}"),
    needs=RUN,
    source="Lemma D.1 (explicit) at the smallest outlier set",
)
def fewest_outliers_loss(
    *, n: int, gamma: float, outliers: int, mu: float, beta: float, steps: int, radius: float = 1.0
) -> float:
    """The hinge loss of Algorithm 1 against the best outlier set, with our constants.

    `expected_loss` at |S_out| = m(gamma): increasing in |S_out|, so this is its minimum over S_out(gamma).
    """
    return expected_loss(n=n, gamma=gamma, outliers=outliers, mu=mu, beta=beta, steps=steps, radius=radius)
