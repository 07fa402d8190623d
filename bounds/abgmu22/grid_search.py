r"""Private grid search: abgmu22, Algorithm 1, its theorem and its instantiation by output perturbation.

Candidates w_j = A(S1, 2^j), j = 1..K, from the first half of n records; scores are mean losses on the second half plus
a penalty; the generalized exponential mechanism (GEM) chooses among them and w_0 = 0 with the public score ||Y||^2.

Names: `loss_bound` Delta(B), `err` err(B), `label_bound` ||Y||, `guesses` K, `sensitivity` gamma, what GEM is told.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from bounds.exact.numbers import Array, log, sqrt


def norm_guesses(*, guesses: int) -> Array:
    """B_1, ..., B_K = 2, 4, ..., 2^K.

    >>> norm_guesses(guesses=3).tolist()
    [2.0, 4.0, 8.0]
    """
    return 2.0 ** np.arange(1, guesses + 1)


def printed_penalty(*, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: float) -> Any:
    """Delta log(K/beta)/n + sqrt(4 ||Y||^2 log(K/beta)/n), as Algorithm 1 prints it."""
    part = log(guesses / beta) / n
    return loss_bound * part + sqrt(4 * label_bound**2 * part)


def penalty(*, loss_bound: Any, label_bound: Any, n: int, guesses: int, beta: float) -> Any:
    """a + sqrt(4 ||Y||^2 a)."""
    part = loss_bound * log(4 * (guesses + 1) / beta) * 2 / n
    return part + sqrt(4 * label_bound**2 * part)
