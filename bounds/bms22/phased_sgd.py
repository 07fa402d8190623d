"""Phased SGD for generalized linear losses, the oracle A_GLL of Lemma 3.1 of Bassily, Mohri & Suresh (2022).

One pass over n records in K = floor(log2 n) phases (Bassily, Guzman & Menart 2021, Algorithm 2; Feldman, Koren & Talwar
2020, Algorithm 2). Phase i takes the next n_i = floor(n / 2^i) records, steps eta_i = eta / 4^i, and releases the
average of its iterates plus N(0, sigma_i^2 I_k),

    sigma_i = 2 L eta_i tau,    L = r / rho,

where 2 L eta_i is how far one replaced record moves that average and tau is the *noise multiplier*. The loss is
smoothed with b = 2 / eta: every eta_i is below 2 / b, so no step pulls two runs apart. Here a = Lambda r / rho is the
largest margin in units of rho; the expected loss is the mean over records drawn with replacement.
"""

from math import ceil, log, sqrt


def phase_lengths(n: int) -> list[int]:
    """n_i = floor(n / 2^i) for i = 1, ..., floor(log2 n): how many records each phase reads.

    >>> phase_lengths(11), phase_lengths(1)
    ([5, 2, 1], [])
    """
    return [int(n) >> i for i in range(1, int(n).bit_length())]


def one_round(epsilon: float, delta: float, rounds: int) -> tuple[float, float]:
    """(epsilon', delta') of steps 2 and 3 of Algorithm 5 (appendix: Algorithm 4) for an integer number of rounds.

    >>> tuple(round(x, 8) for x in one_round(1.0, 0.01, 3))
    (0.01302708, 1.3e-06)
    """
    share = 4 * rounds * log(2 * rounds / delta)
    return epsilon / share, delta**2 / share


# Utility of the oracle ------------------------------------------------------------------------------------------------


def excess_coefficients(n: int, k: int, multiplier: float) -> tuple[float, float]:
    """(A, B) such that the excess is at most L Lambda (A / h + B h), h = eta L / Lambda; n >= 2.

    A: distance to the minimiser, 1 / (2 (h/4) n_1). B: the smoothing gap 1/4 (b = 2/eta), the steps sum_i 4^-i / 2, the
    starts of phases 2..K, off by the noise before, sum_i 32 k tau^2 4^-i / n_i, and the noise of the last phase,
    2 sqrt(k) tau 4^-K.
    """
    lengths = phase_lengths(n)
    last = len(lengths)
    starts = sum(32 * k * multiplier**2 / 4**i / lengths[i - 1] for i in range(2, last + 1))
    steps = (1 - 4.0**-last) / 6
    return 2 / lengths[0], 1 / 4 + steps + starts + 2 * sqrt(k) * multiplier / 4**last


def base_step(*, n: int, k: int, multiplier: float, lipschitz: float, norm_bound: float) -> float:
    """eta = (Lambda/L) sqrt(A/B), which minimises the bound; it depends on public numbers only. 0 without a phase."""
    if n < 2:
        return 0.0
    distance, slope = excess_coefficients(n, k, multiplier)
    return norm_bound / lipschitz * sqrt(distance / slope)


def rounds_for(beta: float) -> int:
    """M = log(2/beta), rounded up: Algorithm 5 counts rounds from 1 to M.

    >>> rounds_for(0.1), rounds_for(0.99)
    (3, 1)
    """
    return ceil(log(2 / beta))


def substituted(m: int, k: int, epsilon: float, delta: float, beta: float) -> float:
    """1/sqrt(m) + sqrt(k log(1/delta'))/(epsilon' m) at the epsilon', delta' of Algorithm 5."""
    first, second = one_round(epsilon, delta, rounds_for(beta))
    return 1 / sqrt(m) + sqrt(k * -log(second)) / (first * m)
