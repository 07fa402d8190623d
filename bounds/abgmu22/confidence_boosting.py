"""Confidence boosting by report noisy max: abgmu22, Appendix E, Algorithm "Boosting" and its theorem.

The data are split into m + 1 chunks, A runs on m of them at (epsilon/2, delta), and report noisy max on the last chunk
picks the model of the least empirical risk, Laplace noise Lap(0, sigma). Printed: sigma^2 = 4 (Y^2 + H gamma^2 X^2)/(n
epsilon), and neither m nor gamma-tilde is given in the available text (s2: what gamma-tilde would have to be).

*Privacy.* A chunk has n/(m + 1) records, so a loss in [0, Delta] moves a mean by (m + 1) Delta/n, and noise of scale s
spends 2 (m + 1) Delta/(n s). With sigma as the scale that is too much for n < (m + 1)^2 Delta/epsilon, a number that
grows with the unit of the loss, as n_0 does not; with sigma^2 as the scale it is (m + 1)/2 times epsilon for every n,
as if n were the size of a chunk. Chunks are disjoint, so what training and selection spend does not add up; with the
models of all m + 1 chunks in the choice, a reading of "i in [m + 1]", it would.

*Utility.* With the scale sigma the noise is of the order Y/sqrt(n epsilon), which the printed bound does not contain.
With the scale that privacy needs more is true than is printed: for generalized linear losses, n_0 and 16 Y/sqrt n are
not needed, because all models are compared on the same records and their common part cancels.

Letters: `candidates` m, `chunk` the records of the last chunk, `loss_bound` Delta, `scale` s, `err` A's expected excess
risk on a chunk; gamma, `smoothness` H, `label_bound` Y as in `concentration`. K = log(8 m chunk / beta).
"""

from math import log, sqrt

from lemmata.bounds.exact.numbers import Real
from lemmata.bounds.theorem import at_least, in_unit_interval, integer, positive, require, theorem

NOISE = [integer("n"), integer("candidates"), positive("epsilon"), positive("loss_bound")]
SIGMA = r"\tilde\sigma^2=\frac{4(\|Y\|^2+\tilde H\tilde\gamma^2\|\mathcal X\|^2)}{n\varepsilon}"
DP = (
    r"\ \Rightarrow\ (\varepsilon,\delta)\mathrm{-DP},\quad 0\le\ell\le\Delta=\|Y\|^2"
    r"+\tilde H\tilde\gamma^2\|\mathcal X\|^2"
)
# The text at hand uses gamma-tilde and m without defining them: these readings of the two symbols are ours.
OURS = r",\quad\tilde\gamma=\gamma,\ m=\log\tfrac4\beta\ \mathrm{(ours)}"

# Privacy --------------------------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.thm.boost",
    part="privacy",
    reconstructed=True,
    kind="privacy",
    says=SIGMA + r",\ \mathrm{Lap}(0,\tilde\sigma)\ \mathrm{of\ scale}\ \tilde\sigma" + DP + OURS,
    needs=NOISE,
)
def printed_scale(*, n: int, candidates: int, epsilon: float, loss_bound: float) -> float:
    """The printed noise of boosting as Laplace's scale: 2 sqrt(Delta/(n epsilon)).

    The scale is sigma.

    >>> printed_scale(n=100, candidates=4, epsilon=1.0, loss_bound=4.0)
    0.4
    """
    return 2 * sqrt(loss_bound / (n * epsilon))


@theorem(
    "abgmu22.thm.boost",
    part="privacy-squared",
    reconstructed=True,
    kind="privacy",
    says=SIGMA + r",\ \mathrm{noise\ of\ scale}\ \tilde\sigma^2" + DP + OURS,
    needs=NOISE,
    source=", with sigma^2 read as the scale of the noise",
)
def squared_scale(*, n: int, candidates: int, epsilon: float, loss_bound: float) -> float:
    """The noise of boosting with sigma^2 as Laplace's scale: 4 Delta/(n epsilon).

    >>> squared_scale(n=100, candidates=4, epsilon=1.0, loss_bound=4.0)
    0.16
    """
    return 4 * loss_bound / (n * epsilon)


CHUNK = r"s=\frac{2(m+1)\Delta}{n\varepsilon}\ \Rightarrow\ (\varepsilon,\delta)\mathrm{-DP},\quad 0\le\ell\le\Delta"


@printed_scale.corrected(says=CHUNK, source=", for chunks of n/(m + 1) records")
def chunk_scale(*, n: int, candidates: int, epsilon: float, loss_bound: Real) -> float:
    """The least noise with which boosting is private: 2 (m + 1) Delta/(n epsilon).

    Losses are clipped to [0, Delta] and m + 1 divides n.

    Derivation. A replaced record of the last chunk moves each of the m means by at most (m + 1) Delta/n, and report
    noisy max of scale s on scores of sensitivity a is (2a/s)-DP (s1); no other record enters the choice, and a record
    of another chunk is used by one run of A alone (part "accounting").

    >>> chunk_scale(n=100, candidates=4, epsilon=1.0, loss_bound=4.0)
    0.4
    """
    return 2 * (candidates + 1) * loss_bound / (n * epsilon)


