"""The rates of abgmu22's abstract: smooth nonnegative and Lipschitz generalized linear losses, upper and lower bounds.

The abstract has no constants. Ours are for ||X|| = ||Y|| = H = 1, so |x| <= 1, l(0) <= 1 and phi is 1-smooth (or
1-Lipschitz), for a known norm of w*, B = max(|w*|, 1), and mu-GDP, where epsilon is mu up to sqrt(log(1/delta)):

    smooth, above       min of  4 sqrt 3 B/sqrt n + 6 (1 + sqrt 2) sqrt d B^2/(n mu)             noisy descent
                        and     (8 + 4 sqrt 2) B/sqrt n + 3/2 (1 + sqrt 2)^(2/3) B^2/(n mu)^(2/3)   output perturbation
    Lipschitz, above    2 |w*| sqrt((1 + sqrt(2/pi)/mu)/n)                                       output perturbation
    below               one dimension, two distributions: 1/(16 sqrt n) and 1/(8 n (1 - e^-epsilon))

Both upper bounds for smooth losses rest on |grad l|^2 <= 2 H l: stability is paid in loss, so that the first term is
B/sqrt n and not B^2/sqrt n. The branch sqrt(rank) of the Lipschitz rate, lower bounds in more than one dimension and a
norm that the learner does not know are in `rates_proof`.
"""

from math import exp, expm1, pi, sqrt

from lemmata.bounds.abgmu22.baselines import ball_noise, output_noise
from lemmata.bounds.theorem import at_least, between, integer, positive, require, theorem

SAMPLE = [integer("n"), positive("epsilon")]
SMOOTH = [*SAMPLE, integer("d"), at_least("norm", 0)]
PRIVATE = [integer("n"), positive("mu"), at_least("norm", 1)]
STABLE = require("0 <= q < 1", lambda q: 0 <= q < 1)
UNITS = r"\|\mathcal X\|=\|\mathcal Y\|=H=1:\quad "
OURS: dict = {"reading": "explicit", "source": "our derivation"}

# As printed -----------------------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.abs.upper-smooth",
    kind="rate",
    says=r"\mathrm{excess}=\tilde O\left(\frac{\|w^*\|}{\sqrt n}+\min\left\{\frac{\|w^*\|^2}{(n\varepsilon)^{2/3}},"
    r"\frac{\sqrt d\|w^*\|^2}{n\varepsilon}\right\}\right)",
    needs=SMOOTH,
)
def smooth_upper(*, n: float, epsilon: float, d: float, norm: float) -> float:
    """The abstract's upper bound on the excess risk for smooth nonnegative losses.

    The order is stated without its constant and logarithms.

    >>> round(smooth_upper(n=10**6, epsilon=1.0, d=100, norm=2.0), 6)
    0.00204
    """
    return norm / sqrt(n) + min(norm**2 / (n * epsilon) ** (2 / 3), sqrt(d) * norm**2 / (n * epsilon))


@theorem(
    "abgmu22.abs.lower-smooth",
    kind="rate",
    says=r"\mathrm{excess}=\tilde\Omega\left(\frac1{\sqrt n}+\min\left\{\frac{\|w^*\|^{4/3}}{(n\varepsilon)^{2/3}},"
    r"\frac{\sqrt d\|w^*\|}{n\varepsilon}\right\}\right)",
    needs=SMOOTH,
)
def smooth_lower(*, n: float, epsilon: float, d: float, norm: float) -> float:
    """The abstract's lower bound on the excess risk for smooth nonnegative losses.

    The order is stated without its constant and logarithms.

    >>> smooth_lower(n=10**6, epsilon=1.0, d=100, norm=1.0)
    0.00101
    """
    return 1 / sqrt(n) + min(norm ** (4 / 3) / (n * epsilon) ** (2 / 3), sqrt(d) * norm / (n * epsilon))


