"""Exact failure probabilities of concrete laws, which every uniform deviation bound must allow for.

A bound "for all h: R(h) <= level(R_S(h))" fails for one hypothesis of the worst risk with the chance of a tail, for all
thresholds on the line when an empirical distribution function crosses a boundary, for all four sets of errors on two
atoms when a count leaves an interval. A formula that is too small is refuted by one of them.
"""

from fractions import Fraction

import numpy as np
from flint import arb
from scipy.special import betainccinv
from scipy.stats import binom

from lemmata.bounds.bms22.relative_deviation import deviation, deviation_probability
from lemmata.bounds.exact.balls import exact, lower_end, precise, upper_end
from lemmata.bounds.exact.binomials import at_least, at_most, crosses
from lemmata.experiments.checks.witness import inequality
from lemmata.experiments.engine.claims.verdict import holds, refuted, vacuous

CHAIN = 120  # samples up to this size: the law of all thresholds at once, exactly


def counts(m):
    """Numbers of errors at which a tail is examined: all of them, or about a hundred spread geometrically."""
    if m <= 400:
        return range(m)
    return sorted({0, *range(1, 20), *(int(k) for k in np.geomspace(20, m - 1, 80))})


# Failure probabilities of concrete laws -------------------------------------------------------------------------------


@precise
def chernoff(m, p, k):
    """-m kl(k/m, p), at least log P(Bin(m, p) <= k) where k < m p, and 0 elsewhere: a hundredth of its cost."""
    if not k < m * p:
        return arb(0)
    return (k * (m * p / k).log() if k else 0) + (m - k) * (m * (1 - p) / (m - k)).log()


@precise
def one_hypothesis(m, level):
    """(largest chance, count) that one hypothesis of the worst risk p has R > level(R_S).

    It fails iff the number of errors is at most k for some k with p > level(k/m); for p just above level(k/m) the
    chance is P(Bin(m, p) <= k). Those come first that Chernoff's bound allows to be large, and those that it forbids
    to be the largest are not computed. A level below 0 fails for p = 0 already.
    """
    risks = [(p, k) for k in counts(m) if (p := level(exact(Fraction(k, m)))) < 1]
    tails = sorted(((chernoff(m, p, k), p, k) for p, k in risks), key=lambda tail: upper_end(tail[0]), reverse=True)
    largest, errors = arb(0), 0
    for bound, p, k in tails:
        if bound.exp() < largest:
            continue
        chance = at_most(m, p, k)
        if chance > largest:
            largest, errors = chance, k
    return largest, errors


def tails_beyond(m, deviation):
    """(risks, chances) over a fine grid of risks R: P(R > R_S + deviation(R_S)), in floats.

    R_S + deviation(R_S) increases in R_S, so the event is that the number of errors is at most some number.
    """
    shares = np.arange(m + 1) / m
    levels = shares + deviation(shares)
    risks = np.unique(np.concatenate([np.linspace(0, 1, 401), np.minimum(1, levels + 1e-9)]))
    top = np.array([(risk > levels + 1e-12).sum() - 1 for risk in risks])
    return risks.tolist(), np.where(top >= 0, binom.cdf(top, m, risks), 0.0).tolist()


@precise
def all_thresholds(m, level):
    """The chance that some threshold fails when the errors are those x, uniform on [0, 1], below it."""
    return crosses(m, [level(exact(Fraction(k, m))) for k in range(m + 1)])


@precise
def two_atoms(n, level):
    """(largest chance, mass) that one of the four sets of errors on two atoms has risk above level(R_S).

    The atoms have mass p and 1 - p, p just above each of the levels in turn.
    """
    allowed = [level(exact(Fraction(j, n))) for j in range(n + 1)]
    if allowed[n] < 1 or allowed[0] < 0:
        return arb(1), 1.0
    largest, mass = arb(0), 0.0
    for k in counts(n):
        p = allowed[k] * (1 + arb("1e-12"))
        if not p < 1:
            break
        below = max((j for j in range(n + 1) if p > allowed[j]), default=-1)  # at most so many copies of the first atom
        above = min((j for j in range(n + 1) if 1 - p > allowed[n - j]), default=n + 1)  # or at least so many
        chance = at_most(n, p, below) + at_least(n, p, above) if below < above else arb(1)
        if chance > largest:
            largest, mass = chance, float(p)
    return largest, mass


def tail_witness(setting, beta, chance, how, python):
    """A failure probability above beta."""
    found = f"it is {float(chance):.3g}: {how}"
    claimed = f"a probability of failure of at most {beta:g}"
    return inequality(setting, chance, beta, claimed=claimed, found=found, python=python)


def improbable(setting, patterns, level):
    """Cases for `lemmata.bounds.bms22.relative_deviation`: risks above level(R_S) have at most chance beta."""
    m, beta = setting["m"], setting["beta"]
    for share in (0, 1e-6, 0.1, 0.5, 0.99):
        allowed = level(exact(share))
        if allowed < 1:
            square = deviation(exact(share), allowed)
            yield setting | {"R_S": share, "premise": "step s1"}, 1, m * square
            yield setting | {"R_S": share}, deviation_probability(m, patterns, square), exact(beta)


def decide_uniform(setting, m, V, beta, level, *, evidence="derivation", scope="everywhere", note="", python=""):
    """HOLDS by derivation unless one of the computed laws fails too often; `level`: the bound, a function of balls."""
    if not level(arb(0)) < 1:
        return vacuous("the bound is at least 1 even at empirical risk 0")
    chance, errors = one_hypothesis(m, level)
    how = f"one hypothesis, at most {errors} errors"
    if V >= 1 and m <= CHAIN and (chain := all_thresholds(m, level)) > chance:
        chance, how = chain, "thresholds on the line"
    if chance > exact(beta):
        return refuted("certificate", tail_witness(setting, beta, chance, how, python), note=note)
    series = curve(m, level, beta) if m <= 400 else {}
    note = "; ".join(filter(None, (note, f"largest probability computed {float(chance):.2g} ({how})")))
    return holds(evidence, scope, tightness=(lower_end(chance / exact(beta)), 1.0), note=note, series=series)


@precise
def curve(m, level, beta):
    """Along the empirical risk: the bound, and the largest risk that a confidence bound for one hypothesis allows."""
    shares = [k for k in counts(m) if level(exact(Fraction(k, m))) < 1]
    chosen = np.array(shares[:: max(1, len(shares) // 12)])
    values = [float(level(exact(Fraction(int(k), m)))) for k in chosen]
    largest = betainccinv(chosen + 1, m - chosen, beta)  # of P(Binomial(m, p) <= k) > beta
    return {"empirical risk": (chosen / m).tolist(), "bound": values, "one hypothesis": largest.tolist()}


def with_less(level, factor):
    """The bound with its complexity term divided by `factor`: it is homogeneous of degree one in both its terms."""
    return precise(lambda empirical: level(empirical * exact(factor)) / exact(factor))


def level_of(formula, **setting):
    """empirical risk -> bound, in balls; whole numbers of the setting stay whole."""
    values = {name: exact(v) if isinstance(v, float) or name in ("m", "n") else v for name, v in setting.items()}
    bare = formula.theorem.formula if hasattr(formula, "theorem") else formula  # `with_less` asks beyond a risk of 1
    return precise(lambda empirical: bare(**values, empirical=empirical))
