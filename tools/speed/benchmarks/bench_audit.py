"""Audits of numbers: their CPU time, and what threads that wait for a core add where nobody has set their number."""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np

from .side_by_side import dear, exponent, module, sampled, timer as timer

SEED = 5
ROUNDS = 3
THREADS = "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"
TIMED = """
import time, warnings
warnings.simplefilter("ignore")
from {room} import {name}
{name}.work()
start = time.perf_counter()
{name}.work()
print(time.perf_counter() - start)
"""


def numbers(claimed):
    """Two samplers of noisy numbers, and what is claimed of them."""
    privacy = module("lemmata.mechanisms.privacy", "PureDP", "GaussianDP", "ApproxDP")
    noise, shift, claim = {
        "pure": ("laplace", 1.0, privacy.PureDP(1.0)),
        "half of it": ("laplace", 1.0, privacy.PureDP(0.5)),  # refuted
        "Gaussian": ("normal", 1.0, privacy.GaussianDP(1.0)),
        "approximate": ("normal", 0.2, privacy.ApproxDP(1.0, 1e-5)),
    }[claimed]
    return (*(lambda rng, size, x=x: x + getattr(rng, noise)(size=size) for x in (0.0, shift)), claim)


def audited(claimed, budget):
    """One audit of numbers, to its verdict or the end of its budget."""
    a, b, claim = numbers(claimed)
    return module("lemmata.mechanisms.audit.play.sequential_test", "audit").audit(a, b, claim, root=SEED, budget=budget)


class Numbers:
    """Honest mechanisms that release one number: at most .5 CPU-seconds for 10,000 releases, 3 for a million."""

    params = (["pure", "Gaussian", "approximate"], [10_000, 1_000_000])
    param_names = ("claim", "releases")

    def setup(self, claimed, budget):
        if budget > 10_000:
            dear("an audit of a million releases")
        audited(claimed, 1000)

    def time_audit(self, claimed, budget):
        audited(claimed, budget)

    peakmem_audit = time_audit

    def track_lower_limit(self, claimed, budget):
        """What the audit reaches of epsilon or mu; to be as large as before."""
        return audited(claimed, budget).lower

    track_lower_limit.unit = "epsilon or mu"


class Refutation:
    """Laplace noise on a count, of which half its epsilon is claimed."""

    params = ([10_000, 100_000],)
    param_names = ("budget",)

    def setup(self, budget):
        if budget > 10_000:
            dear("an audit of 100,000 releases")

    def track_releases_to_decision(self, budget):
        """How many releases the verdict took; the budget where there is none."""
        found = audited("half of it", budget)
        return float(found.trained + found.judged)

    track_releases_to_decision.unit = "releases"


class Growth:
    """The exponent of an audit's time in its releases, where all is learnt and each further one only judges."""

    params = (["pure", "Gaussian", "approximate"],)
    param_names = ("claim",)

    def setup(self, claimed):
        dear("audits of up to a million releases")
        audited(claimed, 5000)

    def track_exponent(self, claimed):
        sizes = [125_000, 250_000, 500_000, 1_000_000]
        return exponent(sizes, [sampled(partial(audited, claimed, size), 1) for size in sizes])[0]

    track_exponent.unit = "exponent"


class InTime:
    """A search that is given seconds: wall time from call to return over these, for releases of that many numbers."""

    params = ([2, 8], [1, 1000, 10_000])
    param_names = ("seconds", "numbers")

    def setup(self, seconds, size):
        dear("seconds of an audit")
        self.audit = module("lemmata.mechanisms.audit.front.entry", "audit").audit
        self.claim = module("lemmata.mechanisms.privacy", "PureDP").PureDP(float(size))

    def track_time_over_promised(self, seconds, size):
        def release(x, rng):
            return np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace(size=size)

        begun = time.perf_counter()
        self.audit(release, np.zeros(5), self.claim, root=SEED, seconds=seconds)
        return (time.perf_counter() - begun) / seconds

    track_time_over_promised.unit = "ratio"


class Audit:
    """An audit of vectors of five numbers, as somebody runs it who has set no variable."""

    @staticmethod
    def work():
        privacy = module("lemmata.mechanisms.privacy", "GaussianDP")
        game = module("lemmata.mechanisms.audit.play.sequential_test")
        sides = [lambda rng, size, x=x: x + rng.normal(size=(size, 5)) for x in (0.0, 0.4)]
        game.audit(*sides, privacy.GaussianDP(1.0), root=SEED, budget=10_000)


class Learner:
    """Fits of a learner on a thousand records, a CPU-second of them: of less, a clock beside others tells luck."""

    @staticmethod
    def work():
        estimators, rng = (
            module("lemmata.mechanisms.estimators.margin_classifier", "PrivateSVM"),
            np.random.default_rng(SEED),
        )
        X = rng.normal(size=(1000, 20)) / 10
        for _ in range(400):
            estimators.PrivateSVM(classes=(-1, 1), random_state=1).fit(X, np.where(X[:, 0] > 0, 1, -1))


class BusyNeighbours:
    """Beside two processes that never rest: time without any variable over time with one thread, at most 1.5."""

    params = (["Audit", "Learner"],)
    param_names = ("work",)
    timeout = 900

    def setup(self, work):
        dear("processes that never rest")

    def seconds(self, work, limits):
        """Of a second run in a process of its own."""
        plain = {name: value for name, value in os.environ.items() if name not in THREADS}
        plain["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])
        program = TIMED.format(room=__name__, name=work)
        return float(subprocess.check_output([sys.executable, "-c", program], env=plain | limits, text=True))

    def track_time_over_one_thread(self, work):
        busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
        try:
            ways = {}, dict.fromkeys(THREADS, "1")
            rounds = [[self.seconds(work, limits) for limits in ways] for _ in range(ROUNDS)]
        finally:
            for process in busy:
                process.kill()
                process.wait()
        free, limited = np.min(rounds, axis=0)
        return free / limited

    track_time_over_one_thread.unit = "ratio"
