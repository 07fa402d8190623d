r"""The base algorithms that abgmu22 searches over and boosts: noisy descent, output perturbation, random projection.

The available text names them but does not print them: the sections that define them and prove their guarantees are
missing. This module is our reconstruction, with our constants, for losses phi_y(<w, x>) that are convex, non-negative
and H-smooth, ||x|| <= ||X||, phi_y(0) <= ||Y||^2, over the ball of radius B, neighbours that replace one record:

    noisy descent        T steps of projected gradient descent on the mean loss, the average of the iterates
    output perturbation  argmin over the ball of mean loss + lambda/2 ||w||^2, plus Gaussian noise
    random projection    noisy descent on Phi x, clipped at 2 ||X||, over the ball of radius 2B in R^k, lifted by Phi^T

Names: `label_bound` ||Y||, `radius` ||X||, `smoothness` H, `norm_bound` B, `reach` the largest |<w, x>|,
`gradient_norm` G, a bound on every record's gradient on the ball, `ridge` lambda, `mu` the Gaussian budget.
"""

from math import ceil, log
from typing import Any

from lemmata.bounds.exact.numbers import sqrt
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

LOSS = [at_least("label_bound", 0), positive("smoothness"), at_least("reach", 0)]
RECONSTRUCTED: dict[str, Any] = {"reading": "explicit", "reconstructed": True}

# Slopes ---------------------------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.base.noisy-gd",
    part="slope",
    says=r"|\varphi_y'(t)|\le\sqrt{2H}\,\|\mathcal Y\|+H|t|",
    needs=LOSS,
    source=", derived here",
    **RECONSTRUCTED,
)
def slope_bound(*, label_bound: Any, smoothness: Any, reach: Any) -> Any:
    """Largest slope of a non-negative H-smooth loss on the range of its predictions.

    phi is non-negative and H-smooth on the whole line, with phi(0) <= ||Y||^2, and |t| <= reach.

    Derivation. phi >= 0 at -phi'(0)/H and phi(s) <= phi(0) + phi'(0) s + H s^2/2 give phi'(0)^2 <= 2 H phi(0); from 0
    to t the slope changes by at most H |t|. Attained by the square (H/2)(t + sqrt(2/H) ||Y||)^2.

    >>> float(slope_bound(label_bound=2.0, smoothness=2.0, reach=3.0))
    10.0
    """
    return sqrt(2 * smoothness) * label_bound + smoothness * reach


# Noisy gradient descent over the ball ---------------------------------------------------------------------------------

DESCENT = [integer("n"), integer("steps"), positive("gradient_norm"), positive("mu")]


@theorem(
    "abgmu22.base.noisy-gd",
    part="privacy",
    kind="privacy",
    says=r"\sigma\ge\frac{2G\sqrt T}{n\mu}\ \Rightarrow\ \mu\mathrm{-GDP},\quad "
    r"G=\|\mathcal X\|\left(\sqrt{2H}\,\|\mathcal Y\|+HB\|\mathcal X\|\right)",
    needs=DESCENT,
    source=", derived here",
    **RECONSTRUCTED,
)
def ball_noise(*, n: int, steps: int, gradient_norm: Any, mu: Any) -> Any:
    """Noisy gradient descent is mu-GDP with noise of 2 G sqrt(T) / (n mu) per step.

    Derivation. On the ball no record's gradient is longer than G (part "slope"), so a replaced record moves the mean
    gradient by at most 2G/n, and by exactly that where two records of the same length point against each other. A step
    is a Gaussian mechanism; T of them compose to sqrt(T) (2G/n) / sigma; projection and average are post-processing.

    >>> float(ball_noise(n=10, steps=4, gradient_norm=1.0, mu=0.5))
    0.8
    """
    return 2 * gradient_norm * sqrt(steps) / (n * mu)


def ball_stride(*, steps: int, gradient_norm: Any, sigma: Any, d: int, norm_bound: Any) -> Any:
    """The step size B / sqrt(T (G^2 + d sigma^2)), which minimises the bound of part "utility".

    >>> float(ball_stride(steps=4, gradient_norm=3.0, sigma=2.0, d=4, norm_bound=10.0))
    1.0
    """
    return norm_bound / sqrt(steps * (gradient_norm**2 + d * sigma**2))


