"""Replay on one pair: a broken mechanism exceeds its claim with the exact number, an honest one never does."""

import inspect
import math
import os
import random
import secrets
import sys
from contextlib import contextmanager
from functools import partial
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from lemmata import ZCDP, ApproxDP, GaussianDP, PrivacyCurve, PureDP, RenyiDP, compose, gaussian_delta, replay
from lemmata.mechanisms.audit.evidence.transcript_loss import composed, finite, gaussian, located
from lemmata.mechanisms.audit.front.pair_replay import ASIDE, EXCEEDS, FURTHEST, NOT_JUDGED, WITHIN, _other_outcome
from lemmata.mechanisms.audit.subjects.draws import Meeting
from lemmata.mechanisms.privacy.losses import enclosed_delta
from tests.mechanisms.audit import test_leads
from tests.mechanisms.audit.planted_leaks import through

ZEROS, ONE = np.zeros(3), np.array([0.0, 0.0, 1.0])  # replaced: the sum moves by 1
LONGER = np.zeros(4)
GRID = np.linspace(0, 1, 5)
FREE = (-math.inf, math.inf)


def total(x, rng, scale=1.0):
    return np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace(scale=scale)


def steps(x, rng):
    return [float(x.sum() + rng.normal(scale=10**0.5)) for _ in range(10)]


def into_an_array(x, rng):
    noisy = np.array([x.sum(), 0.0])
    noisy += rng.laplace(size=2)
    return noisy


def on_in_place(x, rng):
    noisy = x.sum() + rng.laplace(size=1)
    noisy /= 2
    return noisy


def one_noise_for_two(x, rng):
    noise = rng.normal(size=2)
    return [x.sum() + noise[0], x[:2].sum() + noise[0], noise[1] + 0.0]


def raises_for_one(x, rng):
    if x.max() > 0.5:
        raise ValueError("too large")
    return total(x, rng)


def response(x, rng):
    truth = float(x[-1] > 0.5)
    return truth if rng.random() < 0.75 else 1 - truth


def two_responses(x, rng):
    kept = rng.random(2) > 0.25
    return np.where(kept, x[-2:], 1 - x[-2:])


def exponential(x, rng):
    scores = np.array([abs((x < t).sum() - len(x) / 2) for t in GRID])
    shares = np.exp(-scores / 2)
    return float(rng.choice(GRID, p=shares / shares.sum()))


def descent(X, rng):
    """Noisy gradient descent on means, each gradient clipped to 1, with noise of scale 2; only the end is released."""
    w = np.zeros(2)
    for _ in range(4):
        moved = X - w
        moved = moved / np.maximum(1.0, np.linalg.norm(moved, axis=1, keepdims=True))
        w = w + 0.1 * (moved.sum(axis=0) + rng.normal(scale=2.0, size=2))
    return w


CLOUD = np.full((4, 2), 40.0), np.full((3, 2), 40.0)

