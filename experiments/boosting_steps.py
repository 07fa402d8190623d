"""The proof of Lemma 3.1 of Bassily, Mohri & Suresh (2022), step by step: copies, groups, the scores' sensitivity."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import comb, exp, factorial, floor, log

import numpy as np
from flint import arb, fmpq

from bounds import boosting_steps as steps
from bounds.certify import at, certify, confirm, enclosure, exact, over, upper_end
from bounds.phased_sgd import one_round
from experiments.claim import Sabotage, attack_claim, exact_claim, grid, holds, inconclusive, refuted
from experiments.phased_sgd import witness
from mechanisms import boosting

# s1: copies of a record -----------------------------------------------------------------------------------------------


def at_least(j, m):
    """P(J >= j), J ~ Bin(m, 1/m), in fractions."""
    below = sum(comb(m, i) * (m - 1) ** (m - i) for i in range(min(j, m + 1)))
    return 1 - Fraction(below, m**m)


def ball(fraction):
    """A fraction as a ball."""
    return arb(fmpq(fraction.numerator, fraction.denominator))


@exact_claim(
    steps.copies_allowance,
    quick=({},),
    control=Sabotage("T divided by {}", (1.1, 1.5, 2)),
    cost=0.06,
    note=(
        "'fix a round' needs M >= 1, so delta_hat < 1; with M = log(2/beta) < 1 it would fail at m = 1 for delta_hat "
        "above 2 e^(-1/2)"
    ),
)
def copies_are_few(*, factor=1):
    """P(J >= j) against e^{-factor j/2}, the least that is allowed as T / factor rises to j; m up to 60, j to 25."""
    lowest = floor(2 * log(2) / factor) + 1  # T > 2 log 2
    worst, series = 0.0, {"j": [], "bound": [], "exact, m = 60": []}
    for m in range(1, 61):
        for j in range(lowest, 26):
            delta_hat = 2 * exp(-factor * j / 2) * (1 + 1e-9)  # just below: floor(T / factor) + 1 = j
            if delta_hat * m >= 1:
                continue
            chance, allowed = at_least(j, m), (exact(-factor) * j / 2).exp()
            if m == 60:
                series["j"].append(j), series["bound"].append(float(allowed))
                series["exact, m = 60"].append(float(chance))
            if ball(chance) > allowed * (1 + arb(1e-8)):
                code = [
                    "from scipy.stats import binom",
                    f"delta_hat = {delta_hat!r}  # T / {factor} is just below {j}",
                    f"assert binom.sf({j - 1}, {m}, 1 / {m}) > delta_hat / 2",
                ]
                sides = {"lhs": enclosure(ball(chance)), "rhs": enclosure(allowed)}
                point = {"m": m, "delta_hat": delta_hat, "j": j}
                return refuted(
                    "enumeration", witness(point, "<= delta_hat/2", float(chance), code, point=point, **sides)
                )
            worst = max(worst, float(chance) / float(allowed))
    for j in range(3, 26):  # m -> inf: C(m, j)/m^j <= 1/j!
        if not 1 / arb(factorial(j)) <= (-exact(factor) * j / 2).exp():
            return inconclusive("FAILED", f"1/j! is not small enough at j = {j}")
    if not (1 - 2 / arb(1).exp() < (-exact(factor)).exp() and arb(3) > (exact(factor) / 2).exp()):
        return inconclusive("FAILED", "the derivation does not reach all m")
    return holds("derivation", "everywhere: all m, delta < 1/m, M >= 1", tightness=(worst, 1.0), series=series)


# s2: groups -----------------------------------------------------------------------------------------------------------

BUDGETS = [
    (m, delta, M, share)
    for m in (1, 2, 10, 10**5)
    for delta in (0.9, 0.4, 1e-6, 1e-30)
    if delta * m < 1
    for M in (1, 3, 20)
    for share in (1e-6, 0.3, 1.0)
]


@exact_claim(
    steps.round_parameters,
    quick=({},),
    control=Sabotage("log({} M/delta) for log(2M/delta)", (4,)),
)
def parameters_agree(*, factor=1):
    """Steps 2 and 3 of the algorithm against the proof's fractions of epsilon_hat and delta_hat."""
    for m, delta, M, share in BUDGETS:
        epsilon = share * -log(delta)
        told = one_round(epsilon, delta / (factor / 2 if factor != 1 else 1), M)
        needed = steps.round_parameters(m=m, delta=delta, rounds=M, epsilon=epsilon)
        if max(abs(a / b - 1) for a, b in zip(told, needed, strict=True)) > 1e-12:
            point = {"m": m, "delta": delta, "rounds": M, "epsilon": epsilon}
            sides = {"lhs": [told[0]] * 2, "rhs": [needed[0]] * 2}
            return refuted("derivation", witness(point, "equal", list(told), point=point, **sides))
    note = "both denominators are 4M log(2M/delta), as 2/delta_hat = 2M/delta"
    return holds("derivation", "everywhere", tightness=(1.0, 1.0), note=note)


