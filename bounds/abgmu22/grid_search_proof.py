r"""The proof of private grid search's utility (abgmu22, Appendix D.2), step by step.

    s3 the second moment of a loss                      s7 the smallest ball that holds w*
    s4 concentration on S2                              s8 w* outside of all balls
    s5 the penalty that Bernstein's bound asks for      s9 the last line
    s6 what the selection loses

The steps of the privacy proof, s1 and s2, are in `grid_search`.

a = Delta log(4(K+1)/beta)/(n/2) is the unit of the corrected steps: S2 has n/2 records, and the selection K + 1
candidates. Names as in `grid_search`; `risk` is L(w; D), `chance` a probability of failure.
"""

from collections.abc import Callable
from typing import Any

from lemmata.bounds.abgmu22.generalized_exponential import selection_penalty
from lemmata.bounds.exact.numbers import exp, log, sqrt
from lemmata.bounds.theorem import at_least, between, in_unit_interval, integer, positive, require, theorem

PROOF = ", Appendix D.2"
BUDGET = [between("epsilon", 0, 1), between("delta", 0, 1), integer("guesses")]
SIZES = [positive("loss_bound"), integer("n"), integer("guesses"), in_unit_interval("beta")]
EVEN = require("n even", lambda n: n % 2 == 0)

# Concentration --------------------------------------------------------------------------------------------------------


@theorem(
    "abgmu22.thm.grid.s3",
    says=r"\mathbb E\,\ell(w_j;(x,y))^2\le4\|\mathcal Y\|^2",
    needs=[positive("label_bound")],
    source=PROOF,
)
def second_moment(*, label_bound: Any) -> Any:
    """The second moment of a loss is at most a multiple of its mean, as printed.

    It is the loss of a candidate.
    """
    return 4 * label_bound**2


@theorem(
    "abgmu22.thm.grid.s3",
    part="units",
    reading="explicit",
    says=r"\mathbb E\,\ell(w_j;(x,y))^2\le4\|\mathcal Y\|^4",
    needs=[positive("label_bound")],
    source=PROOF + ", read with the units of a squared loss",
)
def second_moment_in_units(*, label_bound: Any) -> Any:
    """The second moment of a loss is at most 4 ||Y||^4, the other reading."""
    return 4 * label_bound**4


@second_moment.corrected(
    says=r"\ell\le\Delta,\ L(w_j;\mathcal D)\le2\|\mathcal Y\|^2\ \Rightarrow\ "
    r"\mathbb E\,\ell(w_j;(x,y))^2\le2\Delta\|\mathcal Y\|^2",
    needs=[positive("label_bound"), positive("loss_bound")],
    source=PROOF + ", Delta for one factor ||Y||^2",
)
def second_moment_corrected(*, label_bound: Any, loss_bound: Any) -> Any:
    """The second moment of a candidate's loss is at most Delta times its mean.

    Both printed readings have this one correction.

    Derivation. 0 <= ell <= Delta gives ell^2 <= Delta ell, so E ell^2 <= Delta E ell <= 2 Delta ||Y||^2 for a candidate
    whose risk is at most 2 ||Y||^2.
    """
    return 2 * loss_bound * label_bound**2


@theorem(
    "abgmu22.thm.grid.s4",
    kind="tail",
    says=r"\Pr\left[|L(w;S_2)-L(w;\mathcal D)|\ge t\right]\le\exp\left(-\frac{t^2n^2}{\Delta(B_j)tn+4n\|\mathcal Y\|^2}"
    r"\right)+\frac\beta{4K}",
    needs=[*SIZES, positive("label_bound"), positive("t")],
    source=PROOF + ", for losses that satisfy s3",
)
def printed_bernstein(*, loss_bound: Any, label_bound: Any, n: int, t: Any, guesses: int, beta: float) -> Any:
    """Deviation of a candidate's loss on S2 by Bernstein's inequality, as printed.

    It has n for the n/2 records of S2 and 4 ||Y||^2 for the second moment.
    """
    return exp(-((t * n) ** 2) / (loss_bound * t * n + 4 * n * label_bound**2)) + beta / (4 * guesses)


