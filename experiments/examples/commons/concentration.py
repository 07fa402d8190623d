"""Sums of independent variables, empirical distribution functions and the normal tail."""

from functools import cache
from typing import Any

import numpy as np
from laws import count_at_least, escapes
from scipy.stats import ksone, kstwo

from lemmata.paper import (
    Control,
    Phi,
    Step,
    between,
    exp,
    grid,
    in_unit_interval,
    inequality_claim,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    sqrt,
    theorem,
)

COINS = [integer("n"), integer("k"), in_unit_interval("p"), require("n p <= k <= n", lambda n, k, p: n * p <= k <= n)]
COUNTS = {
    "oracle": "exact",
    "quick": (*grid(n=[1], k=[1], p=[0.9]), *grid(n=[50, 400], k=[50], p=[0.1, 0.02])),
    "caught": (1.2, 2),
}
ALGEBRA = [Step("algebra")]


@theorem("h63.thm1", kind="tail", says=r"\Pr[\bar X-\mu\ge t]\le e^{-2nt^2},\ t=\tfrac kn-p", needs=COINS)
def hoeffding(*, n: Any, k: Any, p: Any) -> Any:
    """The chance of k of n, coins being the worst case. Use this where only the range is known."""
    return exp(-2 * (k - n * p) ** 2 / n)


@theorem(
    "blm13.thm2.9",
    kind="tail",
    says=r"\Pr[S\ge t]\le\exp\left(-\frac{v}{b^2}h\left(\frac{bt}{v}\right)\right)",
    needs=COINS,
)
def bennett(*, n: Any, k: Any, p: Any) -> Any:
    """Bennett's inequality, h(u) = (1 + u) log(1 + u) - u. Use this where the variance v is known."""
    v, b = n * p * (1 - p), 1 - p
    u = b * (k - n * p) / v
    return exp(-v / b**2 * ((1 + u) * log(1 + u) - u))


@theorem("blm13.eq2.10", kind="tail", says=r"\Pr[S\ge t]\le\exp\left(-\frac{t^2}{2(v+bt/3)}\right)", needs=COINS)
def bernstein(*, n: Any, k: Any, p: Any) -> Any:
    """Bernstein's inequality. Use this where a closed inverse is needed.

    >>> print(round(log(bernstein(n=8, k=5, p=0.5)), 6))  # -1/(2 (2 + 1/6))
    -0.230769
    """
    t = k - n * p
    return exp(-(t**2) / (2 * (n * p * (1 - p) + (1 - p) * t / 3)))


@theorem(
    "mu05.thm4.4",
    part="1",
    kind="tail",
    says=r"\Pr[X\ge(1+d)\mu]\le\left(\frac{e^d}{(1+d)^{1+d}}\right)^\mu",
    needs=COINS,
)
def chernoff(*, n: Any, k: Any, p: Any) -> Any:
    """The multiplicative Chernoff bound at (1 + d) n p = k. Use this for rare events."""
    return exp(k - n * p - k * log(k / (n * p)))


@theorem(
    "mu05.thm4.4",
    part="2",
    kind="tail",
    says=r"0<d\le1:\ \Pr[X\ge(1+d)\mu]\le e^{-\mu d^2/3}",
    needs=[positive("mu"), positive("d"), between("d", 0, 1)],
)
def chernoff_third(*, mu: Any, d: Any) -> Any:
    """The same for d at most 1. Use this by hand."""
    return exp(-mu * d**2 / 3)


@theorem(
    "m90.thm2",
    kind="tail",
    says=r"\Pr[S-np\ge n\varepsilon]\le\exp\left(-\frac{n\varepsilon^2}"
    r"{2(p+\varepsilon/3)(1-p-\varepsilon/3)}\right),\ \varepsilon=\tfrac kn-p",
    needs=COINS,
)
def massart_coins(*, n: Any, k: Any, p: Any) -> Any:
    """The chance of k of n coins, by Massart. Use this where a closed form is to be close to the exact tail.

    >>> print(round(log(massart_coins(n=12, k=9, p=0.5)), 6))  # -12/16/(2 (7/12) (5/12))
    -1.542857
    """
    t = k / n - p
    return exp(-n * t**2 / (2 * (p + t / 3) * (1 - p - t / 3)))