def group_sum(terms, x):
    """1 + e^x + ... with `terms` terms, as a ball."""
    return (terms * x).expm1() / x.expm1()


def against_closed_form(extra):
    """(point, sum, closed form) over the budgets: floor(T) + extra terms; (e^epsilon_hat - 1)/(e^epsilon' - 1)."""
    for m, delta, M, share in BUDGETS:
        first, epsilon = exact(share) * -exact(delta).log(), share * -log(delta)
        T = 2 * (2 * M / exact(delta)).log()
        x = first / (2 * M) / T
        point = {"m": m, "delta": delta, "rounds": M, "epsilon": epsilon}
        yield point, group_sum(floor(float(T)) + extra, x), (first / (2 * M)).expm1() / x.expm1()


@exact_claim(
    steps.printed_sum,
    quick=({},),
    severity="cosmetic",
    corrected_by="bms22.lem3.1.s2/corrected/sum",
)
def sum_has_a_term_too_many():
    """The printed sum from 0 to 2 log(2/delta_hat) and the closed form, in balls."""
    found, worst, beyond = None, 0.0, 0.0
    for point, total, closed in against_closed_form(1):
        worst = max(worst, upper_end(total / closed))
        beyond = max(
            beyond, upper_end(point["delta"] / (2 * (2 * point["rounds"] / exact(point["delta"])).log()) * total)
        )
        if total > closed and found is None:
            found = (point, total, closed)
    if found is None:
        return inconclusive("FAILED", "the sum equals its closed form at every point tried")
    point, total, closed = found
    code = [
        "import numpy as np",
        "from bounds.boosting_steps import allowed_copies, printed_sum, round_parameters",
        f"p = {point!r}",
        "x, T = round_parameters(**p)[0], allowed_copies(p['delta'], p['rounds'])",
        "total = sum(np.exp(x * j) for j in range(int(T) + 1))  # j = 0, ..., floor(T)",
        "assert total > printed_sum(**p) * (1 + 1e-9)",
    ]
    sides = {"point": point, "lhs": enclosure(total), "rhs": enclosure(closed)}
    note = (
        f"floor(T) + 1 terms, up to {worst:.2f} times the closed form; the group needs one fewer (corrected). With the "
        f"printed sum the chain would end at up to {beyond:.2f} delta_hat/2 (m = 1, delta near 1), else below 1"
    )
    return refuted("certificate", witness({}, "equal", "larger", code, **sides), note=note)


@exact_claim(
    steps.corrected_sum,
    quick=({},),
    control=Sabotage("{} terms more", (2,)),
    note="group privacy of J records needs the terms 0, ..., J - 1 (Dwork & Roth 2014), and J <= floor(T)",
)
def sum_of_the_group(*, factor=1):
    """floor(T) terms against the closed form: J epsilon' <= T epsilon' = epsilon_hat, and the sum increases in J."""
    worst = 0.0
    for point, total, closed in against_closed_form(0 if factor == 1 else factor):
        if total > closed:
            sides = {"point": point, "lhs": enclosure(total), "rhs": enclosure(closed)}
            return refuted("certificate", witness(point, "<= closed form", "larger", **sides))
        worst = max(worst, upper_end(total / closed))
    return holds("derivation", "everywhere", tightness=(worst, 1.0))


@exact_claim(
    steps.linear_bound,
    quick=({},),
    control=Sabotage("e^x - 1 >= {} x", (1.2,)),
)
def exponential_above_line(*, factor=1):
    """x/(e^x - 1) <= 1 for x = epsilon', certified on [1e-6, 1/2]; below by convexity, with slope 1 at 0."""

    def quotient(x):
        return factor / (1 + x / 2 + x**2 / 6)  # e^x - 1 >= x (1 + x/2 + x^2/6)

    worst = exact(1e-6) / exact(1e-6).expm1() * factor
    if worst > 1:
        point = {"x": 1e-6}
        sides = {"point": point, "lhs": enclosure(worst), "rhs": [1.0, 1.0]}
        return refuted("certificate", witness(point, "x/(e^x - 1) <= 1", float(worst), **sides))
    proof = certify(over(quotient), at(quotient), {"x": (1e-6, 0.5)}, 1)
    if proof.verdict != "HOLDS":
        return inconclusive("BUDGET", f"{proof.bound} was certified")
    largest = max(steps.round_parameters(m=m, delta=d, rounds=M, epsilon=-log(d))[0] for m, d, M, _ in BUDGETS)
    note = f"epsilon' <= log(1/delta)/(4M log(2M/delta)) < 1/4 for M >= 1; the largest tried is {largest:.3f}"
    return holds("derivation", "everywhere", tightness=(float(worst), 1.0), note=note)


