"""Noisy gradient descent: Algorithm 5 and Lemma C.1 of Wang, Zhu & Wang (2025).

The objective is the *sum* of hinge losses with confidence margin `width` (the paper's c) over n records, rows x
with norm at most `radius` (b), z = y x:

    L(w; S) = sum_i max(0, 1 - <z_i, w> / c),    w_{t+1} = w_t - eta (grad L(w_t; S) + xi_t),  xi_t ~ N(0, sigma^2 I_d).

Names: `steps` is T, `sensitivity` the L2 sensitivity Delta of the *gradient* when one record is replaced, `distance`
the norm of w_ref - w_0, `mu` the Gaussian-DP budget, `sigma` a standard deviation. The paper's Algorithm 5 says "loss
function l(.)", and Lemma C.1 is judged in this form; corrected readings require the properties of the hinge loss of
Section 3: convexity and per-record gradients of norm at most Delta. Lemma C.2 is in
`lemmata.bounds.wzw25.last_iterate`.
"""

from math import ceil, sqrt
from typing import Any

from lemmata.bounds.theorem import at_least, integer, positive, theorem
from lemmata.bounds.wzw25.hinge_gradient import Real

# Algorithm 5's numbers ------------------------------------------------------------------------------------------------


def printed_steps(n: int, mu: float) -> int:
    """T = n^2 mu^2, rounded up to a whole number of at least 1.

    >>> printed_steps(20, 0.5), printed_steps(1, 0.1)
    (100, 1)
    """
    return max(1, ceil(n**2 * mu**2))


def balanced_steps(n: int, mu: float, d: int) -> int:
    """n^2 mu^2 / d rounded up: d times cheaper than the printed T, and the bound of Lemma C.1 grows by at most sqrt(2).

    >>> balanced_steps(20, 0.5, 5)
    20
    """
    return max(1, ceil(n**2 * mu**2 / d))


def noise_std(steps: int, sensitivity: float, mu: float) -> float:
    """sigma = Delta sqrt(T) / mu for the whole number T of steps: then sqrt(T) Delta / sigma = mu exactly.

    >>> noise_std(16, 0.5, 2.0)
    1.0
    """
    return sensitivity * sqrt(steps) / mu


def stride(
    *, steps: int, gradient_norm: float, sigma: float, d: int, distance: float, log_factor: float = 1.0
) -> float:
    """The constant step size eta = ||w_ref - w_0|| / sqrt(T (G0^2 + d sigma^2 log_factor)).

    Lemma C.1 prints G0 = n Delta and no log factor; Lemma C.2 prints log_factor = log(1/beta).
    """
    return distance / sqrt(steps * (gradient_norm**2 + log_factor * d * sigma**2))


# Lemma C.1 ------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.lemC.1",
    part="privacy",
    kind="privacy",
    says=r"\mathcal{A}_{NGD}\ \mathrm{is}\ \mu\mathrm{-GDP},"
    r"\quad T=n^2\mu^2,\ \sigma=\frac{\Delta\sqrt T}{\mu}=n\Delta",
    needs=[integer("n"), integer("steps")],
)
def gdp_parameter(*, n: int, steps: int) -> float:
    """Noisy gradient descent (Algorithm 5) is mu-GDP under replacement: sqrt(T) = n mu.

    Derivation. (1) The gradient sum has sensitivity Delta (Lemma A.10 b, any choice of subgradient at kinks).
    (2) One noisy gradient is a Gaussian mechanism, (Delta / sigma)-GDP, whatever w_t was released before
    (Remark 2.3). (3) T of them compose adaptively to sqrt(T) Delta / sigma (Remark 2.3) = sqrt(T) / n = mu.
    (4) Iterates, average and last iterate are functions of the noisy gradients and of eta, T, w_0, which do not
    depend on the data given n: post-processing. w_ref enters through its distance to w_0 alone, which must be fixed
    in advance (1 for unit comparators). Where n^2 mu^2 is not whole: see the step about sigma.

    >>> gdp_parameter(n=3, steps=4)
    0.6666666666666666
    """
    sigma = n  # in units of Delta
    return sqrt(steps) / sigma


