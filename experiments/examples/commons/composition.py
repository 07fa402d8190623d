"""Many releases: basic, advanced and optimal composition, adaptive filters, groups and disjoint parts."""

from functools import cache
from math import comb
from typing import Any

import numpy as np
from scipy.special import gammaln

from lemmata.paper import (
    Step,
    at_least,
    between,
    exp,
    grid,
    identity_claim,
    in_unit_interval,
    integer,
    log,
    oracle_claim,
    positive,
    require,
    sqrt,
    theorem,
)

TIMES = [integer("k"), positive("epsilon"), between("each", 0, 1), in_unit_interval("delta")]
COMPOSED = {"k": 300, "epsilon": 20, "each": 1}
WHOLE = r"(\varepsilon,\delta)\text{-DP }k\text{ times}\Rightarrow"


@theorem(
    "dr14.thm3.16",
    kind="privacy",
    says=WHOLE + r"(k\varepsilon,k\delta)\text{-DP}",
    needs=[integer("k"), between("delta", 0, 1)],
)
def basic(*, k: Any, delta: Any) -> Any:
    """The delta of k releases at k epsilon. Use this for a few releases."""
    return k * delta


oracle_claim(
    basic,
    oracle="exact",
    cites=["Kairouz, Oh & Viswanath 2015, Theorem 3.3: the worst law of k releases"],
    quick=grid(k=[1, 20], delta=[1e-6, 0.5]),
    steps=[Step("Bernoulli's inequality")],
    reach={"delta": 0.999},
)(lambda *, k, delta: -np.expm1(k * np.log1p(-delta)))


def composed(target: float, *, k: int, epsilon: float, each: float, **_: Any) -> float:
    """The delta of k (epsilon, each)-private releases at `target`, less k `each`: their worst law is known."""
    j = np.arange(k + 1)
    ways = gammaln(k + 1) - gammaln(j + 1) - gammaln(k - j + 1) - k * np.logaddexp(0, epsilon)
    gains = np.exp(ways + j * epsilon) - np.exp(ways + (k - j) * epsilon + target)
    return 1 - (1 - each) ** k * (1 - np.sum(gains[gains > 0])) - k * each


SPENT = {
    "against": "delta",
    "oracle": "exact",
    "reach": COMPOSED,
    "quick": grid(k=[100, 1, 10], epsilon=[0.1, 0.01, 1.0], each=[0.0, 1e-6], delta=[1e-5, 0.1]),
}


@theorem(
    "dr14.thm3.20",
    kind="privacy",
    says=WHOLE + r"(\varepsilon\sqrt{2k\log(1/\delta')}+k\varepsilon(e^\varepsilon-1),k\delta+\delta')\text{-DP}",
    needs=TIMES,
)
def advanced(*, k: Any, epsilon: Any, each: Any, delta: Any) -> Any:
    """The epsilon of k releases, at k each + delta. Use Theorem 3.4 of Kairouz et al., which is smaller.

    >>> print(round(advanced(k=8, epsilon=1.0, each=0.0, delta=exp(-1.0)), 6))  # 4 + 8 (e - 1)
    17.746255
    """
    return sqrt(2 * k * log(1 / delta)) * epsilon + k * epsilon * (exp(epsilon) - 1)


@theorem(
    "kov15.thm3.4",
    kind="privacy",
    says=WHOLE
    + r"\left(\min\left\{k\varepsilon,\ A+\varepsilon\sqrt{2k\log(e+\tfrac{\sqrt{k\varepsilon^2}}{\delta'})},"
    r"\ A+\varepsilon\sqrt{2k\log(1/\delta')}\right\},1-(1-\delta)^k(1-\delta')\right),"
    r"\ A=\frac{(e^\varepsilon-1)\varepsilon k}{e^\varepsilon+1}",
    needs=TIMES,
)
def advanced_sharp(*, k: Any, epsilon: Any, each: Any, delta: Any) -> Any:
    """The epsilon of k releases in closed form. Use this by hand, and an accountant otherwise.

    >>> print(round(advanced_sharp(k=32, epsilon=0.5, each=0.0, delta=exp(-1.0)), 6))  # 4 + 16 tanh(1/4)
    7.918699
    """
    mean = k * epsilon * (exp(epsilon) - 1) / (exp(epsilon) + 1)
    wide = epsilon * sqrt(2 * k * log(np.e + sqrt(k) * epsilon / delta))
    return min(k * epsilon, mean + wide, mean + epsilon * sqrt(2 * k * log(1 / delta)))


