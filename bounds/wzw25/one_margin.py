"""What Algorithm 1 achieves at one margin: Appendix D of Wang, Zhu & Wang (2025), and Lemma 6.3.

S = S_in u S_out in the ball of radius b, gamma(S_in) >= gamma. Algorithm 1 projects with Phi, clips at 2b and runs
noisy gradient descent on the hinge loss of width gamma/3 with the budget mu.

Arguments: `outliers` |S_out|, `radius` b, `rows` the dimension k in which the descent runs, `steps` its number T of
steps. Some record is an inlier, so gamma <= b. (With S_in empty and gamma(S_in) = +inf, as Definition 6.1 needs, a
printed bound tends to 0 as gamma grows while the loss of w = 0 is 1: that reading is not meant.)
At gamma = 0, which Corollary D.2 includes, there is no loss of width 0, and the bounds are infinite.

Registered surrogates of the rates of Lemma D.1 and Theorem 6.5 of Wang, Zhu & Wang (2025).

Each says that a mean grows or falls, from the first to the last of its points, at most or at least like the printed
power, up to 0.1 in the exponent. They are about the tested settings, and never change a printed verdict.
"""

from __future__ import annotations

from math import log, sqrt

from bounds.papers import WZW25
from bounds.theorem import Hypothesis, in_unit_interval, integer, positive, require, theorem
from bounds.wzw25.hinge_gradient import replacement_sensitivity
from bounds.wzw25.last_iterate import last_iterate_tail, problem_of, weighted_tail
from bounds.wzw25.noisy_gd import printed_steps
from bounds.wzw25.projected_margins import WITHIN, third_margin_rows

# Algorithm 1: Lemma 6.3 ---------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lem6.3",
    part="privacy",
    kind="privacy",
    says=r"\mathcal{A}_{JLGD}(\Phi,\gamma/3,S,\mu)\ \mathrm{is}\ \mu\mathrm{-GDP}",
    needs=[integer("n"), integer("steps"), positive("gamma"), positive("radius")],
    source=f"{WZW25}, Lemma 6.3, and Algorithm 1",
)
def projected_gdp(*, n, steps, gamma, radius=1.0):
    """Gradient descent on projected, clipped records is mu-GDP

    What it spends, sqrt(T) Delta / sigma with sigma = n Delta, for mu = sqrt(T) / n, so that T = n^2 mu^2 is whole.

    Derivation, for every fixed Phi, whatever its size and law. (1) Line 2 clips Phi x at 2 v: no row is longer than
    2 v, whatever x is, also where ||Phi x|| > 2 ||x||, which no Phi with k < d excludes. (2) So the gradient sum
    changes by at most Delta = 2 (2 v) / c = 12 v / gamma when one record is replaced (Lemma A.10 b); clipping is record
    by record. (3) Descent with sigma = Delta sqrt(T) / mu is mu-GDP (Lemma C.1). (4) Phi' w is a function of w and of
    Phi, which is drawn without the data. Neither gamma < 1 nor Lemma 6.2's k is needed.

    >>> projected_gdp(n=4, steps=4, gamma=0.5)
    0.5
    """
    sensitivity = replacement_sensitivity(radius=2 * radius, width=gamma / 3)
    return sqrt(steps) * sensitivity / (n * sensitivity)