@theorem(
    "wzw25.lemC.1",
    part="utility",
    kind="mean",
    says=r"\mathbb{E}[\hat L(\bar{\mathbf{w}};S)]-\hat L(\mathbf{w}_{ref};S)"
    r"\le O\left(\frac{\|\mathbf{w}_{ref}-\mathbf{w}_0\|\,\Delta\sqrt d}{\mu}\right)",
    needs=[integer("d"), positive("mu"), at_least("sensitivity", 0), at_least("distance", 0)],
    source=", Equation 7",
)
def averaged_rate(*, d: int, mu: float, sensitivity: float, distance: float) -> float:
    """The order of the expected excess loss of noisy descent's averaged iterate.

    A sensitivity bounds differences of gradients, not gradients: with <a, w> added to every record's loss Delta is what
    it was, and the excess grows with ||a||.

    >>> averaged_rate(d=4, mu=0.5, sensitivity=1.0, distance=1.0)
    4.0
    """
    return distance * sensitivity * sqrt(d) / mu


@averaged_rate.corrected(
    says=r"\ell\ \mathrm{convex},\ \|\nabla\ell\|\le\Delta,\ T=\lceil n^2\mu^2\rceil\ \Rightarrow\ "
    r"\mathbb{E}[\hat L(\bar{\mathbf{w}};S)]-\hat L(\mathbf{w}_{ref};S)"
    r"\le\frac{\sqrt 2\,\|\mathbf{w}_{ref}-\mathbf{w}_0\|\,\Delta\sqrt d}{\mu}",
    source=", Equation 7, with a bounded gradient and our constant",
)
def averaged_bound(*, d: int, mu: float, sensitivity: float, distance: float) -> float:
    """The expected excess loss of the averaged iterate for T >= n^2 mu^2 steps.

    `averaged_excess` with n^2/T <= 1/mu^2 and 1 <= d.

    >>> round(averaged_bound(d=4, mu=0.5, sensitivity=1.0, distance=1.0), 6)
    5.656854
    """
    return sqrt(2) * averaged_rate.theorem.formula(d=d, mu=mu, sensitivity=sensitivity, distance=distance)


UTILITY_NEEDS = [
    integer("n"),
    integer("d"),
    integer("steps"),
    positive("mu"),
    at_least("sensitivity", 0),
    at_least("distance", 0),
]


@averaged_rate.explicit(
    says=r"\mathbb{E}[\hat L(\bar{\mathbf{w}};S)]-\hat L(\mathbf{w}_{ref};S)"
    r"\le\|\mathbf{w}_{ref}-\mathbf{w}_0\|\,\Delta\sqrt{\frac{n^2}{T}+\frac{d}{\mu^2}}",
    needs=UTILITY_NEEDS,
    source="derived here from the printed proof",
)
def averaged_excess(*, n: int, d: int, steps: int, mu: float, sensitivity: float, distance: float) -> float:
    """The expected excess loss of the averaged iterate for every number of steps.

    With D = ||w_ref - w_0||, a_t = L(w_t) - L(w_ref) and G^2 = n^2 Delta^2 + d sigma^2 >= E ||g_t + xi_t||^2:
    E ||w_{t+1} - w_ref||^2 = E ||w_t - w_ref||^2 - 2 eta E <g_t, w_t - w_ref> + eta^2 E ||g_t + xi_t||^2, where
    <g_t, w_t - w_ref> >= a_t (Lemma A.9). Sum over t < T, drop the last norm, divide by 2 eta T, and use
    L(mean of w_t) <= mean of L(w_t): at most D^2 / (2 eta T) + eta G^2 / 2 = D G / sqrt(T) at the printed eta.

    >>> round(averaged_excess(n=20, d=5, steps=80, mu=1.0, sensitivity=4.0, distance=1.0), 6)
    12.649111
    """
    return distance * sensitivity * sqrt(n**2 / steps + d / mu**2)