EXACT = {  # mechanism, the tight claim, and one a little below it
    "total": (total, PureDP(1.0), PureDP(0.999)),
    "global state": (lambda x: x.sum() + np.random.laplace(scale=1.0), PureDP(1.0), PureDP(0.999)),  # noqa: NPY002
    "by location": (lambda x: np.random.laplace(x.sum(), 1.0), PureDP(1.0), PureDP(0.999)),  # noqa: NPY002
    "by gauss": (lambda x: x.sum() + random.gauss(0, 1), GaussianDP(1.0), GaussianDP(0.999)),
    "into an array": (into_an_array, PureDP(1.0), PureDP(0.999)),
    "on in place": (on_in_place, PureDP(1.0), PureDP(0.999)),
    "twice": (lambda x, rng: (total(x, rng), x.max() + rng.laplace()), PureDP(2.0), PureDP(1.999)),
    "steps": (steps, GaussianDP(1.0), GaussianDP(0.999)),
    "steps, zCDP": (steps, ZCDP(0.5), ZCDP(0.499)),
    "steps, Renyi": (steps, RenyiDP((2.0, 8.0), (1.0, 4.0)), RenyiDP((2.0, 8.0), (1.0, 3.99))),
    "steps, delta": (steps, ApproxDP(1.0, 0.12694), ApproxDP(1.0, 0.12693)),
    "steps, curve": (steps, PrivacyCurve((0.0, 3.0), (1.0, 0.00154)), PrivacyCurve((0.0, 3.0), (1.0, 0.00153))),
    "clipped afterwards": (
        lambda x, rng: float(np.clip(x.sum() + rng.laplace(scale=0.5), 0.0, 5.0)),
        PureDP(2.0),
        PureDP(1.999),
    ),
    "shifted afterwards": (lambda x, rng: float(rng.laplace() + 0.0) + 2 * x.sum(), PureDP(2.0), PureDP(1.999)),
    "response": (response, PureDP(math.log(3)), PureDP(1.098)),
    "two responses": (two_responses, PureDP(math.log(3)), PureDP(1.098)),
    "of secrets": (
        lambda x: float(x[-1]) if secrets.randbelow(4) else 1 - float(x[-1]),
        PureDP(math.log(3)),
        PureDP(1.098),
    ),
    "weighted": (
        lambda x: random.choices(["a", "b"], weights=[1 + x.sum(), 1])[0],
        PureDP(math.log(1.5)),
        PureDP(0.405),
    ),
    "exponential": (exponential, PureDP(0.5), PureDP(0.2)),
}


@pytest.mark.parametrize(("mechanism", "true", "false"), EXACT.values(), ids=EXACT)
@pytest.mark.parametrize("seed", range(2))
def test_the_exact_law_decides_between_claims_that_are_close(mechanism, true, false, seed):
    assert replay(mechanism, ZEROS, ONE, true, seed=seed).verdict == WITHIN
    assert replay(mechanism, ZEROS, ONE, false, seed=seed).verdict == EXCEEDS


BROKEN = {  # mechanism, neighbour, and a claim far above what it keeps
    "with the raw mean": (lambda x, rng: (total(x, rng), x.mean()), ONE, PureDP(5.0)),
    "shared noise": (lambda x, rng: np.array([x.sum(), 2 * x.sum()]) + rng.laplace(), ONE, PureDP(5.0)),
    "one noise for two": (one_noise_for_two, ONE, ApproxDP(5.0, 0.5)),
    "scaled afterwards": (lambda x, rng: total(x, rng) / len(x), LONGER, PureDP(1.0)),
    "scale from the data": (lambda x, rng: x.sum() + rng.laplace(scale=1 + x.max()), ONE, PureDP(2.0)),
    "without noise": (lambda x: x.mean(), ONE, ApproxDP(5.0, 0.5)),
    "a scale of 0": (partial(total, scale=0.0), ONE, ApproxDP(5.0, 0.5)),
    "NaN through": (through, np.array([0.0, 0.0, np.nan]), ApproxDP(5.0, 0.5)),
    "keys": (lambda x, rng: {str(k): (x == k).sum() + rng.laplace() for k in np.unique(x)}, ONE, ApproxDP(5.0, 0.5)),
    "raises for one": (raises_for_one, ONE, ApproxDP(5.0, 0.5)),
    "steps": (steps, ONE, PureDP(50.0)),
}


@pytest.mark.parametrize(("mechanism", "neighbour", "claim"), BROKEN.values(), ids=BROKEN)
def test_what_is_read_from_the_data_exceeds_the_claim(mechanism, neighbour, claim):
    assert [replay(mechanism, ZEROS, neighbour, claim, seed=seed).verdict for seed in range(2)] == [EXCEEDS] * 2


def sampled(x, rng):
    return x[rng.random(len(x)) < 0.99].sum() + rng.laplace()


def compared_with_raw(x, rng):
    return bool(x.sum() > 0.5 + rng.laplace())


def by_hand(x, rng):
    u = rng.uniform(-0.5, 0.5)
    return x.sum() - math.copysign(math.log(1 - 2 * abs(u)), u)


def filtered(x, rng):
    """Asks again until the realised loss is spent: its answers decide by how much the next centre moves."""
    first = x.sum() + rng.laplace()
    return first, float(x.sum() + rng.laplace() if abs(first) < 0.5 else 0.0 + rng.laplace())


