"""An account on disk after four releases, for the tests of its file and of its writers."""

import pytest

from lemmata import Accountant, PureDP
from tests.mechanisms.privacy.account_on_disk import BUDGET, RELEASES


@pytest.fixture
def path(tmp_path):
    return tmp_path / "study.account"


@pytest.fixture
def spent(path):
    """The file, with two releases before the switch to the Gaussian way and two after."""
    with Accountant.open(path, BUDGET, reserve=PureDP(0.3)) as account:
        for label, release in RELEASES:
            account.spend(release, label)
    return path