@theorem(
    "abgmu22.base.noisy-gd",
    part="utility",
    kind="mean",
    says=r"\mathbb E\left[\hat L(\bar w;S)\right]-\hat L(u;S)\le BG\sqrt{\frac1T+\frac{4d}{n^2\mu^2}},\quad\|u\|\le B",
    needs=[*DESCENT, integer("d"), positive("norm_bound")],
    source=", derived here",
    **RECONSTRUCTED,
)
def ball_excess(*, n: int, steps: int, gradient_norm: Any, mu: Any, d: int, norm_bound: Any) -> Any:
    """Expected excess empirical loss of the averaged iterate of noisy descent.

    It is the excess over any vector of the ball.

    Derivation. Projection brings w_{t+1} no further from u (s1), so with a step eta, E ||grad + noise||^2 <= G^2 + d
    sigma^2 and convexity the mean of the excesses is at most ||u||^2/(2 eta T) + eta (G^2 + d sigma^2)/2 (s2); eta as
    `ball_stride` and sigma as `ball_noise` make this B sqrt((G^2 + d sigma^2)/T).

    >>> round(float(ball_excess(n=10, steps=4, gradient_norm=3.0, mu=1.0, d=75, norm_bound=2.0)), 6)
    10.816654
    """
    return norm_bound * gradient_norm * sqrt(1 / steps + 4 * d / (n * mu) ** 2)


@theorem(
    "abgmu22.base.noisy-gd.s1",
    says=r"\|u\|\le B\ \Rightarrow\ \|\mathrm{Proj}_B(v)-u\|\le\|v-u\|",
    source=", derived here: projections onto a ball",
    **RECONSTRUCTED,
)
def projected_distance(*, distance: Any) -> Any:
    """Projecting on a ball brings a vector no further from any vector of the ball.

    v is at `distance` from u.

    Derivation. p = Proj(v) has <v - p, u - p> <= 0 for all u of the ball, which is convex, so |v - u|^2 = |v - p|^2 +
    |u - p|^2 - 2 <v - p, u - p> >= |u - p|^2.
    """
    return distance


@theorem(
    "abgmu22.base.noisy-gd.s2",
    says=r"\frac1T\sum_{t<T}\mathbb E\left[\hat L(w_t)-\hat L(u)\right]\le\frac{\|u\|^2}{2\eta T}"
    r"+\frac\eta2\left(G^2+d\sigma^2\right)",
    needs=[integer("steps"), positive("gradient_norm"), at_least("sigma", 0), positive("stride")],
    source=", derived here: the descent lemma of projected stochastic gradients",
    **RECONSTRUCTED,
)
def averaged_regret(*, steps: int, gradient_norm: Any, sigma: Any, d: int, stride: Any, norm_bound: Any) -> Any:
    """Bound on the mean excess loss of noisy descent's iterates, for any step size.

    The excess is over any u in the ball.

    E ||w_{t+1} - u||^2 <= E ||w_t - u||^2 - 2 eta E <grad L(w_t), w_t - u> + eta^2 (G^2 + d sigma^2) by s1; sum over t,
    w_0 = 0. Attained without noise at T = 1 by a linear loss with u = B in the direction of -grad and eta = B/G.
    """
    return norm_bound**2 / (2 * stride * steps) + stride * (gradient_norm**2 + d * sigma**2) / 2


# Output perturbation --------------------------------------------------------------------------------------------------

RIDGE = [integer("n"), positive("gradient_norm"), positive("ridge")]


@theorem(
    "abgmu22.base.outpert",
    part="sensitivity",
    says=r"\|\hat w(S)-\hat w(S')\|\le\frac{2G}{\lambda n},\quad\hat w(S)=\mathrm{argmin}_{\|w\|\le B}\hat L(w;S)"
    r"+\frac\lambda2\|w\|^2",
    needs=RIDGE,
    source=", derived here",
    **RECONSTRUCTED,
)
def output_sensitivity(*, n: int, gradient_norm: Any, ridge: Any) -> Any:
    """Replacing a record moves the regularised minimiser by at most 2 G / (lambda n).

    The minimiser is taken over the ball.

    Derivation. Both objectives are lambda-strongly convex and each minimiser is optimal on the ball, so the sum of the
    two excesses is at least lambda D^2; the sum is the difference of two loss differences over n, at most 2 G D / n.
    Approached by linear losses <+-G, w> with lambda B > G, where the minimiser -mean/lambda is inside the ball.

    >>> output_sensitivity(n=100, gradient_norm=3.0, ridge=0.5)
    0.12
    """
    return 2 * gradient_norm / (ridge * n)