def tree(x, rng):
    leaves = x + rng.laplace(scale=2.0, size=len(x))
    return [leaves[:2].sum(), float(x.sum() + rng.laplace(scale=2.0))]


HONEST = [
    (sampled, PureDP(math.log1p(0.99 * math.expm1(1.0)))),
    (filtered, PureDP(2.0)),
    (lambda x, rng: np.median(x) + rng.standard_cauchy() * 6 * (1 + 0.1 * x.max()), PureDP(1.0)),
    (lambda x, rng: int(np.round(x.sum() + rng.laplace())), PureDP(1.0)),
    (lambda x, rng: (total(x, rng), ((1e6 + x / 3) - 1e6 - x / 3).sum()), PureDP(1.0)),  # with an error of rounding
    *((one, PureDP(1.0)) for one in (
        compared_with_raw, by_hand, tree, total, test_leads.shuffled, test_leads.in_another_order,
        test_leads.of_a_sample, test_leads.chosen, test_leads.responded, test_leads.largest, test_leads.above,
    )),
    (test_leads.rejected, PureDP(2.0)),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "claim"), HONEST)
@pytest.mark.parametrize("seed", range(4))
def test_an_honest_mechanism_is_never_accused(mechanism, claim, seed):
    found = replay(mechanism, ZEROS, ONE, claim, seed=seed)
    assert found.verdict in (WITHIN, NOT_JUDGED), str(found)


@pytest.mark.parametrize(("law", "whole"), [("laplace", False), ("discrete laplace", True)])
def test_other_answers_lie_beside_the_question_or_far_to_one_side(law, whole, rng):
    one, other = (Meeting(law, 2.0, np.full(200, c), ("f", 1), np.full(200, c)) for c in (3.0, 4.0))
    near, below, above, far = (_other_outcome(one, other, way, rng) for way in ("near", "below", "above", "far"))
    assert all((answers == np.round(answers)).all() == whole for answers in (near, far))
    assert set(near) == {4.0, 5.0, 6.0} if whole else (abs(near - 3.5) <= 2 * ASIDE).all()
    assert (below <= 4 - 2 * FURTHEST).all() and (above >= 3 + 2 * FURTHEST).all()
    assert (abs(far - 3.5) >= 1.5).all() and far.min() < 3 < far.max()


def test_answers_that_are_not_released_count_only_for_who_sees_them():
    hidden = replay(descent, *CLOUD, GaussianDP(0.9, "add/remove"))
    assert hidden.verdict == NOT_JUDGED
    assert "together exceed the claim: mu is 1" in hidden.why
    assert replay(descent, *CLOUD, GaussianDP(0.9, "add/remove"), sees="answers").verdict == EXCEEDS
    assert replay(descent, *CLOUD, GaussianDP(1.0, "add/remove"), sees="answers").verdict == WITHIN
    assert replay(sampled, ZEROS, ONE, PureDP(0.9), sees="answers").verdict == NOT_JUDGED


@pytest.mark.parametrize(
    ("mechanism", "words"),
    [
        (compared_with_raw, "what is released is not the noisy numbers themselves"),
        (by_hand, "draws of uniform"),
        (test_leads.rejected, "how many draws are made"),
        (lambda x: x.sum() + float.fromhex("0x1p-3") * secrets.SystemRandom().random(), "draws of random"),
        (lambda x: x.sum() + np.frombuffer(os.urandom(8), np.uint8).sum(), "not all is recorded"),
        (lambda x: x["missing"], "the program raises on both datasets: IndexError"),
    ],
)
def test_what_cannot_be_replayed_is_said(mechanism, words):
    found = replay(mechanism, ZEROS, ONE, PureDP(0.5))
    assert (found.verdict, words in found.why) == (NOT_JUDGED, True), found.why


