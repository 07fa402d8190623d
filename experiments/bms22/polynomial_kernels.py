"""Polynomial kernels, a remark in Section 4 of Bassily, Mohri & Suresh (2022): monomials in rationals, and our map."""

from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import factorial, sqrt

import numpy as np

from lemmata.bounds.bms22 import efficient_learner, polynomial_kernels as bounds
from lemmata.bounds.theorem import between, require
from lemmata.experiments.checks import Link, Step, identity_claim, inequality_claim, order_claim, run_script
from lemmata.experiments.instances.datasets.erm_families import SAMPLE_AND_BUDGET, learner_settings
from lemmata.mechanisms.features.kernel_features import monomials


def weight(monomial, d, degree, constant):
    """The square of a monomial's weight: p!/(a_0! ... a_d!) c^{a_0}; the variable d is the constant."""
    repeats = [monomial.count(j) for j in range(d + 1)]
    return Fraction(factorial(degree), np.prod([factorial(a) for a in repeats], dtype=object)) * constant ** repeats[-1]


@identity_claim(
    bounds.polynomial_kernel,
    rounding=1e-10,
    note="the text omits the weights of the monomials. Without them it is false, already at d = 1, p = 2",
)
def monomials_have_the_kernel():
    """Sums over all monomials in rationals, and our map in floats."""
    rng = np.random.default_rng(0)
    for d, degree, c in product((1, 2, 4), (1, 2, 3, 5), (Fraction(1, 3), 2)):
        x, z = ([Fraction(int(v), 7) for v in rng.integers(-9, 10, d)] + [1] for _ in range(2))
        total = sum(
            weight(monomial, d, degree, c) * np.prod([x[j] * z[j] for j in monomial])
            for monomial in combinations_with_replacement(range(d + 1), degree)
        )
        inner = sum(a * b for a, b in zip(x[:-1], z[:-1], strict=True))
        setting = {"d": d, "degree": degree, "constant": c}
        yield setting, total, bounds.polynomial_kernel(inner=inner, degree=degree, constant=c)
        features = monomials(d, degree, constant=float(c), radius=100.0)(
            [[float(v) for v in row[:-1]] for row in (x, z)]
        )
        claimed = bounds.polynomial_kernel(inner=float(inner), degree=degree, constant=float(c))
        scale = np.prod(np.linalg.norm(features, axis=1))
        yield Link("our map", setting, 1 + float(features[0] @ features[1]) / scale, 1 + claimed / scale)


@order_claim(
    bounds.printed_dimension,
    family="d = 1, p grows",
    severity="constant",
    corner=require("d ≥ 2, or p at most a constant", lambda d, degree: d >= 2 or degree <= 10),
    python="""from math import comb
from lemmata.bounds.bms22.polynomial_kernels import printed_dimension
ratios = [comb(1 + p, p) / printed_dimension(d=1, degree=p) for p in (1, 10, 100)]
assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]""",
    note=(
        "in one variable there are p + 1 monomials, more than any multiple of 1ᵖ. For d ≥ 2 the constant "
        "3/2 is enough for every p"
    ),
)
def one_variable():
    """The exact dimension against d^p."""
    for degree in (1, 10, 100):
        point = {"d": 1, "degree": degree}
        yield point, bounds.dimension(**point), bounds.printed_dimension(**point)


@inequality_claim(
    bounds.corrected_dimension,
    given=[bounds.dimension],
    note="C(d+p, p)/dᵖ is the product of 1/i + 1/d over i ≤ p, at most 1 + 1/d for d ≥ 2",
)
def words_are_more_than_monomials():
    """The exact dimension against (d + 1)^p, equal at p = 1; and against 3/2 d^p for d >= 2."""
    for d, degree in product((1, 2, 3, 10, 1000), (1, 2, 3, 20)):
        point = {"d": d, "degree": degree}
        yield point, bounds.dimension(**point), bounds.corrected_dimension(**point)
        if d > 1:
            yield Link("d >= 2", point, bounds.dimension(**point), Fraction(3, 2) * bounds.printed_dimension(**point))


@identity_claim(bounds.dimension, reach={"d": 12, "degree": 6})
def monomials_are_counted():
    """All sorted words of p letters among d + 1."""
    for d, degree in product((1, 2, 3, 7), (1, 2, 3, 4)):
        words = sum(1 for _ in combinations_with_replacement(range(d + 1), degree))
        yield {"d": d, "degree": degree}, words, bounds.dimension(d=d, degree=degree)


@inequality_claim(
    bounds.printed_largest,
    severity="statement",
    corner=require("c ≥ 1/4", lambda constant: constant >= 1 / 4),
    python="""from lemmata.bounds.bms22.polynomial_kernels import printed_largest
r, c, p = 0.5, 0.1, 2
assert printed_largest(degree=p, constant=c, radius=r) > 2 * (r**2 + c) ** p  # the largest kappa_p(x, x)""",
    note=(
        "the largest κ_p(x, x) is (r² + c)ᵖ, which is less than rᵖ for r < 1 and c < r − r², and at least rᵖ for c ≥ "
        "1/4. rᵖ is the norm of the p-th tensor power of x, and that of the features is (r² + c)ᵖᐟ²"
    ),
)
def kernel_stays_below():
    """r^p against the largest kernel value, r^2 + c to the p, at small r."""
    for radius, c in ((2, 1), (Fraction(1, 2), Fraction(1, 10))):
        point = {"degree": 2, "constant": c, "radius": radius}
        yield point, bounds.printed_largest(**point), bounds.corrected_largest(**point)