PROOF = f"{WZW25}, Appendix D.1, proof of Lemma D.1"
COMPARATOR = 1.0  # the norm of w_ref - w_0: a unit separator and w_0 = 0
WITHIN_RADIUS = Hypothesis(("gamma", "radius"), "gamma <= radius: some record is an inlier", WITHIN.holds)
SETTING = [
    integer("n"),
    integer("outliers", 0),
    require("outliers <= n", lambda outliers, n: outliers <= n),
    positive("gamma"),
    positive("radius"),
    WITHIN_RADIUS,
    positive("mu"),
]
SIZES = [*SETTING, in_unit_interval("beta")]
RUN = [*SETTING, integer("steps")]
LOSS = r"\mathbb{E}_{\mathcal{A}}[\tilde L_{\gamma/3}(\bar{\mathbf{w}};\Phi S)]"
NOISE = r"\frac{b^2\log^{1/2}((n+2)(n+1)/\beta)}{n\gamma^2\mu}"
OUT = r"\frac{b|S_{\mathrm{out}}|}{\gamma n}"
OVER = r"\min_{S_{\mathrm{out}}\in\mathcal{S}_{\mathrm{out}}(\gamma)}"
EXPLICIT = (
    r"\frac{|S_{\mathrm{out}}|}{n}\left(1+\frac{3b}{\gamma}\sqrt{1+\frac{\gamma}{2b}}\right)"
    r"+\frac{12b}{\gamma n}\sqrt{\frac{n^2}{T}+\frac{k}{\mu^2}}"
)


def spread(n, beta):
    """log((n+1)(n+2)/beta), the printed logarithm.

    >>> round(spread(1, 1 / 6), 6) == round(2 * log(6), 6)
    True
    """
    return log((n + 1) * (n + 2)) - log(beta)


def noise_term(*, n, gamma, mu, beta, radius):
    """b^2 log^{1/2}((n+1)(n+2)/beta) / (n gamma^2 mu)."""
    return radius**2 * sqrt(spread(n, beta)) / (n * gamma**2 * mu)


def outlier_cost(*, gamma, projected=True):
    """The most that an outlier adds to the hinge sum of the separator of the inliers, for gamma in units of b.

    1 + ||Phi x|| ||w|| / (gamma/3), with ||Phi x||^2 <= 1 + gamma/2 on the event of Lemma 6.2 (explicit).

    >>> outlier_cost(gamma=0.5, projected=False)
    7.0
    """
    return 1 + 3 / gamma * (sqrt(1 + gamma / 2) if projected else 1.0)


# Lemma D.1: the averaged iterate, in expectation ----------------------------------------------------------------------


@theorem(
    "wzw25.lemD.1",
    kind="mean",
    says=r"\Pr_\Phi\left[" + LOSS + r"\le O\left(" + NOISE + r"+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)\right]"
    r"\ge 1-\beta",
    needs=SIZES,
)
def expected_order_as_printed(*, n, gamma, outliers, mu, beta, radius=1.0):
    """The expected hinge loss of the averaged iterate, as printed: the expression inside O(.)

    The loss does not change when records, b and gamma are multiplied by the same factor; the second term does.

    >>> expected_order_as_printed(n=2, gamma=1.0, outliers=2, mu=1e9, beta=0.5) < 1.0001
    True
    """
    return noise_term(n=n, gamma=gamma, mu=mu, beta=beta, radius=radius) + outliers / (gamma * n)


@expected_order_as_printed.corrected(
    says=r"\Pr_\Phi\left[" + LOSS + r"\le O\left(" + NOISE + "+" + OUT + r"\right)\right]\ge 1-\beta",
    source=f"{PROOF}, last line",
)
def expected_order(*, n, gamma, outliers, mu, beta, radius=1.0):
    """The expected hinge loss of the averaged iterate, with b in the term of the outliers

    What stands inside O(.). With k <= 24 (b/gamma)^2 log((3n+1)/beta) + 1 (Lemma 6.2, explicit; 1 - g/3 >= 2/3),
    3n + 1 <= (n+1)(n+2) and T >= n^2 mu^2, the noise of the explicit reading is at most 12 sqrt(24 + 2/log 6) times
    the first term, and an outlier costs at most (1 + 3 sqrt(1.5)) b/gamma.
    """
    return noise_term(n=n, gamma=gamma, mu=mu, beta=beta, radius=radius) + radius * outliers / (gamma * n)


