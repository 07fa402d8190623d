"""What everybody sees of a release beside its numbers, and selections whose datasets are scores."""

import warnings
from decimal import Decimal
from enum import Enum
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import lemmata
from lemmata.mechanisms.audit.neighbours.queries import stepped
from lemmata.mechanisms.audit.subjects.release_values import flat
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from tests.mechanisms.audit.planted_leaks import ONE, tidy, times_shown, total, x

pytestmark = pytest.mark.statistical


def warns_of_a_record(x, rng):
    if np.nanmax(x) > 1:
        warnings.warn("some values were clipped", stacklevel=1)  # leaks
    return total(x, rng)


def warns_always(x, rng):
    warnings.warn("this is no proof of privacy", stacklevel=1)
    return total(x, rng)


def normal_noise_sold_as_pure(x, rng):
    return tidy(x).sum() + rng.normal(scale=3)


def test_a_warning_that_depends_on_a_record_is_refuted():
    found = lemmata.audit(warns_of_a_record, x, ONE, root=TEST_ROOT, budget=4_096)
    assert found.verdict == "REFUTED" and "alone warns UserWarning: some values were clipped at" in found.place[0], (
        found
    )
    assert sorted(times_shown(found.reproducer)) == [0, 1000]


def test_a_warning_that_is_always_given_tells_nothing():
    found = lemmata.audit(warns_always, x, ONE, root=TEST_ROOT, budget=4_096)
    assert (found.verdict, found.place) == ("INCONCLUSIVE", ()), found


def test_where_to_look_is_said_of_what_is_not_refuted_too():
    """No budget refutes it: what tells is rarer than one release in a thousand. The noise's law is seen at once."""
    found = lemmata.audit(normal_noise_sold_as_pure, x, ONE, root=TEST_ROOT, budget=1_024)
    assert found.verdict == "INCONCLUSIVE" and "normal noise" in found.place[0] and "allows 0" in found.place[0], found


def test_a_text_alone_is_a_record_and_no_file():
    def answer(text, rng):
        return text == "yes" if rng.random() < 0.9 else text != "yes"

    found = lemmata.audit(answer, "yes", ONE, root=TEST_ROOT, budget=8_000)
    assert found.verdict == "REFUTED" and found.pair.neighbour[0] != "yes", found


def test_a_set_of_keys_that_shows_who_is_there_is_refuted():
    def keys(x, rng):
        return {float(value) for value in np.round(tidy(x), 1)}

    assert lemmata.audit(keys, x, ONE, root=TEST_ROOT, budget=2_048).verdict == "REFUTED"


class Selection:
    """The shape of an OpenDP selection: scores go in, at most one apart each, the index of a large one comes out."""

    output_measure = "ZeroConcentratedDivergence"

    def __init__(self, flips, rho, monotonic=False):
        self.flips, self.rho, self.input_domain = flips, rho, self
        self.input_metric = f"LInfDistance({'monotonic, ' * monotonic}T=i32)"

    def member(self, scores):
        return isinstance(scores, list)

    def map(self, distance):
        return self.rho * distance**2

    def __call__(self, scores):
        rng = np.random.default_rng()
        noise = rng.exponential(size=len(scores)) if self.flips else rng.gumbel(size=len(scores))
        return int(np.argmax(scores + noise))


@pytest.mark.parametrize(
    ("selection", "verdict"),
    [
        (Selection(flips=True, rho=0.5), "REFUTED"),  # permute and flip: e^2 at a tie crossed, 2-DP and no more
        pytest.param(  # the exponential mechanism: 2^2 / 8
            *(Selection(flips=False, rho=0.5), "INCONCLUSIVE"), marks=pytest.mark.slow
        ),
        pytest.param(  # 1-DP, as scores rise or fall together
            *(Selection(flips=True, rho=0.5, monotonic=True), "INCONCLUSIVE"), marks=pytest.mark.slow
        ),
    ],
)
def test_selections_are_tried_across_a_tie_and_within_their_metric(selection, verdict):
    found = lemmata.audit(selection, np.zeros(2, int), root=TEST_ROOT, budget=12_000)
    assert found.verdict == verdict, found


