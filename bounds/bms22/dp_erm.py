"""DP-ERM for generalized linear losses by boosting: Lemma 3.1 of Bassily, Mohri & Suresh (2022).

Algorithm 5 (Algorithm 4 in the appendix's numbering) runs M = log(2/beta) rounds of A_GLL (`phased_sgd`), each on m
records drawn with replacement, and selects one of the M vectors by the exponential mechanism with budget epsilon/2 on
the scores -L(w). The two texts, 000 and 002, print the same algorithm and lemma. M is rounded up. `a` = Lambda r / rho,
epsilon_hat = epsilon / (2M) and delta_hat = delta / M are the budget of one round, T = 2 log(2/delta_hat).
"""

from functools import lru_cache
from math import comb, e, log, sqrt
from typing import Any

import numpy as np
from scipy.stats import binom

from lemmata.bounds.bms22.dp_erm_proof import HINGE, PROOF, SETTING, WHOLE_SETTING, printed_multiplier, round_excess
from lemmata.bounds.bms22.phased_sgd import one_round, phase_lengths, rounds_for
from lemmata.bounds.exact.numbers import Array
from lemmata.bounds.exact.privacy_curves import log_gaussian_delta
from lemmata.bounds.theorem import in_unit_interval, integer, positive, theorem

ROUND_CONSTANT = sqrt(3072)  # C of the expected excess of one round; derived in `round_order`
PRIVATE = r"\mathrm{Algorithm\ 5\ is\ }(\varepsilon,\delta)\mathrm{-DP}"


# Privacy --------------------------------------------------------------------------------------------------------------


@theorem(
    "bms22.lem3.1",
    part="privacy",
    kind="privacy",
    says=PRIVATE + r"\mathrm{\ for\ every\ }"
    r"\Delta\ge\max_{\|w\|\le\Lambda}\left|\widehat{L}_{S}(w)-\widehat{L}_{S'}(w)\right|",
    needs=[*SETTING, *HINGE],
)
def printed_privacy(
    *, m: int, epsilon: float, delta: float, beta: float, radius: float, norm_bound: float, rho: float
) -> float:
    """DP-ERM is (epsilon, delta)-DP with any valid sensitivity of its selection.

    Step 8 is "the exponential mechanism with privacy parameter epsilon/2". It names no sensitivity, so the lemma is
    about every Delta that bounds what one record moves a score by; the proof's own is the step `calibration`.

    Derivation. A round: A_GLL is (epsilon', delta')-DP (s2, oracle); a replaced record is drawn J times, more than T
    times with probability at most delta_hat/2 (s1), else the round is a group of J <= T and (epsilon_hat,
    delta_hat/2)-DP (s2, sum, linear and half); so it is (epsilon_hat, delta_hat)-DP. M rounds compose to (epsilon/2,
    delta); the selection is (epsilon/2, 0)-DP at the sensitivity of s3, corrected, which is the smallest valid one, and
    a larger Delta divides its log ratios by more. M is an integer in all of them.
    """
    return epsilon


@theorem(
    "bms22.lem3.1.calibration",
    kind="privacy",
    says=PRIVATE + r"\mathrm{\ with\ }\Delta=\frac{\Lambda\tilde{r}}{m}",
    needs=[*SETTING, *HINGE],
    source=PROOF,
)
def calibrated_privacy(
    *, m: int, epsilon: float, delta: float, beta: float, radius: float, norm_bound: float, rho: float
) -> float:
    """The epsilon of DP-ERM with its selection calibrated to Lambda r / m.

    This is the only sensitivity in the text.
    """
    return epsilon


