"""Tables 1 and 2: the comparison of rates against slow evaluation, and the figures."""

from math import log

import numpy as np
import pytest
from hypothesis import given, strategies as st

from lemmata.bounds.wzw25 import table_rates, tables
from lemmata.experiments.checks.monomials import CONES, compare_rates, point_of_family
from lemmata.experiments.wzw25 import tables as figures
from lemmata.mechanisms.learners.descent import adaptive_margin
from lemmata.mechanisms.learners.erm import private_svm
from lemmata.mechanisms.privacy import ApproxDP
from lemmata.mechanisms.solvers.margin import geometric_margin, min_outliers

SETTING = st.fixed_dictionaries(
    {
        "n": st.integers(1, 10**9),
        "gamma": st.floats(1e-6, 1),
        "epsilon": st.floats(1e-6, 1),
        "R": st.floats(0, 1),
        "s": st.integers(0, 100),
    }
)


def both_ways():
    """(one rate, the other, the certified constant) for all quotations, in both directions."""
    for quoted, source in tables.COMPARED.values():
        cone = "ball" if any("a" in term for term in quoted) else "unit"
        for one, other in ((quoted, source), (source, quoted)):
            yield one, other, compare_rates(one, other, cone).constant


CERTIFIED = [pair for pair in both_ways() if pair[2] is not None]


@given(setting=SETTING)
def test_what_holds_by_certificate_holds_in_numbers(setting):
    parameters = setting | {"a": 1 / setting["gamma"]}
    assert len(CERTIFIED) == 2 * len(tables.COMPARED) - 4  # Section 1.2 is neither above nor below: two of these
    for one, other, constant in CERTIFIED:
        assert table_rates.value(one, **parameters) <= constant * table_rates.value(other, **parameters) * (1 + 1e-9)


REFUTED = [tables.agnostic_by_table1, tables.hinge_by_section_1_2, tables.tables_agree_on_margin]


@pytest.mark.parametrize("statement", REFUTED, ids=lambda statement: statement.__name__)
def test_a_misquotation_has_a_family_inside_the_domain(statement):
    quoted, source = tables.COMPARED[statement.theorem.key]
    family = compare_rates(source, quoted, "unit").family
    for t in (10, 1000):
        point = point_of_family(family, t)
        statement(**point)  # raises outside the hypotheses
        assert all(sum(row.get(name, 0) * log(point[name]) for name in point) <= 1e-12 for row in CONES["unit"])
        assert table_rates.value(source, **point) < 1  # where the bounds say something


def test_a_stray_power_is_caught_in_every_right_quotation():
    """The ledger does this for one factor; here for a tenth of a power, in each of them."""
    false = {statement.theorem.key for statement in REFUTED}
    for statement in vars(tables).values():
        key = getattr(getattr(statement, "theorem", None), "key", "")
        if key in tables.COMPARED and key not in false:
            assert figures.equal_rates(statement, 1.1).outcome == "REFUTED", key


def test_the_comparison_on_rates_with_known_answers():
    """n^-1 <= n^-1/2 and not conversely; the root of a product lies between its factors."""
    fast, slow = [table_rates.term(n=-1)], [table_rates.term(n=-0.5)]
    assert compare_rates(fast, slow, "unit").constant == 1
    assert compare_rates(slow, fast, "unit").family == {"n": 1} or compare_rates(slow, fast, "unit").family["n"] > 0
    mean, ends = [table_rates.term(n=-0.5, R=0.5)], [table_rates.term(n=-1), table_rates.term(R=1)]
    assert compare_rates(mean, ends, "unit").constant == 1
    assert compare_rates(ends, mean, "unit").constant is None
    assert compare_rates([table_rates.term(s=1, n=-1)], [table_rates.term()], "unit").constant == 1  # s <= n
    assert compare_rates([table_rates.term(n=-1)], [table_rates.term(s=1, n=-1)], "unit").constant is None  # s may be 0


# The figures ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n", "outliers", "radius"), [(30, 3, 1.0), (31, 0, 10.0)])
def test_planted_data(n, outliers, radius):
    X, y = figures.planted(n, 0.64 * radius, outliers, radius)
    assert X.shape == (n, figures.DIMENSION)
    assert np.linalg.norm(X, axis=1).max() <= radius * (1 + 1e-12)
    inside = geometric_margin(X[: n - outliers], y[: n - outliers])
    assert inside.value == pytest.approx(0.64 * radius, rel=1e-9) or n % 2
    assert min_outliers(X, y, 0.64 * radius).low == outliers


def test_the_bound_is_the_same_at_every_scale_and_below_one_where_drawn():
    parameters = {"n": 800, "outliers": 8, "mu": 0.268, "d": 3, "steps": 800}
    one = tables.adaptive_error(gamma=0.64, **parameters)
    assert one < 1
    for radius in (0.1, 10.0):
        ball = tables.adaptive_error_in_ball(gamma=0.64 * radius, radius=radius, **parameters)
        assert ball == pytest.approx(one, rel=1e-9)
    assert tables.adaptive_error(gamma=0.3, **parameters) > one  # a smaller margin, a larger bound
    assert tables.adaptive_error(gamma=0.9, **parameters) == one  # off the grid: the grid value below


def test_the_figure_decides_and_a_bound_too_small_is_refuted():
    assert len(set(map(len, figures.errors_of_table1(along="outliers", n=400).series.values()))) == 1
    assert figures.errors_of_table1(along="n", n=400, factor=1000).outcome == "REFUTED"


def test_what_is_measured_are_errors():
    X, y = figures.planted(200, 0.64, 4, 1.0)
    plain = private_svm.solve(X, y, C=figures.HARD).weights
    slow = np.mean([y[i] * (X[i] @ plain) < 0 for i in range(len(X))])
    assert figures.errors(plain, X, y)[0] == slow == 4 / 200
    law = adaptive_margin.law(X, y, privacy=ApproxDP(1.0, 1e-5), steps=50)
    assert figures.errors(law.sample(np.random.default_rng(0), 3)["weights"], X, y).shape == (3,)
