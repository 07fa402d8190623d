r"""Private grid search with output perturbation: abgmu22, the instantiation and its proof (Appendix D.3).

    base(B) = [u Y + Y^2]/sqrt(n) + [u^(4/3) Y^(2/3) + u^2]/(n epsilon)^(2/3) + [Y^2 + u^2]/(n epsilon)
              + [Y + u]/sqrt(n),          u = sqrt(H) B ||X||,  Y = ||Y||

The theorem that the base bound comes from is not in the available text. Losses have the unit of Y^2, and u has that of
Y. Neither [Y + u]/sqrt(n) nor max{Y, 1} in the printed rate has the right unit.

Names: `reach` u, `label_bound` Y.
"""

from typing import Any

import numpy as np

from lemmata.bounds.abgmu22.assumptions import LOSS, SAMPLE, output_loss
from lemmata.bounds.abgmu22.baselines import output_excess
from lemmata.bounds.abgmu22.grid_search import grid_excess
from lemmata.bounds.abgmu22.grid_search_proof import EVEN
from lemmata.bounds.abgmu22.stability import output_loss_bound, printed_output_loss
from lemmata.bounds.exact.numbers import Array, exp, sqrt
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

PROOF = ", Appendix D.3"
BUDGET = [between("epsilon", 0, 1), between("delta", 0, 1), integer("guesses")]
SIZES = [at_least("reach", 0), positive("label_bound"), integer("n"), positive("epsilon")]

# Privacy --------------------------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.thm.grid-output-pert",
    part="privacy",
    kind="privacy",
    says=r"\varepsilon'=\frac\varepsilon K,\ \delta'=\frac\delta K\ \Rightarrow\ \mathrm{Algorithm\ 1\ is}\ "
    r"(\varepsilon,\delta)\mathrm{-DP}",
    needs=BUDGET,
)
def output_budget(*, epsilon: Any, delta: Any, guesses: int) -> Array:
    """Grid search with output perturbation is (epsilon, delta)-DP, as printed.

    It holds for every valid Delta, but not for the reason that the paper gives.

    K runs on S1 with (epsilon/K, delta/K) spend (epsilon, delta), so in a sum of budgets nothing is left for the
    selection (s1). But the selection uses S2 alone: a record of S1 costs (epsilon, delta), one of S2 (epsilon/2,
    delta/2).

    >>> output_budget(epsilon=1.0, delta=1e-6, guesses=4).tolist()
    [1.0, 1e-06]
    """
    return np.array([epsilon, delta])


@theorem(
    "abgmu22.thm.grid-output-pert.s1",
    kind="privacy",
    says=r"\left(\frac\varepsilon K,\frac\delta K\right)\le\left(\frac\varepsilon{2K},\frac\delta{2K}\right),\ "
    r"\mathrm{what\ the\ theorem\ on\ grid\ search\ allows}",
    needs=BUDGET,
    source=PROOF + ": 'the result then follows from Theorem 1'",
)
def allowed_share(*, epsilon: Any, delta: Any, guesses: int) -> Array:
    """The theorem on grid search allows each run (epsilon/2K, delta/2K)."""
    return np.array([epsilon / (2 * guesses), delta / (2 * guesses)])


# Utility --------------------------------------------------------------------------------------------------------------

RATE = (
    r"\tilde O\left(\min\left\{\|\mathcal Y\|^2,\frac{u^{4/3}\|\mathcal Y\|^{2/3}+u^2}{(n\varepsilon)^{2/3}}"
    r"+\frac{u\max\{\|\mathcal Y\|,1\}+\|\mathcal Y\|^2}{\sqrt n}+\frac{\|\mathcal Y\|^2+u^2}{n\varepsilon}\right\}"
    r"\right),\quad u=\sqrt HB^*\|\mathcal X\|"
)