@squared_scale.corrected(says=CHUNK, source=", for chunks of n/(m + 1) records")
def chunk_scale_squared(*, n: int, candidates: int, epsilon: float, loss_bound: Real) -> float:
    """The least private noise of boosting is (m + 1)/2 times the printed sigma^2.

    Derivation. sigma^2 = 4 Delta/(n epsilon) is read as Laplace's scale here. The scale that is enough does not depend
    on how sigma is read: it is 2 (m + 1) Delta/(n epsilon), as in the part `privacy`, which is (m + 1)/2 times 4
    Delta/(n epsilon).
    """
    return chunk_scale.theorem.formula(n=n, candidates=candidates, epsilon=epsilon, loss_bound=loss_bound)


BUDGETS = [at_least("training", 0), positive("selection")]


@theorem(
    "abgmu22.thm.boost",
    part="accounting",
    kind="privacy",
    reading="explicit",
    says=r"i\in[m]:\quad\varepsilon=\max\{\varepsilon_{\mathcal A},\varepsilon_{\mathrm{select}}\}",
    needs=BUDGETS,
    source=", our derivation; a model of chunk m + 1 that takes no part in the choice changes nothing",
)
def disjoint_epsilon(*, training: float, selection: float) -> float:
    """Boosting on disjoint chunks spends the larger of its two budgets.

    Models of m chunks are compared on another chunk.

    A replaced record changes one model, of which what follows is post-processing, or the choice among fixed models.

    >>> disjoint_epsilon(training=0.5, selection=1.0)
    1.0
    """
    return max(training, selection)


@theorem(
    "abgmu22.thm.boost",
    part="accounting-all",
    kind="privacy",
    reading="explicit",
    says=r"i\in[m+1]:\quad\varepsilon=\varepsilon_{\mathcal A}+\varepsilon_{\mathrm{select}}",
    needs=BUDGETS,
    source=", our derivation; if the model of chunk m + 1 takes part in the choice",
)
def overlapping_epsilon(*, training: float, selection: float) -> float:
    """Boosting spends the sum of its budgets if the last chunk's model may win.

    >>> overlapping_epsilon(training=0.5, selection=1.0)
    1.5
    """
    return training + selection


@theorem(
    "abgmu22.thm.boost.s1",
    kind="privacy",
    says=r"|q_i-q'_i|\le a\ \forall i\ \Rightarrow\ \mathrm{argmax}_i(q_i+\mathrm{Lap}(s))\ \mathrm{is}\ "
    r"\tfrac{2a}s\mathrm{-DP}",
    reading="explicit",
    needs=[positive("sensitivity"), positive("scale")],
    source="Dwork & Roth 2014, Section 3.3; the text at hand names report noisy max without a statement",
    reconstructed=True,
)
def noisy_max_epsilon(*, sensitivity: float, scale: float) -> float:
    """The epsilon that report noisy max spends.

    Fix the other noises; candidate i wins if its own exceeds a level that moves by at most 2a. Approached by two
    candidates far apart.

    Derivation. Fix the noises of the others: candidate i is chosen if its own noise exceeds max_j (q_j + noise_j) -
    q_i, a level that moves by at most 2a. The tail of Laplace noise of scale s beyond a level that moves by 2a changes
    by a factor of at most exp(2a/s), and so does the chance of i, which is the mean of that tail over the other noises.

    >>> noisy_max_epsilon(sensitivity=0.5, scale=2.0)
    0.5
    """
    return 2 * sensitivity / scale


TAIL = [integer("candidates"), in_unit_interval("delta"), positive("gamma"), positive("smoothness")]


@theorem(
    "abgmu22.thm.boost.s2",
    kind="tail",
    reading="explicit",
    says=r"\mathcal A(S)\ \gamma^2\mathrm{-sub\!-\!Gaussian},\ \ell\ \mathrm{generalized\ linear},\ \|x\|\le1\ "
    r"\Rightarrow\ \Pr\left[\exists i\le m:\ \ell(\hat w_i;z)>\left(\|Y\|+\gamma\sqrt{\tfrac{\tilde H}2\log"
    r"\tfrac{2m}\delta}\right)^2\right]\le\delta",
    needs=[*TAIL, at_least("label_bound", 0)],
    source=", our derivation; in the text at hand the range is that of an undefined gamma-tilde",
)
def true_range(*, candidates: int, delta: float, gamma: float, smoothness: float, label_bound: float) -> float:
    """A range for the losses of all m models with probability 1 - delta.

    It follows from Markov's inequality.

    Clipping the loss of a record there costs no privacy and, with probability 1 - delta, changes nothing.

    Derivation. With Z = <w, x>/gamma and E exp(Z^2) <= 2, Markov's inequality gives P(Z^2 > log(2m/delta)) <= 2
    delta/(2m) = delta/m for each model, so delta for one of m. And a nonnegative H-smooth loss with l(0) <= Y^2 is at
    most Y^2 + sqrt(2H) Y |t| + H t^2/2 = (Y + sqrt(H/2) |t|)^2 at t = <w, x>.

    >>> round(true_range(candidates=5, delta=1e-5, gamma=1.0, smoothness=1.0, label_bound=0.0), 3)
    6.908
    """
    return (label_bound + gamma * sqrt(smoothness * log(2 * candidates / delta) / 2)) ** 2