@theorem(
    "abgmu22.abs.lower-smooth",
    part="tight",
    says=r"\mathrm{upper}\le\|w^*\|\cdot\mathrm{lower},\quad\|w^*\|\ge1",
    needs=[*SMOOTH[:3], at_least("norm", 1)],
    source=", 'apart from the dependence on the norm, our bound is essentially tight in all parameters'",
)
def tightness(*, n: float, epsilon: float, d: float, norm: float) -> float:
    """The upper bound for smooth losses is at most |w*| times the lower bound.

    So the two agree at |w*| = 1.

    Derivation. |w*| lower = |w*|/sqrt n + min{|w*|^(7/3)/(n epsilon)^(2/3), sqrt d |w*|^2/(n epsilon)}, and |w*|^(7/3)
    >= |w*|^2 from |w*| = 1 on, where both are equal.
    """
    return norm * smooth_lower.theorem.formula(n=n, epsilon=epsilon, d=d, norm=norm)


@theorem(
    "abgmu22.abs.lipschitz",
    kind="rate",
    says=r"\mathrm{excess}=\Theta\left(\frac{\|w^*\|}{\sqrt n}+\min\left\{\frac{\|w^*\|}{\sqrt{n\varepsilon}},"
    r"\frac{\sqrt{\mathrm{rank}}\|w^*\|}{n\varepsilon}\right\}\right)",
    needs=[*SAMPLE, integer("rank"), at_least("norm", 0)],
)
def lipschitz_rate(*, n: float, epsilon: float, rank: float, norm: float) -> float:
    """The order of the optimal excess risk for Lipschitz losses.

    The order is stated without its constants and logarithms.

    >>> lipschitz_rate(n=10**6, epsilon=1.0, rank=100, norm=2.0)
    0.00202
    """
    return norm * (1 / sqrt(n) + min(1 / sqrt(n * epsilon), sqrt(rank) / (n * epsilon)))


# Where the branches meet ----------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.abs.upper-smooth",
    part="crossover",
    kind="identity",
    says=r"\tfrac{\|w^*\|^2}{(n\varepsilon)^{2/3}}=\tfrac{\sqrt d\|w^*\|^2}{n\varepsilon}\iff d=(n\varepsilon)^{2/3}",
    needs=[positive("privacy")],
    **OURS,
)
def smooth_crossover(*, privacy: float) -> float:
    """The dimension from which the smooth upper bound is free of the dimension.

    `privacy` is n epsilon.

    Derivation. Divided by |w*|^2/(n epsilon) it says (n epsilon)^(1/3) = sqrt d, squared d = (n epsilon)^(2/3).
    """
    return privacy ** (2 / 3)


@theorem(
    "abgmu22.abs.lower-smooth",
    part="crossover",
    kind="identity",
    says=r"\tfrac{\|w^*\|^{4/3}}{(n\varepsilon)^{2/3}}=\tfrac{\sqrt d\|w^*\|}{n\varepsilon}\iff d=(\|w^*\|n\varepsilon)"
    r"^{2/3}",
    needs=[positive("privacy"), positive("norm")],
    **OURS,
)
def lower_crossover(*, privacy: float, norm: float) -> float:
    """The dimension from which the smooth lower bound is free of the dimension.

    It differs from the upper bound's dimension, unless |w*| = 1.

    Derivation. Divided by |w*|/(n epsilon) it says (|w*| n epsilon)^(1/3) = sqrt d, squared d = (|w*| n epsilon)^(2/3).
    """
    return (norm * privacy) ** (2 / 3)


@theorem(
    "abgmu22.abs.lipschitz",
    part="crossover",
    kind="identity",
    says=r"\tfrac{\|w^*\|}{\sqrt{n\varepsilon}}=\tfrac{\sqrt{\mathrm{rank}}\|w^*\|}{n\varepsilon}\iff\mathrm{rank}="
    r"n\varepsilon",
    needs=[positive("privacy")],
    **OURS,
)
def lipschitz_crossover(*, privacy: float) -> float:
    """The rank from which the Lipschitz rate does not depend on the rank.

    Derivation. Divided by |w*|/(n epsilon) it says sqrt(n epsilon) = sqrt(rank), squared rank = n epsilon.
    """
    return privacy


# Upper bounds with constants ------------------------------------------------------------------------------------------


def slope(norm: float) -> float:
    """G = sqrt 2 + B, the longest gradient on the ball of radius B = `norm`; at most (1 + sqrt 2) B."""
    return sqrt(2) + norm