@theorem(
    "abgmu22.thm.grid-output-pert",
    part="utility",
    kind="rate",
    says=r"L(\bar w;\mathcal D)-L(w^*;\mathcal D)=" + RATE + r"\ \mathrm{w.p.}\ 1-\beta",
    needs=SIZES,
    source=", for our reconstruction of the base learner and of its boosting",
    reconstructed=True,
)
def printed_rate(*, reach: Any, label_bound: Any, n: int, epsilon: Any) -> Any:
    """The rate of grid search with output perturbation, as printed.

    Logarithms are left out.

    >>> round(float(printed_rate(reach=1.0, label_bound=2.0, n=10**6, epsilon=1.0)), 5)
    0.00626
    """
    return np.minimum(label_bound**2, unbounded_rate(reach=reach, label_bound=label_bound, n=n, epsilon=epsilon))


def unbounded_rate(*, reach: Any, label_bound: Any, n: Any, epsilon: Any) -> Any:
    """The rate without its minimum."""
    private = (reach ** (4 / 3) * label_bound ** (2 / 3) + reach**2) / (n * epsilon) ** (2 / 3)
    sampling = (reach * np.maximum(label_bound, 1) + label_bound**2) / n**0.5
    return private + sampling + (label_bound**2 + reach**2) / (n * epsilon)


WITHIN = require(
    "norm_bound <= 2^(guesses + 1), which is ||w*|| <= 2^K",
    lambda norm_bound, guesses: norm_bound <= 2.0 ** min(guesses + 1, 1023),
)
PIPELINE = [
    integer("n", 4), positive("gradient_norm"), positive("ridge"), positive("smoothness"), positive("radius"),
    at_least("sigma", 0), at_least("norm_bound", 2), positive("label_bound"), integer("guesses"),
    between("epsilon", 0, 1), positive("epsilon"), in_unit_interval("beta"), EVEN, WITHIN,
]  # fmt: skip


@printed_rate.explicit(
    kind="tail",
    says=r"\|w^*\|\le2^K,\ G,\lambda,\sigma\ \mathrm{such\ that\ err}(B),\Delta(B)\ \mathrm{do\ not\ decrease\ "
    r"(balanced\ ridge)}\ \Rightarrow\ L(\bar w;\mathcal D)-L(w^*;\mathcal D)\le\min\left\{\|\mathcal Y\|^2,"
    r"\frac{4K}\beta\left(\frac\lambda4B^{*2}+\frac{4G^2}{\lambda n}+\frac{H\|\mathcal X\|^2\sigma^2}2\right)"
    r"+\sqrt{\frac{32\|\mathcal Y\|^2\Delta\log(4(K+1)/\beta)}n}"
    r"+\frac{50\Delta\log(4(K+1)/\beta)}{3n\varepsilon}\right\}+\frac\Delta{2n}",
    needs=PIPELINE,
    source=", without boosting; Delta as for Gaussian noise, losses clipped there",
)
def pipeline_excess(
    *,
    n: int,
    gradient_norm: Any,
    ridge: Any,
    smoothness: Any,
    radius: Any,
    sigma: Any,
    norm_bound: Any,
    label_bound: Any,
    guesses: int,
    epsilon: Any,
    beta: float,
) -> Any:
    """The excess risk of grid search with output perturbation, with our constants.

    Output perturbation runs on n/2 records.

    The bound is by Markov's inequality, and `norm_bound` is B*.

    What boosting saves is the factor 4K/beta. G, lambda and sigma are those of B*, which is not a guess. But 2^j' <= B*
    for the first guess with ||w*|| <= 2^j', and with the balanced ridge err(B) and Delta(B) do not decrease. Losses are
    clipped at Delta_j, so the theorem compares clipped risks L^c, and needs no beta/4 for losses beyond Delta_j. What
    clipping hides has a mean of at most Delta_j exp(-q^2/2)/q^2 for each candidate (s6), and with probability 1 -
    beta/4 it is at most Delta_j/(2n) for all of them. For the selected j: its score is at most ||Y||^2, so L^c_j <=
    ||Y||^2 and 2 ||Y|| sqrt(a_j) <= ||Y||^2, sqrt(a_j) <= ||Y||/2 (a_j as in grid_excess, l its logarithm); its score
    exceeds L^c_j by (2 - sqrt(2)) ||Y|| sqrt(a_j), more than Delta_j/(2n) = a_j/(4l). So the term Delta/(2n) of the
    bound is to spare.

    >>> sizes = dict(gradient_norm=3.0, ridge=0.002, smoothness=1.0, radius=1.0, sigma=0.001, norm_bound=2.0)
    >>> round(float(pipeline_excess(n=10**8, label_bound=1.0, guesses=2, epsilon=1.0, beta=0.5, **sizes)), 3)
    0.037
    """
    mean = ridge * norm_bound**2 / 4 + 4 * gradient_norm**2 / (ridge * n) + smoothness * (radius * sigma) ** 2 / 2
    sizes = {"label_bound": label_bound, "smoothness": smoothness, "norm_bound": norm_bound, "radius": radius}
    clip = output_loss.theorem.formula(n=n, delta=1, beta=beta, guesses=guesses, sigma=sigma, **sizes)
    clipped = grid_excess.theorem.formula(
        err=4 * guesses * mean / beta,
        loss_bound=clip,
        label_bound=label_bound,
        n=n,
        guesses=guesses,
        beta=beta,
        epsilon=epsilon,
    )
    return clipped + clip / (2 * n)