@gdp_parameter.explicit(
    part="hinge",
    says=r"\mathbb{E}[\hat L(\bar{\mathbf{w}};S)]-\hat L(\mathbf{w}_{ref};S)"
    r"\le\|\mathbf{w}_{ref}-\mathbf{w}_0\|\,\Delta\sqrt{\frac{n^2}{4T}+\frac{d}{\mu^2}}",
    kind="mean",
    needs=UTILITY_NEEDS,
    source="derived here from the printed proof",
)
def averaged_hinge_excess(*, n: int, d: int, steps: int, mu: float, sensitivity: float, distance: float) -> float:
    """The averaged iterate's expected excess hinge loss, step size by gradient norm.

    The step size knows that ||grad L|| <= n radius / width = n Delta / 2.

    The derivation of `averaged_excess` with G^2 = n^2 Delta^2 / 4 + d sigma^2 and eta = D / (G sqrt(T)).

    >>> averaged_hinge_excess(n=20, d=5, steps=80, mu=1.0, sensitivity=4.0, distance=1.0)
    10.0
    """
    return distance * sensitivity * sqrt(n**2 / (4 * steps) + d / mu**2)


# The printed proof, line by line --------------------------------------------------------------------------------------
#
# D is `distance`. Two lines of the algorithm and two of the proof are wrong as they stand (s1, s2, s3, s5); for hinge
# losses none of them is needed.

ALGORITHM = ", Algorithm 5, line Set"


@theorem(
    "wzw25.lemC.1.s1",
    part="set",
    kind="identity",
    says=r"\sup_{S\sim S'}|\hat L(\mathbf{w};S)-\hat L(\mathbf{w};S')|=\Delta",
    needs=[positive("radius"), positive("width"), at_least("norm", 0)],
    source=ALGORITHM,
)
def value_sensitivity(*, norm: Real, radius: Real, width: Real) -> Real:
    """The sensitivity of the summed loss itself, where the gradient's is meant.

    One record replaced: values range over [0, 1 + norm radius / width]. It grows with ||w|| without bound, while
    the noise is for the gradient; the callers use Lemma A.10's Delta = 2 radius / width, which is meant.

    >>> value_sensitivity(norm=3.0, radius=1.0, width=0.5)
    7.0
    """
    return 1 + norm * radius / width - max(0.0, 1 - norm * radius / width)


@theorem(
    "wzw25.lemC.1.s2",
    part="noise",
    kind="privacy",
    says=r"T=\lceil n^2\mu^2\rceil,\ \sigma=n\Delta\ \Rightarrow\ \frac{\sqrt T\,\Delta}{\sigma}\le\mu",
    needs=[integer("n"), positive("mu")],
    source=ALGORITHM,
)
def rounded_gdp(*, n: int, mu: float) -> float:
    """The mu of noisy descent when T = n^2 mu^2 is not whole and is rounded up.

    The two expressions differ then. With n Delta the steps spend sqrt(ceil(n^2 mu^2)) / n > mu; at least one
    step is 1/n-GDP, so no mu < 1/n is reached. Rounded down, as the range t = 0..T-1 does, they spend less than mu.

    >>> rounded_gdp(n=1, mu=0.1)
    1.0
    """
    return gdp_parameter.theorem.formula(n=n, steps=printed_steps(n, mu))


@rounded_gdp.corrected(
    says=r"\sigma=\frac{\Delta\sqrt{T}}{\mu}\ \Rightarrow\ \frac{\sqrt T\,\Delta}{\sigma}=\mu,\quad T=1,2,\ldots",
    needs=[integer("steps"), positive("mu"), positive("sensitivity")],
    source=ALGORITHM,
)
def whole_steps_gdp(*, steps: int, mu: float, sensitivity: float) -> float:
    """The mu of noisy descent, sigma from the whole number of steps: exactly mu.

    Derivation. sigma = Delta sqrt(T)/mu with the whole T put in gives sqrt(T) Delta/sigma = mu, whatever n mu is:
    nothing is rounded after sigma is computed.

    >>> whole_steps_gdp(steps=4, mu=0.1, sensitivity=1.0)
    0.1
    """
    return sqrt(steps) * sensitivity / noise_std(steps, sensitivity, mu)


