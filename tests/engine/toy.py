"""Small claims for testing the machinery: a true coin, a false one, a mean, a claim that fails, an attack.

They are registered only while a test uses them (`registered`), so the ledger never shows them.
"""

import contextlib
from dataclasses import replace
from unittest import mock

import numpy as np

from lemmata.bounds.theorem import THEOREMS, in_unit_interval, theorem
from lemmata.command.main import TIMINGS
from lemmata.experiments.engine.claims import claim as c, registry
from lemmata.experiments.engine.claims.verdict import AttackDecider, holds, refuted
from lemmata.experiments.engine.ledger.ledger_rows import ledger
from lemmata.experiments.engine.running import run
from lemmata.experiments.engine.running.store import Store
from lemmata.experiments.engine.witness import programs
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.numerics.streams import TEST_ROOT

# Cleared, as the ids are those of a paper, which may have the same rows.
with mock.patch.dict(THEOREMS, clear=True), mock.patch.dict(c.CLAIMS, clear=True):

    @theorem("abgmu22.asm1", part="coin", kind="tail", says="p", needs=[in_unit_interval("beta")])
    def coin(*, beta):
        """A coin fails with probability at most beta."""
        return beta

    @theorem("abgmu22.asm1", part="false", kind="tail", says="p", needs=[in_unit_interval("beta")])
    def false_coin(*, beta):
        """Not true: it fails twice as often."""
        return beta

    @theorem("abgmu22.asm1", part="mean", kind="mean", says="p")
    def mean():
        """E X is at most 0.1."""
        return 0.1

    @theorem("abgmu22.asm2", kind="privacy", says="p")
    def laplace():
        """Laplace noise of scale 1 on a count."""

    @theorem("abgmu22.asm2", part="broken", kind="identity", says="p")
    def broken():
        """Its check raises."""

    @theorem("abgmu22.asm2", part="toothless", kind="identity", says="p")
    def toothless():
        """Its control does not bite."""

    @theorem("abgmu22.asm2", part="rests", kind="identity", says="p")
    def rests():
        """Holds only as far as the false coin does."""
        return True

    settings = {"quick": c.grid(beta=[0.2, 0.1, 2]), "control": c.Control("p x {}", (1.5, 6)), "cap": 10}

    @c.tail_claim(coin, **settings)
    def coin_fails(rng, size, *, beta, factor=1):
        return rng.random(size) < coin(beta=beta) / 3 * factor

    @c.tail_claim(
        false_coin,
        severity="constant",
        corrected_by="abgmu22.asm1/printed/coin",
        python="from tests.engine.toy import false_coin\nassert 2 * 0.2 > false_coin(beta=0.2)",
        **settings | {"control": None},
    )
    def false_coin_fails(rng, size, *, beta):
        return rng.random(size) < 2 * beta

    @c.mean_claim(
        mean,
        bound=lambda: mean(),
        high=1.0,
        control=c.Control("X x {}", (4,)),
        cap=10,
        python=lambda: "from tests.engine.toy import mean\nassert mean() == 0.1",
    )
    def uniform(rng, size, factor=1):
        return rng.random(size) * 0.1 * factor

    class Laplace:
        def __init__(self, centre, scale):
            self.centre, self.scale = centre, scale

        def sample(self, rng, size=1):
            return rng.laplace(self.centre, self.scale, (size, 1))

        def log_density(self, x):
            return -np.abs(x[:, 0] - self.centre) / self.scale - np.log(2 * self.scale)

    @c.attack_claim(
        laplace, law="laplace", attack="pure", bound=lambda: 1.0, control=c.Control("noise / {}", (1.2, 2)), cap=10
    )
    def laplace_pair(*, factor=1):
        return Laplace(0, 1 / factor), Laplace(1, 1 / factor)

    @c.exact_claim(broken, control=c.Control("{}"))
    def breaks(*, factor=1):
        raise RuntimeError("as it must")

    @c.exact_claim(toothless, control=c.Control("{}"))
    def bites_nothing(*, factor=1):
        return holds("enumeration", "everywhere")

    @c.exact_claim(rests, control=c.Control("{}"), given=("abgmu22.asm1/printed/false",))
    def rests_on_false(*, factor=1):
        stands = rests() and factor == 1
        return holds("enumeration", "everywhere") if stands else refuted("enumeration", {"setting": {}})

    THEOREMS_HERE, CLAIMS_HERE = dict(THEOREMS), dict(c.CLAIMS)


def decided(claims, **how):
    """A store in which {key: claim} are decided.

    That a program ran counts as shown, as the programs themselves are another test's business.
    """
    store = Store()
    for job, cell, python in programs.find_refuted(run.execute(list(claims.values()), store, **how)):
        store.keep(job.claim.key, programs.digest_program(job.claim, python, cell.where[0]), "")
    return store


def rows_of(store):
    """The ledger at the test root, without wall-clock times."""
    return [{k: v for k, v in row.items() if k not in TIMINGS} for row in ledger(store, TEST_ROOT)]


def by_key(store):
    """{key: row} of the same."""
    return {row["key"]: row for row in rows_of(store)}


@contextlib.contextmanager
def registered(**changes):
    """The toy claims as the only ones; `changes` are fields to replace in all of them."""
    registry.load()
    changed = {k: replace(v, **changes) for k, v in CLAIMS_HERE.items()}
    with mock.patch.dict(c.CLAIMS, changed, clear=True), mock.patch.dict(THEOREMS, THEOREMS_HERE, clear=True):
        yield c.CLAIMS


def guessed(claim, right, wrong, abstain):
    """A chunk of an attack in which one attacker guesses either dataset, alike at all tangents."""
    counts = np.zeros((1, len(stakes.tangents(claim)) * stakes.CUTS, 3, 3), dtype=int)
    counts[..., 2] = right + wrong + abstain
    counts[:, :, 2] = right, wrong, abstain
    return AttackDecider.pack(counts)
