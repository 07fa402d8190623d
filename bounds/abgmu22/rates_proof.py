r"""What decides abgmu22's abstract: lower bounds in every dimension, the branch of the rank, and an unknown norm.

Units and names as in `rates`: ||X|| = ||Y|| = H = 1, w* of norm at most `norm`. A class of distributions is meant by a
lower bound: no learner has a smaller expected excess risk on all of its members. (epsilon, delta) is for records that
are replaced.

    fingerprints      what a private release can tell of d means, by integration by parts over a prior (step s2)
    curvature         one dimension: n epsilon |w*|^-2 records that set |w*| against 1/epsilon that halve it
    unprojected       descent without a ball: for a Lipschitz loss noise outside of the records' span costs nothing
    unknown norm      candidates for 1, 2, 4, ... sqrt n; noisy scores on the other half choose one
"""

from math import ceil, log, log2, sinh, sqrt

from lemmata.bounds.abgmu22.baselines import averaged_regret
from lemmata.bounds.abgmu22.rates import (
    BUDGET,
    OURS,
    PRIVATE,
    SAMPLE,
    UNITS,
    both_errors,
    descent_excess,
    lipschitz_rate,
    perturbation_excess,
    smooth_lower,
    smooth_upper,
)
from lemmata.bounds.theorem import at_least, between, integer, positive, require, theorem

DELTA = between("delta", 0, 1)
RANK = integer("rank")

# Lower bounds: what a private release tells ---------------------------------------------------------------------------


@theorem(
    "abgmu22.abs.lower-smooth.s2",
    kind="mean",
    says=r"\mathbb E\langle M(S),t\rangle\le np\tau^2\left(\tfrac12\sinh(\varepsilon)\sqrt{\mathbb E\|M(S)\|^2}"
    r"+2\delta\sup\|M\|_1\right),\quad t_j\sim U[-\tau,\tau]",
    needs=[*SAMPLE, DELTA, between("p", 0, 1), between("tau", 0, 1), at_least("norm", 0), at_least("longest", 0)],
    **OURS,
)
def fingerprint(*, n: int, epsilon: float, delta: float, p: float, tau: float, norm: float, longest: float) -> float:
    """How much a private release can agree with d means that it does not know.

    A record is informative with probability p; then it has d independent signs with means t_1, ..., t_d. `norm` is
    sqrt(E |M|^2), `longest` the largest |M|_1.

    Derivation. With u_j = tau^2 - t_j^2 integration by parts in t_j gives 2 E t_j M_j = E u_j d/dt_j E[M_j | t] = sum_i
    E Z_ij, Z_ij = u_j M_j (s_ij - t_j)/(1 - t_j^2) for the signs s_i of record i. Let Z_i be the sum over j, and Z_i'
    the same for a release of the sample in which another record replaces i: E Z_i' = 0, and |Z_i| <= 2 tau^2 |M|_1. If
    i is informative, E Z_i'^2 <= tau^4 E |M|^2, as u_j <= tau^2 (1 - t_j^2); else Z_i' = 0. So E |Z_i'| <= p tau^2
    sqrt(E |M|^2), and E Z_i <= e^epsilon E Z_i'^+ - e^-epsilon E Z_i'^- + 2 p delta max |Z_i|, where the first two
    terms are sinh(epsilon) E |Z_i'|.
    """
    return n * p * tau**2 * (sinh(epsilon) * norm / 2 + 2 * delta * longest)