# Utility --------------------------------------------------------------------------------------------------------------

SIZES = [
    integer("n"),
    integer("candidates"),
    positive("epsilon"),
    in_unit_interval("beta"),
    positive("gamma"),
    positive("smoothness"),
    positive("label_bound"),
    at_least("loss_bound", 0),
    at_least("err", 0),
]
RATE = (
    r"\mathrm{err}\left(\tfrac n{4\log(4/\beta)},\tfrac\varepsilon2,\gamma\right)+\frac{2\Delta(\gamma,\beta/2)}"
    r"{n\varepsilon}+\frac{2\Delta(\gamma,\beta/2)}n+\frac{32\gamma\sqrt{\tilde H}\|Y\|}{\sqrt n}"
    r"+\frac{16\|Y\|}{\sqrt n}+\frac{128\tilde H\gamma^2}n"
)
ENOUGH = require(
    "n >= n_0 = 16 gamma^2 log(4/beta)^8 H / label_bound^2",
    lambda n, gamma, beta, smoothness, label_bound: n >= least_sample(gamma, beta, smoothness, label_bound),
)


def least_sample(gamma: float, beta: float, smoothness: float, label_bound: float) -> float:
    """n_0 as printed, 16 gamma^2 log(4/beta)^8 H / Y^2: the exponent is that of the conversion.

    >>> round(least_sample(1.0, 0.05, 1.0, 1.0))
    2175305
    """
    return 16 * gamma**2 * log(4 / beta) ** 8 * smoothness / label_bound**2


@theorem(
    "abgmu22.thm.boost",
    part="utility",
    reconstructed=True,
    kind="rate",
    says=r"n\ge n_0:\quad\Pr[L(\hat w_{i^*})-L(w^*)\le\tilde O(" + RATE + r")]\ge1-\beta,\ \mathrm{noise\ of\ scale}\ "
    r"\tilde\sigma" + OURS,
    needs=[*SIZES, ENOUGH],
)
def boosted_rate(
    *,
    n: int,
    candidates: int,
    epsilon: float,
    beta: float,
    gamma: float,
    smoothness: float,
    label_bound: float,
    loss_bound: float,
    err: float,
) -> float:
    """The order of boosting's excess risk, as printed.

    err + 2 Delta (1/(n epsilon) + 1/n) + (32 gamma sqrt H + 16) Y/sqrt n + 128 H gamma^2/n.

    `err` is A's expected excess risk on a chunk; m is not printed.

    >>> boosted_rate(n=10**8, candidates=4, epsilon=1.0, beta=0.05, gamma=1.0, smoothness=1.0, label_bound=1.0,
    ...              loss_bound=0.0, err=0.0) * 1e4
    48.0128
    """
    fast = 2 * loss_bound * (1 / (n * epsilon) + 1 / n) + 128 * smoothness * gamma**2 / n
    return err + fast + (32 * gamma * sqrt(smoothness) + 16) * label_bound / sqrt(n)


@theorem(
    "abgmu22.thm.boost",
    part="utility-squared",
    reconstructed=True,
    kind="rate",
    says=r"n\ge n_0:\quad\Pr[L(\hat w_{i^*})-L(w^*)\le\tilde O(" + RATE + r")]\ge1-\beta,\ \mathrm{noise\ of\ scale}\ "
    r"\tilde\sigma^2" + OURS,
    needs=[*SIZES, ENOUGH],
    source=", with sigma^2 read as the scale of the noise",
)
def boosted_rate_squared(
    *,
    n: int,
    candidates: int,
    epsilon: float,
    beta: float,
    gamma: float,
    smoothness: float,
    label_bound: float,
    loss_bound: float,
    err: float,
) -> float:
    """The order of boosting's excess risk for noise of scale sigma^2, as printed."""
    return boosted_rate.theorem.formula(
        n=n,
        candidates=candidates,
        epsilon=epsilon,
        beta=beta,
        gamma=gamma,
        smoothness=smoothness,
        label_bound=label_bound,
        loss_bound=loss_bound,
        err=err,
    )
