"""Fewer records: what sampling with and without replacement, and shuffling, add to privacy."""

from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from scipy.special import gammaln
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
    """The same where the mechanism is private for replaced records only. Use one that is private for added ones too."""
    return q * delta


@poisson.explicit(part="both", says=AMPLIFIED + r",\ \text{Poisson samples, private for added and replaced records}")
def poisson_for_both(*, q: Any, ratio: Any, delta: Any) -> Any:
    """The same for both neighbours, of a mechanism that is private for both. Use this with replaced records.

    Derivation. Given the other records the two releases are (1 - q) M(S) + q M(S, x) and (1 - q) M(S) + q M(S, y), of
    which each two laws are (epsilon, delta)-close. By advanced joint convexity their divergence at 1 + q (ratio - 1)
    is at most q times that of M(S, x) from a mixture of M(S) and M(S, y) at ratio, so at most q delta.
    """
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


@subset.explicit(
    part="added",
    says=r"(\varepsilon,\delta)\text{-DP for replaced records}\Rightarrow(\log(1+q(e^\varepsilon-1)),q\delta)"
    r"\text{-DP for one record more},\ q=\tfrac{m}{n+1}",
    needs=[integer("m"), integer("n"), require("m <= n", lambda m, n: m <= n), *SAMPLED[1:]],
)
def subset_added(*, m: Any, n: Any, ratio: Any, delta: Any) -> Any:
    """The same for m of n or n + 1 records, under added records. Use m/(n + 1), which is smaller than m/n.

    Derivation. A sample of the n + 1 records has the new one with probability q. Without it, it is a sample of the n;
    with it, it is one of them in which a uniform record is replaced. So the two laws are a and (1 - q) a + q p with
    (epsilon, delta)-close a and p.

    >>> subset_added(m=2, n=7, ratio=3.0, delta=0.5)
    0.125
    """
    return m / (n + 1) * delta