@theorem(
    "abgmu22.base.outpert",
    part="privacy",
    kind="privacy",
    says=r"\sigma\ge\frac{2G}{\lambda n\mu}\ \Rightarrow\ \mu\mathrm{-GDP}",
    needs=[*RIDGE, positive("mu")],
    source=", derived here",
    **RECONSTRUCTED,
)
def output_noise(*, n: int, gradient_norm: Any, ridge: Any, mu: Any) -> Any:
    """Output perturbation is mu-GDP with noise of sensitivity / mu.

    Derivation. Replacing a record moves the minimiser by at most 2 G/(lambda n) (part `sensitivity`), and Gaussian
    noise of deviation sensitivity / mu is mu-GDP (wzw25.rem2.3, part `gaussian`).

    >>> output_noise(n=100, gradient_norm=3.0, ridge=0.5, mu=0.5)
    0.24
    """
    return output_sensitivity.theorem.formula(n=n, gradient_norm=gradient_norm, ridge=ridge) / mu


def balanced_ridge(
    *, n: int, gradient_norm: float, mu: float, smoothness: float, radius: float, norm_bound: float
) -> float:
    """lambda = (4 H ||X||^2 G^2 / (B^2 n^2 mu^2))^(1/3), which makes lambda B^2 = H ||X||^2 sigma^2.

    >>> round(balanced_ridge(n=100, gradient_norm=2.0, mu=1.0, smoothness=1.0, radius=1.0, norm_bound=4.0), 6)
    0.046416
    """
    return (4 * smoothness * (radius * gradient_norm / (norm_bound * n * mu)) ** 2) ** (1 / 3)


OUTPUT = [*RIDGE, positive("smoothness"), at_least("radius", 0), at_least("sigma", 0), at_least("norm", 0)]


@theorem(
    "abgmu22.base.outpert",
    part="utility",
    kind="mean",
    says=r"\mathbb E\left[L(\hat w+b;\mathcal D)\right]-L(w^*;\mathcal D)\le\frac\lambda4\|w^*\|^2+\frac{2G^2}"
    r"{\lambda n}+\frac{H\|\mathcal X\|^2\sigma^2}2,\quad\|w^*\|\le B",
    needs=OUTPUT,
    source=", derived here",
    **RECONSTRUCTED,
)
def output_excess(
    *, n: int, gradient_norm: Any, ridge: Any, smoothness: Any, radius: Any, sigma: Any, norm: Any
) -> Any:
    """The expected excess population risk of output perturbation.

    It is the excess over the best vector of the ball.

    `norm` is ||w*||, at most B.

    Derivation. The empirical risk of the minimiser is at most that of w* plus lambda/4 ||w*||^2 (s1).
    Replacing a record moves the minimiser by `output_sensitivity`, hence a loss by at most G times that,
    so the population risk exceeds the empirical one by at most 2 G^2/(lambda n) in expectation (s2). The noise adds at
    most H E <b, x>^2 / 2 = H ||x||^2 sigma^2 / 2, as E b = 0 (s3).

    >>> round(output_excess(n=2000, gradient_norm=3.0, ridge=0.05, smoothness=1.0, radius=1.0, sigma=0.2, norm=0.8), 4)
    0.208
    """
    return ridge * norm**2 / 4 + 2 * gradient_norm**2 / (ridge * n) + smoothness * (radius * sigma) ** 2 / 2


@theorem(
    "abgmu22.base.outpert.s1",
    says=r"\mathbb E\left[\hat L(\hat w;S)\right]\le L(w^*;\mathcal D)+\frac\lambda4\|w^*\|^2",
    needs=[positive("ridge"), at_least("norm", 0)],
    source=", derived here",
    **RECONSTRUCTED,
)
def ridge_cost(*, ridge: Any, norm: Any) -> Any:
    """Regularisation costs at most lambda ||w*||^2 / 4 in empirical loss over w*.

    Derivation. L^(w^) - L^(w*) <= <grad L^(w^), w^ - w*> <= lambda <w^, w* - w^> <= lambda ||w*||^2/4: convexity,
    optimality on the ball, and the maximum at w^ = w*/2. Attained by a hinge whose kink is w*, at w^ = w*/2.

    >>> ridge_cost(ridge=0.5, norm=2.0)
    0.5
    """
    return ridge * norm**2 / 4