@theorem(
    "abgmu22.thm.grid-output-pert.s6",
    reading="explicit",
    kind="mean",
    says=r"b\sim\mathcal N(0,\sigma^2I)\ \Rightarrow\ \mathbb E\left(\ell(\hat w+b;(x,y))-\Delta\right)_+\le"
    r"\frac{\Delta}{q^2}e^{-q^2/2},\quad\Delta=\left(\|\mathcal Y\|+\sqrt{H/2}\|\mathcal X\|(B+q\sigma)\right)^2",
    needs=[positive("loss_bound"), positive("q")],
    source=", derived here: what clipping at Delta hides",
)
def beyond_the_clip(*, loss_bound: Any, q: Any) -> Any:
    """The mean excess over Delta of output perturbation's loss on any record.

    Derivation. With c = sqrt(H/2) ||X|| sigma, A = sqrt(Delta) - c q, z = |<b, x>|/(||X|| sigma): loss - Delta <= c (z
    - q) (2A + c (z + q)) and (z - q)_+ <= (z^2 - q^2)_+/(2q), where E (z^2 - q^2)_+ <= exp(-q^2/2): equal at 0 and in
    the limit, and the difference of the derivatives, q exp(-q^2/2) - 2q P(|N| > q), changes its sign once, from below.
    Together exp(-q^2/2) (A c q + c^2 q^2)/q^2, and (A + c q) c q <= Delta.

    >>> round(float(beyond_the_clip(loss_bound=2.0, q=2.0)), 4)
    0.0677
    """
    return loss_bound * exp(-(q**2) / 2) / q**2


# The proof ------------------------------------------------------------------------------------------------------------


def base_bound(*, reach: Any, label_bound: Any, n: Any, epsilon: Any, last: Any) -> Any:
    """The bound of the proof for one guess; `last` is its last bracket."""
    private = (reach ** (4 / 3) * label_bound ** (2 / 3) + reach**2) / (n * epsilon) ** (2 / 3)
    sampling = (reach * label_bound + label_bound**2 + last) / n**0.5
    return private + sampling + (label_bound**2 + reach**2) / (n * epsilon)


@theorem(
    "abgmu22.thm.grid-output-pert.s2",
    kind="rate",
    says=r"\frac{u\|\mathcal Y\|+\|\mathcal Y\|^2}{\sqrt n}+\frac{u^{4/3}\|\mathcal Y\|^{2/3}+u^2}"
    r"{(n\varepsilon)^{2/3}}+\frac{\|\mathcal Y\|^2+u^2}{n\varepsilon}"
    r"+\frac{\|\mathcal Y\|+u}{\sqrt n}=O(\mathrm{the\ stated\ rate})",
    needs=SIZES,
    source=PROOF + ", from the bound of the base algorithm to the theorem",
)
def stated_from_base(*, reach: Any, label_bound: Any, n: int, epsilon: Any) -> Any:
    """The base learner's bound is of the order of the stated rate, as printed.

    The stated rate is taken without its minimum.

    The term ||Y||/sqrt(n) is in the base bound alone.
    """
    return unbounded_rate(reach=reach, label_bound=label_bound, n=n, epsilon=epsilon)


