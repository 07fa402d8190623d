"""What audits and experiments are judged with: intervals for a proportion, and the errors that privacy allows."""

from typing import Any

import numpy as np
from laws import count_at_least, escapes
from scipy.special import betainc, ndtri
from scipy.stats import beta as beta_law, binom

from lemmata.paper import (
    Control,
    Step,
    between,
    exp,
    grid,
    in_unit_interval,
    inequality_claim,
    integer,
    oracle_claim,
    positive,
    require,
    theorem,
)

LEVEL = [integer("n"), in_unit_interval("delta")]


@theorem("cp34.sec4", kind="tail", says=r"\Pr[p>\mathrm{Beta}^{-1}(1-\delta;k+1,n-k)]\le\delta", needs=LEVEL)
def clopper_pearson(*, n: Any, delta: Any, k: Any = 0) -> Any:
    """The upper end of the exact interval for k of n successes. Use this for every proportion."""
    return np.where(k == n, 1.0, beta_law.ppf(1 - delta, k + 1, np.maximum(n - k, 1)))


@theorem(
    "bcd01.standard",
    kind="tail",
    reading="quoted",
    quoted_by="Brown, Cai & DasGupta 2001, of textbooks",
    says=r"\Pr\left[|p-\hat p|>z_{1-\delta/2}\sqrt{\hat p(1-\hat p)/n}\right]\le\delta",
    needs=LEVEL,
)
def wald(*, n: Any, delta: Any, mean: Any = 0.0) -> Any:
    """Half the length of the standard interval. Use the exact one.

    >>> print(round(wald(n=4, delta=0.05, mean=0.5), 6))  # 1.959964/4
    0.489991
    """
    return float(ndtri(1 - delta / 2)) * np.sqrt(mean * (1 - mean) / n)


def misses(**_: Any) -> dict[str, list]:
    """The chance that either interval misses p, n = 50 and delta = 0.05; the exact one has 0.025 on each side."""
    shares, counts = np.linspace(0.01, 0.5, 50).tolist(), np.arange(51)
    top = clopper_pearson(n=50, delta=0.025, k=counts)
    missed = lambda p: float(binom.pmf(counts, 50, p) @ ((p > top) | (p < 1 - top[::-1])))  # noqa: E731
    standard = [escapes(lambda mean: wald(n=50, delta=0.05, mean=mean), 50, p, 2) for p in shares]
    return {"p": shares, "allowed": [0.05] * 50, "standard": standard, "exact": [missed(p) for p in shares]}


@inequality_claim(
    clopper_pearson,
    cost=0.002,
    figure=misses,
    oracle="exact",
    over=[in_unit_interval("p")],
    reach={"n": 200},
    quick=grid(n=[50, 7], p=[0.0582, 0.5], delta=[0.05]),
    control=Control("the way from the mean to the end divided by {}", (1.1, 1.5, 2)),
)
def ends_miss(*, n, p, delta, factor=1):
    """The chance that the upper end is below p, summed over all counts."""
    ends = clopper_pearson(n=n, delta=delta, k=np.arange(n + 1))
    yield (
        {"n": n, "p": p, "delta": delta},
        escapes(lambda means: (ends - means) / factor, n, p, 1),
        delta,
    )


oracle_claim(
    wald,
    against="delta",
    severity="statement",
    corrected_by=clopper_pearson,
    over=[in_unit_interval("p")],
    quick=grid(n=[50], p=[0.02], delta=[0.05]),
    note="no success in 50 gives an interval of length 0",
    python="""from testing import wald
assert 0.98**50 > 0.05 and 0.02 > wald(n=50, delta=0.05, mean=0.0)""",
)(lambda _, *, n, p, delta: escapes(lambda mean: wald(n=n, delta=delta, mean=mean), n, p, 2))


