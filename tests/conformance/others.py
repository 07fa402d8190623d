"""Theorems of other people, true and false, and what goes wrong when somebody decides them: no word says too much."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb, e, exp, factorial, log, nan, pi, prod, sqrt

import numpy as np

from lemmata.paper import (
    Control,
    exact,
    grid,
    identity_claim,
    in_unit_interval,
    inequality_claim,
    integer,
    positive,
    tail_claim,
    theorem,
)

N, BETA = [integer("n")], [in_unit_interval("beta")]
UP_TO_24 = range(1, 25)  # n! <= 10^n is false from n = 25 on


@theorem("stirling", says=r"\sqrt{2\pi n}(n/e)^n \le n!", needs=N)
def stirling(*, n: int) -> int:
    """n!, which Stirling's formula stays below: true."""
    return factorial(n)


@inequality_claim(stirling, oracle="exact")
def stirling_is_below() -> Iterator[tuple]:
    """In floats."""
    for n in range(1, 101):
        yield {"n": n}, sqrt(2 * pi * n) * (n / e) ** n, stirling(n=n)


@theorem("powers", says=r"n! \le 10^n", needs=N)
def powers(*, n: int) -> int:
    """A power of ten, in exact arithmetic: false far out, and nothing said about it."""
    return 10**n


@inequality_claim(powers)
def powers_are_larger() -> Iterator[tuple]:
    """Where it is true."""
    for n in UP_TO_24:
        yield {"n": n}, factorial(n), powers(n=n)


@theorem("boast", says=r"n! \le 10^n", needs=N)
def boast(*, n: int) -> float:
    """The same in floats, said to be certified."""
    return 10.0**n


@inequality_claim(boast, evidence="certificate", scope="n of every size", oracle="exact")
def boast_is_larger() -> Iterator[tuple]:
    """Where it is true."""
    for n in UP_TO_24:
        yield {"n": n}, float(factorial(n)), boast(n=n)


@theorem("rests", says=r"n! \le 10^n", needs=N)
def rests(*, n: int) -> int:
    """The same, derived from a row that was only tried."""
    return 10**n


@inequality_claim(rests, given=[powers])
def rests_on_what_was_tried() -> Iterator[tuple]:
    """Where it is true."""
    for n in UP_TO_24:
        yield {"n": n}, factorial(n), rests(n=n)


@theorem("gauss", says=r"\sum_{i\le n} i \le n(n+1)/2.02", needs=N)
def gauss(*, n: int) -> Fraction:
    """The sum of the first n numbers, 1.01 times too small: false everywhere."""
    return Fraction(n * (n + 1) * 100, 202)


@inequality_claim(gauss, severity="constant", python="from others import gauss\nassert 1 > gauss(n=1)")
def gauss_is_short() -> Iterator[tuple]:
    """Every n up to 20."""
    for n in range(1, 20):
        yield {"n": n}, sum(range(n + 1)), gauss(n=n)


@theorem("room", says=r"\sum_{i\le n} i \le 1.01\,n(n+1)/2", needs=N)
def room(*, n: int) -> Fraction:
    """The same, 1.01 times too large: true, with as much room as the smallest control takes away."""
    return Fraction(n * (n + 1) * 101, 200)


@inequality_claim(room)
def room_is_left() -> Iterator[tuple]:
    """Every n up to 20."""
    for n in range(1, 20):
        yield {"n": n}, sum(range(n + 1)), room(n=n)


@theorem("equal", kind="identity", says=r"\sum_{i\le n} i = 1.01\,n(n+1)/2", needs=N)
def equal(*, n: int) -> float:
    """The same as an identity, in floats: false everywhere."""
    return 1.01 * n * (n + 1) / 2


@identity_claim(equal, severity="constant", python="from others import equal\nassert equal(n=1) != 1", oracle="exact")
def equal_is_not() -> Iterator[tuple]:
    """Every n up to 20."""
    for n in range(1, 20):
        yield {"n": n}, sum(range(n + 1)), equal(n=n)


WITNESS = "from others import hoeffding\nassert 0.5 > hoeffding(n=1, beta=0.9)  # one coin is 1/2 away, surely"


@theorem("hoeffding", kind="tail", says=r"\Pr[|p-\hat p| > \sqrt{\log(1/\beta)/2n}] \le \beta", needs=[*N, *BETA])
def hoeffding(*, n: int, beta: float) -> float:
    """Hoeffding's inequality for fair coins without its 2: false in a corner, beta near 1."""
    return sqrt(log(1 / beta) / (2 * n))


@inequality_claim(hoeffding, severity="constant", python=WITNESS)
def one_coin_is_far() -> Iterator[tuple]:
    """The chance itself, in fractions."""
    for n in (1, 2, 50):
        for beta in (0.9, 0.01):
            far = (k for k in range(n + 1) if abs(k / n - 0.5) > hoeffding(n=n, beta=beta))
            yield {"n": n, "beta": beta}, Fraction(sum(comb(n, k) for k in far), 2**n), beta


