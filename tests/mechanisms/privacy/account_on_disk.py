"""An account on disk after four releases, for the tests of its file and of its writers."""

from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP
from lemmata.mechanisms.privacy.accountant import Accountant

BUDGET = ApproxDP(1.0, 1e-5)
RELEASES = [("counts", PureDP(0.1)), ('été \n "}', ApproxDP(0.1, 1e-6)), ("mean", GaussianDP(0.05)), ("", PureDP(0.02))]


def four_releases(path):
    """The file, with two releases before the switch to the Gaussian way and two after."""
    with Accountant.open(path, BUDGET, reserve=PureDP(0.3)) as account:
        for label, release in RELEASES:
            account.spend(release, label)
    return path


def state(account):
    return account.history, account.spent, account.left, account.way, account.budget
