"""Noisy gradient descent: Algorithm 5 and Lemma C.1 of Wang, Zhu & Wang (2025).

The objective is the *sum* of hinge losses with confidence margin `width` (the paper's c) over n records, rows x
with norm at most `radius` (b), z = y x:

    L(w; S) = sum_i max(0, 1 - <z_i, w> / c),    w_{t+1} = w_t - eta (grad L(w_t; S) + xi_t),  xi_t ~ N(0, sigma^2 I_d).

Names: `steps` is T, `sensitivity` the L2 sensitivity Delta of the *gradient* when one record is replaced,
`distance` the norm of w_ref - w_0, `mu` the Gaussian-DP budget, `sigma` a standard deviation. The paper's Algorithm 5
says "loss function l(.)", and Lemma C.1 is judged so; corrected readings ask for what the hinge loss of Section 3 has:
convexity and per-record gradients of norm at most Delta. Lemma C.2 is in `bounds.wzw25.last_iterate`.
"""

from __future__ import annotations

from math import ceil, sqrt

from bounds.theorem import at_least, integer, positive, theorem

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
    """Algorithm 5 is mu-GDP under replacement: the mu it spends, with mu = sqrt(T) / n so that T is whole.

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
    """Expected excess of the averaged iterate, the expression inside O(.): distance Delta sqrt(d) / mu.

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
    """Expected excess of the averaged iterate: `averaged_excess` with n^2/T <= 1/mu^2 and 1 <= d.

    >>> round(averaged_bound(d=4, mu=0.5, sensitivity=1.0, distance=1.0), 6)
    5.656854
    """
    return sqrt(2 * d) * distance * sensitivity / mu


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
    """Expected excess of the averaged iterate for every whole T and sigma = Delta sqrt(T) / mu.

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
    """The same for hinge losses at the step size that knows ||grad L|| <= n radius / width = n Delta / 2.

    The derivation of `averaged_excess` with G^2 = n^2 Delta^2 / 4 + d sigma^2 and eta = D / (G sqrt(T)).

    >>> averaged_hinge_excess(n=20, d=5, steps=80, mu=1.0, sensitivity=4.0, distance=1.0)
    10.0
    """
    return distance * sensitivity * sqrt(n**2 / (4 * steps) + d / mu**2)