def tails(**_: Any) -> dict[str, list]:
    """The chance of k of 200 at p = 0.05, and its bounds."""
    counts = list(range(12, 40, 2))
    lines = {"hoeffding": hoeffding, "bennett": bennett, "bernstein": bernstein}
    bounds = {name: [float(f(n=200, k=k, p=0.05)) for k in counts] for name, f in lines.items()}
    return {"k": counts, **bounds, "exact": [count_at_least(200, k, 0.05) for k in counts]}


for _statement in (hoeffding, bennett, bernstein, massart_coins, chernoff):
    oracle_claim(_statement, figure=tails if _statement is bernstein else None, **COUNTS)(count_at_least)
oracle_claim(
    chernoff_third,
    quick=grid(mu=[1.0, 9.0], d=[0.01, 1.0]),
    oracle="above",
    caught=(1.1, 2),
    steps=[Step("(1 + d) log(1 + d) - d ≥ d²/3")],
)(lambda *, mu, d: exp(-mu * ((1 + d) * log(1 + d) - d)))

MEANS = [integer("n", 2), in_unit_interval("delta")]


@theorem(
    "mp09.thm4",
    kind="tail",
    says=r"\mu-\bar X\le\sqrt{\frac{2V_n\log(2/\delta)}{n}}+\frac{7\log(2/\delta)}{3(n-1)}",
    needs=MEANS,
)
def empirical_bernstein(*, n: Any, delta: Any, mean: Any = 0.5) -> Any:
    """The radius around the mean of n coins, with their own variance. Use this where the variance is unknown.

    >>> print(round(empirical_bernstein(n=8, delta=2 * exp(-3.0), mean=0.5), 6))  # sqrt(3/14) + 1
    1.46291
    """
    variance = mean * (1 - mean) * n / (n - 1)
    return sqrt(2 * variance * log(2 / delta) / n) + 7 * log(2 / delta) / (3 * (n - 1))


@theorem(
    "ams09.thm1",
    kind="tail",
    says=r"|\mu-\bar X|\le\sqrt{\frac{2V_t\log(3/\delta)}{t}}+\frac{3\log(3/\delta)}{t}",
    needs=MEANS,
)
def empirical_bernstein_both(*, n: Any, delta: Any, mean: Any = 0.5) -> Any:
    """The radius on both sides, with the variance that divides by n. Use this for confidence intervals.

    >>> print(round(empirical_bernstein_both(n=18, delta=3 * exp(-2.0), mean=0.25), 6))  # sqrt(1/24) + 1/3
    0.537457
    """
    return sqrt(2 * mean * (1 - mean) * log(3 / delta) / n) + 3 * log(3 / delta) / n


for _statement, _sides in ((empirical_bernstein, 1), (empirical_bernstein_both, 2)):

    @inequality_claim(
        _statement,
        oracle="exact",
        reach={"n": 300},
        over=[in_unit_interval("p")],
        quick=grid(n=[200, 20], p=[0.02, 0.5], delta=[0.2, 0.01]),
        control=Control("the radius divided by {}", (2, 3, 5, 9)),
    )
    def means_escape(*, n, p, delta, factor=1, statement=_statement, sides=_sides):
        """The chance that the mean of n coins is further away than the radius, summed over all counts."""
        yield (
            {"n": n, "p": p, "delta": delta},
            escapes(lambda mean: statement(n=n, delta=delta, mean=mean) / factor, n, p, sides),
            delta,
        )


@cache
def empty_bins(n: int, bins: int) -> dict[int, float]:
    """The probabilities of the numbers of empty bins after n balls."""
    law = {bins: 1.0}
    for _ in range(n):
        new: dict[int, float] = {}
        for empty, chance in law.items():
            new[empty] = new.get(empty, 0) + chance * (1 - empty / bins)
            new[empty - 1] = new.get(empty - 1, 0) + chance * empty / bins
        law = new
    return law