@expected_order_as_printed.explicit(
    says=r"\Pr_\Phi\left[" + LOSS + r"\le" + EXPLICIT + r"\right]\ge 1-\beta",
    needs=[*SIZES, integer("steps")],
    source="Lemma C.1 (explicit) and Lemma 6.2 (explicit)",
)
def expected_loss(*, n, gamma, outliers, mu, beta, steps, radius=1.0):
    """The expected hinge loss of the averaged iterate, with our constants

    `summed_loss` / n at gamma/b, for k = `third_margin_rows` and any whole T, at the printed step size.

    >>> round(expected_loss(n=1000, gamma=0.8, outliers=0, mu=1.0, beta=0.05, steps=10**6), 3)
    0.291
    """
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)
    return summed_loss(n=n, gamma=gamma / radius, outliers=outliers, mu=mu, rows=rows, steps=steps) / n


@expected_order_as_printed.explicit(
    part="error",
    says=r"\mathbb{E}_{\Phi,\mathcal{A}}[\tilde{\mathcal R}_S(\Phi^\top\bar{\mathbf{w}})]\le" + EXPLICIT + r"+\beta",
    needs=[*SIZES, integer("steps")],
    source="the explicit reading of Lemma D.1; errors are at most 1",
)
def expected_error(*, n, gamma, outliers, mu, beta, steps, radius=1.0, d=None):
    """The expected zero-one risk of the averaged iterate, over projections and noise

    The hinge loss bounds the zero-one loss, clipping turns no record, and a bad projection costs at most 1. Where d is
    given and no larger than k, no projection is drawn: then an outlier costs 1 + 3b/gamma, Delta is 6b/gamma, the
    descent runs in R^d, and beta is not paid.

    >>> round(expected_error(n=30, gamma=0.5, outliers=0, mu=2.0, beta=0.1, steps=1800, d=2), 3)
    0.4
    """
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)
    known = {"n": n, "gamma": gamma / radius, "outliers": outliers, "mu": mu, "steps": steps}
    if d is not None and d <= rows:
        return summed_loss(rows=d, projected=False, **known) / n
    return summed_loss(rows=rows, **known) / n + beta


# Corollary D.2: the fewest outliers -----------------------------------------------------------------------------------


@theorem(
    "wzw25.corD.2",
    kind="mean",
    says=r"\gamma\in[0,b]:\ \Pr_\Phi\left["
    + LOSS
    + r"\le"
    + OVER
    + r"O\left("
    + NOISE
    + "+"
    + OUT
    + r"\right)\right]\ge 1-\beta",
    needs=SIZES,
)
def fewest_outliers_order(*, n, gamma, outliers, mu, beta, radius=1.0):
    """The expected hinge loss against the best outlier set of a margin, the expression inside O(.)

    `outliers` is m(gamma), the smallest |S_out| in S_out(gamma): the expression grows with |S_out|, so its minimum is
    there, and one S_in, whose projection keeps its margin with probability 1 - beta, is enough: no union over S_out.
    Here the term of the outliers has the factor b that Lemma D.1 lacks. There is always an outlier set: S itself, whose
    term is b/gamma >= 1.
    """
    return noise_term(n=n, gamma=gamma, mu=mu, beta=beta, radius=radius) + radius * outliers / (gamma * n)


@fewest_outliers_order.explicit(
    says=r"\Pr_\Phi\left[" + LOSS + r"\le" + OVER + r"\left\{" + EXPLICIT + r"\right\}\right]\ge 1-\beta",
    needs=[*SIZES, integer("steps")],
    source="Lemma D.1 (explicit) at the smallest outlier set",
)
def fewest_outliers_loss(*, n, gamma, outliers, mu, beta, steps, radius=1.0):
    """The expected hinge loss against the best outlier set of a margin, with our constants

    `expected_loss` at |S_out| = m(gamma): increasing in |S_out|, so this is its minimum over S_out(gamma).
    """
    known = {"n": n, "gamma": gamma, "outliers": outliers, "mu": mu, "beta": beta, "steps": steps}
    return expected_loss(radius=radius, **known)