@theorem(
    "abgmu22.abs.upper-smooth.s1",
    says=r"\hat w=\mathrm{argmin}_{\|w\|\le B}\hat L+\tfrac\lambda2\|w\|^2,\ \lambda n\ge2\tilde H\ \Rightarrow\ "
    r"\mathbb E[L(\hat w)]\le\left(1+\frac{16\tilde H}{\lambda n}\right)\mathbb E[\hat L(\hat w)]",
    needs=[positive("u"), require("u <= 1/2", lambda u: u <= 0.5), at_least("empirical", 0)],
    **OURS,
)
def regularised_risk(*, u: float, empirical: float) -> float:
    """Bound on the expected risk of a regularised minimiser by its empirical risk.

    Here u = H/(lambda n).

    Derivation. Replace z_i by z': both objectives are lambda-strongly convex, so lambda D^2 <= (l(w'; z_i) - l(w; z_i)
    + l(w; z') - l(w'; z'))/n, D = |w - w'|, and l(w'; z) - l(w; z) <= sqrt(2 H l(w; z)) D + H D^2/2. Hence D <= 2
    sqrt(2H) (sqrt a + sqrt b)/(lambda n) with a = l(w; z_i), b = l(w'; z'), both of mean E L^; and E l(w'; z_i) - a is
    at most 8u + 16u^2 times it.
    """
    return (1 + 16 * u) * empirical


@theorem(
    "abgmu22.abs.upper-smooth.s2",
    says=r"\mathrm{noisy\ descent},\ \eta\le\tfrac1{\tilde H}:\quad\mathbb E[L(\bar w)]\le(1+2v)^2\,\frac1T\sum_t"
    r"\mathbb E[\hat L(w_t)],\quad v=\frac{\tilde H\eta T}n",
    needs=[at_least("v", 0), at_least("empirical", 0)],
    **OURS,
)
def descended_risk(*, v: float, empirical: float) -> float:
    """Bound on the expected risk of averaged noisy descent by its empirical loss.

    The empirical loss is the mean over the iterates.

    Derivation. Two runs with the same noise, z_i replaced: projected steps with eta <= 2/H do not move them apart,
    except by z_i and z': D <= (eta/n) sum_t (sqrt(2H a_t) + sqrt(2H b_t)), so E D^2 <= 8 H (eta T/n)^2 A, A the mean
    empirical loss. E l(w'; z_i) - l(w; z_i) <= sqrt(2H A) sqrt(E D^2) + H E D^2/2 <= (4v + 4v^2) A.
    """
    return (1 + 2 * v) ** 2 * empirical


@theorem(
    "abgmu22.abs.upper-smooth.s3",
    says=r"\frac1T\sum_t\mathbb E[\hat L(w_t)]\le\frac1{1-q}\left(L^*+\frac{B^2}{2\eta T}+\frac{\eta d\sigma^2}2\right)"
    r",\quad q=\eta\tilde H<1",
    needs=[STABLE, at_least("best", 0), positive("distance"), at_least("noise", 0)],
    **OURS,
)
def descended_loss(*, q: float, best: float, distance: float, noise: float) -> float:
    """Bound on the mean empirical loss of the iterates of noisy descent.

    `distance` is B^2/(2 eta T), `noise` is eta d sigma^2/2.

    As in `base.noisy-gd.s2`, with |grad L^|^2 <= 2 H L^ for the gradients: A - L* <= distance + q A + noise.
    """
    return (best + distance + noise) / (1 - q)


@theorem(
    "abgmu22.abs.upper-smooth",
    part="descent",
    kind="mean",
    says=UNITS + r"\mathbb E[\mathrm{excess}]\le\frac{4\sqrt3\,B}{\sqrt n}+\frac{6(1+\sqrt2)\sqrt d\,B^2}{n\mu},\quad "
    r"B=\|w^*\|\ge1\ \mathrm{known}",
    needs=[*PRIVATE, integer("d")],
    **OURS,
)
def descent_excess(*, n: float, mu: float, d: float, norm: float) -> float:
    """Excess risk of mu-GDP noisy descent over a ball, with T >= n steps.

    The ball has radius B.

    Derivation. With tau = eta T, T >= n and v = tau/n: q <= v, and (1 + 2v)^2/(1 - v) <= 1 + 8v <= 3 for v <= 1/4, so
    by s2 and s3 with L* <= 1 the excess is at most 8 tau/n + 3 (B^2/(2 tau) + 2 tau d G^2/(n mu)^2); tau minimises it
    with G <= (1 + sqrt 2) B. Then tau <= sqrt(3/16) B sqrt n, below n/4 if B <= sqrt(n/3); for larger B the bound is
    above 4, and the learner, who knows B, releases w = 0 instead, whose excess is at most 1.

    >>> round(descent_excess(n=10**6, mu=1.0, d=100, norm=1.0), 6)
    0.007073
    """
    return 4 * sqrt(3) * norm / sqrt(n) + 6 * (1 + sqrt(2)) * sqrt(d) * norm**2 / (n * mu)


