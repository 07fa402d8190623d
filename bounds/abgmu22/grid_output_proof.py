r"""Grid search with boosted output perturbation, as we read it: abgmu22, the rate of the instantiation (Appendix D.3).

The theorem on boosted output perturbation is not in the available text. Here its copies are compared together with the
guesses: for each guess B_j = 2, 4, ..., 2^K, m copies of output perturbation run on disjoint chunks of the first half,
and noisy scores on the second half choose one of the K m vectors, or w = 0. What the rate calls u is `reach`.

Names: `reach` u, `label_bound` Y, `guesses` K, and in units of Y: rho = u/Y.
"""

from math import ceil, log, log2, sqrt

from lemmata.bounds.abgmu22.grid_output import printed_rate
from lemmata.bounds.theorem import in_unit_interval, integer, positive, require


def copies_and_level(n: int, guesses: int, beta: float) -> tuple[int, float]:
    """m = ceil(log2(4/beta)), so that all m copies fail with probability beta/4, and l = log(16 K m n/beta).

    >>> copies_and_level(100, 3, 0.25)[0]
    4
    """
    copies = ceil(log2(4 / beta))
    return copies, log(16 * guesses * copies * n / beta)


@printed_rate.explicit(
    part="boosted",
    kind="tail",
    says=r"\|w^*\|\le2^K,\ \rho=\tfrac u{\|\mathcal Y\|},\ a=\frac{7l^2(1+\rho^2)}n:\quad\Pr\left[\mathrm{excess}\le"
    r"\|\mathcal Y\|^2\min\left\{1,2e+3.6\sqrt a+2z\right\}\right]\ge1-\beta,\quad z=\frac{7\sqrt2\,l^{3/2}(1+\rho^2)"
    r"\sqrt{Km}}{n\mu},\ e=(8+4\sqrt2)\rho\sqrt{\frac{2m}n}+\frac32(\sqrt2+\rho)^{2/3}\rho^{4/3}\left(\frac{2m\sqrt K}"
    r"{n\mu}\right)^{2/3}",
    needs=[
        integer("n", 2),
        positive("mu"),
        positive("reach"),
        positive("label_bound"),
        integer("guesses"),
        in_unit_interval("beta"),
        require(
            "n a multiple of 2m, m = ceil(log2(4/beta))", lambda n, beta: n % (2 * copies_and_level(n, 1, beta)[0]) == 0
        ),
    ],
    source=", for mu-GDP, with the copies of boosting among the candidates",
)
def boosted_excess(*, n: int, mu: float, reach: float, label_bound: float, guesses: int, beta: float) -> float:
    """The excess risk of grid search with boosted output perturbation, with our constants and log(1/beta).

    `reach` is that of the guess next to |w*|, at most that of 2 max{|w*|, 1}. A copy whose bound e is above 1 is 0.

    Derivation. In units of Y, with c = n/(2m) records, mu/sqrt K and lambda = sqrt 32/(rho sqrt c) + 2 ((sqrt 2 + rho)
    sqrt K/(rho c mu))^(2/3) the mean excess of a copy is at most e (abs.upper-smooth.s1, base.outpert.s3), so one of m
    has at most 2e but with probability beta/4. Where e < 1 the noise of a copy is at most 0.82, so losses beyond D =
    3.5 l (1 + rho^2) have a mean of at most D exp(-l)/(2 l) (s6); it is at most D/n for all candidates together, but
    with probability beta/(32 l). The scores are clipped means, with Gaussian noise of deviation 2 D sqrt(K m)/(n mu)
    each, plus 2 sqrt a + z, a = 2 D l/n. But with probability 3 K m exp(-l) no mean deviates further than thm.grid.s4
    allows and no noise exceeds z. Then the chosen score is at most 1 and at least its risk: as in thm.grid.s5 it
    exceeds the clipped risk by 0.58 sqrt a, which is more than D/n = a/(2 l). The score of the copy exceeds its risk by
    at most sqrt(2a) + a/3 + 2 sqrt a + 2 z, and a <= 1/4, or the bound is above 1.
    """
    copies, level = copies_and_level(n, guesses, beta)
    rho, spread = reach / label_bound, 7 * level * (1 + (reach / label_bound) ** 2)
    base = copy_excess(n=n, mu=mu, rho=rho, guesses=guesses, copies=copies)
    noise = spread * sqrt(2 * level * guesses * copies) / (n * mu)
    return label_bound**2 * min(1.0, 2 * base + 3.6 * sqrt(spread * level / n) + 2 * noise)


def copy_excess(*, n: int, mu: float, rho: float, guesses: int, copies: int) -> float:
    """e, the mean excess of one copy in units of Y^2, as for the known norm rho."""
    private = 1.5 * (sqrt(2) + rho) ** (2 / 3) * rho ** (4 / 3) * (2 * copies * sqrt(guesses) / (n * mu)) ** (2 / 3)
    return (8 + 4 * sqrt(2)) * rho * sqrt(2 * copies / n) + private


def copy_ridge(*, n: int, mu: float, rho: float, guesses: int, copies: int) -> float:
    """lambda of a copy on n/(2m) records, in units of H |X|^2."""
    size = n / (2 * copies)
    return sqrt(32 / size) / rho + 2 * ((sqrt(2) + rho) * sqrt(guesses) / (rho * size * mu)) ** (2 / 3)


def soft_factor(*, n: int, guesses: int, beta: float) -> float:
    """The logarithms that the printed rate leaves out: l^(3/2) sqrt(K m)."""
    copies, level = copies_and_level(n, guesses, beta)
    return level**1.5 * sqrt(guesses * copies)
