"""How far the empirical loss of an independent random w is from its expectation: abgmu22, Appendix E, the lemma.

l is convex, nonnegative and H-smooth in w, l(0; z) <= Y^2, S has n independent records, w is gamma^2-sub-Gaussian
(E exp(<w, u>^2 / gamma^2) <= 2 for every unit u) and independent of S. Printed, with probability at least 1 - beta,

    L^(w; S) <= (1 + T) L(w; D) + U        and        L(w; D) <= (1 + T) L^(w; S) + V.

The loss is measured in units of Y^2 and H gamma^2. T has no unit, as it should, but U and V add Y to Y gamma sqrt H: if
the lemma held for l, Y, H it would hold for s l, sqrt(s) Y, s H, and for large s the term with Y alone would vanish.
What is true, for generalized linear losses (l depends on w through <w, x>), with K = log(8n/beta):

    T = gamma K sqrt H / (Y sqrt(2n)),    U = Y^2 (2 sqrt(K/n) + (3 + 2 sqrt 2) T + 2 T^2) + 2 Delta K / (3n),
    V = (1 + T) Y^2 (2 sqrt(K/n) + (3 + 2 sqrt 2) T + 3 T^2).

Letters: `gamma` gamma, `smoothness` H, `label_bound` Y, `loss_bound` Delta; g = gamma sqrt H. Of the printed proof the
available text has the beginning, steps s1 to s5; t1 to t6 are our derivation.
"""

from math import exp, log, sqrt

from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, theorem

SAMPLE = [integer("n"), in_unit_interval("beta")]
SIZES = [*SAMPLE, positive("gamma"), positive("smoothness"), positive("label_bound")]
CONVEX = r"\ell\ \mathrm{convex},\ \tilde H\mathrm{-smooth},\ge0:\ "
GLM = r"\ell(w;(x,y))=\varphi_y(\langle w,x\rangle):\ "
PRINTED_T = r"T=\frac{4\gamma\log(4/\beta)\sqrt{\tilde H}}{\|Y\|\sqrt n}"
TRUE_T = r"T=\frac{\gamma K\sqrt{\tilde H}}{\|Y\|\sqrt{2n}},\ K=\log\frac{8n}\beta"
ALL_BELOW = r"\ \mathrm{if}\ \Pr[\max_{z\in S}\ell(w;z)>\Delta]\le\frac\beta4"

# The lemma as printed -------------------------------------------------------------------------------------------------


def slope(*, n: float, beta: float, gamma: float, smoothness: float, label_bound: float) -> float:
    """T as printed: 4 gamma log(4/beta) sqrt H / (Y sqrt n).

    >>> round(float(slope(n=400, beta=0.05, gamma=1.0, smoothness=1.0, label_bound=1.0)), 4)
    0.8764
    """
    return 4 * gamma * log(4 / beta) * sqrt(smoothness) / (label_bound * sqrt(n))


def offset(*, n: float, beta: float, gamma: float, smoothness: float, label_bound: float) -> float:
    """U as printed: 4 gamma log(4/beta) Y sqrt H / sqrt n + Y sqrt(log(2/beta)) / sqrt n."""
    return (4 * gamma * log(4 / beta) * sqrt(smoothness) + sqrt(log(2 / beta))) * label_bound / sqrt(n)


@theorem(
    "abgmu22.lem.conc",
    part="above",
    kind="tail",
    says=CONVEX + r"\Pr[\hat L(w;S)\le(1+T)L(w;\mathcal D)+U]\ge1-\beta,\ " + PRINTED_T + r",\ "
    r"U=\frac{4\gamma\log(4/\beta)\|Y\|\sqrt{\tilde H}}{\sqrt n}+\frac{\|Y\|\sqrt{\log(2/\beta)}}{\sqrt n}",
    needs=[*SIZES, at_least("population", 0)],
)
def empirical_level(
    *, n: int, beta: float, gamma: float, smoothness: float, label_bound: float, population: float
) -> float:
    """The level (1 + T) L + U of the empirical loss, as printed.

    The loss exceeds it with probability at most beta.

    >>> parameters = dict(n=1600, beta=0.05, gamma=1.0, smoothness=1.0, label_bound=1.0)
    >>> round(float(empirical_level(population=0.5, **parameters)), 4)
    1.2053
    """
    sizes = {"n": n, "beta": beta, "gamma": gamma, "smoothness": smoothness, "label_bound": label_bound}
    return (1 + slope(**sizes)) * population + offset(**sizes)