@stated_from_base.corrected(
    says=r"\frac{u\|\mathcal Y\|+\|\mathcal Y\|^2}{\sqrt n}+\frac{u^{4/3}\|\mathcal Y\|^{2/3}+u^2}"
    r"{(n\varepsilon)^{2/3}}+\frac{\|\mathcal Y\|^2+u^2}{n\varepsilon}+\frac{\|\mathcal Y\|(\|\mathcal Y\|+u)}{\sqrt n}"
    r"\le2\cdot\mathrm{the\ stated\ rate}",
    kind="inequality",
    source=PROOF + ", with the last bracket in the units of a loss",
)
def stated_from_base_in_units(*, reach: Any, label_bound: Any, n: int, epsilon: Any) -> Any:
    """The base learner's bound, with units corrected, is at most twice the stated rate.

    Derivation. With Y (Y + u) for the last bracket the terms over sqrt n add up to 2 (u Y + Y^2)/sqrt n <= 2 (u max(Y,
    1) + Y^2)/sqrt n, twice those of the stated rate; the other terms are those of the stated rate, once.
    """
    return 2 * unbounded_rate(reach=reach, label_bound=label_bound, n=n, epsilon=epsilon)


@theorem(
    "abgmu22.thm.grid-output-pert.s3",
    says=r"B\ge\max\left\{\frac{\|\mathcal Y\|\sqrt{n\varepsilon}}{\|\mathcal X\|\sqrt H},\ldots\right\}\ \Rightarrow\ "
    r"\mathrm{base}(B)\ge\|\mathcal Y\|^2",
    needs=SIZES[1:],
    source=PROOF,
)
def enough_guesses(*, label_bound: Any, n: int, epsilon: Any) -> Any:
    """The base bound is at least ||Y||^2 from the reach ||Y|| sqrt(n epsilon) on.

    This is the printed choice of the largest guess of the norm.

    The reach is u = sqrt(H) B ||X||.

    For n epsilon >= 1 the term u^2/(n epsilon)^(2/3) is at least ||Y||^2, otherwise the term ||Y||^2/(n epsilon) is.
    The second member of the printed maximum is not needed.
    """
    return label_bound * sqrt(n * epsilon)


@enough_guesses.explicit(
    says=r"B\ge\frac{\|\mathcal Y\|(n\varepsilon)^{1/3}}{\|\mathcal X\|\sqrt H}\ \Rightarrow\ "
    r"\mathrm{base}(B)\ge\|\mathcal Y\|^2",
    source=PROOF + ", the smallest power of n epsilon",
)
def enough_guesses_sharp(*, label_bound: Any, n: int, epsilon: Any) -> Any:
    """The base bound is at least ||Y||^2 from the reach ||Y|| (n epsilon)^(1/3) on.

    There u^2/(n epsilon)^(2/3) is ||Y||^2. This takes two thirds of the printed number of guesses.

    Derivation. No term of the base bound is negative, and at u >= ||Y|| (n epsilon)^(1/3) one of them alone, u^2/(n
    epsilon)^(2/3), is at least ||Y||^2.
    """
    return label_bound * (n * epsilon) ** (1 / 3)


@theorem(
    "abgmu22.thm.grid-output-pert.s4",
    kind="rate",
    says=r"H\|\mathcal X\|^2\sigma_j^2=\tilde O(\|\mathcal Y\|^2)\quad\forall j\in[K]",
    needs=[positive("label_bound")],
    source=PROOF + ", for the noise of a theorem that is not in the text",
)
def noise_order(*, label_bound: Any) -> Any:
    """The order of the noise at every guess of the norm is ||Y||^2, as printed.

    At the last guess u is ||Y|| sqrt(n).

    The paper's own private term u^2/(n epsilon)^(2/3) is the noise term of our reconstruction, `noise_square`, which is
    ||Y||^2 n^(1/3) there.
    """
    return label_bound**2


