"""How the repetitions of private tuning grow: Appendix M.3 of Wang, Zhu & Wang (2025), over eta, beta and |Theta|.

The failure probability increases in r (docstring of `lemmata.bounds.wzw25.repetitions.largest_r`), and E K decreases.
So "failure <= beta implies ..." is decided at the largest admissible r, enclosed in balls from both sides; |Theta| =
log n is taken literally, as a real number, where the paper does.
"""

from fractions import Fraction
from inspect import signature

import numpy as np
from flint import ctx

from lemmata.bounds.exact import tnb
from lemmata.bounds.exact.balls import exact, upper_end
from lemmata.bounds.exact.tuning_curves import log_inverse_r
from lemmata.bounds.wzw25 import repetition_growth as bound, repetitions, run_counts
from lemmata.experiments.checks import (
    Step,
    exact_claim,
    grid,
    holds,
    identity_claim,
    inequality_claim,
    refuted,
    run_script,
    spread,
    witness,
)

BITS = 4000  # beta^(-1/eta) at eta = 0.01 has 4,000 bits
TEXT = {"n": [8, 20, 1000, 10**9], "alpha": [1.0, 0.25, 2.0], "eta": [1.0, 0.05, 0.5, 4.0, 100.0]}


def failure(eta, r, size):
    """The chance of missing the candidate, as a ball; 0 if there is no other."""
    return exact(0) if size == 1 else tnb.not_selected(eta, r, size)


def threshold(eta, beta, size):
    """Balls low < r* < high, r* the largest admissible r: every r <= low is admissible, none >= high is.

    None if no r is; high = 1 if all are. ArithmeticError if balls do not confirm the two ends.
    """
    w = log_inverse_r(eta, float(beta), float(size))
    if w == float("inf"):
        return None
    if w == 0:
        return 1 - exact(Fraction(1, 10**9)), exact(1)
    slack = exact(1e-9 + 1e-12 * w)
    low, high = (-exact(w) - slack).exp(), (-exact(w) + slack).exp()
    if not (failure(eta, low, size) <= beta < failure(eta, high, size)):
        raise ArithmeticError(f"1/r* at eta = {eta}, beta = {beta}, size = {size} is not exp({w})")
    return low, high


def in_balls(statement, point):
    """The value of a statement at a point, in balls; arguments that it does not take are left out."""
    formula = statement.theorem.formula
    return formula(**{name: exact(point[name]) for name in signature(formula).parameters})


# Appendix M.3 ---------------------------------------------------------------------------------------------------------


@identity_claim(
    bound.inverse_r_rearranged,
    quick=[TEXT],
    steps=[Step("algebra")],
    caught=(1.001, 2),
    digits=15,
    bits=512,
)
def text_rearranges(**setting):
    """Against the reciprocal of the printed r (cf. Lemma M.1) at beta = n^-alpha, |Theta| = log n."""
    for point in grid(**setting):
        n, alpha, eta = map(exact, point.values())
        yield point, 1 / repetitions.relaxed_r(eta, n**-alpha, n.log()), in_balls(bound.inverse_r_rearranged, point)


WHOLE_NUMBERS = """
from lemmata.bounds.wzw25.repetition_growth import inverse_r_as_printed
from lemmata.bounds.wzw25.repetitions import not_selected
n, alpha, eta, inverse_r, size = 8, 1, 1, 15, 3  # log n is 2.08, or 3 to base 2
assert not_selected(eta=eta, r=1 / inverse_r, size=size) <= n**-alpha  # the hypothesis
assert inverse_r < inverse_r_as_printed(n=n, alpha=alpha, eta=eta)  # and yet"""


