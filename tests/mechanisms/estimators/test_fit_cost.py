"""What a fit will take: it reads no data and leaves nothing behind, and its bytes are those of the fit."""

import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lemmata
from lemmata.mechanisms.estimators.fit_cost import FitCost, _extend, format_bytes
from lemmata.mechanisms.hardening import ESTIMATORS
from lemmata.mechanisms.privacy import disclosure

LEARNERS = [one.name for one in ESTIMATORS if one.name != "PrivateSearchCV"]


@pytest.mark.parametrize("name", LEARNERS)
def test_every_learner_says_what_a_fit_costs(name):
    cost = getattr(lemmata, name)().cost((300, 3))
    assert isinstance(cost, FitCost) and cost.seconds > 0 and cost.bytes > 300 * 8
    assert str(cost).startswith("about ") and "core-seconds" in str(cost)


@pytest.mark.parametrize("name", ["MarginClassifier", "PrivateRidge", "PhasedSGD"])
def test_the_bytes_are_those_of_a_larger_fit(name, monkeypatch):
    monkeypatch.setattr("lemmata.mechanisms.estimators.fit_cost.ENTRIES", 8192 * 10)
    estimator, rng = getattr(lemmata, name)(random_state=np.random.default_rng(0)), np.random.default_rng(1)
    X = rng.normal(size=(20_000, 10))
    asked = estimator.cost(X.shape)
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    with disclosure.silence_leaks():
        estimator.fit(X, X[:, 0] > 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert asked.bytes == pytest.approx(peak - before, rel=0.5)


def test_nothing_is_left_behind(monkeypatch):
    monkeypatch.setattr(disclosure, "WARNED", set())
    rng = np.random.default_rng(5)
    before = rng.bit_generator.state
    given = {"bounds": {"age": (0, 120)}, "categories": {"town": ["a", "b"]}, "random_state": rng, "delta": 0.01}
    estimator = lemmata.MarginClassifier(**given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        estimator.cost((500, 4))
    assert rng.bit_generator.state == before and not hasattr(estimator, "model_") and not tracemalloc.is_tracing()
    assert {name: estimator.get_params()[name] for name in given} == given and estimator.classes is None
    assert not disclosure.WARNED  # a fit of the user's own still warns
    with pytest.warns(lemmata.PrivacyLeakWarning, match="delta is 1/n or more"):
        lemmata.NoisyGD(classes=(0, 1), delta=0.01, random_state=rng).fit(np.eye(200), np.arange(200) % 2)


def test_several_classes_cost_more_bytes_than_two():
    two, six = (lemmata.MarginClassifier(classes=labels).cost((300, 3)) for labels in (["a", "b"], range(6)))
    assert six.bytes > two.bytes


def test_a_search_says_its_bytes():
    search = lemmata.PrivateSearchCV(lemmata.NoisyGD(steps=5), {"width": [0.1, 1.0]}, beta=0.4, classes=(0, 1))
    assert search.cost().bytes is None and "memory" not in str(search.cost())
    assert search.cost((400, 3)).bytes > 400 * 8 and "memory     about" in str(search.cost((400, 3)))


@pytest.mark.parametrize(
    ("sizes", "taken", "value"),
    [
        ([64, 128], [1.0, 1.5], 1.5 + 0.5 * (1000 - 128) / 64),
        ([64, 128], [2.0, 1.0], 1.0),  # it does not fall
        ([64, 128], [0.1, 1.0], 1000 / 128),  # nor rise by more than as a line through 0 does
        ([512], [3.0], 3.0 * 1000 / 512),
    ],
)
def test_the_last_two_are_extended_by_a_line(sizes, taken, value):
    assert _extend(sizes, taken, 1000) == pytest.approx(value)


@pytest.mark.parametrize("shape", [(0, 3), (10, 0), (2.5, 3), 300, (300,), (300, 3, 4)])
def test_a_shape_has_records_and_columns(shape):
    for estimator in (lemmata.MarginClassifier(), lemmata.PrivateScaler()):
        with pytest.raises(ValueError, match=r"^(n|d|shape) must be ") as raised:
            estimator.cost(shape)
        assert "\n" not in str(raised.value)


def test_another_thread_is_warned_meanwhile(monkeypatch):
    monkeypatch.setattr(disclosure, "WARNED", set())
    with ThreadPoolExecutor(1) as pool, disclosure.silence_leaks():
        disclosure.warn_once("of nothing")
        with pytest.warns(lemmata.PrivacyLeakWarning, match="a seed"):
            pool.submit(disclosure.warn_once, "a seed").result()
    assert list(disclosure.WARNED) == ["a seed"]


def test_bytes_have_units():
    assert [format_bytes(count) for count in (2**19, 11 * 2**20, 2**31)] == ["0.5 MiB", "11 MiB", "2.0 GiB"]