@theorem(
    "mcd89.lem1.2",
    kind="tail",
    says=r"\Pr[f-Ef\ge t]\le\exp\left(-\frac{2t^2}{\sum_ic_i^2}\right)",
    needs=[integer("n"), positive("t")],
)
def mcdiarmid(*, n: Any, t: Any) -> Any:
    """The bounded differences inequality with all c_i = 1. Use this for suprema.

    >>> print(round(log(mcdiarmid(n=4, t=3.0)), 6))
    -4.5
    """
    return exp(-2 * t**2 / n)


oracle_claim(
    mcdiarmid,
    oracle="exact",
    over=[integer("bins", 2)],
    quick=grid(n=[3, 30], t=[0.05, 2.0], bins=[3, 20]),
    reach={"n": 60, "bins": 60},
    caught=(1.5, 2),
)(lambda *, n, t, bins: sum(p for empty, p in empty_bins(n, bins).items() if empty - bins * (1 - 1 / bins) ** n >= t))

EMPIRICAL = [integer("n"), in_unit_interval("t")]


@theorem("m90.cor1", kind="tail", says=r"\Pr[\sup|F_n-F|>t]\le2e^{-2nt^2}", needs=EMPIRICAL)
def both_sides(*, n: Any, t: Any) -> Any:
    """The inequality of Dvoretzky, Kiefer and Wolfowitz with Massart's constant. Use this for quantiles."""
    return 2 * exp(-2 * n * t**2)


@theorem(
    "m90.thm1",
    kind="tail",
    says=r"\sqrt n\,t\ge\min\left(\sqrt{\tfrac{\log2}2},1.0841\,n^{-1/6}\right):\ \Pr[\sup(F-F_n)>t]\le e^{-2nt^2}",
    needs=[
        *EMPIRICAL,
        require(
            "sqrt(n) t >= min(sqrt(log(2)/2), 1.0841 n^(-1/6))",
            lambda n, t: sqrt(n) * t >= min(sqrt(log(2) / 2), 1.0841 * n ** (-1 / 6)),
        ),
    ],
)
def one_side(*, n: Any, t: Any) -> Any:
    """The same on one side. Use this for one-sided bands."""
    return exp(-2 * n * t**2)


@both_sides.quoted(by="our reading without a constant", says=r"\Pr[\sup|F_n-F|>t]\le e^{-2nt^2}")
def both_sides_without(*, n: Any, t: Any) -> Any:
    """The same on both sides without the 2. Use the 2.

    >>> print(round(log(both_sides_without(n=9, t=1 / 3)), 6))
    -2.0
    """
    return exp(-2 * n * t**2)


BANDS = {"rounding": 1e-6, "oracle": "exact"}
oracle_claim(both_sides, quick=grid(n=[400, 5], t=[0.05, 0.3]), **BANDS)(lambda *, n, t: float(kstwo.sf(t, n)))
oracle_claim(one_side, quick=grid(n=[400, 5], t=[0.05, 0.4]), caught=(1.1, 2), **BANDS)(
    lambda *, n, t: float(ksone.sf(t, n))
)
oracle_claim(
    both_sides_without,
    quick=grid(n=[1], t=[0.4]),
    severity="constant",
    note="one observation is always further than 0.4 from one of both sides",
    python="""from concentration import both_sides_without
assert 1 > both_sides_without(n=1, t=0.4)  # F_1 jumps from 0 to 1, by at least 1/2 on one side""",
)(lambda *, n, t: float(kstwo.sf(t, n)))


@theorem("f68.lemVII.2", kind="inequality", says=r"1-\Phi(x)\le\frac{\varphi(x)}{x}", needs=[positive("x")])
def mills(*, x: Any) -> Any:
    """The normal tail. Use exp(-x²/2)/2 below x = 0.8."""
    return exp(-(x**2) / 2) / (x * sqrt(2 * np.pi))


oracle_claim(mills, quick=grid(x=[30.0, 0.1, 1.0]), reach={"x": 37}, oracle="exact")(lambda *, x: float(Phi(-x)))
