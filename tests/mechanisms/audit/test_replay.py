"""Deterministic checks, on our own laws and on their sabotage."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import laplace, norm

from lemmata.bounds.wzw25.hinge_gradient import replacement_sensitivity
from lemmata.mechanisms.audit.subjects import replay
from lemmata.mechanisms.learners.descent import noisy_gd, private_tuning
from lemmata.mechanisms.noise import gaussian
from lemmata.mechanisms.noise.laplace import FloatLaplace
from lemmata.mechanisms.privacy import GaussianDP
from tests.streams import streams

rng = streams("replay")


def descent(first=1.0, steps=4, output="last"):
    X = np.array([[first, 0.0], [0.6, 0.8], [0.0, 1.0]])
    return noisy_gd.law(X, np.ones(3), privacy=GaussianDP(1.0), width=0.5, steps=steps, output=output)


def program(law, ask, scale=None):
    """Noisy gradient descent as its queries: what `NoisyGDLaw` declares of every gradient."""
    W = law.start[:, None]
    declared = replacement_sensitivity(radius=1.0, width=law.width)
    for eta in law.strides:
        W = W - eta * ask("gradient", law.gradients(W), sensitivity=declared, scale=scale or law.sigma)
    return W


def test_gradient_descent_asks_no_more_than_it_declares():
    pair = descent(1.0), descent(-1.0)
    assert replay.replayed(program, *pair, rng("descent")) == []
    asked = replay.Curator(rng("descent"))
    program(pair[0], asked)
    assert replay.spent(asked.queries)[1] <= pair[0].privacy.mu * (1 + 1e-9)
    unclipped = [replace(law, Z=3 * law.Z) for law in pair]
    assert "declared" in replay.replayed(program, *unclipped, rng("descent"))[0]
    cheap = replay.Curator(rng("descent"))
    program(pair[0], cheap, scale=pair[0].sigma / 2)
    assert replay.spent(cheap.queries)[1] > 1.9 * pair[0].privacy.mu


def test_a_query_that_moves_by_twice_what_it_declares_has_kappa_2():
    ask_for_data = lambda data, ask: ask("data", data, sensitivity=0.5, scale=1.0)  # noqa: E731
    assert replay.kappa(ask_for_data, [1.0], [2.0], np.random.default_rng(0)) == 2.0


def test_control_flow_and_hidden_reads_are_seen():
    def early(data, ask):
        answers = [ask("count", sum(data), sensitivity=1, scale=1.0, order=1)]
        while len(answers) < 2 + (sum(data) > 3):
            answers.append(ask("count", sum(data), sensitivity=1, scale=1.0, order=1))
        return answers

    def peeks(data, ask):
        return ask("count", sum(data), sensitivity=1, scale=1.0, order=1) + 1e-9 * data[0]

    def renamed(data, ask):
        return ask("count", sum(data), sensitivity=1, scale=1.0 + data[0], order=1)

    pair = [1, 1, 1, 1], [0, 1, 1, 1]
    assert "3 queries on one dataset, 2 on the other" in replay.replayed(early, *pair, rng("flow"))[0]
    assert "something else was read" in replay.replayed(peeks, *pair, rng("flow"))[0]
    assert "is ('count'" in replay.replayed(renamed, *pair, rng("flow"))[0]
    answered = replay.Curator(rng("flow"))
    early([1, 1, 1, 1], answered)
    assert replay.spent(answered.queries) == (3.0, 0.0)


@pytest.mark.parametrize("output", noisy_gd.OUTPUTS)
@pytest.mark.parametrize("steps", [4, 9])
def test_every_step_draws_its_own_noise(steps, output):
    law = descent(steps=steps, output=output)
    assert replay.drawn(law.sample, "normal") == steps * 2
    sensitivity = replacement_sensitivity(radius=1.0, width=law.width)
    charged = math.sqrt(replay.drawn(law.sample, "normal") / 2) * sensitivity / law.sigma
    assert charged <= law.privacy.mu * (1 + 1e-9)
    assert math.sqrt(steps + 1) * sensitivity / law.sigma > law.privacy.mu  # one step more was not paid for


@pytest.mark.statistical
def test_noise_has_its_law_jointly():
    size = 2_000
    draws = FloatLaplace(np.zeros(3), 2.0).sample(rng("laplace"), size)
    assert replay.not_the_law(draws, laplace(scale=2.0).cdf) > 1e-4
    assert replay.not_the_law(draws, laplace(scale=1.0).cdf) < 1e-10
    one = np.repeat(draws[:, :1], 3, axis=1)
    assert replay.not_the_law(one, laplace(scale=2.0).cdf) < 1e-10
    signs = rng("signs").choice([-1.0, 1.0], size=(size, 3))
    assert replay.not_the_law(np.abs(one) * signs, laplace(scale=2.0).cdf) < 1e-10
    assert replay.not_the_law(np.sort(draws, axis=0), laplace(scale=2.0).cdf) < 1e-10
    normal = gaussian.law(np.zeros(4), sensitivity=1.0, sigma=3.0).sample(rng("normal"), size)
    assert replay.not_the_law(normal, norm(scale=3.0).cdf) > 1e-4


@pytest.mark.statistical
def test_score_noise_is_fresh_in_every_run():
    """Halving or reusing the score noise of Algorithm 4 changes this, and no row of the ledger."""

    def base(mu):
        return [gaussian.law([x], sensitivity=1.0, privacy=GaussianDP(mu)) for x in (0.0, 1.0)]

    law = private_tuning.law(base, epsilon=1.0, delta=1e-5, score=lambda j, m: m[:, 0], sensitivity=1.0, r=0.25)
    assert replay.not_the_law(law.noise(rng("tuning"), 2_000), norm(scale=law.sigma).cdf) > 1e-4
