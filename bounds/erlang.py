"""Footnote 5 of Rubinstein et al. 2009: the Erlang distribution, and the sentence it hangs on.

Scale means scale here: Erlang_q with scale `lam` is the sum of q exponentials of mean `lam`. The footnote agrees
(expectation q lambda); the sentence in the main text writes "scale lambda^(-1)" for what is the *rate*.
"""

from __future__ import annotations

from math import exp, lgamma, log

from scipy.special import gammainc

from bounds.theorem import at_least, integer, positive, theorem

SOURCE = "Rubinstein, Bartlett, Huang & Taft 2009, footnote 5"
ERLANG = [integer("q"), positive("lam")]


@theorem(
    "rbht09.fn5",
    part="density",
    kind="identity",
    says=r"f(x)=\frac{x^{q-1}e^{-x/\lambda}}{\lambda^q(q-1)!}",
    needs=[*ERLANG, at_least("x", 0)],
    source=SOURCE,
)
def erlang_density(*, x, q, lam):
    """Density of the sum of q independent exponentials of mean lambda

    x^(q-1) e^(-x/lambda) / (lambda^q (q-1)!), by induction: convolving with one more exponential integrates
    y^(q-1) / (q-1)! to y^q / q!.

    >>> round(erlang_density(x=2.0, q=3, lam=1.0), 6)
    0.270671
    """
    if x == 0:
        return 1 / lam if q == 1 else 0.0
    return exp((q - 1) * log(x / lam) - x / lam - lgamma(q) - log(lam))


@theorem(
    "rbht09.fn5",
    part="cdf",
    kind="identity",
    says=r"F(x)=1-e^{-x/\lambda}\sum_{j=0}^{q-1}\frac{(x/\lambda)^j}{j!}",
    needs=[*ERLANG, at_least("x", 0)],
    source=SOURCE,
)
def erlang_cdf(*, x, q, lam):
    """Distribution function of Erlang_q

    1 - e^(-y) sum_{j < q} y^j / j!, y = x / lambda: its derivative telescopes to the density, and it vanishes at 0.
    Evaluated
    as a regularised incomplete gamma function, which does not cancel near x = 0.

    >>> round(erlang_cdf(x=2.0, q=3, lam=1.0), 6)
    0.323324
    """
    return float(gammainc(q, x / lam))


@theorem("rbht09.fn5", part="mean", kind="identity", says=r"\mathbb{E}X=q\lambda", needs=ERLANG, source=SOURCE)
def erlang_mean(*, q, lam):
    """Expectation of Erlang_q

    q lambda = lambda q! / (q-1)!.
    """
    return q * lam


@theorem("rbht09.fn5", part="variance", kind="identity", says=r"\mathrm{Var}X=q\lambda^2", needs=ERLANG, source=SOURCE)
def erlang_variance(*, q, lam):
    """Variance of Erlang_q

    q lambda^2 = lambda^2 ((q+1)! / (q-1)! - q^2).
    """
    return q * lam**2


@theorem(
    "rbht09.fn5.text",
    parent="rbht09.fn5",
    kind="identity",
    says=r"\Pr(|Z|>x)=e^{-x/s},\quad Z\sim Laplace(0,\lambda),\quad s=\lambda^{-1}",
    needs=[positive("lam")],
    source="Rubinstein, Bartlett, Huang & Taft 2009, proof of Theorem 8, the sentences that footnote 5 belongs to",
)
def magnitude_scale(*, lam):
    """Scale of the exponential law of |Laplace(0, lambda)|, as the main text says it

    "The absolute value of a zero mean Laplace random variable with scale parameter lambda is exponentially
    distributed with scale lambda^(-1)", and its sums are Erlang "with the same scale parameter". Read as the scale,
    the word printed and the parameter of footnote 5, this is 1 / lambda, right for lambda = 1 only; read as the rate
    it is right. The proof goes on with the right one (its moment generating function has scale lambda).
    """
    return 1 / lam


@theorem(
    "rbht09.fn5.text",
    parent="rbht09.fn5",
    reading="corrected",
    kind="identity",
    says=r"\Pr(|Z|>x)=e^{-x/s},\quad Z\sim Laplace(0,\lambda),\quad s=\lambda",
    needs=[positive("lam")],
    source="Rubinstein, Bartlett, Huang & Taft 2009, proof of Theorem 8, with scale lambda (rate 1 / lambda)",
)
def magnitude_scale_corrected(*, lam):
    """Scale of the exponential law of |Laplace(0, lambda)|: lambda

    Pr(|Z| > x) = 2 int_x^inf e^(-z/lambda) / (2 lambda) dz = e^(-x/lambda).
    """
    return lam
