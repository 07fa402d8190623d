"""An audit by one training run: canaries whose presence coins decided, and guesses of the coins from their scores.

m canaries each take part with probability 1/2, independently. Somebody who sees the release guesses r of the coins and
is right W times. A claim bounds the tail of W:

    (epsilon, 0)        W is stochastically at most Binomial(r, q), q = e^epsilon / (1 + e^epsilon), and each guess is
                        right with a chance of at most q whatever the earlier ones were            (Theorem 5.1)
    (epsilon, delta)    Pr[W >= v] <= Pr[B >= v] + 2 m delta max over i of Pr[v > B >= v - i] / i  (Theorem 5.2)
    trade-off f         with f' = 1 - f, p_j = Pr[W = j] and any set J of numbers,
                        sum_J j p_j <= m f'(sum_J (r - j + 1) p_(j-1) / m)                         (*)

(*) Let E be "canary i is guessed to be t, and the number of other right guesses plus 1 is in J". Given either coin of
i, its chances x (coin t) and y (the other) satisfy x <= f'(y). The sum of x / 2 over t and i is the left side, that of
y / 2 is at most sum_J (r - j + 1) p_(j-1), and f' is concave. For tails J = {c, ..., r} the worst law has the least
p_(c-1) that (*) asks for, from v downwards: mass that is moved down from c - 1 keeps every later inequality. So a tail
chance is possible only if what it asks for adds up to at most 1.

Every (epsilon, delta) that a claim implies bounds the same chance, and so does (*); the smallest counts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betainc, betaln, expit, ndtr, ndtri
from scipy.stats import binom

from lemmata.bounds.exact.numbers import halved
from lemmata.mechanisms.audit.evidence.stakes import checked, parameter, tangents, with_parameter
from lemmata.mechanisms.numerics.arithmetic import check_in_range, short_repr
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP, gaussian_delta

REFUTED, INCONCLUSIVE = "REFUTED", "INCONCLUSIVE"
FEWEST = 8  # guesses, of the shares of the canaries that are tried
LARGEST = 60.0  # epsilon or mu up to which a lower bound is looked for
HALVINGS, CUTS = 20, 40  # of the parameter, and of the logarithm of a chance
LEAST = -700.0  # log of the smallest chance
MORE = 1 + 1e-9  # rounding of chances
EPSILONS = np.concatenate([[0.0], np.geomspace(0.05, 30.0, 24)])  # at which a Gaussian claim is read


@dataclass(frozen=True)
class OneRun:
    """The result of `lemmata.audit_one_run`; `print` shows it.

    Attributes
    ----------
    verdict : str
        REFUTED if `p_value` is at most `level`, else INCONCLUSIVE.
    p_value : float
        The largest chance, under the claim, of evidence as strong as this.
    lower : float
        What the epsilon, mu or rho of the claim exceeds, but for a chance of `level`; its delta is kept.
    parameter : str
        Which of them.
    guesses, right : int
        The number of guesses that gave the most evidence, and how many were right.
    canaries : int
        Of both kinds.
    tried : int
        Numbers of guesses among which the level is shared; 0 if all were tried at once.
    claim, level
        As given.
    """

    verdict: str
    p_value: float
    lower: float
    parameter: str
    guesses: int
    right: int
    canaries: int
    tried: int
    claim: Any
    level: float

    def __str__(self) -> str:
        shown = f"{self.verdict}: {self.claim}, p = {self.p_value:.3g}; {self.parameter} > {self.lower:.3g}"
        guessed = f"{self.right} of {self.guesses} guesses of {self.canaries} canaries are right"
        return f"{shown} at level {self.level:g}: {guessed}"


def audit_one_run(
    scores_in: ArrayLike,
    scores_out: ArrayLike,
    claim: Any,
    *,
    level: float = 0.05,
    guesses: int | Sequence[int] | None = None,
) -> OneRun:
    """Test a claim by the scores of canaries of one training run.

    An independent fair coin for each canary must have decided whether it takes part: with a fixed number of canaries
    that take part, or one coin for several, the bounds do not hold. A high score speaks for taking part, and it must
    be computed from the release alone. The highest scores are guessed "in" and equally many of the lowest "out"; equal
    scores count as wrong guesses first.

    The number of guesses must not be chosen by its result. Without `guesses`, a pure claim is tested by a martingale
    that is valid for all numbers at once, and any other claim by m, m / 2, m / 4, ..., each at its share of the level.
    The best Clopper-Pearson interval over all thresholds, which is often used, is not valid.

    Parameters
    ----------
    scores_in, scores_out : array, shape (canaries,)
        Of the canaries that took part, and of those that did not.
    claim : Guarantee, list or function
        Its neighbours differ in one canary.
    level : float
        In (0, 1): the chance with which REFUTED, or `lower`, is wrong at most.
    guesses : int or sequence of int, optional
        The numbers of guesses, fixed before the scores were seen.

    Returns
    -------
    OneRun
        The p-value, a lower bound, and the guesses behind them.

    Raises
    ------
    ValueError
        In one line, for scores that are no numbers, and numbers of guesses out of range.

    References
    ----------
    Steinke, Nasr & Jagielski, Privacy Auditing with One (1) Training Run (arXiv 2305.08846), Theorems 5.1 and 5.2;
    Mahloujifar, Melis & Chaudhuri, Auditing f-Differential Privacy in One Run (arXiv 2410.22235), for (*).

    Examples
    --------
    >>> import numpy as np
    >>> from lemmata.mechanisms.privacy import PureDP
    >>> found = audit_one_run(np.arange(100.0) + 50, np.arange(100.0) - 50, PureDP(1.0))
    >>> found.verdict, round(found.lower, 2)
    ('REFUTED', 3.78)
    """
    inside, outside = _scores("scores_in", scores_in), _scores("scores_out", scores_out)
    check_in_range("level", level, 0, 1)
    claim, m = checked(claim), len(inside) + len(outside)
    if m < 2:
        raise ValueError(f"scores_in and scores_out must have at least 2 scores together, got {m}")
    right = _right(inside, outside)
    if guesses is None and is_pure(claim):
        numbers: list[int] = []
    else:
        numbers = _numbers(guesses, m)

    if numbers:
        every = [tail_chance(claim, m, r, int(right[r - 1])) for r in numbers]
        p_value, r = min(1.0, len(numbers) * min(every)), numbers[int(np.argmin(every))]
    else:
        wealth = log_wealth(right, claim.epsilon)
        p_value, r = float(min(1.0, exp(-wealth.max()))), int(np.argmax(wealth)) + 1

    def refuted(claim: Any) -> bool:
        if not numbers:
            return bool(exp(-log_wealth(right, claim.epsilon).max()) <= level)
        return any(tail_is_below(level / len(numbers), claim, m, r, int(right[r - 1])) for r in numbers)

    name, _ = parameter(claim)
    low, _ = halved(lambda value: not refuted(with_parameter(claim, value)), 0.0, LARGEST, HALVINGS)
    verdict = REFUTED if p_value <= level else INCONCLUSIVE
    return OneRun(verdict, p_value, low, name, r, int(right[r - 1]), m, len(numbers), claim, level)


def is_pure(claim: Any) -> bool:
    """Whether a claim is (epsilon, 0)."""
    return isinstance(claim, PureDP) or (isinstance(claim, ApproxDP) and claim.delta == 0)


def _scores(name: str, scores: ArrayLike) -> np.ndarray:
    found = np.asarray(scores)
    if found.ndim != 1 or found.dtype.kind not in "biuf" or np.isnan(found.astype(float)).any():
        raise ValueError(f"{name} must be a 1-D array of numbers without NaN, got shape {found.shape} of {found.dtype}")
    return found.astype(float)


def _numbers(guesses: int | Sequence[int] | None, m: int) -> list[int]:
    if guesses is None:
        return [max(m >> k, 2) for k in range(max(1, (m // FEWEST).bit_length()))]
    found: list[Any] = np.atleast_1d(np.asarray(guesses, object)).tolist()
    if not (found and all(isinstance(r, int | np.integer) and 1 <= r <= m for r in found)):
        raise ValueError(f"guesses must be whole numbers between 1 and the {m} canaries, got {short_repr(guesses)}")
    return [int(r) for r in found]


def _right(inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """The numbers of right guesses among the first 1, ..., m: of the highest and the lowest scores in turns.

    Among equal scores the wrong guesses come first, on either side by itself, so ties never count for the evidence.
    """
    scores = np.concatenate([inside, outside])
    member = np.repeat([True, False], [len(inside), len(outside)])
    highest = member[np.lexsort((member, -scores))]
    lowest = ~member[np.lexsort((~member, scores))]
    turns = np.arange(len(scores))
    return np.cumsum(np.where(turns % 2 == 0, highest[turns // 2], lowest[turns // 2]))


def log_wealth(right: np.ndarray, epsilon: float) -> np.ndarray:
    """log of the wealth after each guess of a gambler who bets that each is right more often than `epsilon` allows.

    The mean over chances p in (q, 1), uniformly, of (p / q)^right ((1 - p) / (1 - q))^wrong: a supermartingale under
    the claim, so that it ever exceeds 1 / level with a chance of at most `level`.
    """
    guessed = np.arange(1, len(right) + 1)
    wrong, q = guessed - right, float(expit(epsilon))
    with np.errstate(divide="ignore"):
        above = np.log(betainc(wrong + 1.0, right + 1.0, 1 - q))  # the share of the Beta law in (q, 1)
        least = -epsilon - np.log1p(exp(-epsilon))  # log(1 - q)
        return betaln(right + 1.0, wrong + 1.0) + above - least - right * np.log(q) - wrong * least


def tail_is_below(chance: float, claim: Any, m: int, r: int, v: int) -> bool:
    """Whether `tail_chance` is at most `chance`, without finding it."""
    pairs = _pairs(claim)
    if any(_approximate(m, r, v, *pair) <= chance for pair in pairs):
        return True
    return not is_pure(claim) and not _is_possible(chance / MORE, _inverse(claim, pairs), m, r, v)


def tail_chance(claim: Any, m: int, r: int, v: int) -> float:
    """The largest chance under a claim that v of r guesses of m canaries are right."""
    pairs = _pairs(claim)
    found = min(1.0, *(_approximate(m, r, v, *pair) for pair in pairs))
    if is_pure(claim):
        return found
    inverse = _inverse(claim, pairs)
    _, log_chance = halved(lambda log: not _is_possible(exp(log), inverse, m, r, v), LEAST, 0.0, CUTS)
    return min(found, exp(log_chance) * MORE)


def _pairs(claim: Any) -> list[tuple[float, float]]:
    """(epsilon, delta) that a claim implies."""
    if not isinstance(claim, GaussianDP):
        return tangents(claim)
    deltas = np.minimum(gaussian_delta(EPSILONS, claim.mu) * MORE, 1.0)
    return list(zip(EPSILONS.tolist(), deltas.tolist(), strict=True))


def _approximate(m: int, r: int, v: int, epsilon: float, delta: float) -> float:
    """Theorem 5.2."""
    q = float(expit(epsilon))
    beta = float(binom.sf(v - 1, r, q))
    if not delta or not v:
        return beta * MORE
    within = np.cumsum(binom.pmf(np.arange(v - 1, -1, -1), r, q))  # Pr[v > B >= v - i]
    return (beta + 2 * m * delta * float((within / np.arange(1, v + 1)).max())) * MORE


def _inverse(claim: Any, pairs: list[tuple[float, float]]) -> Callable[[float], float]:
    """The inverse of 1 - f."""
    if isinstance(claim, GaussianDP):
        return lambda y: float(ndtr(ndtri(y) - claim.mu))
    grown, less = (np.exp([sign * epsilon for epsilon, _ in pairs]) for sign in (1, -1))
    deltas = np.array([delta for _, delta in pairs])
    return lambda y: float(max(0.0, ((y - deltas) * less).max(), (1 - deltas - (1 - y) * grown).max()))


def _is_possible(chance: float, inverse: Callable[[float], float], m: int, r: int, v: int) -> bool:
    """Whether (*) for tails J allows v right guesses with this chance."""
    right, wrong, whole = v * chance, (r - v) * chance, chance  # mean numbers, and the chance, of v right ones or more
    for c in range(v, 0, -1):
        more = max(0.0, m * inverse(min(right / m, 1.0)) - wrong) / (r - c + 1)  # least chance of c - 1
        right, wrong, whole = right + (c - 1) * more, wrong + (r - c + 1) * more, whole + more
        if whole > 1 or not more:  # without more, nothing changes further down
            break
    return whole <= 1