@theorem(
    "abgmu22.lem.conc",
    part="below",
    kind="tail",
    says=CONVEX + r"\Pr[L(w;\mathcal D)\le(1+T)\hat L(w;S)+V]\ge1-\beta,\ " + PRINTED_T + r",\ "
    r"V=\frac{4\gamma\log(4/\beta)\sqrt{\tilde H}\|Y\|}{\sqrt n}+\frac{2\Delta\log(2/\beta)}n"
    r"+\frac{\|Y\|\sqrt{\log(2/\beta)}}{\sqrt n}+\frac{48\tilde H\gamma^2\log^2(4/\beta)}n",
    needs=[*SIZES, at_least("loss_bound", 0), at_least("empirical", 0)],
)
def population_level(
    *, n: int, beta: float, gamma: float, smoothness: float, label_bound: float, loss_bound: float, empirical: float
) -> float:
    """The level (1 + T) L^ + V of the expected loss, as printed.

    The loss exceeds it with probability at most beta.

    >>> parameters = dict(n=1600, beta=0.05, gamma=1.0, smoothness=1.0, label_bound=1.0, loss_bound=4.0)
    >>> round(float(population_level(empirical=0.5, **parameters)), 4)
    1.7998
    """
    sizes = {"n": n, "beta": beta, "gamma": gamma, "smoothness": smoothness, "label_bound": label_bound}
    extra = 2 * loss_bound * log(2 / beta) / n + 48 * smoothness * gamma**2 * log(4 / beta) ** 2 / n
    return (1 + slope(**sizes)) * empirical + offset(**sizes) + extra


# What is true ---------------------------------------------------------------------------------------------------------


def logarithm(*, n: float, beta: float) -> float:
    """K = log(8n/beta), at least log 8 > 2."""
    return log(8 * n / beta)


def true_slope(*, n: float, beta: float, gamma: float, smoothness: float, label_bound: float) -> float:
    """T = gamma K sqrt H / (Y sqrt(2n)); it has no unit.

    >>> round(float(true_slope(n=800, beta=0.05, gamma=1.0, smoothness=4.0, label_bound=2.0)), 4)
    0.2939
    """
    return gamma * logarithm(n=n, beta=beta) * sqrt(smoothness) / (label_bound * sqrt(2 * n))


@empirical_level.corrected(
    says=GLM + r"\Pr[\hat L(w;S)\le(1+T)L(w;\mathcal D)+U]\ge1-\beta,\ " + TRUE_T + r",\ "
    r"U=\|Y\|^2\left(2\sqrt{\tfrac Kn}+(3+2\sqrt2)T+2T^2\right)+\frac{2\Delta K}{3n}" + ALL_BELOW,
    needs=[*SIZES, at_least("loss_bound", 0), at_least("population", 0)],
    source=", with Y^2 for Y, the loss bound, and generalized linear losses",
)
def empirical_level_corrected(
    *, n: int, beta: float, gamma: float, smoothness: float, label_bound: float, loss_bound: float, population: float
) -> float:
    """The level of the empirical loss, with units and a term in Delta corrected.

    The loss exceeds it with probability at most beta.

    Derivation. Let Z = |<w, x>| sqrt(H) / (g |X|) and g = gamma sqrt H. With probability 1 - beta/4 over w,
    E_x exp(Z^2) <= 8/beta (t1); then E l^2 <= (2Y^2 + g^2 K)(L + g^2 K/n) (t2) and L <= (Y + g sqrt(K/2))^2 (t3). The
    losses of S equal min(l, Delta), whose mean is at most L: Bernstein's inequality in the form of s3 at beta/(4n),
    so that its logarithm is K, and t5 give L^ <= L + R + e sqrt L + 2 Delta K/(3n) with e = 2 T Y, and e sqrt L is
    at most T L + T Y^2.
    """
    T = true_slope(n=n, beta=beta, gamma=gamma, smoothness=smoothness, label_bound=label_bound)
    K = logarithm(n=n, beta=beta)
    spread = 2 * sqrt(K / n) + (3 + 2 * sqrt(2)) * T + 2 * T**2
    return (1 + T) * population + label_bound**2 * spread + 2 * loss_bound * K / (3 * n)