def test_the_line_and_the_measured_move_are_named():
    found = replay(total, ZEROS, ONE, PureDP(0.5))
    (moved,) = found.moved
    assert (moved.law, moved.scale, moved.numbers) == ("laplace", 1.0, 1)
    assert moved.moves == pytest.approx(1)
    assert moved.place.file == __file__
    assert moved.place.line == inspect.getsourcelines(total)[1] + 1
    assert str(found).startswith("EXCEEDS: PureDP(epsilon=0.5, neighbours='replace') does not hold at this pair")
    assert "its centre moves by 1, 1 scales" in str(found)
    with pytest.raises(ValueError, match=r"sees must be 'release' or 'answers', got 'all'"):
        replay(total, ZEROS, ONE, PureDP(0.5), sees="all")


def test_composed_losses_are_those_of_the_accountant_and_never_above():
    response = finite([0.75, 0.25], [0.25, 0.75])
    low, high = enclosed_delta(compose(*[PureDP(math.log(3))] * 12), 4.0)
    assert low * 0.999 <= composed([(response, 12)]).delta(4.0) <= high
    many = composed([(gaussian(0.3), 1), (gaussian(0.4), 1)])
    assert many.delta(0.7) == pytest.approx(gaussian_delta(0.7, 0.5), rel=1e-8)
    cut = composed([(located("normal", (0.0, 1.0), (0.3, 1.0), (-9.0, 9.0)), 4)])  # the same, cut into outcomes
    assert 0.999 * gaussian_delta(0.7, 0.6) <= cut.delta(0.7) <= gaussian_delta(0.7, 0.6)
    scaled = located("normal", (0.0, 1.0), (0.0, 2.0), FREE)
    meet = math.sqrt(8 / 3 * math.log(2))  # where the densities are equal
    assert scaled.delta(0.0) == pytest.approx(2 * (norm.cdf(meet) - norm.cdf(meet / 2)), rel=1e-4)
    whole = located("discrete laplace", (0.0, 2.0), (1.0, 2.0), FREE)
    assert whole.most == pytest.approx(0.5)
    assert whole.delta(0.0) == pytest.approx(math.tanh(0.25), rel=1e-6)
    assert located("discrete laplace", (0.0, 2.0), (0.5, 2.0), FREE).delta(9.0) == pytest.approx(1.0)
    bounded = located("bounded laplace", (0.0, 1.0), (1.0, 1.0), (0.0, 1.0))
    assert 0.98 < bounded.most <= 1.0


@pytest.fixture
def libraries(monkeypatch):
    """Libraries of the shape of diffprivlib and OpenDP, whose noise comes from where nobody sees it."""

    class Laplace:
        def __init__(self, epsilon, sensitivity):
            self.epsilon, self.sensitivity, self.delta = epsilon, sensitivity, 0.0

        def _check_all(self, value):
            pass

        def randomise(self, value):
            return value + int.from_bytes(os.urandom(2), "little") / 2**16

    others = {name: type(name, (Laplace,), {"randomise": Laplace.randomise}) for name in (
        "Gaussian", "Geometric", "LaplaceBoundedDomain", "Exponential", "Binary")}  # fmt: skip

    class Measurement:
        def __init__(self, kind, **options):
            self.__opendp_dict__ = {"__function__": kind, "__kwargs__": options}

        def __call__(self, data):
            return data

        invoke = __call__

    for name, made in {
        "diffprivlib": SimpleNamespace(mechanisms=SimpleNamespace(Laplace=Laplace, **others)),
        "opendp.measurements": ModuleType("opendp.measurements"),
        "opendp.mod": SimpleNamespace(Measurement=Measurement),
    }.items():
        monkeypatch.setitem(sys.modules, name, made)
    return SimpleNamespace(Laplace=Laplace, Measurement=Measurement, **others)