def shares(*, m: int, n: int) -> tuple[Fraction, Fraction]:
    """The shares of samples of m of n + 1 records that have the new one, and that have not, by counting."""
    return Fraction(comb(n, m - 1), comb(n + 1, m)), Fraction(comb(n, m), comb(n + 1, m))


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
    poisson_for_both, oracle="exact", cites=["Balle et al. 2018, Theorem 2: advanced joint convexity"], **SAMPLES
)(subset_gain)
oracle_claim(
    subset_added,
    oracle="exact",
    quick=grid(m=[1, 5], n=[5, 40], ratio=[3.0], delta=[0.01, 0.0]),
    reach={"n": 300, "ratio": 50},
)(
    lambda *, m, n, ratio, delta: gain(
        mix(shares(m=m, n=n)[0], *worst_pair(ratio, delta)),
        worst_pair(ratio, delta)[1],
        1 + shares(m=m, n=n)[0] * (Fraction(ratio) - 1),
    )
)
oracle_claim(
    poisson_replaced,
    severity="privacy",
    corrected_by=poisson_for_both,
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
    """The delta of the pair to which they reduce shuffling: a report hidden among C clones of either kind.

    Counts that have together less than 1e-15 of the mass are left out, and this much is added.
    """
    like, p = np.exp(-local), 1 / (1 + np.exp(-local))
    spread = 9 * np.sqrt((n - 1) * like * (1 - like)) + 40
    c = np.arange(max(0, int((n - 1) * like - spread)), min(n - 1, int((n - 1) * like + spread)) + 1)
    wide = int(min(c[-1] + 1, 5 * np.sqrt(c[-1]) + 40))
    a = c[:, None] // 2 + np.arange(-wide, wide + 2)[None, :]
    logs = gammaln(np.arange(n + 1) + 1)

    def halves(a: Any) -> Any:
        inside = (a >= 0) & (a <= c[:, None])
        ways = logs[c][:, None] - logs[np.where(inside, a, 0)] - logs[np.where(inside, c[:, None] - a, 0)]
        return np.exp(np.where(inside, ways - c[:, None] * np.log(2), -np.inf))

    shown, hidden = halves(a - 1), halves(a)
    gains = p * shown + (1 - p) * hidden - np.exp(min(float(target), 700)) * ((1 - p) * shown + p * hidden)
    return float(binom.pmf(c, n - 1, like) @ np.maximum(gains, 0).sum(axis=1)) + 1e-15


@theorem(
    "efmrtt19.thm7",
    kind="privacy",
    says=r"\varepsilon=\varepsilon_1\sqrt{2n\log(1/\delta)}+n\varepsilon_1(e^{\varepsilon_1}-1),"
    r"\ \varepsilon_1=\frac{2e^{2\varepsilon_0}(e^{\varepsilon_0}-1)}{n}",
    needs=[positive("local"), integer("n", 2), in_unit_interval("delta")],
)
def shuffled_by_swaps(*, local: Any, n: Any, delta: Any) -> Any:
    """The first bound for n shuffled reports. Use Theorem 3.1 of Feldman et al., which is smaller for large epsilon.

    >>> print(round(shuffled_by_swaps(local=log(2.0), n=8, delta=exp(-1.0)), 6))  # 4 + 8 (e - 1)
    17.746255
    """
    step = 2 * exp(2 * local) * (exp(local) - 1) / n
    return step * sqrt(2 * n * log(1 / delta)) + n * step * (exp(step) - 1)


@theorem(
    "efmrtt19.thm7",
    part="simple",
    kind="privacy",
    says=r"\varepsilon_0<\tfrac12,\ \delta<\tfrac1{100},\ n\ge1000:"
    r"\ \varepsilon=12\varepsilon_0\sqrt{\frac{\log(1/\delta)}{n}}",
    needs=[
        positive("local"),
        require("local < 1/2", lambda local: local < 0.5),
        integer("n", 1000),
        in_unit_interval("delta"),
        require("delta < 1/100", lambda delta: delta < 0.01),
    ],
)
def shuffled_simple(*, local: Any, n: Any, delta: Any) -> Any:
    """The same for small epsilon, as the abstract advertises it. Use this by hand.

    >>> print(round(shuffled_simple(local=0.25, n=3600, delta=exp(-16.0)), 6))  # 12 (4/60)/4
    0.2
    """
    return 12 * local * sqrt(log(1 / delta) / n)


oracle_claim(
    shuffled,
    against="delta",
    oracle="above",
    cites=["Feldman, McMillan & Talwar 2021, Theorem 3.2"],
    reach={"n": 100},
    caught=(4, 10, 20),
    quick=(*grid(local=[1.0], n=[400], delta=[0.01]), *grid(local=[0.1], n=[100], delta=[0.1])),
)(shuffled_delta)


def reports(**_: Any) -> dict[str, list]:
    """The epsilon of n shuffled reports at local epsilon 1 and delta = 1e-6, by three formulas, where they apply."""
    counts = np.unique(np.geomspace(1000, 1e6, 25).astype(int)).tolist()
    lines = {"swaps": shuffled_by_swaps, "clones": shuffled}
    found = {name: [float(f(local=1.0, n=n, delta=1e-6)) for n in counts] for name, f in lines.items()}
    return {"n": counts, "local": [1.0] * len(counts), **found}


HIDDEN = {"against": "delta", "oracle": "above", "cites": ["Feldman, McMillan & Talwar 2021, Theorem 3.2"]}
oracle_claim(
    shuffled_by_swaps,
    figure=reports,
    caught=(8, 30, 200),
    quick=grid(local=[0.5, 1.0], n=[300, 2], delta=[1e-6, 0.1]),
    reach={"local": 3, "n": 300},
    **HIDDEN,
)(shuffled_delta)
oracle_claim(
    shuffled_simple,
    caught=(4, 10, 20),
    quick=grid(local=[0.49, 0.1], n=[1000], delta=[1e-6, 1e-3]),
    reach={"n": 3000},
    cost=0.005,
    **HIDDEN,
)(shuffled_delta)