@population_level.corrected(
    says=GLM + r"\Pr[L(w;\mathcal D)\le(1+T)(\hat L(w;S)+V)]\ge1-\beta,\ " + TRUE_T + r",\ "
    r"V=\|Y\|^2\left(2\sqrt{\tfrac Kn}+(3+2\sqrt2)T+3T^2\right)",
    needs=[*SIZES, at_least("empirical", 0)],
    source=", with Y^2 for Y, and generalized linear losses",
)
def population_level_corrected(
    *, n: int, beta: float, gamma: float, smoothness: float, label_bound: float, empirical: float
) -> float:
    """The level of the expected loss, with units corrected.

    The loss exceeds it with probability at most beta.

    Derivation. As above, with the lower tail of nonnegative losses (t4) at e^-K: L <= L^ + R + e sqrt L by t5, and t6
    with e = 2 T Y is L <= (1 + T)(L^ + R + T(1 + T) Y^2).
    """
    T = true_slope(n=n, beta=beta, gamma=gamma, smoothness=smoothness, label_bound=label_bound)
    spread = 2 * sqrt(logarithm(n=n, beta=beta) / n) + (3 + 2 * sqrt(2)) * T + 3 * T**2
    return (1 + T) * (empirical + label_bound**2 * spread)


# The printed proof, as far as it is there -----------------------------------------------------------------------------


@theorem(
    "abgmu22.lem.conc.s1",
    says=r"\Pr[\ell(w;z)>\Delta]\le\beta\ \Rightarrow\ \Pr[\forall z\in S:\ \ell(w;z)\le\Delta]\ge1-\tfrac\beta4",
    needs=SAMPLE,
)
def all_below(*, n: int, beta: float) -> float:
    """All n losses are at most Delta with probability 1 - beta/4, as printed."""
    return 1 - beta / 4


@all_below.corrected(
    says=r"\Pr[\ell(w;z)>\Delta]\le p\ \Rightarrow\ \Pr[\forall z\in S:\ \ell(w;z)\le\Delta]\ge1-np",
    needs=[integer("n"), in_unit_interval("one_above")],
    source=", proof, with a union bound",
)
def all_below_corrected(*, n: int, one_above: float) -> float:
    """All n losses are at most Delta with probability 1 - n p.

    p is the probability that one loss exceeds Delta.

    p is `one_above`; p <= beta/(4n) is needed.

    Derivation. By the union bound over the n records the chance that one of the losses exceeds Delta is at most n p, so
    all are at most Delta with probability at least 1 - n p = 1 - n `one_above`.
    """
    return 1 - n * one_above


TAIL = [integer("n"), at_least("variance", 0), positive("loss_bound"), positive("t")]
BERNSTEIN = r"\exp\left(-\frac{3nt^2}{6n\mathbb E[(L-\hat L)^2]+2\Delta t}\right)"


@theorem(
    "abgmu22.lem.conc.s2", kind="tail", says=r"\ell\le\Delta\ \Rightarrow\ \Pr[|L-\hat L|>t]\le" + BERNSTEIN, needs=TAIL
)
def bernstein_tail(*, n: int, variance: float, loss_bound: float, t: float) -> float:
    """Bernstein's bound for a deviation of the mean by t, as printed.

    `variance` is E (L - L^)^2.
    """
    return exp(-3 * n * t**2 / (6 * n * variance + 2 * loss_bound * t))