@pytest.mark.parametrize("metric", ["LInfDistance(T=i32)", "LInfDistance(monotonic, T=i32)", "L1Distance(T=i32)"])
def test_every_step_keeps_to_its_metric(metric):
    for pair in stepped(np.array([3, 0, 5]), 1.0, metric):
        moved = pair.neighbour[0] - pair.data[0]
        assert np.abs(moved).sum() == 1 if "L1" in metric else np.abs(moved).max() == 1, pair
        assert "monotonic" not in metric or (moved >= 0).all() or (moved <= 0).all(), pair


Answer = Enum("Answer", "YES NO")
DAY = pd.Timestamp("2020-01-02")
CYCLE: list = [1]
CYCLE.append(CYCLE)
RELEASES = {  # a release, what is made of it
    "a time": (DAY, [1577923200.0, "date None"]),
    "a date": (DAY.date(), [1577923200.0, "date None"]),
    "a time in a zone": (pd.Timestamp("2020-01-02", tz="UTC"), [1577923200.0, "date UTC"]),
    "no time": (pd.NaT, [np.nan, "date None"]),
    "a span": (pd.Timedelta("1h"), [3600.0, "span"]),
    "dates": (np.array(["2020-01-02"], dtype="M8[ns]"), [1577923200.0, "date None"]),
    "a series of dates": (pd.Series([DAY]), [1577923200.0, "date None"]),
    "a frame with dates": (
        pd.DataFrame({"a": ["x"], "b": [DAY]}),
        ["list", "list", "'x'", 1577923200.0, "date None", "[[0], ['a', 'b']]"],
    ),
    "a named series": (pd.Series({"b": 1.0, "a": 2.0}), [1.0, 2.0, "[['b', 'a']]"]),
    "keys in an order of their own": ({"b": 1, "a": 2}, [2.0, 1.0, "['b', 'a']"]),
    "a decimal": (Decimal("1.5"), [1.5]),
    "a decimal that signals": (Decimal("sNaN"), ["Decimal('sNaN')"]),
    "a fraction": (Fraction(1, 4), [0.25]),
    "an interval": (pd.Interval(0, 1), ["Interval(0, 1, closed='right')"]),
    "an index": (pd.Index(["a"]), ["list", "'a'"]),
    "nested": ([[1, ["a"]], {"b": {3}}, None], None),
    "objects": (np.array(DAY, dtype=object), [1577923200.0, "date None"]),
    "an iterator": (iter([1, 2]), [1.0, 2.0]),
    "keys": ({"a": 1}.keys(), ["list", "'a'"]),
    "a complex number": (1 + 2j, [1.0, 2.0]),
    "a set": ({3.0, 1.0}, ["list", "'set'", 1.0, 3.0]),
    "a member of an enumeration": (Answer.YES, ["<Answer.YES: 1>"]),
    "such a member in a list": ([Answer.NO, 2.0], ["list", "<Answer.NO: 2>", 2.0]),
    "what is called": (len, []),  # no release
}


@pytest.mark.parametrize("name", RELEASES)
def test_whatever_is_released_is_an_outcome_or_one_line(name):
    release, told = RELEASES[name]
    found = [value if isinstance(value, str) else np.ravel(value).tolist() for _, _, value in flat(release)]
    plain = [one for value in found for one in (value if isinstance(value, list) else [value])]
    assert told is None or repr(plain) == repr(told)


def test_a_release_that_contains_itself_is_refused():
    with pytest.raises(ValueError, match="release must not contain itself"):
        flat(CYCLE)


@pytest.mark.parametrize("kind", [object, str])
def test_an_array_of_rows_that_are_no_numbers_is_refused_in_one_line(kind):
    with pytest.raises(ValueError, match=r"data\[0\] must be numeric, got a 2-D array of .* a frame can have a type"):
        lemmata.audit(total, np.array([["a", 1], ["b", 2]], dtype=kind), ONE)