def descent_at(*, n: float, mu: float, d: float, norm: float, tau: float) -> float:
    """The chain s3, s2 at eta T = tau and T = n, with the noise of `base.noisy-gd`: the excess over L* = 1."""
    sigma = ball_noise.theorem.formula(n=n, steps=1, gradient_norm=slope(norm), mu=mu)  # times sqrt T
    parts = dict(distance=norm**2 / (2 * tau), noise=tau * d * float(sigma) ** 2 / 2)
    loss = descended_loss.theorem.formula(q=tau / n, best=1.0, **parts)
    return descended_risk.theorem.formula(v=tau / n, empirical=loss) - 1


def descent_time(*, n: float, mu: float, d: float, norm: float) -> float:
    """The tau that minimises 8 tau/n + 3 B^2/(2 tau) + 6 tau d (1 + sqrt 2)^2 B^2/(n mu)^2."""
    return norm * sqrt(1.5 / (8 / n + 6 * d * ((1 + sqrt(2)) * norm / (n * mu)) ** 2))


@theorem(
    "abgmu22.abs.upper-smooth",
    part="perturbation",
    kind="mean",
    says=UNITS + r"\mathbb E[\mathrm{excess}]\le\frac{(8+4\sqrt2)B}{\sqrt n}+\frac{3(1+\sqrt2)^{2/3}B^2}{2(n\mu)^{2/3}}"
    r",\quad B=\|w^*\|\ge1\ \mathrm{known}",
    needs=PRIVATE,
    **OURS,
)
def perturbation_excess(*, n: float, mu: float, norm: float) -> float:
    """Excess risk of mu-GDP output perturbation over a ball, in any dimension.

    The ball has radius B.

    Derivation. The regularised empirical risk is at most 1 + lambda B^2/2 in expectation; s1 and the noise of
    `base.outpert` give lambda B^2/2 + (16/(lambda n))(1 + lambda B^2/2) + 2 G^2/(lambda n mu)^2. lambda = sqrt 32/(B
    sqrt n) + 2 (1 + sqrt 2)^(2/3) (n mu)^(-2/3), and 8 B^2/n <= 8 B/sqrt n for B <= sqrt n, where lambda n >= 2; for
    larger B the bound is above 1, and the learner, who knows B, releases w = 0 instead, whose excess is at most 1.

    >>> round(perturbation_excess(n=10**6, mu=1.0, norm=1.0), 6)
    0.013927
    """
    return (8 + 4 * sqrt(2)) * norm / sqrt(n) + 1.5 * (1 + sqrt(2)) ** (2 / 3) * norm**2 / (n * mu) ** (2 / 3)


def perturbation_ridge(*, n: float, mu: float, norm: float) -> float:
    """lambda, the sum of what balances the first term and what balances the noise."""
    return sqrt(32) / (norm * sqrt(n)) + 2 * (1 + sqrt(2)) ** (2 / 3) / (n * mu) ** (2 / 3)


def perturbation_at(*, n: float, mu: float, norm: float, ridge: float) -> float:
    """The chain s1 at this lambda, with the noise of `base.outpert`: the excess over L* = 1."""
    sigma = output_noise.theorem.formula(n=n, gradient_norm=slope(norm), ridge=ridge, mu=mu)
    empirical = 1 + ridge * norm**2 / 2
    return regularised_risk.theorem.formula(u=1 / (ridge * n), empirical=empirical) - 1 + float(sigma) ** 2 / 2