oracle_claim(advanced, **SPENT)(composed)


def accounts(**_: Any) -> dict[str, list]:
    """The epsilon of k releases at epsilon = 0.1 and delta = 1e-6, by three formulas."""
    counts = np.unique(np.geomspace(1, 3000, 30).astype(int)).tolist()
    lines = {"advanced": advanced, "sharp": advanced_sharp}
    found = {name: [float(f(k=k, epsilon=0.1, each=0.0, delta=1e-6)) for k in counts] for name, f in lines.items()}
    return {"k": counts, "basic": [0.1 * k for k in counts], **found}


oracle_claim(advanced_sharp, figure=accounts, **SPENT)(composed)


@theorem(
    "m17.cor1",
    kind="privacy",
    says=r"\varepsilon\text{-DP }k\text{ times},\ \log(1/\delta)\ge k\varepsilon^2"
    r"\Rightarrow(4\varepsilon\sqrt{2k\log(1/\delta)},\delta)\text{-DP}",
    needs=[
        *(integer("k"), positive("epsilon"), in_unit_interval("delta")),
        require("log(1/delta) >= k epsilon²", lambda k, epsilon, delta: log(1 / delta) >= k * epsilon**2),
    ],
)
def advanced_by_renyi(*, k: Any, epsilon: Any, delta: Any) -> Any:
    """The epsilon of k pure releases by Rényi privacy. Use Theorem 3.4 of Kairouz et al., which is smaller.

    >>> print(round(advanced_by_renyi(k=2, epsilon=0.25, delta=exp(-1.0)), 6))
    2.0
    """
    return 4 * epsilon * sqrt(2 * k * log(1 / delta))


oracle_claim(
    advanced_by_renyi,
    against="delta",
    oracle="exact",
    caught=(4, 8, 20),
    reach={"k": 300},
    quick=grid(k=[1, 100], epsilon=[0.1, 0.01], delta=[1e-5, 0.1]),
)(lambda target, *, k, epsilon, delta: composed(target, k=k, epsilon=epsilon, each=0))


@theorem(
    "dr14.cor3.21",
    kind="privacy",
    says=r"\varepsilon=\frac{\varepsilon'}{2\sqrt{2k\log(1/\delta')}}\Rightarrow(\varepsilon',k\delta+\delta')\text{-DP}",
    needs=[integer("k"), in_unit_interval("target"), in_unit_interval("delta")],
)
def share(*, k: Any, target: Any, delta: Any) -> Any:
    """The epsilon of each of k releases. Use this for delta below 1/e."""
    return target / (2 * sqrt(2 * k * log(1 / delta)))


@share.corrected(
    says=r"\delta'\le\tfrac13:\ "
    r"\varepsilon=\frac{\varepsilon'}{2\sqrt{2k\log(1/\delta')}}\Rightarrow(\varepsilon',k\delta+\delta')\text{-DP}",
    needs=[integer("k"), in_unit_interval("target"), in_unit_interval("delta"), between("delta", 0, 1 / 3)],
)
def share_of_small_delta(*, k: Any, target: Any, delta: Any) -> Any:
    """The same for delta at most 1/3. Use this."""
    return share(k=k, target=target, delta=delta)


def shared(epsilon: float, *, k: int, target: float, delta: float) -> float:
    """The delta at `target` of k releases of `epsilon`."""
    return composed(target, k=k, epsilon=epsilon, each=0)


oracle_claim(
    share,
    against="delta",
    quick=grid(k=[1], target=[0.9], delta=[0.999]),
    severity="statement",
    corner=require("delta <= 1/3", lambda delta: delta <= 1 / 3),
    note="false for δ near 1, where its logarithm vanishes",
    python="""from composition import share
from math import exp
epsilon = share(k=1, target=0.9, delta=0.999)
assert (exp(epsilon) - exp(0.9)) / (1 + exp(epsilon)) > 0.999  # randomized response""",
)(shared)
oracle_claim(
    share_of_small_delta,
    against="delta",
    oracle="exact",
    reach={"k": 300},
    caught=(0.15,),
    quick=grid(k=[100, 1], target=[0.9, 0.1], delta=[0.1, 1e-6]),
)(shared)


