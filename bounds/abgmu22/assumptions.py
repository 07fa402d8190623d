r"""The assumptions of private grid search on a base algorithm: abgmu22, the section on ||w*||.

    accuracy     for every B >= ||w*||: excess risk of A(S1, B) at most err(B) but for beta/(4K)
    loss bound   for every S2 and B: all losses of A(S1, B) on S2 below Delta(B) but for min{delta, beta}/(4K)

Both are definitions. The explicit readings say which err and which Delta the base algorithms have.
"""

from typing import Any

from lemmata.bounds.abgmu22 import baselines
from lemmata.bounds.exact.numbers import exp, log, sqrt
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

LEVELS = [in_unit_interval("delta"), in_unit_interval("beta"), integer("guesses")]
LOSS = [at_least("label_bound", 0), positive("smoothness"), at_least("norm_bound", 0), at_least("radius", 0)]
SAMPLE = [integer("n", 2), *LEVELS]


@theorem(
    "abgmu22.asm1",
    kind="definition",
    says=r"\exists\,\mathrm{err}\ \forall B\ge\|w^*\|:\ \Pr\left[L(\mathcal A(S_1,B);\mathcal D)-L(w^*;\mathcal D)"
    r"\le\mathrm{err}(B)\right]\ge1-\frac{\beta}{4K}",
    needs=[in_unit_interval("beta"), integer("guesses")],
)
def allowed_inaccuracy(*, beta: float, guesses: int) -> float:
    """A candidate may be worse than err(B) with probability at most beta/(4K).

    >>> allowed_inaccuracy(beta=0.1, guesses=5)
    0.005
    """
    return beta / (4 * guesses)


@allowed_inaccuracy.explicit(
    part="output",
    kind="tail",
    says=r"\mathrm{output\ perturbation}:\ \mathrm{err}(B)=\frac{4K}\beta\left(\frac\lambda4B^2"
    r"+\frac{2G^2}{\lambda n_1}+\frac{H\|\mathcal X\|^2\sigma^2}2\right),\quad n_1=|S_1|",
    needs=[*baselines.OUTPUT, in_unit_interval("beta"), integer("guesses")],
    source=", derived here",
)
def output_err(
    *,
    n: int,
    gradient_norm: Any,
    ridge: Any,
    smoothness: Any,
    radius: Any,
    sigma: Any,
    norm: Any,
    beta: float,
    guesses: int,
) -> Any:
    """The error bound err(B) of output perturbation, by Markov's inequality.

    The excess risk exceeds it with at most the allowed probability.

    There are n records, and ||w*|| <= B = `norm`.

    The excess over the minimiser w* of the population risk is never negative, so it exceeds 4K/beta times its mean
    (abgmu22.base.outpert) with probability at most beta/(4K). Boosting saves of the factor (cf. abgmu22.thm.boost).

    >>> sizes = dict(n=10**6, gradient_norm=3.0, ridge=0.01, smoothness=1.0, radius=1.0, sigma=0.01)
    >>> round(output_err(**sizes, norm=1.0, beta=0.1, guesses=5), 3)
    0.87
    """
    mean = baselines.output_excess.theorem.formula(
        n=n, gradient_norm=gradient_norm, ridge=ridge, smoothness=smoothness, radius=radius, sigma=sigma, norm=norm
    )
    return mean / allowed_inaccuracy.theorem.formula(beta=beta, guesses=guesses)


@theorem(
    "abgmu22.asm2",
    kind="definition",
    says=r"\exists\Delta\ \forall S_2,B:\ \Pr_{\mathcal A}\left[\exists(x,y)\in S_2:\ |\ell(\mathcal A(S_1,B);(x,y))|"
    r"\ge\Delta(B)\right]\le\frac{\min\{\delta,\beta\}}{4K}",
    needs=LEVELS,
)
def allowed_failure(*, delta: float, beta: float, guesses: int) -> float:
    """A loss may reach Delta(B) with probability at most min{delta, beta}/(4K).

    >>> allowed_failure(delta=1e-6, beta=0.1, guesses=5)
    5e-08
    """
    return min(delta, beta) / (4 * guesses)


@allowed_failure.explicit(
    part="ball",
    kind="inequality",
    says=r"\|\mathcal A(S_1,B)\|\le B:\ \Delta(B)=\left(\|\mathcal Y\|+\sqrt{H/2}\,B\|\mathcal X\|\right)^2",
    needs=LOSS,
    source=", derived here",
)
def ball_loss(*, label_bound: Any, smoothness: Any, norm_bound: Any, radius: Any) -> Any:
    """The largest loss of a vector of the ball on any record.

    It bounds the loss of noisy descent's output.

    phi'(0)^2 <= 2 H phi(0) (abgmu22.base.noisy-gd/explicit/slope), so phi(t) <= phi(0) + sqrt(2 H phi(0)) |t| + H t^2/2
    = (sqrt(phi(0)) + sqrt(H/2) |t|)^2; attained by squares. The average of noisy descent counts w_0 = 0 and stays
    inside, so Delta itself is never reached.

    >>> float(ball_loss(label_bound=1.0, smoothness=2.0, norm_bound=2.0, radius=0.5))
    4.0
    """
    return (label_bound + sqrt(smoothness / 2) * norm_bound * radius) ** 2


@allowed_failure.explicit(
    part="output",
    kind="tail",
    says=r"\mathrm{output\ perturbation}:\ \Delta(B)=\left(\|\mathcal Y\|"
    r"+\sqrt{H/2}\,\|\mathcal X\|(B+q\sigma)\right)^2,\quad q=\sqrt{2\log\frac{2nK}{\min\{\delta,\beta\}}}",
    needs=[*LOSS, at_least("sigma", 0), *SAMPLE],
    source=", derived here",
)
def output_loss(
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
    """The loss bound Delta(B) of output perturbation on the n/2 records of S2.

    <b, x> is Gaussian with deviation at most ||X|| sigma: |<b, x>| >= q ||X|| sigma has probability at most
    exp(-q^2/2), for any of n/2 records at most (n/2) exp(-q^2/2) = min{delta, beta}/(4K). Else the loss is that of the
    ball of radius B + q sigma.

    >>> sizes = dict(label_bound=1.0, smoothness=2.0, norm_bound=2.0, radius=0.5, sigma=0.1)
    >>> round(float(output_loss(**sizes, n=1000, delta=1e-6, beta=0.1, guesses=5)), 3)
    5.472
    """
    allowed = allowed_failure.theorem.formula(delta=delta, beta=beta, guesses=guesses)
    q = sqrt(2 * log(n / 2 / allowed))
    return ball_loss.theorem.formula(
        label_bound=label_bound, smoothness=smoothness, norm_bound=norm_bound + q * sigma, radius=radius
    )


def gaussian_tail(*, t: Any, radius: Any, sigma: Any) -> Any:
    """exp(-t^2/(2 ||X||^2 sigma^2)), at least P(|<b, x>| >= t) for b ~ N(0, sigma^2 I) and ||x|| <= ||X||."""
    return exp(-((t / (radius * sigma)) ** 2) / 2)