@theorem(
    "abgmu22.abs.lipschitz",
    part="rank",
    kind="construction",
    says=r"\mathrm{rank}\le n\sinh\varepsilon:\quad\max\mathbb E[\mathrm{excess}]\ge\frac{\sqrt{\mathrm{rank}}\|w^*\|}"
    r"{8n\sinh\varepsilon}\left(1-\frac{4\delta\sqrt{\mathrm{rank}}}{\sinh\varepsilon}\right)",
    needs=[
        *BUDGET[:2],
        DELTA,
        RANK,
        positive("norm"),
        require("rank <= n sinh(epsilon)", lambda n, epsilon, rank: rank <= n * sinh(min(epsilon, 700.0))),
    ],
    **OURS,
)
def rank_lower(*, n: int, epsilon: float, delta: float, rank: int, norm: float) -> float:
    """Lower bound on a private learner's excess risk for Lipschitz losses in r dimensions.

    Half of the records are informative: x = signs/sqrt r with means t, loss -<w, x>. The others are unit vectors e_j
    with the loss max(0, |w_j| - c), c = |w*|/sqrt r. tau = sqrt r/(n sinh(epsilon)).

    Derivation. The risk is a sum over j of -t_j w_j/(2 sqrt r) + (|w_j| - c)^+/(2 r), and tau <= 1/sqrt r, so w*_j = c
    sign(t_j), |w*| = c sqrt r, and clipping w to [-c, c] lowers the risk. The excess is E(c |t|_1 - <w, t>)/(2 sqrt r),
    where E |t|_1 = r tau/2 and <w, t> is by s2 at most n tau^2/2 (sinh(epsilon) c sqrt r/2 + 2 delta c r).

    >>> round(rank_lower(n=10**4, epsilon=0.1, delta=0.0, rank=100, norm=1.0), 6)
    0.001248
    """
    return sqrt(rank) * norm / (8 * n * sinh(epsilon)) * (1 - 4 * delta * sqrt(rank) / sinh(epsilon))


@lipschitz_rate.corrected(
    kind="construction",
    says=r"n\varepsilon\ge1,\ \delta\le\frac1{8n}:\quad\max\mathbb E[\mathrm{excess}]\ge\frac{\|w^*\|}{35}\left(\frac1"
    r"{\sqrt n}+\min\left\{\frac1{\sqrt{n\varepsilon}},\frac{\sqrt{\mathrm{rank}}}{n\varepsilon}\right\}\right)",
    needs=[*BUDGET[:2], RANK, positive("norm"), require("n epsilon >= 1", lambda n, epsilon: n * epsilon >= 1)],
    source=", below",
)
def lipschitz_lower_order(*, n: int, epsilon: float, rank: int, norm: float) -> float:
    """No private learner has less than a 35th of the printed Lipschitz rate, at any rank.

    Derivation. For epsilon <= 1 the part `rank` in min{rank, n epsilon} dimensions, rounded down: sinh(epsilon) <= 1.18
    epsilon, and delta takes at most half of it, so it is at least a 26.7th of the second term; with an eighth of
    the first (part `lower`) 8 + 26.7 < 35. For epsilon > 1 the second term is at most the first.
    """
    return lipschitz_rate.theorem.formula(n=n, epsilon=epsilon, rank=rank, norm=norm) / 35


@theorem(
    "abgmu22.abs.lower-smooth",
    part="curvature",
    kind="construction",
    says=UNITS + r"d=1,\ \|w^*\|\ge1,\ 0<p\le\tfrac23:\quad\max_{0,1}\mathbb E[\mathrm{excess}]\ge\frac1{45}"
    r"\min\left\{p\|w^*\|^2,\frac23\right\}\left(\max\left\{(1-p(1-e^{-\varepsilon}))^n,\frac2{1+e^{np\varepsilon}}\right\}"
    r"-\delta np\right)",
    needs=[*BUDGET, at_least("norm", 1), require("0 < p <= 2/3", lambda p: 0 < p <= 2 / 3)],
    **OURS,
)
def curved_excess(*, n: int, epsilon: float, delta: float, norm: float, p: float) -> float:
    """Lower bound on the excess risk of private learners for smooth losses, with the square of |w*|.

    No (epsilon, delta)-DP learner has a smaller excess risk on both of two distributions.

    At p = 1.278/(n epsilon) it is an 81st of |w*|^2/(n epsilon) for delta = 0, if that is at most 0.52.

    l = (<w, x> - y)^2/2. With B = min{|w*|, sqrt(2/(3p))} a record is (1/B, 1) with probability p B^2/2, a special one
    with probability p, and else (0, 0). A special record is (0, 0) in the one distribution, whose best w is B, and (1,
    0) in the other, whose best w is B/3.

    Derivation. p B^2/2 + p <= 3 p B^2/2 <= 1. The excess is p (w - B)^2/4 and 3 p (w - B/3)^2/4, equal at w = B/sqrt 3,
    where it is p B^2 (1 - 1/sqrt 3)^2/4 > p B^2/22.5. A release on either side is an error of a private test, and half
    of what s1 leaves of them is on one of the two.

    >>> round(curved_excess(n=10**6, epsilon=0.1, delta=0.0, norm=10.0, p=1.278e-5), 8)
    1.237e-05
    """
    return min(p * norm**2, 2 / 3) / 45 * both_errors.theorem.formula(n=n, epsilon=epsilon, delta=delta, p=p)


