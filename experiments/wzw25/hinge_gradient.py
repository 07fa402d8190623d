"""The hinge sum's gradient: Lemmas A.9 and A.10 of Wang, Zhu & Wang (2025)."""

import itertools
from fractions import Fraction

import numpy as np

from lemmata.bounds.theorem import between, require
from lemmata.bounds.wzw25 import hinge_gradient as bounds
from lemmata.bounds.wzw25.noisy_gd import value_sensitivity
from lemmata.experiments.checks import Control, Step, inequality_claim, run_script

HINGE = "domain: hinge losses"


# Lemma A.9 ------------------------------------------------------------------------------------------------------------


@inequality_claim(
    bounds.tangent_value,
    quick=({"steps": 8},),
    control=Control("subgradients {} times too long", (1.001, 1.5, 3)),
    note="printed for differentiable f and used on the hinge; for subgradients the inequality is their definition",
)
def subgradients_lie_below(*, steps, factor=1):
    """One record of the hinge, every order of u, v and the kink at 1, every subgradient; and x^4, all in fractions."""
    lattice = [Fraction(k, steps) for k in range(-2 * steps, 4 * steps + 1)]
    for u, v in itertools.product(lattice, repeat=2):
        slopes = [Fraction(k, 4) for k in range(5)] if u == 1 else [Fraction(int(u < 1))]
        hinge = [(max(0, 1 - u), max(0, 1 - v), -a * (v - u)) for a in slopes]
        for f_x, f_y, slope in [*hinge, (u**4, v**4, 4 * u**3 * (v - u))]:
            yield {"steps": steps, "u": u, "v": v}, bounds.tangent_value(f_x=f_x, slope=Fraction(factor) * slope), f_y
    line = [float(u) for u in lattice]
    series = {"v": line, "hinge": [max(0.0, 1 - v) for v in line], "tangent at 1/2": [1 - v for v in line]}
    return {"tightness": None, "series": series}


# Lemma A.10 -----------------------------------------------------------------------------------------------------------


def random_gradients():
    """(sizes, gradients of two records in the columns, norms of the records): random data, weights and canaries."""
    rng = np.random.default_rng(0)
    for radius, width, _ in itertools.product((0.001, 1.0, 1000.0), (0.001, 0.125, 4.0), range(100)):
        X = rng.normal(size=(2, int(rng.integers(1, 4))))
        norms = radius * rng.choice([0.2, 1.0], size=2)
        X *= (norms / np.linalg.norm(X, axis=1))[:, None]
        w = rng.normal(size=X.shape[1]) * 10 ** rng.uniform(-3, 1) * width / radius
        if rng.random() < 0.5:
            X[1], norms[1] = -X[0], norms[0]
        yield {"radius": radius, "width": width}, X.T * (X @ w < width) / -width, norms


def gradients_of_a_record():
    """The norm of one record's subgradient."""
    for sizes, gradients, norms in random_gradients():
        active = int(gradients[:, 0].any())
        yield sizes | {"active": active, "share": norms[0] / sizes["radius"]}, float(np.linalg.norm(gradients[:, 0]))


def gradients_of_two_records():
    """The norm of the difference of two records' subgradients; and of values, from w = 0 on, where all losses are 1."""
    for sizes, gradients, _ in random_gradients():
        for norm in (sizes["width"] / sizes["radius"] * scale for scale in (0.5, 1, 3)):
            change = value_sensitivity(norm=norm, **sizes)
            yield sizes | {"norm": norm}, change, norm * bounds.replacement_sensitivity(**sizes)
        first, second = np.linalg.norm(gradients, axis=0) * sizes["width"] / sizes["radius"]
        largest = min(1, first), min(1, second)
        apart = float(np.linalg.norm(gradients[:, 0] - gradients[:, 1]))
        yield sizes | dict(zip(("first", "second"), largest, strict=True)), apart


@inequality_claim(
    bounds.add_remove_sensitivity,
    caught=(1.01,),
    measured=gradients_of_a_record,
    over=[between("active", 0, 1), between("share", 0, 1)],
    steps=[Step("a subgradient is -a y x/c, a in [0, 1]")],
    note="attained by any record with ‖x‖ = b, at w = 0",
)
def add_remove_is_attained():
    """The norm of a subgradient of a record of norm share b; and of an active record of norm b."""
    for radius, width, active, share in itertools.product((0.5, 1.0), (0.125, 4.0), (0.5, 1.0), (0.5, 1.0)):
        setting, claimed = {"radius": radius, "width": width}, bounds.add_remove_sensitivity(radius=radius, width=width)
        yield setting | {"active": active, "share": share}, active * share * radius / width, claimed
        yield setting | {"active": active, "share": share}, claimed, abs(-radius / width)


@inequality_claim(
    bounds.replacement_sensitivity,
    caught=(1.01,),
    given=[bounds.add_remove_sensitivity],
    measured=gradients_of_two_records,
    over=[between("first", 0, 1), between("second", 0, 1)],
    steps=[Step("the triangle inequality")],
    note="attained by (x, +1) against (x, -1) with ‖x‖ = b, at w = 0",
)
def replacement_is_attained():
    """The norms of both subgradients, shares of the largest; and those of (x, 1) and (x, -1) at w = 0."""
    for radius, width, first, second in itertools.product((0.5, 1.0), (0.125, 4.0), (0.5, 1.0), (0.5, 1.0)):
        setting = {"radius": radius, "width": width}
        claimed, largest = bounds.replacement_sensitivity(**setting), bounds.add_remove_sensitivity(**setting)
        yield setting | {"first": first, "second": second}, (first + second) * largest, claimed
        yield setting | {"first": first, "second": second}, claimed, abs(radius / width - -radius / width)


REAL = [require("w, v real", lambda w, v: True)]


@inequality_claim(
    bounds.lipschitz_constant,
    caught=(1.01,),
    over=REAL,
    steps=[Step("max(0, 1 - z) is 1-Lipschitz")],
    note="attained by the slope below the kink",
)
def hinge_is_lipschitz():
    """|l(w) - l(v)| <= L |w - v| along the record itself, which sees the rest of w and v not at all."""
    for norm, width, w, v in itertools.product((0.0, 1.0, 100.0), (0.25, 1.0), (-1.0, 0.5), (0.0, 3.0)):
        losses = [max(0, 1 - x * norm / width) for x in (w, v)]
        claimed = bounds.lipschitz_constant(norm=norm, width=width) * abs(w - v)
        yield {"norm": norm, "width": width, "w": w, "v": v}, abs(losses[0] - losses[1]), claimed


if __name__ == "__main__":
    run_script(__file__)
