"""What every mechanism checks, and that no message carries a value of the data."""

import importlib
import inspect
import pkgutil
import re

import numpy as np
import pytest

from lemmata import mechanisms
from lemmata.mechanisms import law
from lemmata.mechanisms.numerics import arguments


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([["secret"]], "X must be an array of numbers"),
        ([[1.0], [2.0, 3.0]], "X must be an array of numbers"),
        (np.ones(3), "X must have shape (n, d) with n, d >= 1, got (3,)"),
        (np.ones((0, 2)), "X must have shape (n, d) with n, d >= 1, got (0, 2)"),
        ([[np.nan, 1.0]], "X must have finite entries only"),
        (np.ma.masked_array([[1.0, 2.0]], mask=[[True, False]]), "X must be an array without a mask"),
        (np.array([[1 + 2j, 0j]]), "X must be an array of numbers, got "),
        (np.array([["1", "2"]]), "X must be an array of numbers, got "),
        (np.array([[1.0, None]], dtype=object), "X must be an array of numbers, got "),
    ],
)
def test_bad_rows_are_told_without_their_entries(bad, words):
    with pytest.raises(ValueError) as error:
        arguments.check_rows(bad)
    assert words in str(error.value)
    assert "secret" not in str(error.value)
    assert error.value.__cause__ is None and (error.value.__context__ is None or error.value.__suppress_context__)


@pytest.mark.parametrize("bad", [[0.0, 1.0], ["secret"], [[1.0]], [np.nan]])
def test_bad_labels_are_told_without_their_entries(bad):
    with pytest.raises(ValueError, match=r"^y ") as error:
        arguments.check_signs(bad)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("row", "radius", "clipped"),
    [
        ([3.0, 4.0], 1.0, [0.6, 0.8]),
        ([0.3, 0.4], 1.0, [0.3, 0.4]),
        ([0.0, 0.0], 1.0, [0.0, 0.0]),
        ([3e200, 4e200], 1.0, [0.6, 0.8]),
        ([1e308, 1e308], 1.0, [0.5**0.5, 0.5**0.5]),
        ([3e-200, 4e-200], 1.0, [3e-200, 4e-200]),
        ([3e-200, 4e-200], 1e-200, [0.6e-200, 0.8e-200]),
    ],
)
def test_clipping_shortens_long_rows_and_keeps_the_others(row, radius, clipped):
    """Also where squares leave the range of floats, and beside other rows."""
    longer, shortened = [3 * radius, 4 * radius], [0.6 * radius, 0.8 * radius]
    np.testing.assert_allclose(arguments.clip_rows([row, longer], radius), [clipped, shortened])


@pytest.mark.parametrize(
    ("check", "value"),
    [
        (arguments.check_positive, 0.0),
        (arguments.check_positive, np.inf),
        (arguments.check_within_unit, 1.0),
        (arguments.check_integer, 1.5),
    ],
)
def test_parameters_are_told_by_name_value_and_range(check, value):
    with pytest.raises(ValueError, match=rf"rho must be (in .*|an integer >= 1), got {value}"):
        check(rho=value)


@pytest.mark.parametrize("value", [-1.0, 0.0, 1e-101, 1e101, np.inf, np.nan])
def test_one_range_is_stated_for_every_value_outside_it(value):
    with pytest.raises(ValueError, match=rf"rho must be in \[1e-100, 1e\+100\], got {re.escape(str(value))}"):
        arguments.check_magnitude(rho=value)


def test_blocks_add_up():
    class Law:
        def sample(self, rng, size=1):
            return rng.random(size)

    assert [len(b) for b in law.sample_in_blocks(Law(), np.random.default_rng(0), 2500)] == [1000, 1000, 500]


def test_every_law_is_sampled_alike():
    """`law.sample(rng)` is one release and `law.sample(rng, size)` that many, whatever the mechanism."""
    found = pkgutil.walk_packages(mechanisms.__path__, "lemmata.mechanisms.")
    modules = [importlib.import_module(entry.name) for entry in found if ".audit" not in entry.name]
    laws = {each for module in modules for _, each in inspect.getmembers(module, inspect.isclass)}
    sampled = [
        each.sample for each in laws if each.__module__.startswith("lemmata.mechanisms.") and hasattr(each, "sample")
    ]
    assert len(sampled) > 15
    for sample in sampled:
        parameters = inspect.signature(sample).parameters
        assert list(parameters) == ["self", "rng", "size"] and parameters["size"].default == 1, sample.__qualname__