RISK = [positive("loss_bound"), at_least("risk", 0), integer("n"), in_unit_interval("chance")]


@printed_bernstein.corrected(
    says=r"0\le\ell\le\Delta\ \Rightarrow\ \Pr\left[L(w;\mathcal D)-L(w;S_2)\ge\sqrt{2aL(w;\mathcal D)}\right]\le\eta,"
    r"\quad a=\frac{2\Delta\log(1/\eta)}n",
    needs=RISK,
    source=PROOF + ", from below, with the second moment of s3; Maurer 2003",
)
def deviation_below(*, loss_bound: Any, risk: Any, n: int, chance: Any) -> Any:
    """How far a mean of n/2 losses in [0, Delta] falls below its expectation.

    It falls further with probability at most eta.

    For X >= 0: E exp(-s X) <= 1 - s E X + s^2 E X^2/2, so P(mean <= E - t) <= exp(-m t^2/(2 E X^2)), E X^2 <= Delta
    risk, m = n/2.
    """
    return sqrt(2 * risk * unit(loss_bound=loss_bound, n=n, chance=chance))


@printed_bernstein.corrected(
    part="above",
    says=r"0\le\ell\le\Delta\ \Rightarrow\ \Pr\left[L(w;S_2)-L(w;\mathcal D)\ge\sqrt{2aL(w;\mathcal D)}+\frac a3\right]"
    r"\le\eta,\quad a=\frac{2\Delta\log(1/\eta)}n",
    needs=RISK,
    source=PROOF + ", from above; Bernstein, sub-gamma form",
)
def deviation_above(*, loss_bound: Any, risk: Any, n: int, chance: Any) -> Any:
    """How far a mean of n/2 losses in [0, Delta] rises above its expectation.

    It rises further with probability at most eta.

    Here v = Delta risk, l = log(1/eta) and m = n/2.

    Derivation. (e^u - 1 - u)/u^2 increases in u, and at u = s Delta < 3 it is at most 1/(2 (1 - s Delta/3)), as k! >= 2
    3^(k-2). So X <= Delta and E X^2 <= v, which is all that is used, give E exp(s (X - E X)) <= exp(v s^2/(2 (1 - Delta
    s/3))), whose conjugate gives t = sqrt(2 v l/m) + Delta l/(3 m).
    """
    a = unit(loss_bound=loss_bound, n=n, chance=chance)
    return sqrt(2 * risk * a) + a / 3


def unit(*, loss_bound: Any, n: int, chance: Any) -> Any:
    """a = Delta log(1/eta)/(n/2)."""
    return -2 * loss_bound * log(chance) / n


@theorem(
    "abgmu22.thm.grid.s4",
    part="unseen",
    kind="tail",
    says=r"\mathrm{Assumption\ 2}\ \Rightarrow\ \Pr\left[\exists j:\ |L(w_j;S_2)-L(w_j;\mathcal D)|\ge\tau_j\right]"
    r"\le\frac\beta2",
    needs=[in_unit_interval("beta")],
    source=PROOF + ", equation (1)",
)
def unseen_chance(*, beta: float) -> float:
    """Equation (1), on S2 and other records, fails with probability at most beta/2.

    Assumption 2 is about S2, but L(w; D) is about all other records too.
    """
    return beta / 2