# Lemma 6.3 = D.3: the last iterate, with high probability -------------------------------------------------------------


@theorem(
    "wzw25.lem6.3",
    part="utility",
    kind="tail",
    says=r"\Pr\left[\tilde L_{\gamma/3}(\Phi^\top\mathbf{w};S)\le"
    + OVER
    + r"\tilde O\left(\frac{1}{\gamma^2\mu n}+\frac{|S_{\mathrm{out}}|}{\gamma n}\right)\right]\ge 1-2\beta",
    needs=[*SIZES, require("radius = 1", lambda radius: radius == 1)],
    source=f"{WZW25}, Lemma 6.3",
)
def last_order_without_logs(*, n, gamma, outliers, mu, radius=1.0):
    """The hinge loss of the last iterate, on the records themselves: the expression inside O~(.)

    1/(gamma^2 mu n) + m(gamma)/(gamma n). The logarithms left out are `last_logs`.
    """
    return 1 / (gamma**2 * mu * n) + outliers / (gamma * n)


def last_logs(*, n, mu, beta):
    """log^{1/2}(1/beta) log^{1/2}((n+1)(n+2)/beta) (4 + 3 log T), T = n^2 mu^2 rounded up.

    >>> round(last_logs(n=10, mu=1.0, beta=0.1), 1)
    72.5
    """
    return sqrt(-log(beta) * spread(n, beta)) * slow_factor(n, mu)


def slow_factor(n, mu):
    """4 + 3 log T >= 1 + 3 H_T, T = n^2 mu^2 rounded up: what our proof pays for the last iterate.

    >>> slow_factor(3, 0.1)
    4.0
    """
    return 4 + 3 * log(printed_steps(n, mu))


@theorem(
    "wzw25.lem6.3",
    part="projected",
    kind="tail",
    says=r"\Pr\left[\tilde L_{\gamma/3}(\mathbf{w};\Phi S)\le"
    + OVER
    + r"O\left(\frac{b^2\log^{1/2}(1/\beta)\log^{1/2}((n+1)(n+2)/\beta)}{n\gamma^2\mu}+"
    + OUT
    + r"\right)\right]\ge 1-2\beta",
    needs=SIZES,
    source=f"{WZW25}, Lemma D.3",
)
def last_order(*, n, gamma, outliers, mu, beta, radius=1.0):
    """The hinge loss of the last iterate, on the projected records: the expression inside O(.)

    All logarithms are printed. It says something for beta < 1/2 only, where log(1/beta) >= log 2: what breaks Lemma
    C.2 as beta tends to 1 does no harm here.
    """
    noise = noise_term(n=n, gamma=gamma, mu=mu, beta=beta, radius=radius)
    return noise * sqrt(-log(beta)) + radius * outliers / (gamma * n)


BELOW_HALF = require("0 < beta <= 1/2", lambda beta: 0 < beta <= 0.5)