def largest_of_our_map():
    """The largest |psi(x)|^2 of our map on rays out to the sphere, which attains it, and the reach that it states."""
    rng = np.random.default_rng(0)
    for degree, c, radius in product((1, 2, 3, 5), (1e-3, 1.0, 40.0), (0.05, 1.0, 7.0)):
        rays = rng.normal(size=(10, 3))
        rays *= radius / np.linalg.norm(rays, axis=1, keepdims=True)
        f = monomials(3, degree, constant=c, radius=radius)
        largest = max(float((f(share * rays) ** 2).sum(axis=1).max()) for share in (0, 0.5, 1, 3))
        point = {"degree": degree, "constant": c, "radius": radius}
        yield point | {"share": 1.0}, largest
        for value in (largest, f.reach**2):
            yield point, bounds.corrected_largest(**point), value
        if c >= 1 / 4:  # then r^2 + c >= r
            yield point, bounds.printed_largest(**point), bounds.corrected_largest(**point)


@inequality_claim(
    bounds.corrected_largest,
    given=[bounds.polynomial_kernel],
    rounding=1e-10,
    measured=largest_of_our_map,
    over=[between("share", 0, 1)],
    steps=[Step("‖x‖² ≤ r²")],
)
def kernel_reaches():
    """The kernel (s^2 + c)^p at x of norm s, a share of r, which attains it at s = r."""
    for degree, c, radius, share in product((1, 2, 5), (1e-3, 40.0), (0.05, 7.0), (0.5, 1.0)):
        point = {"degree": degree, "constant": c, "radius": radius}
        here = bounds.polynomial_kernel(inner=(share * radius) ** 2, degree=degree, constant=c)
        yield point | {"share": share}, here, bounds.corrected_largest(**point)


def hidden_in_small_records(m):
    """k = m/100 signs at k points of norm r = 1/sqrt(k), p = 2, c = 1/2: Lambda r^p = rho, and no loss is possible.

    psi(r e_j) has the coordinate sqrt(2c) r = r along e_j, so h = Lambda (s, e)/sqrt(k) has margin Lambda r/sqrt(k) =
    Lambda r^2 everywhere. Privacy forbids a risk below 0.15 with probability 0.9.
    """
    k = m // 100
    radius = 1 / sqrt(k)
    point = {"m": m, "epsilon": k / m, "delta": float(m) ** -2, "beta": 0.1}
    point |= {"degree": 2, "constant": 0.5, "radius": radius, "norm_bound": 1.0, "rho": radius**2}
    share = bounds.unlearnt_share(m=m, k=k, epsilon=k / m, delta=point["delta"])
    if (share - 0.15) / 0.85 <= point["beta"]:
        raise ArithmeticError("privacy allows this instance to be learnt")
    return point, 0.15


@order_claim(
    bounds.printed_polynomial_order,
    corner=require(
        "c ≤ r², p at most a constant and β ≤ 1/2",
        lambda constant, radius, degree, beta: constant <= radius**2 and degree <= 10 and beta <= 1 / 2,
    ),
    family="p = 2, c = 1/2, r = 1/√k → 0, k = m/100 hidden signs, Λ r² = ρ",
    severity="statement",
    python=lambda points, ratios: (
        f"""from lemmata.bounds.bms22.polynomial_kernels import printed_polynomial_order, unlearnt_share
ratios = []
for p in {points!r}:
    share = unlearnt_share(m=p['m'], k=p['m'] // 100, epsilon=p['epsilon'], delta=p['delta'])
    assert (share - 0.15) / 0.85 > p['beta']  # P(risk >= 0.15) for some signs, for every private learner
    ratios.append(0.15 / printed_polynomial_order(**p))
assert ratios[2] > 5 * ratios[1] > 25 * ratios[0]"""
    ),
    note=(
        "the features have norm (r² + c)ᵖᐟ² ≥ cᵖᐟ², however small r is. With rᵖ, and for small r, the "
        "bound is below what any private learner attains. For c ≤ r² the two norms differ by a factor of "
        "at most 2^(p/2). Algorithm 2 run at radius rᵖ is still private, since it clips"
    ),
)
def small_records_are_not_easy():
    """Every private learner errs on 0.15 with probability above beta; the printed bracket goes to 0."""
    for m in (10**6, 10**8, 10**10):
        point, risk = hidden_in_small_records(m)
        yield point, risk, bounds.printed_polynomial_order(**point)


@inequality_claim(
    bounds.corrected_polynomial_order,
    given=["bms22.thm3.2/corrected/utility", bounds.polynomial_kernel, bounds.corrected_largest],
    rounding=1e-10,
    scope="everywhere: Phi with independent signs, ρ ≤ Λ (r² + c)^(p/2)",
)
def monomials_are_learnt():
    """Theorem 3.2's order at the largest norm that our map gives records of norm r; its constant is that theorem's."""
    for p in learner_settings(60):
        budget = {name: p[name] for name in SAMPLE_AND_BUDGET}
        for degree, c, radius in ((1, 0.1, 1.0), (2, 0.5, 1e-2), (3, 4.0, 2.0)):
            f = monomials(2, degree, constant=c, radius=radius)
            longest = float(np.linalg.norm(f([[radius, 0.0], [-0.6 * radius, 0.8 * radius]]), axis=1).max())
            point = budget | {"degree": degree, "constant": c, "radius": radius, "norm_bound": 3.0}
            point |= {"rho": 3.0 * longest / p["a"]}
            order = efficient_learner.corrected_order(**budget, a=p["a"])
            yield point, order, bounds.corrected_polynomial_order(**point)
            if c <= radius**2 and p["beta"] <= 1 / 2:  # R <= 2^(p/2) r^p, and each logarithm of 2/beta is at most twice
                printed = bounds.printed_polynomial_order(**point)
                yield Link("c ≤ r²", point, order, 2 * 2 ** (degree / 2) * printed)


if __name__ == "__main__":
    run_script(__file__)