@theorem(
    "abgmu22.thm.grid.s5",
    says=r"t=\tau_j=\frac{\Delta\log(4K/\beta)}n+\sqrt{\frac{4\|\mathcal Y\|^2\log(4K/\beta)}n}\ \Rightarrow\ "
    r"\exp\left(-\frac{t^2n^2}{\Delta tn+4n\|\mathcal Y\|^2}\right)\le\frac\beta{4K}",
    needs=[*SIZES, positive("label_bound")],
    source=PROOF,
)
def proof_penalty(*, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any) -> Any:
    """The penalty tau_j of a candidate's score in the proof of Algorithm 1's utility.

    Derivation. With A = Delta u/n, B^2 = 4 ||Y||^2 u/n, u = log(4K/beta) and t = A + B the exponent t^2 n^2/(Delta t n
    + 4 n ||Y||^2) is u t^2/(A t + B^2), and (A + B)^2 >= A (A + B) + B^2, so it is at least u.
    """
    part = log(4 * guesses / beta) / n
    return loss_bound * part + sqrt(4 * label_bound**2 * part)


@theorem(
    "abgmu22.thm.grid.s5",
    part="algorithm",
    says=r"t=\frac{\Delta\log(K/\beta)}n+\sqrt{\frac{4\|\mathcal Y\|^2\log(K/\beta)}n}\ \Rightarrow\ "
    r"\exp\left(-\frac{t^2n^2}{\Delta tn+4n\|\mathcal Y\|^2}\right)\le\frac\beta{4K}",
    needs=[*SIZES, positive("label_bound")],
    source=PROOF + ": 'the term added to each L(w_j; S_2) in Algorithm 1'",
)
def printed_penalty(*, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any) -> Any:
    """The penalty that Algorithm 1 adds to a score, with log(K/beta), as printed.

    >>> from math import e
    >>> round(float(printed_penalty(loss_bound=2.0, label_bound=3.0, n=100, guesses=1, beta=1 / e)), 6)
    0.62
    """
    part = log(guesses / beta) / n
    return loss_bound * part + sqrt(4 * label_bound**2 * part)


@printed_penalty.corrected(
    says=r"\tau_j=\sqrt{4\|\mathcal Y\|^2a},\ a=\frac{2\Delta\log(4(K+1)/\beta)}n:\quad L-\hat L\le\sqrt{2aL}\ "
    r"\Rightarrow\ \hat L+\tau_j\ge L\ \mathrm{where}\ L\le2\|\mathcal Y\|^2,\ >\|\mathcal Y\|^2\ \mathrm{elsewhere}",
    source=PROOF + ", from the corrected s4; the first term of the sum is not needed",
)
def penalty(*, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any) -> Any:
    """The penalty that makes a score an upper bound on the risk.

    Otherwise the score exceeds ||Y||^2.

    If L <= 2 ||Y||^2 then sqrt(2 a L) <= sqrt(4 ||Y||^2 a). Beyond, L - sqrt(2 a L) increases in L if a <= 4 ||Y||^2,
    so the score is above 2 ||Y||^2; and if a > 4 ||Y||^2 the penalty alone is above 4 ||Y||^2.

    >>> from math import exp
    >>> round(float(penalty(loss_bound=1.0, label_bound=0.5, n=6, guesses=1, beta=8 * exp(-3))), 6)
    1.0
    """
    a = unit(loss_bound=loss_bound, n=n, chance=each_chance(guesses=guesses, beta=beta))
    return sqrt(4 * label_bound**2 * a)


def each_chance(*, guesses: int, beta: Any) -> Any:
    """eta = beta/(4(K+1)): K lower tails and one upper tail fail with probability beta/4 together.

    >>> each_chance(guesses=4, beta=0.1)
    0.005
    """
    return beta / (4 * (guesses + 1))


# Selection ------------------------------------------------------------------------------------------------------------

SELECTED = r"\Pr\left[\tilde L_{j^*}\le\min_j\left\{\tilde L_j+%s\right\}\right]\ge1-%s,\quad\gamma_j=%s"
SELECTION = [*SIZES, positive("epsilon")]


