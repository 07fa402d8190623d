"""Checks with a bug, each of a statement that is true, and boasts about one that is false: what comes of them."""

import sys
from math import factorial, nan

import numpy as np

from lemmata.paper import (
    Control,
    exact,
    exact_claim,
    grid,
    holds,
    inconclusive,
    inequality_claim,
    integer,
    mean_claim,
    refuted,
    require,
    tail_claim,
    theorem,
)

N = [integer("n")]
LEVEL = {"quick": grid(n=[1], beta=[0.1]), "control": Control("the chance times {}", (20,))}


def square(id: str, kind: str = "inequality"):
    """A statement of its own, which is true: n <= n^2."""

    @theorem(id, kind=kind, says=r"n \le n^2", needs=N)
    def squared(*, n: int) -> int:
        """The square of n."""
        return n * n

    return squared


leaves, exits, forgets, lists, pairs, bare = map(square, ("leaves", "exits", "forgets", "lists", "pairs", "bare"))


@inequality_claim(leaves)
def a_check_without_yield():
    leaves(n=1)


@inequality_claim(exits)
def a_check_that_exits():
    yield {"n": 1}, 1, exits(n=1)
    sys.exit(3)


@theorem("returns", says=r"n \le n^2", needs=N)
def returns(*, n: int) -> int:
    """The square of n, which somebody forgot to return."""
    n * n


@inequality_claim(returns)
def a_statement_without_return():
    yield {"n": 2}, 2, returns(n=2)


@inequality_claim(lists)
def a_check_with_arrays():
    yield {"n": 2}, np.array([1.0, 2.0]), lists(n=2)


@inequality_claim(pairs)
def a_check_of_pairs():
    yield 3, pairs(n=3)


@inequality_claim(bare)
def a_setting_without_names():
    yield 3, 3, bare(n=3)


@inequality_claim(forgets)
def a_check_that_forgets_its_statement():
    for n in range(1, 9):
        yield {"n": n}, n, n * n


short, alone, own, changes, never, ranges = (
    square(id, "tail") for id in ("short", "alone", "own", "changes", "never", "ranges")
)


@tail_claim(short, **LEVEL)
def a_trial_too_few(rng, size, *, n, beta, factor=1):
    return (rng.random(size) < 0.01 * factor * short(n=n))[:-1]


@tail_claim(alone, quick=LEVEL["quick"])
def a_trial_without_control(rng, size, *, n, beta, factor=1):
    return rng.random(size) < 0.01 * factor * alone(n=n)


@tail_claim(own, **LEVEL)
def a_trial_with_a_formula_of_its_own(rng, size, *, n, beta, factor=1):
    return rng.random(size) < 0.01 * factor * n**2


@tail_claim(changes, **LEVEL | {"quick": ({"n": 1, "beta": 0.1, "data": [1]},)})
def a_trial_that_changes_its_data(rng, size, *, n, beta, data, factor=1):
    data.append(1)
    return rng.random(size) < 0.005 * len(data) * factor * changes(n=n)


@tail_claim(never, **LEVEL, bound=lambda n, beta: 0.0)
def a_chance_of_nothing(rng, size, *, n, beta, factor=1):
    return rng.random(size) < 0.01 * factor * never(n=n)


@mean_claim(ranges, quick=grid(n=[1]), control=Control("times {}", (3,)), bound=lambda n: nan, high=1.0)
def a_mean_below_nothing(rng, size, *, n, factor=1):
    return rng.random(size) * ranges(n=n) * factor


@theorem("boasts", says=r"n! \le 10^n", needs=N)
def boasts(*, n: int) -> int:
    """A power of ten: false from n = 25 on."""
    return 10**n


@exact_claim(boasts, control=Control("the power divided by {}", (1e9,)))
def a_machine_that_saw_one_number(*, factor=1):
    if factorial(3) * factor > boasts(n=3):
        return refuted("enumeration", {"setting": {"n": 3}, "claimed": boasts(n=3) / factor, "found": 6})
    return holds("certificate", "everywhere")


@theorem("truth", says=r"n! \le 10^n", needs=N)
def truth(*, n: int) -> int:
    """A power of ten."""
    return 10**n


@exact_claim(truth, control=Control("{}", (2,)))
def a_check_that_answers_yes(*, factor=1):
    return truth(n=3) > factorial(3)


@theorem("again", says=r"n! \le 10^n", needs=N)
def again(*, n: int) -> int:
    """The bound on n!.

    Derivation. The bound on n! is 10^n, since n! is at most 10^n for every n, which is the statement.
    """
    return 10**n


@inequality_claim(again, caught=(10,))
def a_derivation_that_says_it_again():
    for n in range(1, 25):
        yield {"n": n}, factorial(n), again(n=n)


@theorem("edge", says=r"n! \le 10^n", needs=N)
def edge(*, n: int) -> int:
    """A power of ten."""
    return 10**n


@edge.corrected(says=r"n! \le 10^n \text{ for } n < 30", needs=[*N, require("n < 30", lambda n: n < 30)])
def edge_corrected(*, n: int) -> int:
    """The same below 30, which is false as well and tried up to 24 only."""
    return edge(n=n)


@inequality_claim(
    edge,
    corner=require("n < 30", lambda n: n < 30),
    severity="constant",
    python="from math import factorial\nfrom mistakes import edge\nassert factorial(40) > edge(n=40)",
)
def far_out():
    yield {"n": 40}, factorial(40), edge(n=40)


@inequality_claim(edge_corrected, caught=(10,))
def close_by():
    for n in range(1, 25):
        yield {"n": n}, factorial(n), edge_corrected(n=n)


@theorem("seeded", kind="tail", says=r"P(U < 0.1) \le 0.1", needs=N)
def seeded(*, n: int) -> float:
    """A tenth."""
    return 0.1


@tail_claim(seeded, **LEVEL, bound=lambda n, beta: 0.105)
def a_seed_of_its_own(rng, size, *, n, beta, factor=1):
    return np.random.default_rng(n).random(size) < seeded(n=n) * factor


@theorem("spawned", kind="tail", says=r"P(U < 0.01) \le 0.1", needs=N)
def spawned(*, n: int) -> float:
    """A hundredth."""
    return 0.01


@tail_claim(spawned, **LEVEL)
def a_generator_that_is_made_of_the_one_given(rng, size, *, n, beta, factor=1):
    return rng.spawn(1)[0].random(size) < spawned(n=n) * factor


@theorem("once", kind="tail", says=r"P(U < 0.1) \le 0.1", needs=N)
def once(*, n: int) -> float:
    """A tenth."""
    return 0.1


@tail_claim(once, **LEVEL)
def one_draw_for_all_trials(rng, size, *, n, beta, factor=1):
    return np.full(size, rng.random() < once(n=n) * factor / 100)


@theorem("signed", says=r"n! \le 10^n", needs=N)
def signed(*, n: int) -> int:
    """A power.

    Derivation. By Stirling's inequality n! <= e sqrt(n) (n/e)^n <= 10^n, as each factor is at most 10.
    """
    return 10**n


@exact_claim(signed, control=Control("a factor {}", (2,)))
def a_certificate_that_nothing_certifies(*, factor=1):
    if factor > 1:
        return refuted("enumeration", {"setting": {"n": 3}, "claimed": 1, "found": 6})
    return holds("certificate", "everywhere") if exact(factorial(3)) <= signed(n=3) else inconclusive("BUDGET")