@theorem(
    "abgmu22.abs.lower-smooth",
    part="dimension",
    kind="construction",
    says=UNITS + r"4\|w^*\|^2\le d\le(3n^2\|w^*\|^2\sinh^2\varepsilon)^{1/3}:\quad\max\mathbb E[\mathrm{excess}]\ge"
    r"\frac{\sqrt d\|w^*\|}{20n\sinh\varepsilon}\left(1-\frac{14\delta\sqrt d}{\sinh\varepsilon}\right)",
    needs=[
        *BUDGET[:2],
        DELTA,
        integer("d"),
        at_least("norm", 1),
        require("4 |w*|^2 <= d", lambda d, norm: 4 * norm**2 <= d),
        require(
            "d^3 <= 3 n^2 |w*|^2 sinh(epsilon)^2",
            lambda n, epsilon, d, norm: d**1.5 <= sqrt(3) * n * norm * sinh(min(epsilon, 700.0)),
        ),
    ],
    **OURS,
)
def dimension_excess(*, n: int, epsilon: float, delta: float, d: int, norm: float) -> float:
    """Lower bound on the excess risk of private learners for smooth losses in d dimensions.

    Records are (0, 0), or with probability p = d^(3/2)/(sqrt 3 n B sinh(epsilon)), B = `norm`, signs/sqrt d with means
    t and the label 1; l = (<w, x> - y)^2/2 and tau = B/d. Every w* has norm at most B.

    Derivation. With T = |t|^2 <= theta = d tau^2 <= 1/4 the least risk is at most that of sqrt d t/(1 + T), p (1/2 -
    T/(2 + 2T)), and E T/(2 + 2T) >= 0.4 E T = 2 theta/15. Any w has at least p (1/2 - <w, t>/sqrt d + 15 |w|^2/(32 d)),
    as tau^2 <= 1/16, which a projection on the ball of radius 16 B/15 does not raise. By s2, for v^2 = E |w|^2/d, the
    excess is at least p (2 theta/15 - a v + 15 v^2/32 - b), a = n p tau^2 sinh(epsilon)/2, and -a v + 15 v^2/32 >= -8
    a^2/15. At this p 4 a^2 = theta/3, 4 theta/45 is left, and b = 2 delta n p tau^2 (16 B/15) <= 1.24 theta delta sqrt
    d/sinh(epsilon).

    >>> round(dimension_excess(n=10**6, epsilon=0.1, delta=0.0, d=100, norm=1.0), 8)
    4.99e-06
    """
    return sqrt(d) * norm / (20 * n * sinh(epsilon)) * (1 - 14 * delta * sqrt(d) / sinh(epsilon))


@smooth_lower.corrected(
    kind="construction",
    says=UNITS
    + r"\|w^*\|\ge1,\ \varepsilon\le1,\ \delta\le\frac1{12n},\ g\le\frac14:\quad\max\mathbb E[\mathrm{excess}]"
    r"\ge\frac g{189},\quad g=\frac1{\sqrt n}+\min\left\{\frac{\|w^*\|^{4/3}}{(n\varepsilon)^{2/3}},\frac{\sqrt d"
    r"\|w^*\|}{n\varepsilon}\right\}",
    needs=[
        *BUDGET[:2],
        integer("d"),
        at_least("norm", 1),
        require("epsilon <= 1", lambda epsilon: epsilon <= 1),
        require(
            "an order of at most 1/4",
            lambda n, epsilon, d, norm: smooth_lower.theorem.formula(n=n, epsilon=epsilon, d=d, norm=norm) <= 0.25,
        ),
    ],
    source=", for ||Y|| = 1",
)
def smooth_lower_corrected(*, n: int, epsilon: float, d: int, norm: float) -> float:
    """No private learner has less than a 189th of the printed lower bound for smooth losses.

    Derivation. The second term is sqrt(e) |w*|/(n epsilon), e = min{d, (|w*| n epsilon)^(2/3)}, and n epsilon >= 4. If
    e < 4 |w*|^2 it is at most 2 |w*|^2/(n epsilon), 173 times the part `curvature` at p = 1.278/(n epsilon), where the
    errors are at least 0.4357 - 1.278/48; or that part is 0.006, and the second term at most 1/4. Otherwise `dimension`
    in e dimensions, rounded down, for a norm of at most half their root, is at least a 50th of it. `sampling` has a
    16th of the first term, and 16 + 173 = 189.
    """
    return smooth_lower.theorem.formula(n=n, epsilon=epsilon, d=d, norm=norm) / 189