@projected_gdp.explicit(
    part="closed",
    says=r"\tilde L_{\gamma/3}(\Phi^\top\mathbf{w};S)\le\frac{m(\gamma)}{n}"
    r"\left(1+\frac{3b}{\gamma}\sqrt{1+\frac{\gamma}{2b}}\right)"
    r"+(4+3\log T)\frac{12b}{\gamma n\mu}\sqrt{1+k\log\frac1\beta}\quad\mathrm{w.p.}\ 1-2\beta",
    kind="tail",
    needs=[*SETTING, BELOW_HALF],
    source="derived here; Lemma C.2 (part last) at the printed step size, Lemma 6.2 (explicit)",
)
def last_loss(*, n, gamma, outliers, mu, beta, radius=1.0):
    """The hinge loss of the last iterate with probability 1 - 2 beta, T = n^2 mu^2 rounded up, printed step size

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


def descent(*, n, gamma, mu, steps, rows, projected=True, radius=1.0, log_factor=1.0):
    """The arguments of the bounds in `last_iterate` for the descent of Algorithm 1 at the printed step size."""
    sensitivity = (12 if projected else 6) * radius / gamma
    problem = {"n": n, "d": rows, "steps": steps, "mu": mu, "sensitivity": sensitivity, "log_factor": log_factor}
    return problem_of(gradient_norm=n * sensitivity / 2, distance=COMPARATOR, **problem)


def tail_loss(*, n, gamma, outliers, mu, beta, steps, radius, d, bound, log_factor):
    """(outliers' part + `bound` of the descent) / n, projected unless d <= k."""
    rows = third_margin_rows(n=n, gamma=gamma, beta=beta, b=radius)
    projected = d is None or d > rows
    run = descent(
        n=n,
        gamma=gamma,
        mu=mu,
        steps=steps,
        rows=rows if projected else d,
        projected=projected,
        radius=radius,
        log_factor=log_factor,
    )
    return (outliers * outlier_cost(gamma=gamma / radius, projected=projected) + bound(**run, beta=beta)) / n


@projected_gdp.explicit(
    part="last",
    says=r"\Pr\left[\tilde L_{\gamma/3}(\Phi^\top\mathbf{w}_T;S)\le\frac{m(\gamma)}{n}"
    r"\left(1+\frac{3b}{\gamma}\sqrt{1+\frac{\gamma}{2b}}\right)+\frac{B_{\mathrm{last}}(\beta)}{n}\right]\ge 1-2\beta",
    kind="tail",
    needs=[*RUN, in_unit_interval("beta")],
    source="Lemma C.2 (part last) and Lemma 6.2 (explicit)",
)
def last_tail(*, n, gamma, outliers, mu, beta, steps, radius=1.0, d=None):
    """The hinge loss of the last iterate with probability 1 - 2 beta, any whole T

    B_last is `last_iterate_tail`, a number without closed form. With d <= k given, as in `expected_error`.
    """
    known = {"n": n, "gamma": gamma, "outliers": outliers, "mu": mu, "beta": beta, "steps": steps, "radius": radius}
    return tail_loss(**known, d=d, bound=last_iterate_tail, log_factor=-log(beta))


@projected_gdp.explicit(
    part="weighted",
    says=r"\Pr\left[\tilde L_{\gamma/3}(\Phi^\top\bar{\mathbf{w}}_\lambda;S)\le\frac{m(\gamma)}{n}"
    r"\left(1+\frac{3b}{\gamma}\sqrt{1+\frac{\gamma}{2b}}\right)+\frac{B_\lambda(\beta)}{n}\right]\ge 1-2\beta",
    kind="tail",
    needs=[*RUN, in_unit_interval("beta")],
    source="Lemma C.2 (part weighted) and Lemma 6.2 (explicit)",
)
def weighted_average_tail(*, n, gamma, outliers, mu, beta, steps, radius=1.0, d=None):
    """The hinge loss of the weighted average of the iterates with probability 1 - 2 beta: no logarithm of T

    B_lambda is `weighted_tail`, at the step size of Lemma D.1. With d <= k given, as in `expected_error`.
    """
    known = {"n": n, "gamma": gamma, "outliers": outliers, "mu": mu, "beta": beta, "steps": steps, "radius": radius}
    return tail_loss(**known, d=d, bound=weighted_tail, log_factor=1.0)


@projected_gdp.explicit(
    part="lifting",
    says=r"\max_i\|\Phi\mathbf{x}_i\|\le 2b\ \Rightarrow\ \tilde L_c(\Phi^\top\mathbf{w};S)="
    r"\tilde L_c(\mathbf{w};\Phi S);"
    r"\quad\tilde{\mathcal R}_S(\Phi^\top\mathbf{w})=\tilde{\mathcal R}_{\Phi S}(\mathbf{w})\ \mathrm{always}",
    kind="identity",
    needs=(),
    source=f"{WZW25}, Lemma 6.3 against Lemma D.3",
)
def lifted_margin(*, margin, length, radius=1.0):
    """Lifted weights see the records as the projected ones do, unless a record was clipped

    <Phi' w, x> = <w, Phi x>. Clipping multiplies `margin` = y <w, Phi x> by min(1, 2b/||Phi x||) > 0: the value
    returned. Its sign stays, so errors agree; the hinge loss may rise or fall with clipping (Lemmas 6.3 and D.3 speak
    of two different losses, equal on the event of Lemma 6.2, explicit).

    >>> lifted_margin(margin=3.0, length=4.0)
    1.5
    """
    return margin * min(1.0, 2 * radius / length)


TOLERANCE = 0.1
ENDS = [positive("first"), positive("last")]


def power(first, last, exponent):
    """(last / first)^(exponent + 0.1).

    >>> round(power(1, 100, -1), 4)
    0.0158
    """
    return (last / first) ** (exponent + TOLERANCE)


@expected_order_as_printed.rate(
    "n",
    says=r"\mathbb{E}[\min\{1,\tilde L_{\gamma/3}\}]\propto n^{-1}\ \mathrm{or\ faster}",
    kind="rate",
    needs=ENDS,
)
def loss_along_n(*, first, last):
    """The loss of Algorithm 1 falls like 1/n in n"""
    return power(first, last, -1)


@expected_order_as_printed.rate(
    "gamma",
    says=r"\mathbb{E}[\tilde L_{\gamma/3}]\propto\gamma^{-2}\ \mathrm{or\ slower},\quad\gamma\to 0",
    kind="rate",
    needs=ENDS,
)
def loss_along_gamma(*, first, last):
    """The loss of Algorithm 1 grows no faster than gamma^-2 as gamma falls; `first` and `last` are 1/gamma"""
    return power(first, last, 2)


@expected_order_as_printed.rate(
    "outliers",
    says=r"\mathbb{E}[\tilde L_{\gamma/3}]\propto|S_{\mathrm{out}}|\ \mathrm{or\ slower}",
    kind="rate",
    needs=ENDS,
)
def loss_along_outliers(*, first, last):
    """The loss of Algorithm 1 grows no faster than the number of outliers"""
    return power(first, last, 1)


@expected_order_as_printed.rate(
    "d",
    says=r"\mathbb{E}[\min\{1,\tilde L_{\gamma/3}\}]\propto d^0\ \mathrm{or\ slower}",
    kind="rate",
    needs=ENDS,
    source=f"{WZW25}, Section 6.1: 'dimension-independent'",
)
def loss_along_dimension(*, first, last):
    """The loss of Algorithm 1 does not grow with the dimension

    The projection is the fast one, which the lemma's proof does not cover: the lemma's own takes k d operations.
    """
    return power(first, last, 0)


def summed_loss(*, n, gamma, outliers, mu, rows, steps, projected=True, stride="printed"):
    """The expected summed hinge loss of Algorithm 1 at width gamma/3 with budget mu, given that its projection is good.

    |S_out| (1 + (3/gamma) s) + Delta sqrt(n^2/T + k/mu^2): Lemma C.1 (explicit) with w_ref = Phi w_in / ||Phi w_in||,
    which has no loss on the inliers, whose projected margin is gamma/3 or more, and at most 1 + ||Phi x|| / (gamma/3)
    on an outlier, ||Phi x|| <= s. With signs s = sqrt(1 + gamma/2) and Delta = 2 * 2 / (gamma/3); without (`projected`
    False, Phi = I) s = 1 and Delta = 2 / (gamma/3). `stride` "tuned": n^2/(4 T).
    """
    longest = sqrt(1 + gamma / 2) if projected else 1.0
    sensitivity = (12 if projected else 6) / gamma
    gradient = n**2 / steps / (4 if stride == "tuned" else 1)
    return outliers * (1 + 3 / gamma * longest) + sensitivity * sqrt(gradient + rows / mu**2)