@theorem("means", says=r"\sqrt{xy} \le (x+y)/2", needs=[positive("x"), positive("y")])
def means(*, x: float, y: float) -> float:
    """The arithmetic mean; whoever tries negative numbers has left the hypotheses."""
    return (x + y) / 2


@inequality_claim(means, severity="statement", python="from others import means\nassert 2 > means(x=-2, y=-2)")
def means_of_negative_numbers() -> Iterator[tuple]:
    """Numbers that the statement does not speak of, by a formula typed again."""
    yield {"x": -2, "y": -2}, 2, (-2 - 2) / 2


@theorem("pythagoras", says=r"\sin^2 x + \cos^2 x - 1 \le 0")
def pythagoras(*, x: float) -> float:
    """0, beside a difference that floats round to 2e-16."""
    return 0.0


@inequality_claim(
    pythagoras, severity="statement", python="from others import pythagoras\nassert 1e-16 > pythagoras(x=1)"
)
def circles_are_round() -> Iterator[tuple]:
    """In floats."""
    for x in np.linspace(0, 6, 50):
        yield {"x": float(x)}, float(np.sin(x) ** 2 + np.cos(x) ** 2 - 1), pythagoras(x=float(x))


@theorem("basel", says=r"\pi^2/6 \le \sum_i 1/i^2")
def basel() -> object:
    """A sum that is enclosed in [1.6, 1.7], too wide to tell."""
    return exact(Fraction(8, 5)).union(exact(Fraction(17, 10)))


@inequality_claim(basel)
def squares_add_up() -> Iterator[tuple]:
    """In balls."""
    yield {}, exact(pi) ** 2 / 6, basel()


@theorem("overflow", says=r"e^{x} \le 1.001\,e^{x}", needs=[positive("x")])
def overflow(*, x: float) -> float:
    """A power, and a little more."""
    return 1.001 * exp(x)


@inequality_claim(overflow, severity="statement", python="from others import overflow\nassert 3 > overflow(x=1)")
def powers_overflow() -> Iterator[tuple]:
    """The left side in the floats of somebody's GPU, of which the second overflows."""
    for x in (1.0, 100.0):
        with np.errstate(over="ignore"):
            yield {"x": x}, np.exp(np.float32(x)), overflow(x=x)


@theorem("raises", says=r"1/(n-3) \le 5", needs=N)
def raises(*, n: int) -> int:
    """Five."""
    return 5


@inequality_claim(raises, severity="statement", python="from others import raises\nassert 6 > raises(n=1)")
def somebody_divides_by_0() -> Iterator[tuple]:
    """A bug of the check."""
    for n in range(1, 6):
        yield {"n": n}, Fraction(1, n - 3), raises(n=n)


@theorem("nothing", says=r"-1/e \le x \log x", needs=[positive("x")])
def nothing(*, x: float) -> float:
    """No number."""
    return nan if x < 0.1 else x * log(x)


@inequality_claim(nothing, severity="statement", python="from others import nothing\nassert 1 > nothing(x=1)")
def nan_is_no_number() -> Iterator[tuple]:
    """The first is NaN on the left."""
    for x in (nan, 0.5):
        yield {"x": 1}, x * exp(-1), nothing(x=0.5)


@theorem("vacuous", kind="tail", says=r"\Pr[U > \beta] \le 3/2", needs=BETA)
def vacuous(*, beta: float) -> float:
    """A level that a uniform number passes with a chance of at most 3/2."""
    return beta


@tail_claim(vacuous, quick=grid(beta=[0.5]), bound=lambda beta: 1.5, control=Control("the level divided by {}", (2,)))
def uniform_numbers(rng, size, *, beta, factor=1):
    """Fresh numbers."""
    return rng.random(size) > vacuous(beta=beta) / factor


@theorem("far", says=r"n! \le 2^n", needs=N)
def far(*, n: int) -> int:
    """A power of two, which 100! exceeds by 10^128."""
    return 2**n


@inequality_claim(
    far, severity="statement", python="import math\nfrom others import far\nassert math.factorial(100) > far(n=100)"
)
def a_hundred_factors() -> Iterator[tuple]:
    """One case."""
    yield {"n": 100}, factorial(100), far(n=100)


@theorem("giants", kind="identity", says=r"n! = 1 \cdot 2 \cdots n", needs=N)
def giants(*, n: int) -> int:
    """The product, beyond all floats."""
    return prod(range(1, n + 1))


@identity_claim(giants)
def whole_numbers_beyond_floats() -> Iterator[tuple]:
    """Exactly, out to 2000!, which has 5,736 digits."""
    for n in (180, 2000):
        yield {"n": n}, factorial(n), giants(n=n)


@theorem("neighbours", kind="identity", says=r"n! = n! - 1", needs=N)
def neighbours(*, n: int) -> int:
    """One less."""
    return factorial(n) - 1


@identity_claim(
    neighbours,
    severity="statement",
    python="import math\nfrom others import neighbours\nassert math.factorial(2000) != neighbours(n=2000)",
)
def off_by_one() -> Iterator[tuple]:
    """Of a number that no float tells from the next."""
    yield {"n": 2000}, factorial(2000), neighbours(n=2000)