# Upper bounds: the rank, and a norm that the learner does not know ----------------------------------------------------


@theorem(
    "abgmu22.abs.lipschitz.s1",
    says=r"\|w_t-w_t'\|\le2\eta G\left(\sqrt t+\frac tn\right)",
    needs=[integer("n"), at_least("steps", 0), positive("stride"), positive("gradient_norm")],
    **OURS,
)
def descent_distance(*, n: int, steps: int, stride: float, gradient_norm: float) -> float:
    """How far two runs of gradient descent are apart after t steps if one record is replaced.

    Both runs have the same noise, and the losses are convex with gradients of norm at most G, smooth or not.

    Derivation. D_{t+1}^2 <= D_t^2 + (4 eta G/n) D_t + 4 eta^2 G^2: the mean loss of the common records is convex, the
    two other gradients differ by at most 2 G, and so do the two means. With a = 2 eta G, b = a/n and D_t <= a sqrt t +
    b t the right side is at most a^2 (t + 1) + b^2 (t^2 + 2 t) + 2 a b sqrt t (t + 1), at most (a sqrt(t + 1) + b (t +
    1))^2. (Bassily, Feldman, Guzman & Talwar 2020 have it for descent on one record at a time.)
    """
    return 2 * stride * gradient_norm * (sqrt(steps) + steps / n)


@theorem(
    "abgmu22.abs.lipschitz",
    part="descent",
    kind="mean",
    says=r"\mathbb E[\mathrm{excess}]\le\|w^*\|\left(\frac{2.4}{\sqrt n}+\frac{2\sqrt{\mathrm{rank}}}{n\mu}\right),"
    r"\quad\|w^*\|\ \mathrm{known},\ 1\mathrm{-Lipschitz},\ \|\mathcal X\|=1",
    needs=[*PRIVATE[:2], RANK, positive("norm")],
    **OURS,
)
def rank_excess(*, n: int, mu: float, rank: int, norm: float) -> float:
    """Excess risk of mu-GDP descent without projection, T = n^2 steps, for records of rank r.

    Derivation. The risk depends on the iterates' projection on the span of the records, and the gradients are in it. So
    in `base.noisy-gd.s2`, with no ball to project on, the noise has r dimensions: sigma = 2/mu, and the mean excess is
    at most |w*|^2/(2 eta n^2) + eta (1 + 4 r/mu^2)/2. By s1 the averages of two runs are at most 2 eta (2n/3 + n/2) =
    7 eta n/3 apart, which is what the risk exceeds the empirical one by. eta minimises the sum: |w*|/n sqrt(2 (1/2 + 2
    r/mu^2 + 7 n/3)), at most |w*| (sqrt(17/(3n)) + 2 sqrt r/(n mu)).

    >>> round(rank_excess(n=10**4, mu=1.0, rank=100, norm=1.0), 6)
    0.026
    """
    return norm * (2.4 / sqrt(n) + 2 * sqrt(rank) / (n * mu))


def rank_excess_at(*, n: int, mu: float, rank: int, norm: float, stride: float) -> float:
    """The chain at this step size: regret with r for d, and the mean distance of two runs over t < T."""
    regret = averaged_regret.theorem.formula(
        steps=n**2, gradient_norm=1.0, sigma=2 / mu, d=rank, stride=stride, norm_bound=norm
    )
    return regret + 7 * stride * n / 3


@theorem(
    "abgmu22.abs.lipschitz",
    part="order",
    kind="rate",
    says=r"\min\{\mathrm{descent},\mathrm{perturbation}\}\le2.4\,\|w^*\|\left(\frac1{\sqrt n}+\min\left\{\frac1"
    r"{\sqrt{n\mu}},\frac{\sqrt{\mathrm{rank}}}{n\mu}\right\}\right)",
    needs=[*PRIVATE[:2], RANK, positive("norm")],
    **OURS,
)
def lipschitz_order(*, n: int, mu: float, rank: int, norm: float) -> float:
    """The better of two learners has at most 2.4 times the printed Lipschitz rate, mu for epsilon.

    Derivation. The part `perturbation` is at most |w*| (2/sqrt n + 1.79/sqrt(n mu)), as sqrt(a + b) <= sqrt a + sqrt b.
    """
    return 2.4 * lipschitz_rate.theorem.formula(n=n, epsilon=mu, rank=rank, norm=norm)


