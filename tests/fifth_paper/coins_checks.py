"""Do the coins of an invented paper fall as it says?"""

from fractions import Fraction

import coins

from lemmata.paper import Control, grid, inequality_claim, tail_claim

WITNESS = """from coins import odd_sum
assert 1 > odd_sum(n=1)  # the first odd number"""


@inequality_claim(coins.all_heads)
def heads_are_rare():
    """One outcome of 2^n."""
    for n in range(1, 20):
        yield {"n": n}, Fraction(1, 2**n), coins.all_heads(n=n)


@inequality_claim(coins.odd_sum, severity="constant", python=WITNESS, note="off by one")
def one_is_too_much():
    """n = 1: the sum is 1, the printed bound 0."""
    yield {"n": 1}, 1, coins.odd_sum(n=1)


@inequality_claim(coins.odd_sum_corrected)
def odd_numbers_add_up_to_squares():
    """The sums themselves, for n up to 50; the squares telescope for all n."""
    for n in range(1, 50):
        yield {"n": n}, sum(range(1, 2 * n, 2)), coins.odd_sum_corrected(n=n)


@tail_claim(
    coins.deviation, quick=grid(n=[100], beta=[0.1]), control=Control("a bound / {}", (2, 3)), cap=10, expect=0.5
)
def signs_stray(rng, size, *, n, beta, factor=1):
    """Fresh signs for every trial."""
    return abs(2 * rng.binomial(n, 0.5, size) / n - 1) > coins.deviation(n=n, beta=beta) / factor
