"""An account of ten thousand releases: what a spend takes, how that grows, and composing them beside dp-accounting."""

import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from .side_by_side import exponent, module, ratio, sampled, timer as timer

unit = "ratio"  # of a tracked number that names no unit of its own
SIZES = (1000, 2000, 4000, 8000)  # releases, for the exponent


def releases(kind, count):
    """`count` guarantees, no two alike, and a budget that pays for them."""
    privacy = module("lemmata.mechanisms.privacy", "PureDP", "ApproxDP", "GaussianDP")
    pure = [privacy.PureDP(1e-5 * (1 + i / count)) for i in range(count)]
    gaussian = [privacy.GaussianDP(1e-4 * (1 + i / count)) for i in range(count)]
    approximate = [privacy.ApproxDP(1e-5, 1e-12 * (1 + i / count)) for i in range(count)]
    budget = privacy.ApproxDP(50.0, 1e-5)
    if kind == "pure":
        return privacy.PureDP(50.0), pure
    if kind == "Gaussian":
        return privacy.GaussianDP(50.0), gaussian
    if kind == "approximate":
        return budget, approximate
    return budget, [(gaussian if i % 2 else pure)[i] for i in range(count)]


class Spending:
    """An account in memory."""

    params = (["pure", "Gaussian", "approximate", "mixed"],)
    param_names = ("releases",)
    timeout = 600

    def setup(self, kind):
        self.account = module("lemmata.mechanisms.privacy.accountant", "Accountant")
        self.budget, self.guarantees = releases(kind, 10_000)

    def spend(self, guarantees):
        account = self.account.Accountant(self.budget)
        for guarantee in guarantees:
            account.spend(guarantee)

    def time_ten_thousand(self, kind):
        self.spend(self.guarantees)

    peakmem_ten_thousand = time_ten_thousand

    def track_exponent(self, kind):
        """Of the CPU time in the number of releases, the least of five; 1 is a constant price each."""
        seconds = [
            [sampled(lambda size=size: self.spend(self.guarantees[:size]), 1) for size in SIZES] for _ in range(5)
        ]
        return exponent(list(SIZES), np.min(seconds, axis=0))[0]

    track_exponent.unit = "exponent"


class OnDisk:
    """An account in a file: a thousand spends, each on disk before it returns, and opening it again."""

    timeout = 600

    def setup(self):
        accountant = module("lemmata.mechanisms.privacy.accountant", "Accountant").Accountant
        if not hasattr(accountant, "open"):
            raise NotImplementedError("accounts live in memory only")
        self.open, self.folder = accountant.open, tempfile.TemporaryDirectory()
        self.budget, self.guarantees = releases("mixed", 1000)
        self.kept = Path(self.folder.name) / "kept"
        self.spend(self.kept)

    def teardown(self):
        self.folder.cleanup()

    def spend(self, path):
        with self.open(path, self.budget) as account:
            for guarantee in self.guarantees:
                account.spend(guarantee)

    def time_a_thousand(self):
        path = Path(self.folder.name) / "fresh"
        path.unlink(missing_ok=True)
        self.spend(path)

    def time_opening(self):
        self.open(self.kept).close()


def theirs():
    """dp-accounting's accountant of privacy loss distributions, as tight, told of one release and their number."""
    from dp_accounting import GaussianDpEvent
    from dp_accounting.pld import PLDAccountant

    return PLDAccountant().compose(GaussianDpEvent(100.0), 10_000).get_epsilon(1e-5)


class Composing:
    """Ten thousand Gaussian releases fixed in advance, and the epsilon of all at delta = 1e-5."""

    timeout = 600

    def setup(self):
        self.privacy = module("lemmata.mechanisms.privacy", "GaussianDP", "compose", "to_approx")
        self.guarantees = [self.privacy.GaussianDP(0.01) for _ in range(10_000)]
        if not find_spec("dp_accounting"):
            raise NotImplementedError("dp-accounting is not installed")

    def compose(self):
        return self.privacy.to_approx(self.privacy.compose(*self.guarantees), delta=1e-5).epsilon

    def time_compose(self):
        self.compose()

    def track_time_over_dp_accounting(self):
        """Composing in one call beside the same."""
        return ratio(self.compose, theirs, 3)

    def track_account_over_dp_accounting(self):
        """Ten thousand spends of an account, one by one, beside the same."""
        account = module("lemmata.mechanisms.privacy.accountant", "Accountant")

        def ours():
            kept = account.Accountant(self.privacy.GaussianDP(50.0))
            for guarantee in self.guarantees:
                kept.spend(guarantee)
            return self.privacy.to_approx(kept.spent, delta=1e-5).epsilon

        return ratio(ours, theirs, 3)