@theorem(
    "abgmu22.base.outpert.s2",
    says=r"\mathbb E\left[L(\hat w;\mathcal D)-\hat L(\hat w;S)\right]\le G\sup\|\hat w(S)-\hat w(S')\|",
    needs=[positive("gradient_norm"), at_least("moved", 0)],
    source=", derived here: generalisation from stability",
    **RECONSTRUCTED,
)
def stability_gap(*, gradient_norm: Any, moved: Any) -> Any:
    """Bound on the expected generalisation gap of a stable minimiser.

    The gap is the population risk less the empirical risk.

    >>> stability_gap(gradient_norm=3.0, moved=0.5)
    1.5
    """
    return gradient_norm * moved


@theorem(
    "abgmu22.base.outpert.s3",
    says=r"b\sim\mathcal N(0,\sigma^2I)\ \Rightarrow\ \mathbb E\,\varphi(\langle w+b,x\rangle)"
    r"\le\varphi(\langle w,x\rangle)+\frac{H\|\mathcal X\|^2\sigma^2}2",
    needs=[positive("smoothness"), positive("radius"), at_least("sigma", 0)],
    source=", derived here",
    **RECONSTRUCTED,
)
def noise_cost(*, smoothness: Any, radius: Any, sigma: Any) -> Any:
    """How much Gaussian noise can add to the expectation of an H-smooth loss.

    The bound is attained by squares at ||x|| = ||X||.

    Derivation. phi(t + z) <= phi(t) + phi'(t) z + H z^2/2, as phi is H-smooth; z = <b, x> has mean 0 and variance |x|^2
    sigma^2 <= ||X||^2 sigma^2, so the mean over z is at most phi(t) + H ||X||^2 sigma^2/2.

    >>> noise_cost(smoothness=2.0, radius=3.0, sigma=0.5)
    2.25
    """
    return smoothness * (radius * sigma) ** 2 / 2


# Random projection ----------------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.base.jl",
    part="rows",
    kind="definition",
    says=r"k=\left\lceil\log\frac{2n}\delta\,(n\varepsilon)^{2/3}\right\rceil",
    needs=[integer("n"), positive("epsilon"), in_unit_interval("delta")],
    source=", our choice",
    **RECONSTRUCTED,
)
def projection_rows(*, n: int, epsilon: float, delta: float) -> int:
    """Order of the projected dimension for the dimension-free rate (n epsilon)^(-2/3).

    >>> projection_rows(n=1000, epsilon=1.0, delta=1e-5)
    1912
    """
    return ceil(log(2 * n / delta) * (n * epsilon) ** (2 / 3))


STRETCH = 2  # projected records are clipped at STRETCH ||X||, and the ball in R^k has radius STRETCH B


@theorem(
    "abgmu22.base.jl",
    part="privacy",
    kind="privacy",
    says=r"\sigma\ge\frac{2G\sqrt T}{n\mu},\ G=2\|\mathcal X\|\left(\sqrt{2H}\,\|\mathcal Y\|+4HB\|\mathcal X\|\right)"
    r"\ \Rightarrow\ \mu\mathrm{-GDP\ for\ every\ }\Phi",
    needs=[integer("n"), integer("steps"), *LOSS[:2], positive("norm_bound"), positive("radius"), positive("mu")],
    source=", derived here",
    **RECONSTRUCTED,
)
def projected_noise(
    *, n: int, steps: int, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any, mu: Any
) -> Any:
    """Noise per step of gradient descent on records projected to R^k.

    It is the same for every projection.

    The noise is that of the ball of radius 2B for records of length 2 ||X||.

    >>> float(projected_noise(n=10, steps=4, label_bound=0.0, smoothness=1.0, norm_bound=1.0, radius=1.0, mu=1.0))
    3.2
    """
    longest = STRETCH * radius
    slope = slope_bound.theorem.formula(
        label_bound=label_bound, smoothness=smoothness, reach=longest * STRETCH * norm_bound
    )
    return ball_noise.theorem.formula(n=n, steps=steps, gradient_norm=longest * slope, mu=mu)