def test_mechanisms_of_libraries_are_calls_of_the_scale_that_they_declare(libraries):
    half = lambda x: libraries.Laplace(epsilon=1.0, sensitivity=0.5).randomise(x.sum())  # noqa: E731
    found = replay(half, ZEROS, ONE, PureDP(1.5))
    assert (found.verdict, found.moved[0].declared) == (EXCEEDS, "Laplace, epsilon 1, sensitivity 0.5")
    assert replay(half, ZEROS, ONE, PureDP(2.0)).verdict == WITHIN
    noise = libraries.Measurement("make_laplace", scale=2.0)
    chain = libraries.Measurement("make_chain_mt", measurement1=noise, transformation0=lambda x: int(x.sum()))
    assert replay(lambda x: chain(x), ZEROS, ONE, PureDP(0.5)).verdict == WITHIN
    assert replay(lambda x: chain(x), ZEROS, ONE, PureDP(0.49)).verdict == EXCEEDS
    assert "make_user" in replay(lambda x: libraries.Measurement("make_user")(x), ZEROS, ONE, PureDP(1.0)).why
    assert libraries.Laplace.randomise.__name__ == "randomise"
    assert not hasattr(libraries.Laplace.randomise, "__wrapped__")


class Compiled:
    """An array of the shape of jax's: numpy knows it, and its operators know no array of another kind."""

    def __init__(self, value):
        self.value = np.asarray(value, dtype=np.float32)

    def __array__(self, *_, **__):
        return self.value

    def _with(self, other, ufunc):
        return Compiled(ufunc(self.value, np.asarray(other))) if hasattr(other, "__array__") else NotImplemented

    __add__, __sub__ = (lambda a, b: a._with(b, np.add)), (lambda a, b: a._with(b, np.subtract))
    __mul__, __truediv__ = (lambda a, b: a._with(b, np.multiply)), (lambda a, b: a._with(b, np.divide))


@pytest.fixture
def jax(monkeypatch):
    """A library of the shape of jax, with normal noise of a given key."""
    operations = {
        f.__name__: lambda a, b, f=f: Compiled(f(a, b)) for f in (np.add, np.subtract, np.multiply, np.divide)
    }
    others = "laplace gumbel logistic cauchy bernoulli bits categorical choice exponential gamma permutation randint"
    laws = dict.fromkeys([*others.split(), "uniform"], lambda key, shape=(): Compiled(np.full(shape, 0.3)))
    normal = lambda key, shape=(), traced=False: "a tracer" if traced else Compiled(np.full(shape, key / 7))  # noqa: E731
    compiled = []

    @contextmanager
    def disable_jit():
        compiled.append(False)
        yield
        compiled.pop()

    made = SimpleNamespace(
        numpy=SimpleNamespace(zeros=lambda shape: Compiled(np.zeros(shape)), asarray=Compiled, **operations),
        random=SimpleNamespace(normal=normal, **laws),
        disable_jit=disable_jit,
        compiled=compiled,
    )
    monkeypatch.setitem(sys.modules, "jax", made)
    return made


@pytest.mark.parametrize(
    "added",
    [
        lambda jax, s, n: s + n * 0.5,
        lambda jax, s, n: 0.5 * n + s,
        lambda jax, s, n: s - (-n) / 2,
        lambda jax, s, n: jax.numpy.add(s, n[:] * 0.5),
        lambda jax, s, n: s.value + n * 0.5,  # an array of numpy's
    ],
)
def test_noise_of_jax_is_followed_until_it_is_added(jax, added):
    def noisy(x, seed):
        assert jax.compiled == [False]
        return np.asarray(added(jax, Compiled([x.sum(), 0.0]), jax.random.normal(seed, (2,))))

    before = jax.random.normal, jax.numpy.add, Compiled.__add__
    found = replay(noisy, ZEROS, ONE, GaussianDP(1.9))
    assert found.verdict == EXCEEDS and found.loss.mu == pytest.approx(2.0, rel=1e-4)
    assert replay(noisy, ZEROS, ONE, GaussianDP(2.0)).verdict == WITHIN
    assert (jax.random.normal, jax.numpy.add, Compiled.__add__) == before and jax.compiled == []


@pytest.mark.parametrize("law", ["exponential", "normal"])
def test_noise_of_jax_that_is_not_followed_is_named(jax, law):
    """Other laws, and noise that has no value yet."""
    draw = (lambda: jax.random.exponential(1)) if law == "exponential" else lambda: jax.random.normal(1, traced=True)
    found = replay(lambda x: [x.sum(), str(draw())[:3]], ZEROS, ONE, PureDP(1.0))
    assert found.verdict == NOT_JUDGED and f"draws of {law}" in found.why