@theorem(
    "abgmu22.abs.upper-smooth",
    part="order",
    kind="rate",
    says=UNITS + r"\min\{\mathrm{descent},\mathrm{perturbation}\}\le6(1+\sqrt2)\left(\frac{\|w^*\|}{\sqrt n}+\min"
    r"\left\{\frac{\|w^*\|^2}{(n\mu)^{2/3}},\frac{\sqrt d\|w^*\|^2}{n\mu}\right\}\right),\quad\|w^*\|\ge1",
    needs=[*PRIVATE, integer("d")],
    **OURS,
)
def upper_order(*, n: float, mu: float, d: float, norm: float) -> float:
    """The better of two learners has at most 14.5 times the printed rate.

    The learners are mu-GDP, and mu replaces epsilon in the rate.

    The constant is C = 6 (1 + sqrt 2) = 14.5.
    """
    return 6 * (1 + sqrt(2)) * smooth_upper.theorem.formula(n=n, epsilon=mu, d=d, norm=norm)


@theorem(
    "abgmu22.abs.lipschitz",
    part="perturbation",
    kind="mean",
    says=r"\mathbb E[\mathrm{excess}]\le2\|w^*\|\sqrt{\frac1n\left(1+\sqrt{\tfrac2\pi}\frac1\mu\right)},\quad\|w^*\|"
    r"\ \mathrm{known},\ 1\mathrm{-Lipschitz},\ \|\mathcal X\|=1",
    needs=[*PRIVATE[:2], positive("norm")],
    **OURS,
)
def lipschitz_excess(*, n: float, mu: float, norm: float) -> float:
    """Excess risk of mu-GDP output perturbation for Lipschitz losses.

    The ball has radius |w*|.

    Its order is |w*|/sqrt n + |w*|/sqrt(n mu), in any dimension.

    Derivation. lambda |w*|^2/2 + 2/(lambda n) as in `base.outpert`, G = 1, which needs no smoothness; the noise b costs
    E |<b, x>| <= sigma sqrt(2/pi), sigma = 2/(lambda n mu); lambda minimises the sum.

    >>> round(lipschitz_excess(n=10**4, mu=1.0, norm=1.0), 6)
    0.026817
    """
    return 2 * norm * sqrt((1 + sqrt(2 / pi) / mu) / n)


def lipschitz_at(*, n: float, mu: float, norm: float, ridge: float) -> float:
    """The sum at this lambda."""
    sigma = float(output_noise.theorem.formula(n=n, gradient_norm=1.0, ridge=ridge, mu=mu))
    return ridge * norm**2 / 2 + 2 / (ridge * n) + sigma * sqrt(2 / pi)


# Lower bounds in one dimension ----------------------------------------------------------------------------------------

BUDGET = [integer("n", 2), positive("epsilon"), between("delta", 0, 1)]
SEEN = require("n (1 - e^-epsilon) >= 1", lambda n, epsilon: -n * expm1(-epsilon) >= 1)


@theorem(
    "abgmu22.abs.lower-smooth.s1",
    kind="construction",
    says=r"M\ (\varepsilon,\delta)\mathrm{-DP},\ K\sim\mathrm{Bin}(n,p)\ \mathrm{labels\ flipped}:\quad\Pr_+[M\le0]"
    r"+\Pr_-[M>0]\ge\max\left\{(1-p(1-e^{-\varepsilon}))^n,\frac2{1+e^{np\varepsilon}}\right\}-\delta np",
    needs=[*BUDGET, between("p", 0, 1)],
    **OURS,
)
def both_errors(*, n: int, epsilon: float, delta: float, p: float) -> float:
    """Lower bound on the sum of a private test's two error probabilities.

    Records are (0, 0), or with probability p (1, y), with y = +1 in the one distribution and -1 in the other.

    Derivation. Pair samples by flipping the labels of the K informative records: P_-(M <= 0) <= e^(K epsilon) P_+(M <=
    0) + D with D = delta (e^(K epsilon) - 1)/(e^epsilon - 1), and the same with the signs exchanged. So the errors of a
    pair sum to s with 2 - s <= e^(K epsilon) s + 2 D, and 2 D/(1 + e^(K epsilon)) = 2 delta tanh(K epsilon/2)/
    (e^epsilon - 1) <= delta K: s >= 2/(1 + e^(K epsilon)) - delta K >= e^(-K epsilon) - delta K. The former is convex
    in K, so its mean is at least its value at np.
    """
    one_sided, small = (1 + p * expm1(-epsilon)) ** n, exp(-n * p * epsilon)
    return float(max(one_sided, 2 * small / (1 + small)) - delta * n * p)


