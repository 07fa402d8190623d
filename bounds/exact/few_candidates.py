"""How much a normalised score may count among N candidates: the inverse of an account, in floats."""

from math import exp, log


def affordable_rate(*, epsilon: float, candidates: int) -> float:
    """The theta at which N candidates spend epsilon, rounded down; the root of a quadratic in e^theta.

    (N - 1) y^2 - e^epsilon y - e^epsilon (N - 2) = 0. The account is that of
    `lemmata.bounds.abgmu22.generalized_exponential.spent_among`, which is concave: below epsilon = 1/1000 its slope at
    0 serves, (2 N - 3) / (N - 1). One candidate is chosen whatever theta is: epsilon.

    >>> [round(affordable_rate(epsilon=1.0, candidates=N), 4) for N in (1, 2, 6, 10**6)]
    [1.0, 1.0, 0.5717, 0.5]
    """
    if candidates <= 2:
        return epsilon * (1 - 1e-12)
    if epsilon < 1e-3:
        return epsilon * (candidates - 1) / (2 * candidates - 3) * (1 - 1e-12)
    root = 1 + 4 * (candidates - 1) * (candidates - 2) * exp(-epsilon)
    return (epsilon - log(candidates - 1) + log((1 + root**0.5) / 2)) * (1 - 1e-10)