@exact_claim(
    steps.half_bound,
    quick=({},),
    control=Sabotage("epsilon up to {} log(1/delta) / M", (4,)),
    note="the proof's last sentence, '(epsilon, delta_hat)-DP', is a slip for (epsilon_hat, delta_hat)",
)
def group_below_half(*, factor=1):
    """e^-l (e^{ul} - 1)/(ul) over u = epsilon_hat / l in (0, 1]: at u = 1 it is (1 - e^-l)/l <= 1, certified in l."""
    u = max(1.0, factor / 2)  # epsilon_hat = epsilon / (2M); the printed range and beyond the proof's u <= 1

    def quotient(l):
        return ((u - 1) * l).exp() / u * (-(u * l)).expm1() / -l

    for l in (1e-3, 1.0, 30.0):
        found = confirm({"l": l}, quotient, lambda l: arb(1))
        if found.exceeds:
            return refuted(
                "certificate",
                witness({"l": l, "u": u}, "<= 1", found.lhs, point={"l": l}, lhs=found.lhs, rhs=found.rhs),
            )
    proof = certify(lambda l: quotient(exact(l[0])), at(quotient), {"l": (1e-9, 1e3)}, 1)  # it decreases in l
    if proof.verdict != "HOLDS":
        return inconclusive("BUDGET", f"{proof.bound} was certified")
    axis = [float(x) for x in np.geomspace(1e-3, 30, 25)]
    series = {"log(1/delta)": axis, "bound": [1.0] * 25, "quotient at the end": [(1 - exp(-x)) / x for x in axis]}
    scope = "everywhere: epsilon_hat <= log(1/delta); beyond the box (1 - e^-l)/l <= min(1, 1/l)"
    return holds("derivation", scope, tightness=(proof.reached, 1.0), series=series)


# s3: the scores -------------------------------------------------------------------------------------------------------


def losses(w, x, y, rho):
    """The hinge of one record in R, in fractions."""
    return max(Fraction(0), 1 - y * w * x / rho)


def largest_move(m, radius, norm_bound, rho):
    """The largest |L_S(w) - L_S'(w)| over w and records on grids of R that contain the ends, in fractions."""
    grid_x = [radius * Fraction(i, 4) for i in range(-4, 5)]
    grid_w = [norm_bound * Fraction(i, 4) for i in range(-4, 5)] + [
        rho / radius if rho / radius < norm_bound else norm_bound
    ]
    found = [sorted(losses(w, x, y, rho) for x in grid_x for y in (-1, 1)) for w in grid_w]
    return max(values[-1] - values[0] for values in found) / m


def selection_ratio(law, other, M):
    """The largest log-ratio of the selection over its outputs: one candidate at Lambda e, M - 1 at -Lambda e."""
    W = np.array([[law.norm_bound]] + [[-law.norm_bound]] * (M - 1))
    p, q = (one.select(W).log_probabilities() for one in (law, other))
    return float(np.abs(p - q).max()), [float(p[0]), float(p[-1])], [float(q[0]), float(q[-1])]


def flipped_laws(m, rho, calibration, epsilon=1.0, beta=0.1):
    """DP-ERM on m records of R, (1, 1) or (1, -1) and the others 0."""
    X = np.zeros((m, 1))
    X[0] = 1.0
    known = dict(
        rho=rho, radius=1.0, norm_bound=1.0, epsilon=epsilon, delta=0.1 / m, beta=beta, calibration=calibration
    )
    return [boosting.law(X, np.array([sign] + [1.0] * (m - 1)), **known) for sign in (1.0, -1.0)]