def sides(rounds: int, edge: Any, odds: Any) -> tuple[Any, Any]:
    """Bounds of what the whole algorithm does on two records (r, y), (0, 1) in R: (low, high).

    low <= P(release = y Lambda), P(release = -y Lambda) <= high. With m = 2 the only phase averages its start, so the
    candidates do not see the data: each is Lambda or -Lambda with probability `edge` each, or inside. `odds`: by how
    much the selection prefers -y Lambda to y Lambda. Numbers or balls.
    """
    share = (2 * edge) ** rounds
    with_edge = [comb(rounds, j) * share / 2**rounds for j in range(rounds + 1)]  # j candidates at y Lambda
    low = sum(p * j / (j + (rounds - j) * odds) for j, p in enumerate(with_edge))
    high = 1 - share + sum(p * (rounds - j) * odds / (j + (rounds - j) * odds) for j, p in enumerate(with_edge))
    return low, high


@printed_privacy.explicit(
    part="accounting",
    says=r"\sum_s\Pr\left[\sum_{t\le M}J_t^2=s\right]\delta_{\sqrt{s}/\tau}(\varepsilon/2)\le\delta"
    r"\Rightarrow\mathrm{the\ rounds\ are\ }(\varepsilon/2,\delta)\mathrm{-DP}",
    needs=[integer("m"), integer("rounds"), positive("multiplier"), positive("epsilon")],
    source="our accountant",
)
def rounds_delta(*, m: int, rounds: int, multiplier: float, epsilon: float, cut: float = 1e-30) -> float:
    """The delta that M rounds of DP-ERM spend at epsilon, averaged over the draws.

    The mean is over the number of times that a record is drawn.

    The number is rounded up by 1e-9.

    It is the smallest that this derivation gives. Given which records are drawn, a replaced record that round t reads
    J_t times moves the averages of its phases by at most 2 L eta_i J_{t,i}, sum_i J_{t,i} <= J_t: the round is
    (J_t/tau)-GDP, all rounds (sqrt(sum_t J_t^2)/tau)-GDP. What was drawn does not depend on the data, and the
    hockey-stick divergence is jointly convex, so the whole is at most the mean of the curves delta_mu(epsilon).
    J_t ~ Bin(m, 1/m), independent; what is cut off, a probability of `cut` a round, is added to delta.

    >>> f"{rounds_delta(m=1000, rounds=3, multiplier=20.0, epsilon=0.5):.2e}"
    '1.53e-04'
    """
    sums, chances, left_out = copies_law(m, rounds, cut)
    curve = np.exp(log_gaussian_delta(epsilon, np.sqrt(sums) / multiplier))
    return min(1.0, float(chances @ curve) * (1 + 1e-9) + left_out)


@lru_cache(maxsize=64)
def copies_law(m: int, rounds: int, cut: float) -> tuple[Array, Array, float]:
    """The law of sum_t J_t^2: its values, their chances, and the chance that some J_t was cut off."""
    beyond = binom.sf(np.arange(min(m, 200) + 1), m, 1 / m)
    top = int(np.argmax(beyond <= cut)) if beyond[-1] <= cut else len(beyond) - 1
    copies = binom.pmf(np.arange(top + 1), m, 1 / m)
    squares = np.ones(1)
    for _ in range(rounds):
        longer = np.zeros(len(squares) + top**2)
        for j, chance in enumerate(copies):
            longer[j * j : j * j + len(squares)] += chance * squares
        squares = longer
    kept = np.flatnonzero(squares > cut * 1e-6)
    left_out = rounds * float(binom.sf(top, m, 1 / m)) + max(0.0, float(np.delete(squares, kept).sum()))
    return kept, squares[kept], left_out


@lru_cache(maxsize=256)
def tight_multiplier(m: int, epsilon: float, delta: float, rounds: int) -> float:
    """The least noise multiplier at which M rounds are (epsilon/2, delta)-DP by `rounds_delta`, rounded up.

    >>> round(tight_multiplier(10**4, 1.0, 1e-5, 3), 1)
    28.2
    """
    cut = min(1e-30, delta * 1e-6)

    def enough(multiplier: float) -> bool:
        return rounds_delta(m=m, rounds=rounds, multiplier=multiplier, epsilon=epsilon / 2, cut=cut) <= delta

    low = high = 1.0
    while not enough(high):
        high *= 2
    while low > 1e-6 and enough(low):
        low /= 2
    while high > low * (1 + 1e-9):
        middle = sqrt(low * high)
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def round_multiplier(m: int, epsilon: float, delta: float, rounds: int, calibration: str) -> float:
    """The noise multiplier sigma_i / (2 L eta_i) of a round: the least for "tight", else as printed.

    >>> round(round_multiplier(10**4, 1.0, 1e-5, 3, "printed"), 1)
    1692.6
    """
    if calibration == "tight":
        return tight_multiplier(m, epsilon, delta, rounds)
    first, second = one_round(epsilon, delta, rounds)
    return printed_multiplier(epsilon=first, delta=second)


