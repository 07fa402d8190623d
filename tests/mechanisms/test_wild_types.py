"""What records and releases are made of: whole numbers, truth values, texts, frames; and programs that show a leak."""

import contextlib
import io

import numpy as np
import pandas as pd
import pytest

from lemmata import PureDP, audit
from lemmata.mechanisms.audit.neighbours import described, neighbouring

HOURS = pd.DataFrame({"hours": [0.0, 0.5, 1.0, 0.2] * 6, "drink": ["tea", "coffee", "tea", "tea"] * 6})


def whole(x, rng):
    return np.clip(x, 0, 3).sum() + rng.laplace(scale=3)


def truths(x, rng):
    return x.sum() + rng.laplace()


def unclipped(x, rng):
    return x.sum() + rng.laplace(scale=3)


def drinks(frame, rng):
    return {drink: count + rng.laplace(scale=2) for drink, count in frame["drink"].value_counts().items()}


def favourite(frame, rng):
    return frame["drink"].value_counts().idxmax()


def totals(frame, rng):
    return pd.Series({"hours": frame["hours"].clip(0, 1).fillna(0).sum() + rng.laplace(scale=0.2)})


def answered(column, rng):
    return column.dropna().mean() + rng.laplace(scale=1 / len(column.dropna()))


@pytest.mark.parametrize(("mechanism", "data"), [(whole, np.arange(24) % 4), (truths, np.arange(24) % 2 == 0)])
def test_an_array_of_whole_numbers_or_truth_values_keeps_to_them(mechanism, data):
    """Each of these keeps its promise for whatever such an array holds; NaN made both of them fall."""
    pairs = list(neighbouring((data,), described((data,), {}), "replace"))
    kinds = {part.dtype.kind for pair in pairs for part in (*pair.data, *pair.neighbour)}
    assert len(pairs) > 20 and kinds == {data.dtype.kind}
    assert audit(mechanism, data, PureDP(1.0), root=5, budget=3000).verdict != "REFUTED"


def counted(reproducer):
    """How often the event of a program happens on either side."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(reproducer, {})
    return [int(line.split()[1]) for line in said.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("mechanism", "data"),
    [(unclipped, np.arange(24) % 4), (drinks, HOURS), (favourite, HOURS), (totals, HOURS), (answered, HOURS["hours"])],
)
def test_a_leak_is_found_and_its_program_shows_it(mechanism, data):
    """More often on one side than e times as often on the other, or that the event does not happen."""
    found = audit(mechanism, data, PureDP(1.0), root=5)
    assert found.verdict == "REFUTED"
    assert len(found.reproducer.splitlines()) <= 20
    one, other = counted(found.reproducer)
    assert any(
        a > np.e * b + 60
        for a, b in ((one, other), (other, one), (1000 - one, 1000 - other), (1000 - other, 1000 - one))
    )


def test_a_forgotten_claim_shows_no_data():
    with pytest.raises(ValueError, match="claim is missing: the last argument is data") as error:
        audit(unclipped, np.array([91.5, 88.25, 17.0]), np.array([1, 0, 1]))
    assert "91" not in str(error.value)