@theorem(
    "kov15.thm3.3",
    kind="identity",
    says=WHOLE + r"\left((k-2i)\varepsilon,1-(1-\delta)^k(1-\delta_i)\right),\ \delta_i="
    r"\sum_{l=0}^{i-1}\binom kl\frac{e^{(k-l)\varepsilon}-e^{(k-2i+l)\varepsilon}}{(1+e^\varepsilon)^k}",
    needs=[
        integer("k"),
        integer("i", 0),
        require("2 i <= k", lambda i, k: 2 * i <= k),
        at_least("ratio", 1),
        between("delta", 0, 1),
    ],
)
def optimal(*, k: int, i: int, ratio: Any, delta: Any) -> Any:
    """The least delta at (k - 2i) epsilon, ratio = e^epsilon. Use this for equal pure releases: it is exact."""
    lost = sum(comb(k, m) * (ratio ** (k - m) - ratio ** (k - 2 * i + m)) for m in range(i))
    return 1 - (1 - delta) ** k * (1 - lost / (1 + ratio) ** k)


def enumerated(*, k: int, i: int, ratio: Any, delta: Any) -> Any:
    """The same from all outcomes of k randomized responses that reveal everything with probability delta."""
    gains = (comb(k, j) * max(ratio**j - ratio ** (k - 2 * i + k - j), 0) for j in range(k + 1))
    return 1 - (1 - delta) ** k + (1 - delta) ** k * sum(gains) / (1 + ratio) ** k


oracle_claim(
    optimal,
    oracle="exact",
    claim=identity_claim,
    reach={"k": 12, "ratio": 9},
    quick=grid(k=[2, 5, 9], i=[1, 0], ratio=[2.0, 1.5], delta=[0.1, 0.0]),
)(enumerated)


@theorem(
    "wrrw23.filter",
    reading="explicit",
    kind="privacy",
    says=r"\sqrt{2\log(1/\delta)\sum_m\varepsilon_m^2}+\tfrac12\sum_m\varepsilon_m^2\le\varepsilon"
    r"\Rightarrow(\varepsilon,\delta)\text{-DP for adaptive }\varepsilon_m",
    needs=[integer("units"), positive("epsilon"), in_unit_interval("delta")],
)
def filtered(*, units: Any, epsilon: Any, delta: Any) -> Any:
    """The epsilon of adaptive releases whose squares sum to units epsilon². Use this for adaptive accounts.

    >>> print(round(filtered(units=2, epsilon=3.0, delta=exp(-1.0)), 6))  # 6 + 9
    15.0
    """
    return sqrt(2 * log(1 / delta) * units) * epsilon + units * epsilon**2 / 2


def adaptive(target: float, *, units: int, epsilon: float, delta: float) -> float:
    """The largest delta of an analyst who chooses after each answer between epsilon, 2 epsilon and the end."""

    @cache
    def best(left: int, loss: int) -> float:
        now = max(0.0, 1 - np.exp(target - loss * epsilon))
        up = {size: 1 / (1 + np.exp(-size * epsilon)) for size in (1, 2) if size**2 <= left}
        further = (p * best(left - s**2, loss + s) + (1 - p) * best(left - s**2, loss - s) for s, p in up.items())
        return max(now, *further, 0.0)

    return best(units, 0)


oracle_claim(
    filtered,
    caught=(1.5, 2, 3, 4),
    against="delta",
    oracle="exact",
    reach={"units": 30},
    quick=grid(units=[20, 1, 5], epsilon=[0.2, 1.0], delta=[0.1, 1e-4]),
)(adaptive)


@theorem(
    "dr14.thm2.2",
    kind="privacy",
    says=r"\varepsilon\text{-DP}\Rightarrow k\varepsilon\text{-DP for groups of }k",
    needs=[integer("k"), positive("epsilon")],
)
def group(*, k: Any, epsilon: Any) -> Any:
    """The epsilon of groups of k. Use this for pure privacy."""
    return k * epsilon