@theorem(
    "abgmu22.thm.grid.s6",
    kind="tail",
    says=SELECTED % (r"\frac{4\Delta(B_j)\log(4K/\beta)}{n\varepsilon}", r"\beta", r"\Delta(B_j)"),
    needs=SELECTION,
    source=PROOF + ", with the sensitivities of Algorithm 1",
)
def printed_selection_loss(*, loss_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any) -> Any:
    """The printed loss of Algorithm 1's selection, for the sensitivities Delta(B_j).

    These sensitivities are not divided by n.
    """
    return 4 * loss_bound * log(4 * guesses / beta) / (n * epsilon)


@theorem(
    "abgmu22.thm.grid.s6",
    part="average",
    reading="explicit",
    kind="tail",
    says=SELECTED % (r"\frac{4\Delta(B_j)\log(4K/\beta)}{n\varepsilon}", r"\beta", r"\frac{2\Delta(B_j)}n"),
    needs=SELECTION,
    source=PROOF + ", with the sensitivity of a mean over n/2 records",
)
def averaged_selection_loss(*, loss_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any) -> Any:
    """The printed loss of Algorithm 1's selection, for the sensitivity 2 Delta/n.

    This is the sensitivity of a mean.
    """
    formula = printed_selection_loss.theorem.formula
    return formula(loss_bound=loss_bound, n=n, guesses=guesses, beta=beta, epsilon=epsilon)


@averaged_selection_loss.corrected(
    says=SELECTED % (r"\frac{16\Delta(B_j)\log(4(K+1)/\beta)}{n\varepsilon}", r"\frac\beta4", r"\frac{2\Delta(B_j)}n"),
    source=PROOF + ", K + 1 candidates, epsilon/2, beta/4",
)
def selection_loss(*, loss_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any) -> Any:
    """The loss of Algorithm 1's selection, for the sensitivity of a mean.

    There are K + 1 candidates.

    It is 4 gamma log(N/(beta/4))/(epsilon/2) with gamma = 2 Delta/n and N = K + 1 (abgmu22.thm.gem).
    """
    return 16 * loss_bound * log(4 * (guesses + 1) / beta) / (n * epsilon)


@printed_selection_loss.corrected(
    says=SELECTED % (r"\frac{8\Delta(B_j)\log(4(K+1)/\beta)}\varepsilon", r"\frac\beta4", r"\Delta(B_j)"),
    source=PROOF + ", what the sensitivities of Algorithm 1 give",
)
def selection_loss_as_printed(*, loss_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any) -> Any:
    """The loss of Algorithm 1's selection, for the sensitivity Delta.

    It does not decrease with n.

    Derivation. The accuracy of the generalized exponential mechanism for K + 1 scores of sensitivities Delta(B_j),
    with privacy epsilon/2 and failure beta/4: 4 Delta log((K + 1)/(beta/4))/(epsilon/2) = 8 Delta log(4(K +
    1)/beta)/epsilon.
    """
    return selection_penalty.theorem.formula(
        sensitivity=loss_bound, candidates=guesses + 1, epsilon=epsilon / 2, beta=beta / 4
    )


# The last lines -------------------------------------------------------------------------------------------------------

SMALLEST = r"j'=\min\{j\ge1:\ \|w^*\|\le2^j\}\ \Rightarrow\ 2^{j'}\le"


@theorem("abgmu22.thm.grid.s7", says=SMALLEST + r"\max\{2\|w^*\|,1\}", needs=[at_least("norm", 0)], source=PROOF)
def printed_ball(*, norm: Any) -> Any:
    """The radius of the smallest ball of the grid that holds w*, as printed.

    The smallest of all has radius 2.
    """
    return max(2 * norm, 1)


@printed_ball.corrected(says=SMALLEST + r"2\max\{\|w^*\|,1\}", source=PROOF + ", as the theorem states it")
def smallest_ball(*, norm: Any) -> Any:
    """The smallest ball of the grid with w* has radius at most 2 max{||w*||, 1}.

    Derivation. If j' = 1, then 2^j' = 2 <= 2 max{||w*||, 1}. If j' > 1, then j' - 1 was too small, so ||w*|| > 2^(j' -
    1), and 2^j' < 2 ||w*||.
    """
    return 2 * max(norm, 1)