@bernstein_tail.corrected(says=r"\ell\le\Delta\ \Rightarrow\ \Pr[|L-\hat L|>t]\le2" + BERNSTEIN)
def bernstein_tail_corrected(*, n: int, variance: float, loss_bound: float, t: float) -> float:
    """Bernstein's bound for a deviation of the mean by t, with both tails.

    The log(2/beta) of the next step counts both tails too.

    Derivation. X = l - L, and X = L - l, have mean 0, X <= Delta and E X^2 = V = n E (L - L^)^2, so E exp(s X) <= exp(V
    s^2/(2 (1 - Delta s/3))) (abgmu22.thm.grid.s4, part above). By Chernoff's bound at s = t/(V + Delta t/3) each of P(L
    - L^ > t) and P(L^ - L > t) is at most exp(-3 n t^2/(6 V + 2 Delta t)), and |L - L^| > t is one or the other.
    """
    return 2 * exp(-3 * n * t**2 / (6 * n * variance + 2 * loss_bound * t))


DEVIATION = [*SAMPLE, at_least("variance", 0), at_least("loss_bound", 0)]


@theorem(
    "abgmu22.lem.conc.s3",
    kind="tail",
    says=r"\ell\le\Delta\ \Rightarrow\ \Pr\left[|L-\hat L|>\frac{\Delta\log(2/\beta)}n"
    r"+\sqrt{\mathbb E[(L-\hat L)^2]\log(2/\beta)}\right]\le\beta",
    needs=DEVIATION,
)
def deviation(*, n: int, beta: float, variance: float, loss_bound: float) -> float:
    """The deviation of an empirical loss with probability 1 - beta, as printed.

    The proof prints it after "this gives us".

    The deviation is Delta log(2/beta)/n + sqrt(E (L - L^)^2 log(2/beta)).
    """
    return loss_bound * log(2 / beta) / n + sqrt(variance * log(2 / beta))


@deviation.corrected(
    says=r"\ell\le\Delta\ \Rightarrow\ \Pr\left[|L-\hat L|>\frac{2\Delta\log(2/\beta)}{3n}"
    r"+\sqrt{2\mathbb E[(L-\hat L)^2]\log(2/\beta)}\right]\le\beta",
    source=", proof, solved",
)
def deviation_corrected(*, n: int, beta: float, variance: float, loss_bound: float) -> float:
    """The deviation of an empirical loss, by Bernstein's inequality solved for t.

    It holds with probability 1 - beta.

    The root of 2 exp(-3nt^2 / (6n E + 2 Delta t)) = beta, with equality at E = 0 and at Delta = 0.

    With l = log(2/beta), t = Delta l/(3n) + sqrt((Delta l/(3n))^2 + 2 E l), and sqrt(a + b) <= sqrt a + sqrt b.
    """
    return 2 * loss_bound * log(2 / beta) / (3 * n) + sqrt(2 * variance * log(2 / beta))


@theorem(
    "abgmu22.lem.conc.s4",
    says=r"\mathbb E[(L-\hat L)^2]=\frac1n\mathbb E[(\ell-\mathbb E\ell)^2]\le\frac1n\mathbb E[\ell^2]",
    needs=[integer("n"), at_least("second_moment", 0)],
)
def variance_bound(*, n: int, second_moment: Real) -> Real:
    """The variance of the empirical loss is at most E l^2 / n.

    Derivation. L^ is the mean of n independent losses of mean L, so E (L - L^)^2 = Var(l)/n = (E l^2 - L^2)/n <= E
    l^2/n.
    """
    return second_moment / n


@theorem(
    "abgmu22.lem.conc.s5",
    says=r"\mathbb E[\ell(w)^2]\le2\mathbb E[(\ell(w)-\ell(0))^2]+2\mathbb E[\ell(0)^2]",
    needs=[at_least("moved", 0), at_least("at_zero", 0)],
    source=", proof, where the available text ends; the last square is ours",
)
def second_moment_split(*, moved: Real, at_zero: Real) -> Real:
    """The second moment of l(w) is at most 2 E (l(w) - l(0))^2 + 2 E l(0)^2.

    `moved` is the second moment of l(w) - l(0).

    Derivation. With a = l(w) - l(0) and b = l(0), (a + b)^2 = 2 a^2 + 2 b^2 - (a - b)^2 <= 2 a^2 + 2 b^2; the
    expectation of both sides is the statement.
    """
    return 2 * moved + 2 * at_zero


