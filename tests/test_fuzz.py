"""Every statement answers a bad argument with one error that names it, and a strange but lawful one rightly."""

import datetime
import decimal
import inspect
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
from flint import arb

import tests.claims  # noqa: F401 (it registers every claim)
from lemmata.bounds.theorem import THEOREMS, Theorem, short

# What an argument of this name usually is; a statement with an argument that is not listed is not fuzzed.
USUAL = {
    **dict.fromkeys(("n", "m", "count", "size", "candidates", "samples"), 100),
    **dict.fromkeys(("d", "k", "F", "calls", "rounds", "j", "K"), 4),
    **dict.fromkeys(("steps", "largest"), 50),
    **dict.fromkeys(("outliers", "V", "t"), 1),
    **dict.fromkeys(("beta", "gamma", "alpha", "eps", "e", "share", "empirical", "margin_loss", "loss", "excess"), 0.1),
    **dict.fromkeys(
        ("epsilon", "mu", "eta", "C", "L", "kappa", "Phi", "lam", "scale", "width", "ratio", "u", "c"), 1.0
    ),
    **dict.fromkeys(("radius", "norm_bound", "norm", "b", "a", "distance", "sensitivity", "diam", "sigma_p", "R"), 1.0),
    **dict.fromkeys(("sigma", "noise", "second_moment", "gradient_norm", "power", "x", "M", "best", "s", "acc"), 2.0),
    **dict.fromkeys(("rho", "r", "p", "q", "level", "slack"), 0.5),
    "delta": 1e-5,
}
NASTY = (None, "seven", b"7", 1j, math.nan, math.inf, -math.inf, -1, 0, 1e308, 1e-308, 5e-324, 10**400, True)
STRANGE = (
    np.array([0.1, 0.2, 0.3]),
    np.full((60, 3), 2),
    np.array([1, None], dtype=object),
    np.ma.masked,
    np.ma.array([1.0, 2.0], mask=[0, 1]),
    np.timedelta64(1, "s"),
    np.timedelta64(1, "ns"),
    np.datetime64("2026-01-01"),
    datetime.timedelta(1),
    2**63,
    np.uint64(2**63),
    np.longdouble("1e4000"),
    np.longdouble(1) / 3,
    -(2**63),
    np.int64(-(2**63)),
    np.float16("nan"),
    np.float32("inf"),
    np.bool_(True),
    np.complex128(1j),
    np.timedelta64("NaT"),
    np.array(0.5),
    np.array(np.nan),
    np.array(None, dtype=object),
    np.array([], dtype=float),
    np.array([True, False]),
    np.array([np.timedelta64(1, "s")]),
    np.ma.array(0.5),
    np.ma.array(0.5, mask=True),
    decimal.Decimal("0.5"),
    decimal.Decimal("NaN"),
    Fraction(1, 3),
    Fraction(10**400, 3),
    (0.5,),
    [],
    set(),
    range(3),
    {"a": 1},
    object(),
    abs,
)
LAWFUL = (float, np.float64, np.int64, np.longdouble, np.array)  # other ways to write a whole number


def usual(theorem):
    """Arguments at which the statement speaks, or None."""
    names = inspect.signature(theorem.formula).parameters
    if not all(name in USUAL or p.default is not inspect.Parameter.empty for name, p in names.items()):
        return None
    chosen = {name: USUAL[name] for name, p in names.items() if name in USUAL and p.default is inspect.Parameter.empty}
    try:
        return None if theorem.skipped(chosen) else chosen
    except TypeError:
        return None


def statements():
    """{key: (the function that checks its hypotheses, usual arguments)}."""
    callable_at = {}
    for key, theorem in THEOREMS.items():
        checked = getattr(inspect.getmodule(theorem.formula), theorem.formula.__name__, None)
        if hasattr(checked, "theorem") and (arguments := usual(theorem)):
            try:
                checked(**arguments)
            except (TypeError, ValueError):  # a name that means something else here: a sequence, a function
                continue
            callable_at[key] = checked, arguments
    return callable_at


STATEMENTS = statements()


def test_most_statements_are_fuzzed():
    assert len(STATEMENTS) >= 0.6 * len(THEOREMS)


each_statement = pytest.mark.parametrize(("function", "arguments"), STATEMENTS.values(), ids=STATEMENTS)


@each_statement
def test_a_bad_argument_is_named(function, arguments):
    for place, name in enumerate(arguments, start=len(function.theorem.key)):
        for value in NASTY[place % 3 :: 3]:  # a third of them for each argument, all of them over the house
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                try:
                    function(**arguments | {name: value})
                except ValueError as error:
                    assert name in str(error), f"{name} = {value!r}: {error}"


@each_statement
def test_what_is_no_number_is_one_line_that_names_it_and_never_nan(function, arguments):
    """Arrays too: a formula of one number refuses them, one of many answers them."""
    for place, name in enumerate(arguments, start=len(function.theorem.key)):
        for value in STRANGE[place % 4 :: 4]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    answer = function(**arguments | {name: value})
                except ValueError as error:
                    assert name in str(error) and "\n" not in str(error), f"{name} = {value!r}: {error}"
                else:
                    assert not has_nan(answer), f"{name} = {value!r}"
                    assert not isinstance(answer, complex | decimal.Decimal | datetime.timedelta), f"{name} = {value!r}"


def has_nan(answer):
    """Whether a number, or one of many, is NaN."""
    if isinstance(answer, (tuple, list)):
        return any(map(has_nan, answer))
    return isinstance(answer, float | np.ndarray) and bool(np.isnan(np.asarray(answer, dtype=float)).any())


@each_statement
def test_a_whole_number_is_one_however_it_is_written(function, arguments):
    expected = function(**arguments)
    for name, value in arguments.items():
        if isinstance(value, int):
            for kind in LAWFUL:
                assert same(function(**arguments | {name: kind(value)}), expected)


def same(value, expected):
    """Equal; balls around one number overlap."""
    if isinstance(expected, arb):
        return value.overlaps(expected)
    if isinstance(expected, (tuple, list)):
        return len(value) == len(expected) and all(map(same, value, expected))
    return np.array_equal(value, expected)


@pytest.mark.parametrize(("function", "arguments"), [pair for pair in STATEMENTS.values() if "empirical" in pair[1]])
@pytest.mark.parametrize("value", [-1.0, 1.5])
def test_an_empirical_risk_is_a_share(function, arguments, value):
    with pytest.raises(ValueError, match=f"empirical = {value}"):
        function(**arguments | {"empirical": value})


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("x" * 198, repr("x" * 198)),
        ("x" * 199, "'" + "x" * 198 + "…"),
        (10**60, "1" + "0" * 60),
        (10**61, "a number of 203 bits"),
    ],
)
def test_a_value_in_a_message_is_cut(value, shown):
    assert short(value) == shown


def test_a_statement_without_a_docstring_is_called_by_its_name():
    assert Theorem("bms22.lemA.1", "", "printed", "bound", "", (), "", False, lambda *, n: n).title == "<lambda>"