@exact_claim(
    steps.printed_sensitivity,
    quick=({"m": 2, "rho": 0.25},),
    full=grid(m=[2, 100], rho=[0.1, 0.5, 1.0, 2.0, 10.0]),
    severity="privacy",
    corrected_by="bms22.lem3.1.s3/corrected",
    note=(
        "a margin's unit for a loss's: 1/rho is missing. It is too small iff min(1/(Lambda r) + 1/rho, 2/rho) > 1, so "
        "for every rho <= 1, by a factor without bound as rho -> 0; for rho >= 2 it is at least what is needed. "
        "Rescaling r and rho alike changes it though it changes no loss"
    ),
)
def margins_unit(*, m, rho):
    """The largest move in fractions against Lambda r / m; and what the selection then spends, exactly."""
    exactly = largest_move(m, Fraction(1), Fraction(1), Fraction(rho))
    claimed = steps.printed_sensitivity(m=m, radius=1.0, norm_bound=1.0, rho=rho)
    spent, p, q = selection_ratio(*flipped_laws(m, rho, "printed"), 3)
    axis = [0.1, 0.25, 0.5, 1.0, 2.0, 10.0]
    series = {
        "rho": axis,
        "bound": [1.0 / m] * len(axis),
        "exact": [float(largest_move(m, Fraction(1), Fraction(1), Fraction(x))) for x in axis],
    }
    if exactly <= Fraction(claimed):
        return holds("enumeration", "settings", tightness=(float(exactly / Fraction(claimed)),) * 2, series=series)
    code = [
        "import numpy as np",
        "from mechanisms.boosting import law",
        f"X = np.array([[1.0]] + [[0.0]] * {m - 1})",
        f"known = dict(rho={rho}, radius=1.0, norm_bound=1.0, epsilon=1.0, delta={0.1 / m!r}, beta=0.1)",
        f"pair = [law(X, np.array([s] + [1.0] * {m - 1}), calibration='printed', **known) for s in (1.0, -1.0)]",
        "W = np.array([[1.0], [-1.0], [-1.0]])  # the candidates: the same for both datasets",
        "p, q = (one.select(W).log_probabilities() for one in pair)",
        f"assert max(abs(p - q)) > {0.99 * spent!r}  # claimed: epsilon/2 = 0.5",
    ]
    told = witness(
        {"m": m, "rho": rho},
        f"L moves by at most {claimed:g}; the selection is 0.5-DP",
        f"L moves by {float(exactly):g}; the selection's log-ratio is {spent:.4g}",
        code if spent > 0.5 else (),
        a={"X": "1 and m - 1 times 0", "y": [1], "log_probabilities": p},
        b={"X": "1 and m - 1 times 0", "y": [-1], "log_probabilities": q},
        output="w = Lambda e, or w = -Lambda e",
        log_ratio=spent,
        point={"m": m, "rho": rho, "radius": 1.0, "norm_bound": 1.0},
        lhs=enclosure(ball(exactly)),
        rhs=[claimed, claimed],
    )
    return refuted("enumeration", told, tightness=(float(exactly / Fraction(claimed)),) * 2, series=series)


@exact_claim(
    steps.score_sensitivity,
    quick=({"m": 2, "rho": 0.25},),
    full=grid(m=[2, 1000], rho=[0.001, 0.5, 1.0, 3.0, 1000.0]),
    control=Sabotage("a sensitivity {} times too small", (1.01, 2)),
    cost=0.02,
)
def losses_unit(*, m, rho, factor=1):
    """The largest move in fractions against the corrected sensitivity: never above it, and equal to it at the ends."""
    exactly = largest_move(m, Fraction(1), Fraction(1), Fraction(rho))
    a = 1 / Fraction(rho)
    claimed = min(1 + a, 2 * a) / m / Fraction(factor)
    told = Fraction(steps.score_sensitivity(m=m, radius=1.0, norm_bound=1.0, rho=rho)) / Fraction(factor)
    if abs(told / claimed - 1) > Fraction(1, 10**12):
        return inconclusive("FAILED", "the float is not the fraction")
    if exactly > claimed:
        setting = {"m": m, "rho": rho}
        sides = {"point": setting, "lhs": enclosure(ball(exactly)), "rhs": enclosure(ball(claimed))}
        return refuted("enumeration", witness(setting, float(claimed), float(exactly), **sides))
    scope = "everywhere: the hinge, ||w|| <= Lambda, ||x|| <= r, one record replaced"
    return holds("derivation", scope, tightness=(float(exactly / claimed), 1.0), note="attained by flipping a label")


@attack_claim(
    steps.score_sensitivity,
    law="boosting-selection",
    attack="pure",
    bound=lambda *, epsilon, **_: epsilon / 2,
    quick=({"m": 20, "rho": 0.1, "epsilon": 2.0, "candidates": 10},),
    full=(
        {"m": 5, "rho": 1.0, "epsilon": 1.0, "candidates": 20},
        {"m": 5, "rho": 5.0, "epsilon": 1.0, "candidates": 20},
    ),
    control=Sabotage("a selection short by a factor of {}", (1.5, 2)),
    chunk=lambda **_: 20_000,
    cap=20,
    cost=4e-7,
    note="one vector at Lambda e, all others at -Lambda e, one label flipped; exact likelihood ratio",
)
def fixed_candidates(*, m, rho, epsilon, candidates, factor=1):
    """Step 8 alone, on vectors that do not depend on the data."""
    W = np.array([[1.0]] + [[-1.0]] * (candidates - 1))
    laws = flipped_laws(m, rho, "corrected", epsilon)
    return tuple(_weaker(law.select(W), factor) for law in laws)


def _weaker(law, factor):
    return replace(law, sensitivity=law.sensitivity / factor)


if __name__ == "__main__":
    from experiments.run import script

    script("phased_sgd")