oracle_claim(
    group,
    oracle="exact",
    cites=["Dwork & Roth 2014, Section 2.3: the definition, k times"],
    quick=grid(k=[3], epsilon=[0.5], z=[0.0, 1.0]),
    over=[between("z", -1e9, 1e9)],
    steps=[Step("the triangle inequality")],
)(lambda *, k, epsilon, z: epsilon * (abs(z - k) - abs(z)))


@theorem(
    "v17.lem2.2",
    kind="privacy",
    says=r"(\varepsilon,\delta)\text{-DP}\Rightarrow(k\varepsilon,ke^{k\varepsilon}\delta)\text{-DP for groups of }k",
    needs=[integer("k"), positive("epsilon"), in_unit_interval("delta")],
)
def group_delta(*, k: Any, epsilon: Any, delta: Any) -> Any:
    """The delta of groups of k. Use the sum delta (e^(k epsilon) - 1)/(e^epsilon - 1), which is smaller."""
    return k * exp(k * epsilon) * delta


@group_delta.quoted(
    part="exponent",
    by="public surveys, with the exponent k - 1",
    says=r"(\varepsilon,\delta)\text{-DP}"
    r"\Rightarrow(k\varepsilon,ke^{(k-1)\varepsilon}\delta)\text{-DP for groups of }k",
)
def group_delta_quoted(*, k: Any, epsilon: Any, delta: Any) -> Any:
    """The delta of groups of k with the smaller exponent. Use this by hand.

    >>> print(round(group_delta_quoted(k=3, epsilon=0.5, delta=0.125) * exp(-1.0), 6))
    0.375
    """
    return k * exp((k - 1) * epsilon) * delta


for _statement in (group_delta, group_delta_quoted):
    oracle_claim(
        _statement,
        quick=grid(k=[1, 4], epsilon=[0.01, 1.0], delta=[1e-6]),
        reach={"epsilon": 1, "k": 100},
        caught=(1.1, 2),
        oracle="exact",
        rounding=1e-12,
    )(lambda *, k, epsilon, delta: delta * np.expm1(k * epsilon) / np.expm1(epsilon))


@theorem(
    "mcs09.thm4",
    kind="privacy",
    says=r"\varepsilon\text{-DP on disjoint parts}\Rightarrow\varepsilon\text{-DP}",
    needs=[positive("epsilon")],
)
def parallel(*, epsilon: Any) -> Any:
    """The epsilon of releases of disjoint parts; neighbours differ by one record more. Use this for group-by."""
    return epsilon


PARALLEL = {
    "oracle": "exact",
    "over": [between("z", -1e9, 1e9), between("w", -1e9, 1e9)],
    "quick": grid(epsilon=[0.5], z=[0.0], w=[0.0]),
}
oracle_claim(
    parallel,
    cites=["McSherry 2009: answers about the other parts do not change"],
    steps=[Step("one part changes")],
    **PARALLEL,
)(lambda *, epsilon, z, w: epsilon * (abs(z - 1) - abs(z) + abs(w) - abs(w)))


@parallel.quoted(
    by="our reading for replaced records, which McSherry does not claim",
    says=r"\varepsilon\text{-DP if one record is replaced}",
)
def parallel_replaced(*, epsilon: Any) -> Any:
    """The same for neighbours of which one record is replaced, and moves between parts. Use 2 epsilon."""
    return epsilon


@parallel.explicit(part="replaced", says=r"2\varepsilon\text{-DP if one record is replaced}")
def parallel_twice(*, epsilon: Any) -> Any:
    """Two parts change when a record is replaced. Use this with bounded neighbours."""
    return 2 * epsilon


def moved(*, epsilon: Any, z: Any, w: Any) -> Any:
    """The loss of two Laplace counts where a record moves from one to the other."""
    return epsilon * (abs(z - 1) - abs(z) + abs(w + 1) - abs(w))


oracle_claim(
    parallel_twice,
    cites=["McSherry 2009: answers about the other parts do not change"],
    steps=[Step("two parts change")],
    **PARALLEL,
)(moved)
oracle_claim(
    parallel_replaced,
    severity="privacy",
    corrected_by=parallel_twice,
    note="a replaced record changes two parts",
    python="""from composition import moved, parallel_replaced
assert moved(epsilon=0.5, z=0, w=0) > parallel_replaced(epsilon=0.5)""",
    **PARALLEL,
)(moved)