# Utility --------------------------------------------------------------------------------------------------------------

TRAINED = r"\Pr\left[\widehat{L}^{\rho}(\tilde{w})\le\min_{\|w\|\le\Lambda}\widehat{L}^{\rho}(w)+"
TRAINED_ORDER = TRAINED + r"\frac{\Lambda\tilde{r}}{\rho}O\left(\frac{1}{\sqrt{m}}"
CERTAIN = r"\right]\ge 1-\beta"
ROUNDS = (  # the symbols of a round: `excess_coefficients` at the printed noise
    r"\ A=\frac{2}{\lfloor m/2\rfloor},\quad B=\frac{5}{12}-\frac{4^{-I}}{6}"
    r"+32k\tau^2\sum_{i=2}^{I}\frac{4^{-i}}{\lfloor m/2^i\rfloor}+2\sqrt{k}\tau 4^{-I},\ I=\lfloor\log_2 m\rfloor,"
    r"\quad \tau=\frac{2\sqrt{\log(1/\delta')}}{\varepsilon'},\ \varepsilon'=\frac{\varepsilon}{4M\log(2M/\delta)},"
    r"\ \delta'=\frac{\delta^2}{4M\log(2M/\delta)}"
)


@theorem(
    "bms22.lem3.1",
    part="utility",
    kind="tail",
    says=TRAINED_ORDER + r"+\frac{\sqrt{k}\log^{3/2}(1/\delta)\log(1/\beta)}{\varepsilon m}\right)" + CERTAIN,
    needs=[*WHOLE_SETTING, positive("a")],
)
def printed_order(*, m: int, k: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """The order of DP-ERM's excess loss over the ball's best vector, as printed.

    It is the expression in the O(.), times Lambda r/rho.
    """
    return a * (1 / sqrt(m) + sqrt(k) * (-log(delta)) ** 1.5 * -log(beta) / (epsilon * m))


@printed_order.corrected(
    says=TRAINED_ORDER + r"+\frac{\sqrt{k}\log^{3/2}(1/\delta)\log(2/\beta)}{\varepsilon m}\right)" + CERTAIN
)
def corrected_order(*, m: int, k: int, epsilon: float, delta: float, beta: float, a: float) -> float:
    """The order of DP-ERM's excess loss over the ball's best vector, corrected.

    It has log(2/beta).

    There is at least one round, so log(2/beta) replaces log(1/beta).

    For beta <= 1/2 the two differ by a factor of at most 2. The constant is derived in `utility_constant`.
    """
    return a * (1 / sqrt(m) + sqrt(k) * (-log(delta)) ** 1.5 * log(2 / beta) / (epsilon * m))


@printed_order.explicit(
    says=TRAINED
    + r"2ea\sqrt{AB}+\frac{4\min(1+a,2a)\log(2M/\beta)}{\varepsilon m}"
    + CERTAIN
    + r",\quad a=\frac{\Lambda\tilde{r}}{\rho},\ M=\lceil\log(2/\beta)\rceil,"
    + ROUNDS,
    source="our constants",
)
def boosted_excess(
    *, m: int, k: int, epsilon: float, delta: float, beta: float, a: float, calibration: str = "corrected"
) -> float:
    """DP-ERM's excess loss with probability 1 - beta, with our constants.

    The excess is over the best vector of the ball.

    The bound is e E_1 + 4 Delta log(2M/beta)/epsilon.

    E_1 = `round_excess` at the printed noise (or the "tight" one), Delta = min(1 + a, 2a)/m. By Markov's inequality the
    M independent rounds all exceed e E_1 with probability at most e^-M <= beta/2; the selection with budget epsilon/2
    loses more than (2 Delta / (epsilon/2)) log(M / (beta/2)) with probability at most beta/2, and loses 0 if M = 1.

    >>> from functools import partial
    >>> excess = partial(boosted_excess, k=10, epsilon=8.0, delta=1e-6, beta=0.1, a=1.0)
    >>> round(excess(m=10**5), 3), round(excess(m=10**6 - 1), 3)
    (0.37, 0.038)
    """
    M = rounds_for(beta)
    multiplier = round_multiplier(m, epsilon, delta, M, calibration)
    spent = 4 * min(1 + a, 2 * a) / m * log(2 * M / beta) / epsilon if M > 1 else 0.0
    return e * round_excess(m=m, k=k, multiplier=multiplier, a=a) + spent


def utility_constant(substitution: float) -> float:
    """C of the corrected order, given the certified constant of s4's substitution, for all admissible arguments.

    m = 1: the release is 0 and its excess at most a. For m >= 2, l = log(1/delta) >= log 2, x = log(2/beta), M <= 2x:

    - 2M <= delta^-3: e E_1 <= e sqrt(3072) a (1/sqrt(m) + ...) (s4), and the noise term is at most `substitution` times
      ours. The selection costs at most 8 a log(2M/beta) / (epsilon m), and log(2M/beta) = x + log M <= x (1 + 2/e), so
      it is at most 8 (1 + 2/e) / l^{3/2} <= 24.1 times our noise term.
    - 2M > delta^-3: x >= M - 1 >= 3 delta^-3 / 8 as delta^-3 >= 8, and epsilon <= l, so our noise term is at least
      sqrt(l) x / m >= 0.83 * 3 m^2 / 8 >= 1.2, and no excess is above 2 a.
    """
    return max(e * ROUND_CONSTANT * max(1.0, substitution) + 8 * (1 + 2 / e) / log(2) ** 1.5, 2 / 1.2)


# Gradient computations ------------------------------------------------------------------------------------------------


@theorem(
    "bms22.lem3.1",
    part="complexity",
    says=r"\mathrm{gradients}=O\left(m\log(m)\log(1/\beta)\right)",
    needs=[integer("m"), in_unit_interval("beta")],
)
def printed_gradients(*, m: int, beta: float) -> float:
    """The order of DP-ERM's number of gradient computations, as printed.

    "Algorithm 2 requires" is printed for Algorithm 5 (4 in the appendix's numbering).
    """
    return m * log(m) * -log(beta)


@printed_gradients.corrected(says=r"\mathrm{gradients}=O\left(m\log(m)\log(2/\beta)\right)")
def corrected_gradients(*, m: int, beta: float) -> float:
    """The order of DP-ERM's number of gradient computations, corrected.

    It has log(2/beta).

    There is at least one round, so log(2/beta) replaces log(1/beta).

    Our count is at most M (m - 1), and M <= 2 log(2/beta), (m - 1)/(m log m) <= 1/(2 log 2): C = 1/log 2 = 1.4427. The
    hinge's proximal step is closed; another loss takes O(log m) evaluations for it.
    """
    return m * log(m) * log(2 / beta)


@printed_gradients.explicit(
    says=r"\mathrm{gradients}=\lceil\log(2/\beta)\rceil\sum_{i\ge 1}\lfloor m/2^i\rfloor",
    kind="identity",
    source="our count, for the hinge",
)
def gradient_count(*, m: int, beta: float) -> int:
    """The exact number of gradient computations of DP-ERM.

    Derivation. The algorithm runs ceil(log(2/beta)) rounds; each goes through phases of floor(m/2^i) records, i = 1, 2,
    ..., and computes one gradient a record. The count is the number of rounds times the sum of these lengths.

    >>> gradient_count(m=1000, beta=0.1)
    2982
    """
    return rounds_for(beta) * sum(phase_lengths(m))
