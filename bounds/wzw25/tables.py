"""Tables 1 and 2 of Wang, Zhu & Wang (2025): their entries against what they quote, and errors of Algorithm 3.

A table makes no claim of its own, its entries are quotations, and a quotation is right if the two rates are equal up to
a constant. Up to a factor a sum is its largest term. So each term of one rate must be at most a weighted geometric mean
of the other's terms, on the whole domain: `experiments/checks/monomials.py` finds the weights, or else a direction
along which the ratio of the rates grows without bound. The part "measured" bounds the error of Algorithm 3.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from inspect import signature
from math import log, sqrt

from lemmata.bounds.bms22 import BMS22
from lemmata.bounds.exact.numbers import Number, alike, exp, steps
from lemmata.bounds.theorem import Hypothesis, P, S, Statement, at_least, between, integer, positive, require, theorem
from lemmata.bounds.wzw25 import WZW25, table_rates as rates
from lemmata.bounds.wzw25.margin_grid import doubling_grid
from lemmata.bounds.wzw25.one_margin import summed_loss
from lemmata.bounds.wzw25.table_rates import Rate, at_unit_norms, quotient, value

DOMAIN = {  # of the letters of the tables; s counts outliers, a = C b / gamma
    "n": [integer("n")],
    "gamma": [positive("gamma"), between("gamma", 0, 1)],
    "a": [at_least("a", 1)],
    "epsilon": [positive("epsilon"), between("epsilon", 0, 1)],
    "R": [between("R", 0, 1)],
    "s": [integer("s", 0)],
}
COMPARED: dict[str, tuple[Rate, Rate]] = {}  # key of a row: (what is quoted, what it quotes)
TABLE1 = (rates.TABLE1_REALIZABLE, rates.TABLE1_MARGIN, rates.TABLE1_HINGE, rates.TABLE1_ADAPTIVE)
TABLE2 = (rates.TABLE2_MARGIN, rates.TABLE2_HINGE, rates.TABLE2_ADAPTIVE)


def domain(*letters: str) -> list[Hypothesis]:
    """The hypotheses on the letters of a formula."""
    return [hypothesis for letter in letters for hypothesis in DOMAIN[letter]]


def quotation(
    id: str, quoted: Rate, original: Rate, source: str, reading: str = "printed"
) -> Callable[[Callable[P, S]], Statement[P, S]]:
    """A row of the ledger that says: the two rates are equal up to a constant, wherever both are defined."""
    COMPARED[f"{id}/{reading}"] = quoted, original
    says = rf"{quoted.display}\asymp {original.display}"

    def record(formula: Callable[P, S]) -> Statement[P, S]:
        row = theorem(
            id, reading=reading, kind="identity", says=says, needs=domain(*signature(formula).parameters), source=source
        )
        return row(formula)

    return record


@theorem(
    "wzw25.tab1",
    kind="definition",
    says=r",\quad ".join(entry.display for entry in TABLE1),
    needs=domain("n", "gamma", "epsilon", "R", "s"),
)
def table1(*, n: int, gamma: float, epsilon: float, R: float, s: int) -> tuple[float, ...]:
    """The population zero-one rates of four methods for norms O(1), as in Table 1.

    (Nguyen et al., for separable data and known gamma; BMS22 Theorem 3.1, excess over the ramp loss R; BMS22 Theorem
    3.2, excess over the hinge loss; Theorem 4.1, with s outliers), constants and logarithms left out. The work of
    Nguyen et al. is not among our sources. A table makes no claim of its own; its entries are quotations.

    >>> [round(x, 3) for x in table1(n=10000, gamma=0.5, epsilon=1.0, R=0.0, s=10)]
    [0.0, 0.0, 0.02, 0.002]
    """
    return tuple(value(entry, n=n, gamma=gamma, epsilon=epsilon, R=R, s=s) for entry in TABLE1)


@quotation(
    "wzw25.tab1.s1",
    rates.TABLE1_REALIZABLE,
    rates.SEPARABLE,
    f", row 2, realizable, against {BMS22}, Theorem 3.1 at R = 0",
)
def realizable_by_table1(*, n: int, gamma: float, epsilon: float) -> float:
    """Table 1 quotes Theorem 3.1 of BMS22 for separable data.

    Quoted over source: Gamma of the theorem at Lambda = r = 1 without its logarithms. 1/(n gamma^2) and 1/n are no
    larger than the first term for gamma, epsilon <= 1.

    >>> round(realizable_by_table1(n=1000, gamma=0.5, epsilon=1.0), 3)
    0.444
    """
    return quotient(rates.TABLE1_REALIZABLE, rates.SEPARABLE, n=n, gamma=gamma, epsilon=epsilon)


@quotation("wzw25.tab1.s2", rates.TABLE1_MARGIN, rates.MARGIN_LOSS, f", row 2, agnostic, against {BMS22}, Theorem 3.1")
def agnostic_by_table1(*, n: int, gamma: float, epsilon: float, R: float) -> float:
    """Table 1 quotes Theorem 3.1 of BMS22 for all data.

    Quoted over source, both as excess over R, which has the factor 1 on both sides. The table has n^2 gamma^2 where
    the theorem, and Table 2, have n gamma^2.

    >>> round(agnostic_by_table1(n=10**8, gamma=0.01, epsilon=1.0, R=1.0), 4)
    0.0195
    """
    return quotient(rates.TABLE1_MARGIN, rates.MARGIN_LOSS, n=n, gamma=gamma, epsilon=epsilon, R=R)


@quotation(
    "wzw25.tab1.s2", rates.TABLE1_MARGIN_CORRECTED, rates.MARGIN_LOSS, ", row 2, agnostic, with n for n^2", "corrected"
)
def agnostic_corrected(*, n: int, gamma: float, epsilon: float, R: float) -> float:
    """The rate of BMS22's Theorem 3.1 for all data as Table 1 should quote it.

    Quoted over source, with 1/(n gamma^2) + 1/n under the root.

    >>> round(agnostic_corrected(n=10**8, gamma=0.01, epsilon=1.0, R=1.0), 4)
    0.9902
    """
    return quotient(rates.TABLE1_MARGIN_CORRECTED, rates.MARGIN_LOSS, n=n, gamma=gamma, epsilon=epsilon, R=R)


@quotation(
    "wzw25.tab1.s3", rates.TABLE1_HINGE, rates.HINGE_LOSS, f", row 3, both columns, against {BMS22}, Theorem 3.2"
)
def hinge_by_table1(*, n: int, gamma: float, epsilon: float) -> float:
    """Table 1 quotes Theorem 3.2 of BMS22.

    Quoted over source, excess over the smallest gamma-hinge loss in the unit ball, which is 0 for data of margin
    gamma: both columns at once.

    >>> round(hinge_by_table1(n=1000, gamma=0.5, epsilon=1.0), 3)
    0.4
    """
    return quotient(rates.TABLE1_HINGE, rates.HINGE_LOSS, n=n, gamma=gamma, epsilon=epsilon)


@quotation("wzw25.tab1.s4", rates.TABLE1_ADAPTIVE, rates.ADAPTIVE, ", row 4, both columns, against Theorem 4.1")
def adaptive_by_table1(*, n: int, gamma: float, epsilon: float, s: int) -> float:
    """Table 1 quotes the main theorem's rate for DP Adaptive Margin (cf. Theorem 4.1).

    Quoted over source at epsilon <= 1; s = 0 is the realizable column. The table drops gamma > 0, without which the
    entry is infinite anyway, and the minimum with 1.

    >>> adaptive_by_table1(n=1000, gamma=0.5, epsilon=1.0, s=3)
    1.0
    """
    return quotient(rates.TABLE1_ADAPTIVE, rates.ADAPTIVE, n=n, gamma=gamma, epsilon=epsilon, s=s)


@quotation("wzw25.tab1.s5", rates.SECTION_1_2, rates.HINGE_LOSS, f"{WZW25}, Section 1.2, against {BMS22}, Theorem 3.2")
def hinge_by_section_1_2(*, n: int, gamma: float, epsilon: float) -> float:
    """Section 1.2 quotes the excess hinge risk that BMS22 achieve.

    Quoted over source. The quoted rate is that of Lemma 3.1 of BMS22 in dimension k = 1/gamma^2; their Algorithm 2
    projects to k of the order epsilon m, because fewer rows do not keep the hinge loss, and Lemma 3.1 then gives the
    rate of Theorem 3.2.

    >>> round(hinge_by_section_1_2(n=10**6, gamma=0.5, epsilon=0.001), 3)
    0.091
    """
    return quotient(rates.SECTION_1_2, rates.HINGE_LOSS, n=n, gamma=gamma, epsilon=epsilon)


@theorem(
    "wzw25.tab1.s6",
    kind="rate",
    says=r"|S_{\mathrm{out}}|=o(\sqrt{n})\ \Rightarrow\ \frac{1/\sqrt{n}}{|S_{\mathrm{out}}|/n+1/n}\ge c\sqrt{n}",
    needs=domain("n", "s"),
    source=f"{WZW25}, Section 4, text below Theorem 4.1, which refers to Table 1",
)
def claimed_gain(*, n: int, s: int) -> float:
    """With o(sqrt n) outliers the rate improves on BMS22, Theorem 3.2, by sqrt(n).

    sqrt(n): the claimed size of the quotient of the two rates for fixed gamma and epsilon, (1/sqrt n) / (s/n + 1/n).

    >>> claimed_gain(n=100, s=3)
    10.0
    """
    return n**0.5


@claimed_gain.corrected(
    says=r"\frac{1/\sqrt{n}}{|S_{\mathrm{out}}|/n+1/n}=\frac{\sqrt{n}}{1+|S_{\mathrm{out}}|}",
    source=f"{WZW25}, Section 4, text below Theorem 4.1",
)
def actual_gain(*, n: int, s: int) -> float:
    """The rate improves on BMS22, Theorem 3.2, by sqrt(n) over the number of outliers.

    sqrt(n) / (1 + s) for fixed gamma and epsilon: a factor sqrt n for boundedly many outliers, and a gain at all for
    o(sqrt n).

    Derivation. (1/sqrt(n))/((s + 1)/n) = sqrt(n)/(1 + s), numerator and denominator multiplied by n: for fixed gamma
    and epsilon both rates are these two up to constants.

    >>> actual_gain(n=100, s=3)
    2.5
    """
    return n**0.5 / (1 + s)


# Table 2 --------------------------------------------------------------------------------------------------------------


@theorem(
    "wzw25.tab2",
    kind="definition",
    says=r",\quad ".join(entry.display for entry in TABLE2),
    needs=domain("n", "a", "epsilon", "R", "s"),
)
def table2(*, n: int, a: float, epsilon: float, R: float, s: int) -> tuple[float, ...]:
    """The population zero-one rates of three methods for norms b and C, as in Table 2.

    (BMS22 Theorem 3.1, excess over the ramp loss R; BMS22 Theorem 3.2, excess over the hinge loss; Theorem L.2, with s
    outliers) at a = C b / gamma (a = b / gamma in the last), constants and logarithms left out.

    >>> [round(x, 3) for x in table2(n=10000, a=2.0, epsilon=1.0, R=0.0, s=10)]
    [0.001, 0.05, 0.002]
    """
    return tuple(value(entry, n=n, a=a, epsilon=epsilon, R=R, s=s) for entry in TABLE2)


@quotation("wzw25.tab2.s1", rates.TABLE2_MARGIN, rates.MARGIN_LOSS_BALL, f", row 1, against {BMS22}, Theorem 3.1")
def margin_by_table2(*, n: int, a: float, epsilon: float, R: float) -> float:
    """Table 2 quotes Theorem 3.1 of BMS22.

    Quoted over source at C = Lambda, b = r, gamma = rho, n = m; the theorem asks for a >= 1.

    >>> margin_by_table2(n=1000, a=2.0, epsilon=1.0, R=0.1)
    1.0
    """
    return quotient(rates.TABLE2_MARGIN, rates.MARGIN_LOSS_BALL, n=n, a=a, epsilon=epsilon, R=R)


@quotation("wzw25.tab2.s2", rates.TABLE2_HINGE, rates.HINGE_LOSS_BALL, f", row 2, against {BMS22}, Theorem 3.2")
def hinge_by_table2(*, n: int, a: float, epsilon: float) -> float:
    """Table 2 quotes Theorem 3.2 of BMS22.

    Quoted over source.

    >>> hinge_by_table2(n=1000, a=2.0, epsilon=1.0)
    1.0
    """
    return quotient(rates.TABLE2_HINGE, rates.HINGE_LOSS_BALL, n=n, a=a, epsilon=epsilon)


@quotation("wzw25.tab2.s3", rates.TABLE2_ADAPTIVE, rates.ADAPTIVE_BALL, ", row 3, against Theorem L.2")
def adaptive_by_table2(*, n: int, a: float, epsilon: float, s: int) -> float:
    """Table 2 quotes the theorem for balls (cf. Theorem L.2).

    Quoted over source at epsilon <= 1, where 1 + 1/epsilon <= 2/epsilon, and gamma <= b.

    >>> round(adaptive_by_table2(n=1000, a=2.0, epsilon=1.0, s=3), 3)
    0.625
    """
    return quotient(rates.TABLE2_ADAPTIVE, rates.ADAPTIVE_BALL, n=n, a=a, epsilon=epsilon, s=s)


@quotation(
    "wzw25.tab2.s4",
    rates.TABLE1_MARGIN,
    at_unit_norms(rates.TABLE2_MARGIN),
    ", row 1 at C = b = 1, against Table 1, row 2",
)
def tables_agree_on_margin(*, n: int, gamma: float, epsilon: float, R: float) -> float:
    """Tables 1 and 2 agree on Theorem 3.1 of BMS22.

    Table 1 over Table 2 at C = b = 1. Table 2 has n where Table 1 has n^2.

    >>> round(tables_agree_on_margin(n=10**8, gamma=0.01, epsilon=1.0, R=1.0), 4)
    0.0195
    """
    return quotient(rates.TABLE1_MARGIN, at_unit_norms(rates.TABLE2_MARGIN), n=n, gamma=gamma, epsilon=epsilon, R=R)


@quotation(
    "wzw25.tab2.s5",
    rates.TABLE1_HINGE,
    at_unit_norms(rates.TABLE2_HINGE),
    ", row 2 at C = b = 1, against Table 1, row 3",
)
def tables_agree_on_hinge(*, n: int, gamma: float, epsilon: float) -> float:
    """Tables 1 and 2 agree on Theorem 3.2 of BMS22.

    Table 1 over Table 2 at C = b = 1.

    >>> round(tables_agree_on_hinge(n=1000, gamma=0.5, epsilon=1.0), 3)
    0.4
    """
    return quotient(rates.TABLE1_HINGE, at_unit_norms(rates.TABLE2_HINGE), n=n, gamma=gamma, epsilon=epsilon)


@quotation(
    "wzw25.tab2.s6",
    rates.TABLE1_ADAPTIVE,
    at_unit_norms(rates.TABLE2_ADAPTIVE),
    ", row 3 at b = 1, against Table 1, row 4",
)
def tables_agree_on_adaptive(*, n: int, gamma: float, epsilon: float, s: int) -> float:
    """Tables 1 and 2 agree on DP Adaptive Margin.

    Table 1 over Table 2 at b = 1.

    >>> tables_agree_on_adaptive(n=1000, gamma=0.5, epsilon=1.0, s=3)
    1.0
    """
    return quotient(rates.TABLE1_ADAPTIVE, at_unit_norms(rates.TABLE2_ADAPTIVE), n=n, gamma=gamma, epsilon=epsilon, s=s)


# What no learner can do -----------------------------------------------------------------------------------------------


@table1.explicit(
    part="any-learner",
    kind="identity",
    says=r"\inf_{\mathcal A\ (\varepsilon,\delta)\text{-label-DP}}\ \sup_S\ "
    r"\mathbb{E}[\tilde{\mathcal{R}}_S(\mathcal A(S))]"
    r"=\left(e^{-h\varepsilon}q_m-\delta\sum_{i=1}^{h}e^{-i\varepsilon}\right)_+,\ h=\lfloor m/2\rfloor,\ "
    r"q_{2h}=\frac{1}{2},\ q_{2h+1}=\frac{1-\delta}{1+e^{\varepsilon}}",
    needs=[integer("m"), positive("epsilon"), between("delta", 0, 1)],
    source=", column realizable; what privacy of the labels itself costs, for m records at each of 1/gamma^2 points",
)
def any_learner(*, m: int, epsilon: Number, delta: Number = 0) -> Number:
    """The least mean error of any label-private learner on the hardest data.

    Derivation. The points are d <= 1/gamma^2 orthonormal vectors, all m records at a point carry its label, and every
    labelling has margin 1/sqrt(d) >= gamma. The learner's label for one point depends on the labels of the others, so
    fix those at random: it remains to guess one bit from m records, (epsilon, delta)-privately in each. One record
    moves a probability p of saying + to at most min(e^epsilon p + delta, 1 - e^-epsilon (1 - p - delta)). By symmetry
    the midpoint between all labels - and all labels + is 1/2 (m even) or the step from q_m to 1 - q_m (m odd); from
    there the error 1 - p shrinks in each of h steps to e^-epsilon (1 - p - delta). A guess at each point attains it, as
    one label is at one point. A learner that is private in whole records is private in labels, so its error is at least
    as large.

    >>> print(f"{any_learner(m=2, epsilon=1.0):.4f}, {any_learner(m=7, epsilon=0.5):.4f}")
    0.1839, 0.0842
    """
    epsilon, delta, half = alike(epsilon, delta, Fraction(1, 2))
    error = (1 - delta) / (1 + exp(epsilon)) if m % 2 else half
    for _ in steps(m // 2):
        error = exp(-epsilon) * (error - delta)
    return max(error, 0 * half)


# Measured errors ------------------------------------------------------------------------------------------------------

RISK = r"\mathbb{E}[\tilde{\mathcal{R}}_S(\bar w_{\mathrm{out}})]\le\min_{\gamma'\in\Gamma,\,\gamma'\le\gamma}"
BOUND = (
    r"\left\{\frac{|S_{\mathrm{out}}|}{n}\left(1+\frac{3b}{\gamma'}\right)"
    r"+\frac{6b}{\gamma' n}\sqrt{\frac{n^2}{4T}+\frac{d}{\mu_c^2}}\right\}+\frac{\sqrt{2\log|\Gamma|}}{n\mu_c}"
)
NEEDS = [
    integer("n"),
    integer("outliers", 0),
    positive("mu"),
    integer("d"),
    integer("steps"),
    require("1/n <= gamma / radius <= 1", lambda n, gamma, radius: radius / n <= gamma <= radius),
]


@table1.explicit(
    part="measured",
    says=RISK + BOUND.replace("3b", "3").replace("6b", "6"),
    kind="mean",
    needs=NEEDS,
    source=", row 4; Lemma H.2 with our constants, no projection",
)
def adaptive_error(*, n: int, gamma: float, outliers: int, mu: float, d: int, steps: int, radius: float = 1.0) -> float:
    """Measured errors of DP Adaptive Margin, the rates of Table 1, and our bound.

    The expected empirical zero-one risk of Algorithm 3 without projections (dimension d no larger than any k), with
    Gaussian budget mu and T = `steps` tuned steps for each margin of the grid, mu_c = mu / sqrt(2 |Gamma|), on data of
    which `outliers` records leave the margin gamma. (1) The hinge sum bounds the errors, and at a grid value g <= gamma
    it is `summed_loss` at most in expectation. (2) The release errs at most as often as any candidate does, plus the
    noise of that candidate's score, which has mean 0, minus the noise of its own, whose mean is at most sqrt(2 log
    |Gamma|) / mu_c (a score counts errors, its noise has deviation 1 / mu_c).

    >>> round(adaptive_error(n=800, gamma=0.64, outliers=8, mu=0.268, d=5, steps=800), 2)
    0.59
    """
    grid = doubling_grid(n, radius)
    each = mu / sqrt(2 * len(grid))
    loss = partial(summed_loss, n=n, outliers=outliers, mu=each, rows=d, steps=steps, projected=False, stride="tuned")
    below = [g for g in grid if g <= gamma * (1 + 1e-12)]  # gamma may be a grid value that was rounded
    return (min(loss(gamma=float(g) / radius) for g in below) + sqrt(2 * log(len(grid))) / each) / n


@table2.explicit(
    part="measured",
    says=RISK + BOUND,
    kind="mean",
    needs=[*NEEDS, positive("radius")],
    source=", row 3; Lemma H.2 with our constants, no projection",
)
def adaptive_error_in_ball(
    *, n: int, gamma: float, outliers: int, mu: float, d: int, steps: int, radius: float
) -> float:
    """Measured errors of DP Adaptive Margin in a ball of radius b, and Table 2's rates.

    `adaptive_error` at gamma / b: Algorithm 3 in a ball of radius b is Algorithm 3 for the records divided by b.

    >>> round(adaptive_error_in_ball(n=800, gamma=6.4, outliers=8, mu=0.268, d=5, steps=800, radius=10.0), 2)
    0.59
    """
    return adaptive_error(n=n, gamma=gamma, outliers=outliers, mu=mu, d=d, steps=steps, radius=radius)
