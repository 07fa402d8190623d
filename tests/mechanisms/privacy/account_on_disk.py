"""The budget and the releases of the account in `conftest.py`, and what two accounts must have in common."""

from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP

BUDGET = ApproxDP(1.0, 1e-5)
RELEASES = [("counts", PureDP(0.1)), ('été \n "}', ApproxDP(0.1, 1e-6)), ("mean", GaussianDP(0.05)), ("", PureDP(0.02))]


def state(account):
    return account.history, account.spent, account.left, account.way, account.budget