@theorem(
    "kov15.thm2.1",
    kind="privacy",
    says=r"\mathrm{TPR}\le e^\varepsilon\mathrm{FPR}+\delta",
    needs=[positive("epsilon"), between("delta", 0, 1), between("fpr", 0, 1)],
)
def true_positives(*, epsilon: Any, delta: Any, fpr: Any) -> Any:
    """The share of members that a private mechanism lets a test find. Use this to audit with one canary."""
    return exp(epsilon) * fpr + delta


oracle_claim(
    true_positives,
    oracle="exact",
    quick=grid(epsilon=[1.0], delta=[1e-5, 0.1], fpr=[0.01, 0.5]),
    reach={"epsilon": 300},
    steps=[Step("one of the minimum")],
)(lambda *, epsilon, delta, fpr: min(exp(epsilon) * fpr + delta, 1 - exp(-epsilon) * (1 - delta - fpr), 1))


@theorem(
    "snj23.cor5.4",
    kind="tail",
    says=r"\Pr[W\ge v]\le\Pr[B\ge v]+2m\delta\max_{1\le i\le v}\frac{\Pr[v>B\ge v-i]}{i},"
    r"\ B\sim\mathrm{Bin}\left(r,\tfrac{e^\varepsilon}{e^\varepsilon+1}\right)",
    needs=[
        integer("m"),
        integer("r"),
        integer("v"),
        require("v <= r <= m", lambda v, r, m: v <= r <= m),
        positive("epsilon"),
        between("delta", 0, 1),
    ],
)
def one_run(*, m: Any, r: Any, v: Any, epsilon: Any, delta: Any) -> Any:
    """The chance of v right among r guesses about m canaries in one run. Use this to audit with one run.

    >>> print(round(one_run(m=4, r=1, v=1, epsilon=np.log(3.0), delta=0.125), 6))  # 3/4 + 2 4 1/8 1/4
    1.0
    """
    below = np.cumsum(binom.pmf(np.arange(v)[::-1], r, 1 / (1 + np.exp(-epsilon))))
    return one_run_pure(m=m, r=r, v=v, epsilon=epsilon, delta=delta) + 2 * m * delta * np.max(
        below / np.arange(1, v + 1)
    )


@one_run.quoted(by="public code that leaves out the term of delta", says=r"\Pr[W\ge v]\le\Pr[B\ge v]")
def one_run_pure(*, m: Any, r: Any, v: Any, epsilon: Any, delta: Any) -> Any:
    """The same without the term of delta, which is right for delta = 0. Use the whole bound."""
    return float(betainc(v, r - v + 1, 1 / (1 + np.exp(-epsilon))))  # P(B >= v)


def some_revealed(*, m: int, r: int, v: int, epsilon: float, delta: float, i: int) -> float:
    """Randomized response that shows i random canaries with chance m delta/i, so that each is shown with delta."""
    most, shown = 1 / (1 + np.exp(-epsilon)), min(i, r)
    all_well = count_at_least(r - shown, v - shown, most)
    rare = min(m * delta / i, 1)
    return (1 - rare) * count_at_least(r, v, most) + rare * all_well


RUNS = {"over": [integer("i"), require("i <= m", lambda i, m: i <= m)], "reach": {"m": 60, "epsilon": 20}}
oracle_claim(
    one_run,
    oracle="exact",
    rounding=1e-9,
    quick=grid(m=[40], r=[40, 20], v=[15, 3], epsilon=[0.5, 2.0], delta=[0.0, 0.01], i=[1, 8]),
    **RUNS,
)(some_revealed)
oracle_claim(
    one_run_pure,
    severity="statement",
    corrected_by=one_run,
    quick=grid(m=[1], r=[1], v=[1], epsilon=[1.0], delta=[0.1], i=[1]),
    note="a canary that is shown with chance δ is guessed rightly",
    python="""from math import exp
from testing import one_run_pure
right = 1 / (1 + exp(-1))
assert 0.1 + 0.9 * right > one_run_pure(m=1, r=1, v=1, epsilon=1.0, delta=0.1)""",
    **RUNS,
)(some_revealed)