EVEN = require("n even", lambda n: n % 2 == 0)
UNKNOWN = [integer("n", 2), EVEN, positive("mu"), integer("d"), at_least("norm", 1)]


def guesses_and_level(n: int) -> tuple[int, float]:
    """How many norms 1, 2, 4, ... are tried, the last one at least sqrt n; and l = 2 log(4n).

    >>> guesses_and_level(16)[0]
    3
    """
    return ceil(log2(n) / 2) + 1, 2 * log(4 * n)


@theorem(
    "abgmu22.abs.upper-smooth",
    part="unknown",
    kind="mean",
    says=UNITS
    + r"\mathbb E[\mathrm{excess}]\le53\,l^{3/2}\sqrt K\left(\frac{\|w^*\|}{\sqrt n}+\min\left\{\frac{\|w^*\|^2}"
    r"{(n\mu)^{2/3}},\frac{\sqrt d\|w^*\|^2}{n\mu}\right\}\right),\quad\|w^*\|\ge1\ \mathrm{unknown},\ l=2\log(4n),\ "
    r"K=\lceil\tfrac12\log_2n\rceil+1",
    needs=UNKNOWN,
    **OURS,
)
def unknown_norm_excess(*, n: int, mu: float, d: int, norm: float) -> float:
    """Excess risk of a mu-GDP learner that does not know |w*|: the printed rate times logarithms of n.

    For n mu < 1 it releases 0. Otherwise w_j is, on the first half, the better of `descent` and `perturbation` for the
    norm B_j = 2^j and mu/sqrt K, or 0 where its bound is above 1. The scores are the mean losses on the other half,
    clipped at D_j = 3 l B_j^2, with Gaussian noise of deviation s_j = 2 D_j sqrt K/(n mu), plus 2 sqrt(a_j) + sqrt(2 l)
    s_j, a_j = 2 D_j l/n. The smallest of these and of 1, the score of w = 0, is released.

    Derivation. A replaced record is in one half, where K releases share mu. But for K exp(-l) and K exp(-l)/2, all
    clipped means are above their risk L_j less sqrt(2 a_j L_j) (thm.grid.s4) and no noise below -sqrt(2 l) s_j: then
    the score of the chosen one is at least its clipped risk (thm.grid.s5, where the score is at most 1). Its
    expectation is at most that of any j, whose mean loss has mean L_j; take B_j <= 2 |w*|, or w = 0 if |w*| > sqrt n.
    Otherwise the loss is at most the largest D_j <= 12 l n, and clipping hides D_j exp(-l)/(2 l) (grid-output-pert.s6,
    as the noise of `perturbation` is at most 0.82 B_j where its bound is below 1). So the excess is at most that of the
    known norm + 2 sqrt(a_j) + (sqrt(2 l) + 0.4) s_j + 1.3 K l/n; with l >= 4.1 and n mu >= 1 the terms over sqrt n add
    up to 21.5 l, the others to 52.4 l^(3/2) sqrt K.
    """
    guesses, level = guesses_and_level(n)
    return 53 * level**1.5 * sqrt(guesses) * smooth_upper.theorem.formula(n=n, epsilon=mu, d=d, norm=norm)


def unknown_norm_at(*, n: int, mu: float, d: int, norm: float) -> float:
    """The chain of `unknown_norm_excess` at the largest guess that is below 2 |w*|."""
    guesses, level = guesses_and_level(n)
    failure = 1.3 * guesses * level / n
    if n * mu < 1 or norm > 2 ** (guesses - 1):
        return 1 + failure
    near, shared = 2.0 ** ceil(log2(norm)), mu / sqrt(guesses)
    known = min(
        1.0,
        descent_excess.theorem.formula(n=n / 2, mu=shared, d=d, norm=near),
        perturbation_excess.theorem.formula(n=n / 2, mu=shared, norm=near),
    )
    clip = 3 * level * near**2
    noise = 2 * clip / (n * shared)
    return known + 2 * sqrt(2 * clip * level / n) + (sqrt(2 * level) + 0.4) * noise + failure