# Our derivation -------------------------------------------------------------------------------------------------------


OURS: dict = {"reading": "explicit", "source": "our derivation"}


@theorem(
    "abgmu22.lem.conc.t1",
    kind="tail",
    says=r"\mathbb E\,e^{Z^2}\le2\ \Rightarrow\ \Pr_w\left[\mathbb E_xe^{Z^2}>\frac8\beta\right]\le\frac\beta4,"
    r"\quad Z=\frac{\langle w,x\rangle}{\gamma\|\mathcal X\|}",
    needs=[in_unit_interval("beta")],
    **OURS,
)
def exponential_moment(*, beta: float) -> float:
    """E exp(Z^2) is at most 8/beta for all but beta/4 of the vectors w.

    It follows from Markov's inequality.

    Here x may be random, if it is independent of w.

    Derivation. E exp(Z^2) <= 2 holds for every x, so also for the mean over x: E_w E_x exp(Z^2) <= 2. The inner mean is
    a nonnegative function of w, and by Markov's inequality exceeds 8/beta with probability at most 2 beta/8 = beta/4.
    """
    return 8 / beta


@theorem(
    "abgmu22.lem.conc.t2",
    says=r"\mathbb Ee^{Z^2}\le\frac8\beta,\ 0\le\sqrt\ell\le\|Y\|+\frac{g|Z|}{\sqrt2}\ \Rightarrow\ "
    r"\mathbb E[\ell^2]\le(2\|Y\|^2+g^2K)\left(L+\frac{g^2K}n\right),\quad g=\gamma\sqrt{\tilde H}",
    needs=[*SIZES, at_least("population", 0)],
    **OURS,
)
def second_moment(
    *, n: int, beta: float, gamma: float, smoothness: float, label_bound: float, population: float
) -> float:
    """The second moment of a loss phi(<w, x>), for w with a bounded exponential moment.

    The losses are generalized linear.

    The vectors w are those of t1.

    sqrt(phi) is sqrt(H/2)-Lipschitz for nonnegative H-smooth phi, so l <= (Y + g |Z|/sqrt 2)^2 <= 2Y^2 + g^2 Z^2. Where
    Z^2 <= K, E l^2 <= (2Y^2 + g^2 K) E l; where it is not, g^2 E l Z^2 <= g^2 (2Y^2 K + g^2 K^2) e^-K 8/beta, because
    z e^-z and z^2 e^-z decrease beyond 2 < K, and e^-K 8/beta = 1/n.
    """
    K, energy = logarithm(n=n, beta=beta), gamma**2 * smoothness
    return (2 * label_bound**2 + energy * K) * (population + energy * K / n)


@theorem(
    "abgmu22.lem.conc.t3",
    says=r"\mathbb Ee^{Z^2}\le\frac8\beta\ \Rightarrow\ L\le\left(\|Y\|+g\sqrt{K/2}\right)^2",
    needs=SIZES,
    **OURS,
)
def largest_mean(*, n: int, beta: float, gamma: float, smoothness: float, label_bound: float) -> float:
    """The mean of a generalized linear loss is at most (Y + g sqrt(E Z^2 / 2))^2.

    Here E Z^2 <= log E exp(Z^2) <= log(8/beta) <= K. There is equality for one record.
    """
    return (label_bound + gamma * sqrt(smoothness * logarithm(n=n, beta=beta) / 2)) ** 2