@exact_claim(
    bound.inverse_r_as_printed,
    finding="its condition is sufficient, not necessary",
    quick=[TEXT],
    severity="constant",
    note="sufficient and not necessary, as in Lemma M.1. For fixed η the exact requirement on 1/r is smaller by a "
    "factor that tends to 1 as |Θ| grows (at η = 1 it is (|Θ| - 1)(nᵅ - 1)), but by an unbounded one as η → 0",
)
def text_bound_is_necessary(*, factor=1, **setting):
    """Literally at |Theta| = log n: an admissible r with 1/r below the bound. The witness has whole numbers."""
    ratios = []
    with ctx.workprec(BITS):
        for point in grid(**setting):
            n, alpha, eta = point.values()
            low, _ = threshold(eta, exact(n) ** -exact(alpha), exact(n).log())
            ratios.append(factor / low / in_balls(bound.inverse_r_as_printed, point))
        n, inverse_r, size = 8, 15, 3  # log 8 <= 3 = log2 8: both readings of |Theta| = log n at once
        claimed = in_balls(bound.inverse_r_as_printed, {"n": n, "alpha": 1, "eta": 1}) / factor
        admissible = failure(1, exact(1) / inverse_r, size) <= 1 / exact(n)
        if not any(x < 1 for x in ratios) or not admissible or not inverse_r < claimed:
            return holds("enumeration", "settings")
        point = {"n": n, "alpha": 1, "eta": 1, "size": size}
        broken = witness.inequality(setting, claimed, inverse_r, point=point, python=WHOLE_NUMBERS)
    note = f"1/r* over the printed bound at |Θ| = log n: {float(min(ratios)):.3g} to {float(max(ratios)):.3g}"
    sizes = np.geomspace(8, 1e9, 30).tolist()
    exact_need = [float(np.exp(log_inverse_r(0.5, 1 / x, np.log(x)))) for x in sizes]
    printed = [bound.inverse_r_as_printed(n=x, alpha=1, eta=0.5) for x in sizes]
    curve = {"n": sizes, "exact, alpha = 1, eta = 1/2": exact_need, "as printed": printed}
    return refuted("certificate", broken, note=note, series=curve)


def at_the_largest_r(statement, least, setting):
    """Cases statement <= least(eta, r) at beta = n^-alpha, r the least that is surely no smaller than any admissible.

    Points where no r is admissible are left out.
    """
    for point in grid(**setting):
        ends = threshold(point["eta"], exact(point["n"]) ** -exact(point["alpha"]), point["size"])
        if ends is not None:
            yield point, in_balls(statement, point), least(point["eta"], ends[1])


def least_mean(eta, r):
    """E K, which is 1 in the limit r = 1."""
    return exact(1) if exact(r) == 1 else tnb.mean(eta, r)


WHOLE = TEXT | {"n": [8, 2, 1000, 10**9], "size": [2, 3, 21, 1000]}
LOWER = {"bits": BITS, "rounding": 1e-8, "tightness": spread, "cost": 0.25}  # r* is known to about 1e-9


@inequality_claim(bound.inverse_r, quick=[WHOLE], caught=(1.8, 2), given=[repetitions.largest_r], **LOWER)
def inverse_r_grows_polynomially(**setting):
    """The corrected bound against 1/r*."""
    return at_the_largest_r(bound.inverse_r, lambda _, r: 1 / r, setting)


@inequality_claim(
    bound.expected_repetitions, quick=[WHOLE], caught=(1.8, 2), given=[bound.inverse_r, run_counts.mean], **LOWER
)
def expected_repetitions_grow_polynomially(**setting):
    """The explicit bound against the least E K."""
    return at_the_largest_r(bound.expected_repetitions, least_mean, setting)


@identity_claim(
    bound.repetitions_rate,
    quick=[TEXT],
    given=[bound.expected_repetitions],
    caught=(1.01, 1.1),
    bits=BITS,
    digits=15,
    scope="domain: every fixed η > 0, all α > 0, n, |Θ| ≥ 2",
)
def rate_follows(**setting):
    """The explicit bound is its value at n = 1, which depends on eta alone and is positive, times the printed order."""
    constants = {}
    for point in grid(**setting):
        unit = in_balls(bound.expected_repetitions, point | {"n": 1, "alpha": 1})
        yield point, in_balls(bound.expected_repetitions, point), unit * in_balls(bound.repetitions_rate, point)
        constants[point["eta"]] = 1 / unit
    values = ", ".join(f"{upper_end(c):.3g} at η = {eta:g}" for eta, c in sorted(constants.items()))
    c = "log c = log(1 - exp(-η log 1.5))/η"
    note = f"C(η) = 2/(min(1, η) c), {c}: {values}; finite for every η > 0, unbounded as η → 0"
    return {"note": note, "tightness": None}


@inequality_claim(
    bound.repetitions_of_any_law,
    quick=[WHOLE | {"eta": [-0.9, -0.05, 0.0, 0.1, 1.0, 1000.0]}],
    caught=(1.001, 1.1),
    **LOWER,
)
def any_law_needs_many(**setting):
    """Jensen's bound against the least E K at each eta, which nearly attains it at eta = 1000."""
    yield from at_the_largest_r(bound.repetitions_of_any_law, least_mean, setting)
    return {"note": "η = log n costs only polylogarithms"}


if __name__ == "__main__":
    run_script(__file__)
