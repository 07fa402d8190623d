"""The attack game on laws whose leak is known: what it must see, what it must spare, and when it has no say."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.experiments.engine.claims import attack as game
from lemmata.experiments.engine.claims.claim import attack_claim
from lemmata.experiments.engine.claims.verdict import LOG_REFUTE, AttackDecider, conclude
from lemmata.experiments.engine.running.cell import Cell
from lemmata.experiments.engine.running.store import Chunk
from lemmata.mechanisms.audit.evidence import stakes
from lemmata.mechanisms.noise.laplace import FloatLaplace
from lemmata.mechanisms.numerics.streams import generator
from lemmata.mechanisms.privacy import ApproxDP, GaussianDP, PureDP
from tests.engine import toy

ROOT = 5


@dataclass(frozen=True)
class Normal:
    """Three normal coordinates, the first off centre; `leak` of the outcomes are replaced by `odd`."""

    centre: float = 0.0
    scale: float = 1.0
    leak: float = 0.0
    odd: float = np.nan

    def sample(self, rng, size=1):
        x = self.scale * (rng.normal(size=(size, 3)) + np.array([self.centre, 0, 0]))
        x[rng.random(size) < self.leak] = self.odd
        return x


def audit(a, b, claim, *, budget, chunk=1000):
    """The attack of an `impl` row, chunk by chunk, with the rule of the training releases."""
    decider = AttackDecider(claim)
    player = game.trained(a, b, claim, lambda block: np.random.default_rng([ROOT, block]), 4)
    rng = np.random.default_rng(ROOT)
    while decider.trials < budget and decider.log_e()[1] < LOG_REFUTE:
        decider.add(AttackDecider.pack(game.play(a, b, player, rng, chunk)))
    return decider


def words(p):
    return game.Sampler(lambda rng, size: np.where(rng.random(size) < p, "yes", None).astype(object))


def named(p):
    """A release in two fields, one of them a number that never changes."""
    return game.Sampler(lambda rng, size: {"hit": rng.random(size) < p, "size": np.full(size, 7)})


SEEN = {
    "an event of a tenth": (words(0.1), words(0.004), PureDP(1)),
    "half the noise": (Normal(), Normal(2), GaussianDP(1)),
    "half the noise, on a small scale": (Normal(0, 1e-9), Normal(2, 1e-9), GaussianDP(1)),
    "half the noise, on a large scale": (Normal(0, 1e12), Normal(2, 1e12), GaussianDP(1)),
    "a missing value": (Normal(), Normal(leak=0.03), GaussianDP(0.5)),
    "an infinite value": (Normal(), Normal(leak=0.03, odd=np.inf), GaussianDP(0.5)),
    "an atom in the middle": (Normal(), Normal(leak=0.2, odd=0.125), PureDP(0.5)),
    "one of two missing values": (Normal(leak=0.5), Normal(leak=0.5, odd=-np.inf), PureDP(1)),
    "delta too large": (Normal(), Normal(leak=0.1), ApproxDP(1, 0.01)),
    "words": (words(0.2), words(0.8), PureDP(0.5)),
    "fields": (named(0.2), named(0.8), PureDP(0.5)),
}


@pytest.mark.parametrize("name", SEEN)
def test_a_leak_is_seen(name):
    decider = audit(*SEEN[name], budget=30_000)
    assert conclude(*decider.log_e()) == REFUTED, decider.describe_lower_bound()
    assert decider.reached() > decider.level


SPARED = {
    "normal": (Normal(), Normal(1), GaussianDP(1)),
    "small": (Normal(0, 1e-9), Normal(1, 1e-9), GaussianDP(1)),
    "missing": (Normal(leak=0.2), Normal(leak=0.3), PureDP(0.5)),
    "words": (words(0.4), words(0.6), PureDP(0.41)),
    "delta": (Normal(), Normal(leak=0.1), ApproxDP(1, 0.1)),
}


@pytest.mark.parametrize("name", SPARED)
def test_the_honest_are_spared(name):
    decider = audit(*SPARED[name], budget=6000)
    assert conclude(*decider.log_e()) is None
    assert decider.trials == 6000
    assert decider.reached() <= decider.level


def test_later_chunks_are_played_by_rules_that_saw_more(monkeypatch):
    seen = []
    monkeypatch.setattr(game, "trained", lambda *given: seen.append(given[-1]))
    monkeypatch.setattr(game, "play", lambda a, b, rule, rng, size: size)
    trial = game.attacker(lambda factor: (Normal(), Normal(factor)), "gdp", lambda: 1.0)
    for index in (0, 1, 2, 3, 7):
        trial(None, 5, root=ROOT, key="k", stream="main", index=index)
    assert seen == [1, 2, 3, 4]  # a rule is kept while its releases are the same


def test_no_training_release_is_judged():
    """What an attacker learns from and what it is judged by are drawn from other generators, whatever the block."""
    states = []

    @dataclass(frozen=True)
    class Seen(Normal):
        def sample(self, rng, size=1):
            if size == game.TRAIN_BLOCK:
                states.append(rng.bit_generator.state["state"]["state"])
            return super().sample(rng, size)

    streams = ("main", "sabotage:2", "pilot")
    trial = game.attacker(lambda factor: (Seen(), Seen(factor)), "gdp", lambda: 1.0)
    for stream in streams:
        for index in (0, 1, 3, 200):
            trial(generator(ROOT, "k", {}, stream, index), 5, root=ROOT, key="k", stream=stream, index=index)
    training = set(states)
    blocks = [*range(64), *range(game.READ, game.READ + 4), game.SHUFFLE, 200]
    judging = {generator(ROOT, "k", {}, s, i).bit_generator.state["state"]["state"] for s in streams for i in blocks}
    assert len(training) > 3 * 2 * (1 + 1 + 2 + 3) and not training & judging


def test_total_variation_alone_would_miss_a_rare_sure_sign():
    """Three outcomes in a hundred give the dataset away: inside mu = 0.5 in total variation, outside its curve."""
    decider = audit(*SEEN["a missing value"], budget=30_000)
    [(_, delta), *_] = stakes.tangents(decider.claim)
    alone = stakes.average(decider.counts[:, : stakes.CUTS], stakes.tables(np.full((stakes.CUTS, 2), (0.0, delta))))
    assert decider.log_e()[1] > 20 > 1 > alone


def test_an_exact_likelihood_ratio_plays_alone():
    """Where both laws know their density no other score can be better, and others would share the evidence."""
    laws = [FloatLaplace(np.array([centre]), 1.0) for centre in (0.0, 1.0)]
    assert [name for name, _ in game.name_attackers(*laws)] == ["the exact likelihood ratio"]
    assert len(game.name_attackers(Normal(), Normal(1))) > 3
    decider = audit(*laws, PureDP(0.8), budget=30_000)
    assert conclude(*decider.log_e()) == REFUTED
    assert conclude(*audit(*laws, PureDP(1.0), budget=30_000).log_e()) is None


@pytest.mark.parametrize(("counts", "reason"), [((500, 500, 0), "NO_POWER"), ((700, 300, 0), "AUDIT_ONLY")])
def test_an_attack_without_power_does_not_say_survived(counts, reason, claims):
    cell = Cell(replace(claims["abgmu22.asm2/printed/impl:laplace"], cap=1), {})
    cell.add(Chunk(toy.guessed(cell.decider.claim, *counts), 0.0, b""))
    assert (cell.verdict.outcome, cell.verdict.reason) == ("INCONCLUSIVE", reason)
    assert ("survived" in cell.verdict.note) == (reason == "AUDIT_ONLY")


def test_a_function_is_a_side_like_a_law():
    """The same game, guess by guess; what is neither is refused in one line, and so is another attack."""

    def attacked(pair):
        trial = game.attacker(pair, "pure", lambda: 1.0)
        return trial(np.random.default_rng(ROOT), 500, root=ROOT, key="k", stream="main", index=0).tolist()

    scaled, plain = (lambda rng, size, by=by: rng.normal(size=(size, 3)) * by for by in (3, 1))
    as_laws = attacked(lambda factor: (game.Sampler(scaled), game.Sampler(plain)))
    assert attacked(lambda factor: (scaled, plain)) == as_laws
    with pytest.raises(ValueError, match=r"^a side must be a law with `sample` or a function \(rng, size\), got int$"):
        attacked(lambda factor: (3, plain))
    with pytest.raises(ValueError, match=r"^attack must be one of pure, approx, gdp, got 'puree'$"):
        attack_claim(None, law="x", attack="puree", bound=1.0)


def test_an_attack_refutes_the_guarantee_that_it_names():
    assert game.guarantee("approx", 1.0, 1e-5) == ApproxDP(1.0, 1e-5)
    assert game.guarantee("pure", 1.0) == PureDP(1.0) and game.guarantee("gdp", 1.0) == GaussianDP(1.0)
