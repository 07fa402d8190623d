"""Every planted mistake can be planted, is caught, and has its line on the page of the audits."""

import pytest

from lemmata.experiments.audits import read_committed
from lemmata.experiments.conformance.runner import PASSED, Check, try_change
from tests.mutation.planted import PLANTED
from tests.mutation.planting import DEAR


def rows(dear):
    """Those whose check draws many releases, or the others."""
    chosen = [planted for planted in PLANTED if (planted.check.planned >= DEAR) == dear]
    return pytest.mark.parametrize("planted", chosen, ids=lambda planted: f"{planted.row}: {planted.mutation}")


def test_what_is_changed_is_in_the_code_still():
    sees_nothing = Check("sees nothing", lambda: PASSED)
    assert PLANTED
    for planted in PLANTED:
        assert try_change(planted.plant, [sees_nothing]).passed == 1, planted.mutation


@pytest.mark.slow
@pytest.mark.statistical
@rows(dear=False)
def test_a_planted_mistake_is_caught(planted):
    assert planted.is_caught(), planted.tried()


@pytest.mark.slow
@pytest.mark.soak
@rows(dear=True)
def test_a_planted_mistake_is_caught_by_many_releases(planted):
    assert planted.is_caught(), planted.tried()


def test_every_planted_mistake_is_on_its_page():
    listed = read_committed("planted")
    assert sorted(line["mutation"] for line in listed) == sorted(planted.mutation for planted in PLANTED)
    assert {line["caught"] for line in listed} == {"yes"}
