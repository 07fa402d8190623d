"""Curves of a cell as plain numbers, and which of them a page shows."""

import numpy as np
import pytest

from lemmata.experiments.engine.ledger.curves import (
    MOST_POINTS,
    Picture,
    Rate,
    is_informative,
    pictures_from_json,
    pictures_to_json,
)


def curves(**series):
    return Picture({"n": 1}, series, None)


def test_what_is_kept_of_a_picture_is_the_picture():
    rate = Rate("n", np.array([1.0, 2.0, 4.0]), np.array([0.5, 0.25, 0.0]), -0.5)
    kept = pictures_from_json(pictures_to_json([curves(n=[1, 2], bound=[0.5, np.inf]), Picture({"d": 3}, {}, rate)]))
    assert kept[0] == Picture({"n": 1}, {"n": [1.0, 2.0], "bound": [0.5, np.inf]}, None)
    assert kept[1].rate.name == "n" and kept[1].rate.slope == -0.5 and (kept[1].rate.means == rate.means).all()
    long = pictures_from_json(pictures_to_json([curves(n=range(1000), exact=range(1000))]))[0].series
    assert len(long["n"]) == MOST_POINTS and long["n"][-1] == 999.0


@pytest.mark.parametrize(
    ("picture", "shown"),
    [
        (curves(n=[1, 2, 3], bound=[1, 1, 1], exact=[0.5, 0.7, 0.9]), True),
        (curves(n=[1, 2, 3], bound=[1, 2, 3], exact=[0.5, 1, 1.5]), False),  # half of it everywhere
        (curves(n=[1, 2, 3], exact=[0.5, 0.7, 0.9]), False),  # beside nothing
        (curves(n=[1, 2], bound=[1, 1], exact=[0.5, 0.7]), False),  # two points
        (curves(n=[1, 2, 3], bound=[1, 0, 0], exact=[1, 1, 2]), True),  # endlessly above it
        (Picture({}, {}, Rate("d", np.array([1.0, 2.0]), np.ones(2), 0.1)), False),
        (Picture({}, {}, Rate("d", np.array([1.0, 2.0, 3.0]), np.ones(3), 0.1)), True),
    ],
)
def test_a_page_shows_what_a_sentence_does_not_say(picture, shown):
    assert is_informative(picture) == shown