@theorem(
    "abgmu22.thm.grid-output-pert.s5",
    kind="rate",
    says=r"\|\mathcal Y\|^2+H\|\mathcal X\|^2\sigma_j^2+u^2=\tilde O\left(\|\mathcal Y\|^2+u^2\right)",
    needs=[at_least("reach", 0), positive("label_bound")],
    source=PROOF + ", for the noise of our reconstruction, n mu >= 1",
    reconstructed=True,
)
def clipped_order(*, reach: Any, label_bound: Any) -> Any:
    """The order of the loss bound Delta(B): ||Y||^2 + H B^2 ||X||^2, as printed.

    Derivation. The noise falls with n mu, so n mu = 1 is the worst; with r = u/||Y|| the left side over the right is
    then 1 + (4 r^4 (sqrt 2 + r)^2/(1 + r^2)^3)^(1/3). Its derivative vanishes where sqrt 2 r^2 - 3 r - 2 sqrt 2 = 0, at
    r = 2 sqrt 2 alone, where it is 1 + (4608/729)^(1/3) < 2.85; at r = 0 and for r to infinity it is 1 and less than
    2.6.
    """
    return label_bound**2 + reach**2


CLIPS = [*LOSS, at_least("sigma", 0), *SAMPLE]


@theorem(
    "abgmu22.thm.grid-output-pert.s7",
    kind="tail",
    says=r"\Delta(B)=\|\mathcal Y\|^2+H\|\mathcal X\|^2\sigma_j^2\log\frac K{\min\{\beta,\delta\}}+HB^2\|\mathcal X\|^2"
    r"\ \mathrm{satisfies\ Assumption\ 2}",
    needs=CLIPS,
    source=PROOF + ": 'by Lemma D.4'",
)
def proof_loss_bound(
    *,
    label_bound: Any,
    smoothness: Any,
    norm_bound: Any,
    radius: Any,
    sigma: Any,
    n: int,
    delta: float,
    beta: float,
    guesses: int,
) -> Any:
    """The loss bound of output perturbation that the proof takes, as printed.

    It has min{beta, delta} for delta.
    """
    sizes = {"label_bound": label_bound, "smoothness": smoothness, "norm_bound": norm_bound, "radius": radius}
    return printed_output_loss.theorem.formula(
        sigma=sigma, n=n, delta=min(delta, beta), beta=beta, guesses=guesses, **sizes
    )


@proof_loss_bound.corrected(
    says=r"\Delta(B)=2\left(\|\mathcal Y\|^2+2H\|\mathcal X\|^2\sigma_j^2\log\frac{2nK}{\min\{\beta,\delta\}}"
    r"+HB^2\|\mathcal X\|^2\right)\ \mathrm{satisfies\ Assumption\ 2}",
    source=PROOF + ", by the corrected lemma",
)
def proof_loss_bound_corrected(
    *,
    label_bound: Any,
    smoothness: Any,
    norm_bound: Any,
    radius: Any,
    sigma: Any,
    n: int,
    delta: float,
    beta: float,
    guesses: int,
) -> Any:
    """The loss bound of output perturbation that the proof needs.

    Derivation. For each guess B_j, the release is a vector of the ball of radius B_j plus noise of deviation sigma_j:
    abgmu22.lem.stab-outpert (corrected) at sigma = sigma_j bounds the probability that some loss on S_2 reaches Delta
    by min{delta, beta}/(4K), which is what Assumption 2 asks for.
    """
    sizes = {"label_bound": label_bound, "smoothness": smoothness, "norm_bound": norm_bound, "radius": radius}
    return output_loss_bound.theorem.formula(sigma=sigma, n=n, delta=delta, beta=beta, guesses=guesses, **sizes)


def noise_square(*, reach: Any, label_bound: Any, n: Any, mu: Any) -> Any:
    """H ||X||^2 sigma^2 of the balanced ridge: (4 u^4 (sqrt(2) Y + u)^2/(n mu)^2)^(1/3).

    >>> round(noise_square(reach=1.0, label_bound=0.0, n=2, mu=1.0), 6)
    1.0
    """
    return (4 * reach**4 * (2**0.5 * label_bound + reach) ** 2 / (n * mu) ** 2) ** (1 / 3)


__all__ = ["output_budget", "output_excess", "pipeline_excess", "printed_rate"]