@theorem(
    "wzw25.lemC.1.s3",
    part="second-moment",
    says=r"\mathbb{E}[\|\hat g_t\|^2\mid\mathbf{w}_t]\le n^2\Delta^2+d\sigma^2",
    needs=[integer("n"), integer("d"), at_least("sensitivity", 0), at_least("sigma", 0)],
)
def squared_gradient_printed(*, n: int, d: int, sensitivity: Real, sigma: Real) -> Real:
    """The second moment of a noisy gradient of any loss: n^2 Delta^2 + d sigma^2.

    A sensitivity bounds differences, not gradients: the convex loss <a, w> + hinge has the sensitivity of the hinge,
    and a gradient sum of norm up to n (||a|| + Delta / 2). For per-record gradients of norm at most Delta it is true:
    E ||g + xi||^2 = ||g||^2 + d sigma^2 and ||g|| <= n Delta; for the hinge ||g|| <= n Delta / 2.

    Derivation. The noise xi has mean 0 and is independent of g, so E ||g + xi||^2 = ||g||^2 + d sigma^2, and a sum of n
    gradients of norm at most Delta has ||g|| <= n Delta.

    >>> squared_gradient_printed(n=2, d=3, sensitivity=1.0, sigma=1.0)
    7.0
    """
    return n**2 * sensitivity**2 + d * sigma**2


squared_gradient = squared_gradient_printed.corrected(
    says=r"\|\nabla\ell\|\le\Delta\ \Rightarrow\ \mathbb{E}[\|\hat g_t\|^2\mid\mathbf{w}_t]\le n^2\Delta^2+d\sigma^2"
)(squared_gradient_printed.theorem.formula)


STEP = (
    r"\mathbb{E}\|\mathbf{w}_{t+1}-\mathbf{w}_{ref}\|^2\le\mathbb{E}\|\mathbf{w}_t-\mathbf{w}_{ref}\|^2"
    r"-2\eta(\mathbb{E}\hat L(\mathbf{w}_t)-\hat L(\mathbf{w}_{ref}))+\eta^2(n^2\Delta^2+d\sigma^2)"
)


@theorem("wzw25.lemC.1.s4", part="one-step", says=STEP, needs=[at_least("eta", 0), at_least("second_moment", 0)])
def one_step_printed(*, squared_distance: Real, excess: Real, eta: Real, second_moment: Real) -> Real:
    """The squared distance from the comparator after one step of descent, as printed.

    In expectation. It takes over the second moment of the step before, n^2 Delta^2 + d sigma^2, which a sensitivity
    does not give: for a loss that is linear between w_t and w_ref the two sides differ by eta^2 (||g||^2 - n^2
    Delta^2). For convex losses with gradients of norm at most Delta it is true.

    Derivation. ||w_{t+1} - w_ref||^2 = ||w_t - w_ref||^2 - 2 eta <g + xi, w_t - w_ref> + eta^2 ||g + xi||^2. Given w_t
    the noise has mean 0, <g, w_t - w_ref> >= L(w_t) - L(w_ref) (wzw25.lemA.9), and the last term is that of
    wzw25.lemC.1.s3.

    >>> one_step_printed(squared_distance=1.0, excess=0.5, eta=0.5, second_moment=1.0)
    0.75
    """
    return squared_distance - 2 * eta * excess + eta**2 * second_moment


one_step = one_step_printed.corrected(says=r"\ell\ \mathrm{convex},\ \|\nabla\ell\|\le\Delta\ \Rightarrow\ " + STEP)(
    one_step_printed.theorem.formula
)