@theorem(
    "abgmu22.lem.conc.t4",
    kind="tail",
    says=r"\ell\ge0\ \Rightarrow\ \Pr\left[L-\hat L\ge\sqrt{\frac{2\mathbb E[\ell^2]\log(1/b)}n}\right]\le b",
    needs=[integer("n"), in_unit_interval("b"), at_least("second_moment", 0)],
    **OURS,
)
def lower_deviation(*, n: int, b: float, second_moment: float) -> float:
    """How far a mean of nonnegative numbers falls below its expectation.

    The numbers may be arbitrarily large.

    Derivation. With v = E l^2 and lambda > 0, E e^(-lambda l) <= 1 - lambda L + lambda^2 v/2 <= exp(-lambda L +
    lambda^2 v/2), so P(L - L^ >= t) <= exp(-n lambda t + n lambda^2 v/2) by Chernoff's bound. At lambda = t/v that is
    exp(-n t^2/(2v)), which is b at the t that is stated.
    """
    return sqrt(2 * second_moment * log(1 / b) / n)


@theorem(
    "abgmu22.lem.conc.t5",
    says=r"\sqrt{\tfrac{2K}n(2\|Y\|^2+g^2K)\left(L+\tfrac{g^2K}n\right)}\le\|Y\|^2\left(2\sqrt{\tfrac Kn}"
    r"+(2+2\sqrt2)T+2T^2\right)+2T\|Y\|\sqrt L,\quad L\le\left(\|Y\|+g\sqrt{K/2}\right)^2",
    needs=[*SIZES, at_least("population", 0)],
    **OURS,
)
def split_deviation(
    *, n: int, beta: float, gamma: float, smoothness: float, label_bound: float, population: float
) -> float:
    """The deviation of the empirical loss is at most R + e sqrt L.

    The bound is linear in the root of the loss.

    Here e = 2 T Y.

    With eta = g K/sqrt n = sqrt 2 T Y the left side is at most (2Y sqrt(K/n) + sqrt 2 eta)(sqrt L + eta/sqrt K);
    2Y sqrt(K/n) sqrt L <= 2Y^2 sqrt(K/n) + sqrt 2 eta Y by t3, 2 Y eta/sqrt n <= 2 Y eta, and sqrt 2 eta^2/sqrt K is
    at most eta^2 since K > 2.
    """
    T = true_slope(n=n, beta=beta, gamma=gamma, smoothness=smoothness, label_bound=label_bound)
    rest = 2 * sqrt(logarithm(n=n, beta=beta) / n) + (2 + 2 * sqrt(2)) * T + 2 * T**2
    return label_bound**2 * rest + 2 * T * label_bound * sqrt(population)


@theorem(
    "abgmu22.lem.conc.t6",
    says=r"L\le a+2T\|Y\|\sqrt L\ \Rightarrow\ L\le(1+T)\left(a+T(1+T)\|Y\|^2\right)",
    needs=[at_least("a", 0), at_least("T", 0), at_least("label_bound", 0)],
    **OURS,
)
def solved(*, a: float, T: float, label_bound: float) -> float:
    """The largest loss L that a deviation linear in its root allows.

    There is equality at a + b^2 = Y^2.

    Derivation. With b = T Y the largest L is (b + sqrt(b^2 + a))^2 = a + 2 b^2 + 2 b sqrt(b^2 + a), and 2 sqrt(b^2 + a)
    <= (b^2 + a)/Y + Y, so it is at most a + 2 b^2 + T (b^2 + a + Y^2) = (1 + T) (a + T (1 + T) Y^2). At Y = 0 it is a.
    """
    return (1 + T) * (a + T * (1 + T) * label_bound**2)


@theorem(
    "abgmu22.lem.conc.t7",
    kind="identity",
    says=r"\ell\to s\ell:\quad(\|Y\|,\tilde H,\Delta,L)\to(\sqrt s\,\|Y\|,s\tilde H,s\Delta,sL)\ \Rightarrow\ "
    r"\mathrm{both\ corrected\ levels\ are\ multiplied\ by}\ s",
    needs=[positive("s")],
    **OURS,
)
def units(*, level: float, s: float) -> float:
    """The corrected levels scale with the unit of the loss.

    The printed U and V do not.

    Derivation. T depends on the units through gamma sqrt(H)/||Y|| alone, which does not change where H and ||Y||^2 are
    both multiplied by s. Each corrected level is 1 + T times a loss, plus ||Y||^2 and Delta times numbers without
    units, so it is multiplied by s.
    """
    return s * level