@theorem(
    "abgmu22.thm.grid.s8",
    says=r"\mathrm{err}(2^K)\ge\|\mathcal Y\|^2,\ \|w^*\|\ge2^K\ \Rightarrow\ \|\mathcal Y\|^2\le\mathrm{err}(\|w^*\|)",
    needs=[at_least("norm", 0)],
    source=PROOF,
)
def outer_err(*, err: Callable, norm: Any) -> Any:
    """For w* beyond the grid err(||w*||) is at least ||Y||^2, as printed.

    The step is printed for every function err.

    Beyond the grid means ||w*|| >= 2^K.
    """
    return err(norm)


@outer_err.corrected(
    says=r"\mathrm{err}\ \mathrm{nondecreasing},\ \mathrm{err}(2^K)\ge\|\mathcal Y\|^2,\ \|w^*\|\ge2^K\ \Rightarrow\ "
    r"\|\mathcal Y\|^2\le\mathrm{err}(\|w^*\|)",
    source=PROOF + ", for functions err that do not decrease",
)
def outer_err_monotone(*, err: Callable, norm: Any) -> Any:
    """For w* beyond the grid err(||w*||) is at least ||Y||^2, if err is nondecreasing.

    Derivation. err does not decrease and ||w*|| >= 2^K, so err(||w*||) >= err(2^K), and that is at least ||Y||^2 by the
    choice of K.
    """
    return outer_err.theorem.formula(err=err, norm=norm)


LAST = r"2\tau_{j'}+\frac{4\Delta\log(4K/\beta)}{n\varepsilon}\le"
ENDING = [*SELECTION, between("epsilon", 0, 1), positive("label_bound")]


@theorem(
    "abgmu22.thm.grid.s9",
    says=LAST + r"4\sqrt{\frac{\|\mathcal Y\|^2\log(4K/\beta)}n}+\frac{5\Delta\log(4K/\beta)}{n\varepsilon}",
    needs=ENDING,
    source=PROOF + ", last line, the 4 before its root",
)
def last_line(*, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any) -> Any:
    """The last line of Algorithm 1's utility proof, with the constant 5, as printed.

    The constant is 5, but 2 epsilon + 4 may be 6. With the factor 4 before its root the line contains both roots of 2
    tau.

    The available text has lost the root: its 4 ||Y||^2 log(4K/beta)/n may also be all under it, which is half as much.
    """
    part = log(4 * guesses / beta) / n
    return 4 * sqrt(label_bound**2 * part) + 5 * loss_bound * part / epsilon


@last_line.corrected(
    says=LAST + r"2\sqrt{\frac{4\|\mathcal Y\|^2\log(4K/\beta)}n}+\frac{6\Delta\log(4K/\beta)}{n\varepsilon}",
    source=PROOF + ", last line, both penalties counted",
)
def last_line_corrected(*, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any) -> Any:
    """The last line of Algorithm 1's utility proof, with 6 for epsilon <= 1.

    There is equality at epsilon = 1.
    """
    part = log(4 * guesses / beta) / n
    return 2 * sqrt(4 * label_bound**2 * part) + 6 * loss_bound * part / epsilon


@theorem(
    "abgmu22.thm.grid.s9",
    part="stated",
    says=r"\frac{5\Delta\log(4K/\beta)}{n\varepsilon}\le\frac{5\Delta}{n\varepsilon}",
    needs=SELECTION,
    source=PROOF + ", from its last line to the theorem",
)
def stated_term(*, loss_bound: Any, n: int, guesses: int, beta: Any, epsilon: Any) -> Any:
    """The last term of Algorithm 1's utility as stated, without a logarithm.

    The proof has the logarithm.
    """
    return 5 * loss_bound / (n * epsilon)