@theorem(
    "wzw25.lemC.1.s5",
    part="telescoped",
    says=r"\mathbb{E}\hat L(\bar{\mathbf{w}})-\hat L(\mathbf{w}_{ref})\le\frac{D^2}{T\eta}"
    r"+\eta(n^2\Delta^2+d\sigma^2)-\frac{\mathbb{E}\|\mathbf{w}_T-\mathbf{w}_{ref}\|^2}{T}",
    needs=[integer("steps"), positive("eta")],
)
def telescoped(*, distance: Any, eta: Any, steps: int, second_moment: Any, final: Any) -> Any:
    """The average excess loss of the iterates by telescoping, as printed.

    `final` is E ||w_T - w_ref||^2.

    >>> telescoped(distance=1.0, eta=1.0, steps=1, second_moment=1.0, final=1.0)
    1.0
    """
    return distance**2 / (steps * eta) + eta * second_moment - final / steps


@telescoped.corrected(
    says=r"\mathbb{E}\hat L(\bar{\mathbf{w}})-\hat L(\mathbf{w}_{ref})\le\frac{D^2}{2T\eta}"
    r"+\frac{\eta}{2}(n^2\Delta^2+d\sigma^2)-\frac{\mathbb{E}\|\mathbf{w}_T-\mathbf{w}_{ref}\|^2}{2T\eta}"
)
def telescoped_corrected(*, distance: Any, eta: Any, steps: int, second_moment: Any, final: Any) -> Any:
    """The average excess loss of the iterates by telescoping.

    Step s4, corrected, summed over t < T; and L(mean of w_t) <= mean of L(w_t), as L is convex.

    >>> telescoped_corrected(distance=1.0, eta=1.0, steps=1, second_moment=1.0, final=1.0)
    0.5
    """
    return (distance**2 - final) / (2 * steps * eta) + eta * second_moment / 2


@theorem(
    "wzw25.lemC.1.s6",
    part="balance",
    kind="identity",
    says=r"\frac{D^2}{T\eta}+\eta(n^2\Delta^2+d\sigma^2)=2\sqrt{\frac{D^2(n^2\Delta^2+d\sigma^2)}{T}}",
    needs=[integer("steps"), positive("second_moment"), positive("distance")],
)
def balanced(*, distance: float, steps: int, second_moment: float) -> float:
    """At the chosen step size both terms of the excess loss are equal: their sum.

    The proof's eta has L for Delta; L appears nowhere else.

    Derivation. At eta = D/sqrt(T G), G = n^2 Delta^2 + d sigma^2, D^2/(T eta) = D sqrt(G/T) and eta G = D sqrt(G/T), so
    the sum is 2 D sqrt(G/T).

    >>> balanced(distance=1.0, steps=4, second_moment=4.0)
    2.0
    """
    return 2 * distance * sqrt(second_moment / steps)


@theorem(
    "wzw25.lemC.1.s7",
    part="last-line",
    says=r"\frac{2n\Delta D}{\sqrt T}+\frac{2\sqrt d\,\sigma D}{\sqrt T}\le\frac{4\Delta\sqrt d\,D}{\mu},"
    r"\quad\sigma=\frac{\Delta\sqrt T}{\mu},\ T\ge n^2\mu^2",
    needs=[integer("d"), positive("mu"), positive("sensitivity"), positive("distance")],
)
def last_line(*, d: int, mu: float, sensitivity: float, distance: float) -> float:
    """The averaged iterate's excess loss: 4 Delta sqrt(d) ||w_ref - w_0|| / mu.

    Derivation. With sigma = Delta sqrt(T)/mu the left side over the right one is (n mu/sqrt(T d) + 1)/2, which is at
    most 1 because T >= n^2 mu^2 and d >= 1.

    >>> last_line(d=1, mu=1.0, sensitivity=1.0, distance=1.0)
    4.0
    """
    return 4 * averaged_rate(d=d, mu=mu, sensitivity=sensitivity, distance=distance)