CHANCE = require("0 < p <= 1", lambda p: 0 < p <= 1)


@theorem(
    "abgmu22.abs.lower-smooth",
    part="privacy",
    kind="construction",
    says=UNITS + r"d=1,\ 0<p\le1:\quad\max_\pm\mathbb E[\mathrm{excess}]\ge\frac p2"
    r"\min\left\{1,\frac{\|w^*\|^2}2\right\}\left(\max\left\{(1-p(1-e^{-\varepsilon}))^n,"
    r"\frac2{1+e^{np\varepsilon}}\right\}-\delta np\right)",
    needs=[*BUDGET, CHANCE, positive("norm")],
    **OURS,
)
def private_excess(*, n: int, epsilon: float, delta: float, norm: float, p: float) -> float:
    """Lower bound on the excess risk of private learners for smooth losses.

    No (epsilon, delta)-DP learner has a smaller excess risk on both of two distributions.

    At p = 1.278/(n epsilon), if that is at most 1, it is 0.278 min{1, |w*|^2/2}/(n epsilon) for delta = 0.

    Derivation. Records are (0, 0), or with probability p (1/omega, y); l = (<w, x> - y)^2/2, y = +-min(|w*|, sqrt 2),
    omega = |w*|/|y|. The wrong sign, or 0, costs p y^2/2 at least, and half of what s1 leaves is on one of the two.

    >>> round(private_excess(n=1000, epsilon=0.1, delta=0.0, norm=2.0, p=0.01278), 6)
    0.002785
    """
    return p * min(1.0, norm**2 / 2) / 2 * both_errors.theorem.formula(n=n, epsilon=epsilon, delta=delta, p=p)


@theorem(
    "abgmu22.abs.lower-smooth",
    part="sampling",
    kind="construction",
    says=UNITS + r"d=1,\ \|w^*\|\ge1:\quad\max_\pm\mathbb E[\mathrm{excess}]\ge\frac1{16\sqrt n}",
    needs=[integer("n", 2), at_least("norm", 1)],
    **OURS,
)
def sampled_excess(*, n: int, norm: float) -> float:
    """Lower bound on the excess risk of all learners for smooth losses.

    No learner, private or not, has a smaller excess risk on both of two distributions.

    It holds for every |w*| >= 1.

    Derivation. l = psi(y w/omega), psi(s) = 1 - s up to 1/2, (3/2 - s)^2/2 up to 3/2, then 0: 1-smooth, psi(0) = 1. P(y
    = 1) is 1/2 + alpha or 1/2 - alpha, alpha = 1/(4 sqrt n), or 1/6 for n = 2. The wrong sign costs alpha, as L(0) = 1
    and L(omega/2) = 1 - alpha; a test of the two errs (1 - TV)/2 on one of them, and TV^2 <= 1 - (1 - 4 alpha^2)^n <=
    1/4 (Hellinger; for n = 2 TV = 1/3). w* is between omega/2 and omega, so |x| = 1/omega <= 1.
    """
    return 1 / (16 * sqrt(n))


@theorem(
    "abgmu22.abs.lipschitz",
    part="lower",
    kind="construction",
    says=r"\mathrm{rank}=1:\quad\max_\pm\mathbb E[\mathrm{excess}]\ge\|w^*\|\max\left\{\frac1{8\sqrt n},"
    r"\frac1{8n(1-e^{-\varepsilon})}\left(1-\frac{4\delta}{1-e^{-\varepsilon}}\right)\right\}",
    needs=[*BUDGET, SEEN, positive("norm")],
    **OURS,
)
def lipschitz_lower(*, n: int, epsilon: float, delta: float, norm: float) -> float:
    """Lower bound on a private learner's excess risk for the loss |w x - y|.

    No (epsilon, delta)-DP learner has a smaller excess risk on both of two distributions.

    y = +-|w*|: the wrong sign costs 2 alpha |w*|, or p |w*|; for every |w*|. alpha = 1/(4 sqrt n).
    """
    seen = -expm1(-epsilon)
    return norm * max(1 / (8 * sqrt(n)), (1 - 4 * delta / seen) / (8 * n * seen))
