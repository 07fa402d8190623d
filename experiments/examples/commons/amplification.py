"""Fewer records: what sampling with and without replacement, and shuffling, add to privacy."""

from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import binom

from lemmata.paper import (
    at_least,
    between,
    exp,
    grid,
    in_unit_interval,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    sqrt,
    theorem,
)

SAMPLED = [between("q", 0, 1), at_least("ratio", 1), between("delta", 0, 1)]
AMPLIFIED = r"(\varepsilon,\delta)\text{-DP}\Rightarrow(\log(1+q(e^\varepsilon-1)),q\delta)\text{-DP}"


def gain(p: list, q: list, ratio: Any) -> Any:
    """The hockey-stick divergence of two laws on few outcomes, in the worse direction."""
    return max(sum(max(a - ratio * b, 0) for a, b in zip(x, y, strict=True)) for x, y in ((p, q), (q, p)))


def worst_pair(ratio: Any, delta: Any) -> tuple[list, list]:
    """The two laws of which every (epsilon, delta)-private pair is a function."""
    ratio, delta = Fraction(ratio), Fraction(delta)
    p = [delta, (1 - delta) * ratio / (1 + ratio), (1 - delta) / (1 + ratio), Fraction(0)]
    return p, p[::-1]


def mix(q: Any, p: list, other: list) -> list:
    """(1 - q) other + q p."""
    return [(1 - Fraction(q)) * b + Fraction(q) * a for a, b in zip(p, other, strict=True)]


@theorem("bbg18.thm8", kind="privacy", says=AMPLIFIED + r",\ \text{Poisson samples, one record more}", needs=SAMPLED)
def poisson(*, q: Any, ratio: Any, delta: Any) -> Any:
    """The delta at log(1 + q (ratio - 1)) of a Poisson sample, ratio = e^epsilon. Use this with added records."""
    return q * delta


@poisson.quoted(
    by="our reading for replaced records, which the theorem does not claim",
    says=AMPLIFIED + r",\ \text{one record replaced}",
)
def poisson_replaced(*, q: Any, ratio: Any, delta: Any) -> Any:
    """The same where the mechanism is private for replaced records only. Use samples without replacement."""
    return q * delta


@theorem(
    "bbg18.thm9",
    kind="privacy",
    says=AMPLIFIED + r",\ q=\tfrac mn,\ \text{without replacement, one record replaced}",
    needs=SAMPLED,
)
def subset(*, q: Any, ratio: Any, delta: Any) -> Any:
    """The same for a fixed number of records without replacement. Use this with replaced records."""
    return q * delta


def subset_gain(*, q: Any, ratio: Any, delta: Any) -> Any:
    """Samples with the record, in three places beside those without it."""
    p, other = worst_pair(ratio, delta)
    rest = (p, other, mix(0.5, p, other))
    return max(gain(mix(q, p, a), mix(q, other, a), 1 + Fraction(q) * (Fraction(ratio) - 1)) for a in rest)


SAMPLES = {
    "reach": {"ratio": 50},
    "quick": grid(q=[0.1, 1.0], ratio=[3.0], delta=[0.01, 0.0]),
}
oracle_claim(poisson, **SAMPLES)(
    lambda *, q, ratio, delta: gain(
        mix(q, *worst_pair(ratio, delta)), worst_pair(ratio, delta)[1], 1 + Fraction(q) * (Fraction(ratio) - 1)
    )
)
oracle_claim(subset, **SAMPLES)(subset_gain)
oracle_claim(
    poisson_replaced,
    severity="privacy",
    corrected_by=subset,
    quick=grid(q=[0.1], ratio=[3.0], delta=[0.0]),
    note="a mechanism that tells the size of its sample is not amplified",
    python="""from amplification import poisson_replaced
q, ratio = 0.1, 3
told = q * (ratio / (1 + ratio) - (1 + q * (ratio - 1)) / (1 + ratio))  # the sample has the record: its answer
assert told > poisson_replaced(q=q, ratio=ratio, delta=0)""",
)(lambda *, q, ratio, delta: q * gain(*worst_pair(ratio, delta), 1 + Fraction(q) * (Fraction(ratio) - 1)))


@theorem(
    "fmt21.thm3.1",
    kind="privacy",
    says=r"\varepsilon=\log\left(1+\frac{e^{\varepsilon_0}-1}{e^{\varepsilon_0}+1}"
    r"\left(\frac{8\sqrt{e^{\varepsilon_0}\log(4/\delta)}}{\sqrt n}+\frac{8e^{\varepsilon_0}}{n}\right)\right)",
    needs=[
        positive("local"),
        integer("n"),
        in_unit_interval("delta"),
        require("local <= log(n/(16 log(2/delta)))", lambda local, n, delta: local <= log(n / (16 * log(2 / delta)))),
    ],
)
def shuffled(*, local: Any, n: Any, delta: Any) -> Any:
    """The epsilon of n shuffled reports of local privacy. Use the numerical bound of the same authors.

    >>> print(round(shuffled(local=log(3.0), n=1600, delta=4 * exp(-3.0)), 6))  # log(1 + (24/40 + 24/1600)/2)
    0.268117
    """
    e = exp(local)
    return log(1 + (e - 1) / (e + 1) * (8 * sqrt(e * log(4 / delta)) / sqrt(n) + 8 * e / n))


def shuffled_delta(target: float, *, local: float, n: int, delta: float) -> float:
    """The delta of the pair to which they reduce shuffling: a report hidden among C clones of either kind."""
    c, a = np.arange(n)[:, None], np.arange(n + 1)[None, :]
    p = 1 / (1 + np.exp(-local))
    hidden, shown = binom.pmf(a, c, 0.5), binom.pmf(a - 1, c, 0.5)
    weights = binom.pmf(c, n - 1, np.exp(-local))
    gains = p * shown + (1 - p) * hidden - np.exp(target) * ((1 - p) * shown + p * hidden)
    return float(np.sum(weights * np.maximum(gains, 0)))


oracle_claim(
    shuffled,
    against="delta",
    oracle="above",
    cites=["Feldman, McMillan & Talwar 2021, Theorem 3.2"],
    reach={"n": 100},
    caught=(4, 10, 20),
    quick=(*grid(local=[1.0], n=[400], delta=[0.01]), *grid(local=[0.1], n=[100], delta=[0.1])),
)(shuffled_delta)
