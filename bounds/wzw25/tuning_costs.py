"""The costs of private tuning and of trying all candidates: the text of Section 7 of Wang, Zhu & Wang (2025).

Arguments as in `lemmata.bounds.wzw25.tuned_margin`.
"""

from math import log, sqrt

from lemmata.bounds.theorem import in_unit_interval, integer, positive, theorem
from lemmata.bounds.wzw25.best_of_runs import UNIT_DELTA
from lemmata.bounds.wzw25.margin_grid import grid_size
from lemmata.bounds.wzw25.tuned_margin import margin_term


@theorem(
    "wzw25.sec7.text",
    part="iter",
    kind="rate",
    says=r"\mathcal{A}_{Iter}:\ \mathrm{bound}\propto|\Theta|^{1/2}\ \mathrm{(Equation\ 17)}",
    needs=[integer("size", 2), integer("n", 2), positive("epsilon"), UNIT_DELTA, in_unit_interval("gamma")],
)
def iterating_bound(*, size: int, n: int, epsilon: float, delta: float, gamma: float) -> float:
    """The utility bound of trying all candidates grows as a square root, as printed.

    Second lines of Equations 16 and 17 at beta = 1/n^2, without outliers: (|Theta| log(1/delta))^{1/2}/(n epsilon)
    times 4 log^{1/2}(|Theta| (n+2)(n+1) n^2)/gamma^2 + 8 sqrt 2 log^{1/2}|Theta|. The text omits log^{1/2}|Theta|.
    """
    spread = sqrt(size * -log(delta)) / (n * epsilon)
    return spread * (4 * sqrt(log(size * (n + 2) * (n + 1) * n**2)) / gamma**2 + 8 * sqrt(2 * log(size)))


iterating_bound_with_logarithm = iterating_bound.corrected(
    says=r"\mathcal{A}_{Iter}:\ \mathrm{bound}\propto(|\Theta|\log|\Theta|)^{1/2}",
    source=", with the logarithm of Equation 17",
)(iterating_bound.theorem.formula)


@theorem(
    "wzw25.sec7.text",
    part="tune",
    kind="rate",
    says=r"\mathcal{A}_{PrivTune}:\ \mathrm{bound}\propto\log|\Theta|",
    needs=[integer("size"), integer("n", 2), positive("epsilon"), UNIT_DELTA, in_unit_interval("gamma")],
)
def tuning_bound(*, size: int, n: int, epsilon: float, delta: float, gamma: float) -> float:
    """The utility bound of private tuning grows as the log of the number of candidates.

    Theorem 7.1 without outliers and 1/n^2: log(|Theta| n/delta)/(gamma^2 n epsilon), linear in log |Theta|.
    """
    return margin_term(size=size, n=n, epsilon=epsilon, delta=delta, gamma=gamma, outliers=0)


@theorem(
    "wzw25.sec7.text",
    part="grids",
    kind="rate",
    says=r"|\Theta|=m^K:\quad\mathcal{A}_{Iter}:\ m^{O(K)},\quad\mathcal{A}_{PrivTune}:\ O(Km)",
    needs=[integer("m", 2), integer("K")],
)
def grids_bound(*, m: int, K: int) -> int:
    """The cost of K hyperparameters of m values: exponential or linear in K.

    K m, the expression inside the second O(.). log(m^K) = K log m is smaller: O(K log m) holds too and is stronger. The
    first is (m^K)^{1/2} up to a logarithm.

    Derivation. The cost of A_PrivTune is logarithmic in |Theta|: log(m^K) = K log m <= K m/e, as log(m)/m is largest at
    m = e; so it is O(K m), and (m^K)^(1/2) is m^O(K).

    >>> grids_bound(m=10, K=3)
    30
    """
    return K * m


@theorem(
    "wzw25.sec7.text",
    part="runtime-iter",
    kind="rate",
    says=r"\mathcal{A}_{Iter}\ \mathrm{needs}\ O(\log n)\ \mathrm{repetitions}",
    needs=[integer("n", 2)],
)
def iterations_order(*, n: int) -> float:
    """Trying the margins of the grid takes O(log n) repetitions.

    |Gamma| = ceil(log2 n) + 1 <= (2/log 2) log n.
    """
    return log(n)


@theorem(
    "wzw25.sec7.text",
    part="runtime-tune",
    kind="rate",
    says=r"\mathcal{A}_{PrivTune}\ \mathrm{needs}\ O(n^2\log n)\ \mathrm{repetitions\ in\ expectation}",
    needs=[integer("n", 2)],
)
def repetitions_order(*, n: int) -> float:
    """Private tuning of the margin takes O(n^2 log n) repetitions in expectation.

    E K = |Gamma| (n^2 - 1).
    """
    return n**2 * log(n)


@theorem(
    "wzw25.sec7.text",
    part="factors",
    kind="rate",
    says=r"|\Theta|=\log n\ \mathrm{is\ dominated\ by\ other\ poly}(n)\ \mathrm{factors\ from\ random\ projection}",
    needs=[integer("n", 2), in_unit_interval("power")],
)
def projection_factor(*, n: int, power: float) -> float:
    """The factor that random projection adds is of the order poly(n), as printed.

    n^power for some power > 0.
    """
    return float(n**power)


@projection_factor.corrected(
    says=r"|\Theta|=\log n\ \mathrm{is\ dominated\ by\ other\ polylog}(n)\ \mathrm{factors\ from\ random\ projection:}"
    r"\ |\Gamma|=O\left(\log(|\Gamma|(n+1)(n+2)n^2)\right)",
    needs=[integer("n", 2)],
    source=", the logarithm of k at beta = 1/(n^2 |Gamma|)",
)
def projection_logarithm(*, n: int) -> float:
    """The factor that random projection adds: a logarithm of |Gamma| n.

    log(|Gamma| (n+1) (n+2) n^2), k gamma^2 up to a constant.

    Derivation. |Gamma| <= log2(n) + 2, and the logarithm is at least 4 log n + log |Gamma|; for n >= 17 the quotient is
    at most (log2(17) + 2)/(4 log 17 + log 6) < 0.47, as (log2 n + 2)/(4 log n + log 6) decreases. Below, n = 5 has the
    largest, 4/log 4200 = 0.4794.

    >>> round(projection_logarithm(n=5), 4)
    8.3428
    """
    return log(grid_size(n=n) * (n + 1) * (n + 2) * n**2)
