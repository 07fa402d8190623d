r"""The private SVM of a translation-invariant kernel: Rubinstein et al. 2009, Section 4, with Remark 3.

f* is the SVM with kernel k (Algorithm 1), f~ the SVM with the random features' kernel k_hat, f^ its release, f~ plus
Laplace noise in each of 2 d_hat weights (Algorithm 3). The paper's letters, and ours where they would be read as
something else:

    paper   here        what it is
    beta    `beta`      the level of pure privacy (epsilon elsewhere)
    eps     `acc`       accuracy, in the sup-norm over M
    delta   `delta`     the chance that accuracy fails; all privacy here is pure
    lambda  `lam`       Laplace scale of every weight
    d_hat   `count`     number of random frequencies; 2 `count` weights are released
    Lambda  `Lambda`    bound on the L1-norm of the dual variables: f = sum_i alpha_i y_i k(x_i, .)
    -       `eta`       ||k - k_hat||, sup-norm over M x M
    theta   theta       the squared kernel accuracy that the number of features is chosen for
    sigma_p `sigma_p`   square root of E ||omega||^2; `diam` the diameter of M
"""

from collections.abc import Callable
from math import log, sqrt
from typing import Any

from lemmata.bounds.rbht09.kernel_accuracy import CONFIDENCE
from lemmata.bounds.theorem import integer, positive, require, theorem

# Definition 5, Remark 3 -----------------------------------------------------------------------------------------------


@theorem("rbht09.def5", kind="definition", says=r"k(x,y)=g(x-y)")
def translation_invariant(*, g: Callable, x: Any, y: Any) -> Any:
    """A translation-invariant kernel depends on the difference of its arguments alone.

    >>> translation_invariant(g=abs, x=3, y=5)
    2
    """
    return g(x - y)


RISKS = r"\left|\mathbb{E}(1-y\hat f(x))_+-\mathbb{E}(1-yf(x))_+\right|\le\epsilon"


@theorem(
    "rbht09.rem3", says=r"\|\hat f-f\|_{\infty;\mathcal{M}}\le\epsilon\ \Rightarrow\ " + RISKS, needs=[positive("acc")]
)
def risk_distance(*, acc: Any) -> Any:
    """Classifiers that are close in the sup-norm over M have close hinge risks."""
    return acc


@risk_distance.corrected(
    says=r"x\in\mathcal{M},\ \|\hat f-f\|_{\infty;\mathcal{M}}\le\epsilon\ \Rightarrow\ " + RISKS,
    source=", for records of which M contains all, not only those of the database",
)
def risk_distance_within(*, acc: Any) -> Any:
    """Risks over records of M differ by at most the sup-norm distance over M.

    Derivation. z -> (1 - y z)_+ is 1-Lipschitz for y = +-1, so the losses of a record x of M differ by at most |f^(x) -
    f(x)| <= acc, and so do their means.
    """
    return risk_distance.theorem.formula(acc=acc)


# Corollary 9: privacy -------------------------------------------------------------------------------------------------

RUN = [positive("beta"), integer("n", 2), positive("C"), integer("count"), positive("L")]


@theorem(
    "rbht09.cor9",
    kind="privacy",
    says=r"\lambda\ge\frac{2^{2.5}LC\sqrt{\hat d}}{\beta n}\ \Rightarrow\ \beta\text{-differential privacy}",
    needs=RUN,
)
def features_noise_scale(*, beta: float, n: int, C: float, count: int, L: float = 1.0) -> float:
    """PRIVATESVM is beta-private from this Laplace scale on.

    Theorem 7 with F = 2 d_hat and kappa = 1: k_hat(x, x) = 1 for every x and every draw of the frequencies, which are
    drawn without a look at the data.

    >>> round(features_noise_scale(beta=1.0, n=1000, C=1.0, count=8), 6)
    0.016
    """
    return 2**2.5 * L * C * sqrt(count) / (beta * n)


@features_noise_scale.explicit(
    says=r"\lambda\ge\frac{2^{1.5}LC\sqrt{\hat d}}{\beta n}\ \Rightarrow\ \beta\text{-differential privacy}",
    source=", calibrated to the sharp sensitivity",
)
def features_noise_scale_sharp(*, beta: float, n: int, C: float, count: int, L: float = 1.0) -> float:
    """PRIVATESVM is beta-private from half the printed Laplace scale on.

    The sharp half of Theorem 7. It is attained at frequencies that agree, rho_j = 1, by the flipped label of x = pi/4,
    where all cosines and sines are equal: no smaller scale serves every draw of the frequencies.
    """
    return 2**1.5 * L * C * sqrt(count) / (beta * n)


# Section 4: what it costs ---------------------------------------------------------------------------------------------


@theorem(
    "rbht09.complexity",
    part="gram",
    kind="rate",
    says=r"\text{multiplications for the matrix of all }\hat k(x_i,x_j)=O(\hat d\,n^2)",
    needs=[integer("n", 2), integer("d"), integer("count")],
    source=", O(d_hat) for each entry",
)
def gram_order(*, n: int, d: int, count: int) -> float:
    """The order of the time for the Gram matrix of the random features, as printed."""
    return count * n**2


@gram_order.corrected(
    says=r"\text{multiplications for the matrix of all }\hat k(x_i,x_j)=O(\hat d\,n(n+d))",
    source=", with the <rho_j, x_i> counted",
)
def gram_order_corrected(*, n: int, d: int, count: int) -> float:
    """The order of the time for the Gram matrix, the random projections included.

    Derivation. The products <rho_j, x_i> take d_hat n d multiplications and the matrix, which is symmetric, d_hat n (n
    + 1), together n d_hat (d + n + 1) <= (4/3) n d_hat (n + d), because n + d >= 3.
    """
    return gram_order.theorem.formula(n=n, d=d, count=count) + count * n * d


@theorem(
    "rbht09.complexity",
    part="features",
    kind="rate",
    says=r"\hat d=O\left(\frac{d}{\epsilon^4}\left(\log\frac1\delta+\log\frac1\epsilon\right)\right)\text{ suffices "
    r"(cf. Corollary 15)}",
    needs=[*CONFIDENCE, integer("d")],
)
def features_order(*, acc: float, delta: float, d: int) -> float:
    """The printed order of the number of frequencies, for any C and sigma_p diam(M)."""
    return d / acc**4 * (log(1 / delta) + log(1 / acc))


@features_order.corrected(
    says=r"C=1,\ \sigma_p\,\mathrm{diam}(\mathcal{M})\le 2,\ \epsilon,\delta\le\frac12\ \Rightarrow\ \hat d=O\left("
    r"\frac{d}{\epsilon^4}\left(\log\frac1\delta+\log\frac1\epsilon\right)\right)",
    needs=[*CONFIDENCE, integer("d"), require("acc, delta <= 1/2", lambda acc, delta: max(acc, delta) <= 0.5)],
    source=", with what is fixed named",
)
def features_order_corrected(*, acc: float, delta: float, d: int) -> float:
    """The order of the number of frequencies with C and sigma_p diam(M) fixed.

    Here C is 1, sigma_p diam(M) is 2, and eps and delta are at most 1/2.
    """
    return features_order.theorem.formula(acc=acc, delta=delta, d=d)
