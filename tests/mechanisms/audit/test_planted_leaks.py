"""Mechanisms that nobody wrote for us: planted leaks are found, no neighbour given; honest twins are not refuted."""

import gc
import importlib
import random
import re
import secrets
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import lemmata
from lemmata.bounds.statement.verdicts import REFUTED
from lemmata.command.main import main
from lemmata.experiments.audits import nulls
from lemmata.mechanisms.audit.front import entry
from lemmata.mechanisms.audit.play import repeated_tests
from lemmata.mechanisms.audit.subjects.coverage import Coverage
from lemmata.mechanisms.numerics.streams import TEST_ROOT
from lemmata.mechanisms.privacy import GaussianDP
from tests.mechanisms.audit.planted_leaks import (
    HONEST,
    LEAKS,
    ONE,
    ReadsClasses,
    TwiceTheBudget,
    Unclipped,
    X,
    global_state,
    half,
    leaks,
    number_of_draws,
    refuses,
    refuses_no_number,
    scale_from_data,
    shape_from_data,
    standard_library,
    through,
    tidy,
    total,
    unclipped,
    x,
    y,
)

pytestmark = pytest.mark.statistical


def audited(target, data, claim, budget=8_000):
    return lemmata.audit(target, *data, claim, root=TEST_ROOT, budget=budget)


@pytest.mark.parametrize("name", LEAKS)
def test_a_leak_is_found_with_no_neighbour_given(name):
    found = audited(*LEAKS[name], 16_000 if "intercept" in name else 8_000)
    assert found.verdict == "REFUTED", found
    assert found.pair is not None and found.pair.words in str(found)
    if name != "the system's randomness":  # adds no noise to any number: nothing to meet
        assert leaking(found.place[0]), found


def leaking(lead):
    """Does a lead name a line that is marked as leaking?"""
    return leaks(*re.search(r"at (\S+\.py):(\d+)", lead).groups())


@pytest.mark.slow
@pytest.mark.parametrize("name", HONEST)
def test_an_honest_mechanism_is_not_refuted(name):
    found = audited(*HONEST[name])
    assert found.verdict == "INCONCLUSIVE" and found.reason != "NOT_AUDITED", found


# Where ----------------------------------------------------------------------------------------------------------------

ZERO, ONES = np.zeros(12), np.append(np.zeros(11), 1.0)
TRACED = {  # mechanism, dataset, neighbour, kind of the first lead
    "a centre": (unclipped, ZERO, np.append(np.zeros(11), -9.0), "centre"),
    "NaN": (through, ZERO, np.append(np.zeros(11), np.nan), "centre"),
    "half the noise": (half, ZERO, ONES, "centre"),
    "a scale": (scale_from_data, ZERO, ONES, "parameters"),
    "a shape": (shape_from_data, ZERO, ONES, "shape"),
    "a number of draws": (number_of_draws, ZERO, ONES, "draws"),
    "an exception": (refuses, np.repeat([1.0, 0.0], [3, 9]), np.repeat([1.0, 0.0], [4, 8]), "raises"),
    "numpy's global state": (global_state, ZERO, ONES, "centre"),
    "the standard library": (standard_library, ZERO, ONES, "centre"),
    "classes": (ReadsClasses(), (X, y), (X, np.append(y[:-1], 7)), "shape"),
    "rows": (Unclipped(), (X, y), (np.vstack([X[:-1], [9, 9]]), y), "centre"),
    "two lines together": (TwiceTheBudget(), (ZERO[:, None],), (ONES[:, None],), "centre"),
}


@pytest.mark.parametrize("name", TRACED)
def test_trace_names_the_line(name):
    target, data, neighbour, kind = TRACED[name]
    leads = lemmata.trace(target, data, neighbour, GaussianDP(1.0) if target is standard_library else ONE).leads
    assert leads[0].kind == kind and leaks(leads[0].place.file, leads[0].place.line), leads


@pytest.mark.parametrize("name", HONEST)
def test_trace_has_nothing_to_say_of_an_honest_mechanism(name):
    target, data, claim = HONEST[name]
    other = (np.concatenate([data[0][:-1], np.zeros_like(data[0][:1])]), *data[1:])
    told = lemmata.trace(target, data, other, claim)
    assert not told.leads and told.draws


def test_a_trace_leaves_no_trace():
    """Generators, the state of the global ones and every module are afterwards as they were."""
    before = np.random.default_rng, np.random.RandomState, random.gauss, secrets.randbelow, np.random.laplace
    states = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002
    lemmata.trace(global_state, ZERO, ONES)
    after = np.random.default_rng, np.random.RandomState, random.gauss, secrets.randbelow, np.random.laplace
    assert all(a is b for a, b in zip(before, after, strict=True))
    assert states == (np.random.get_state()[1].tolist(), random.getstate())  # noqa: NPY002


def test_answers_come_again_so_that_what_follows_from_them_is_no_lead():
    """Two steps, the second from the first answer: each is charged for its own move."""

    def steps(x, rng):
        first = tidy(x).sum() + rng.laplace(scale=2)
        return first, tidy(x).sum() + first**3 + rng.laplace(scale=2)

    told = lemmata.trace(steps, ZERO, ONES, ONE)
    assert not told.leads and [distance for _, distance in told.moves] == [0.5, 0.5]


@pytest.mark.parametrize("within", [True, False])
def test_shares_of_cells_are_a_hint_where_a_place_within_the_cell_is_drawn(within):
    """An empty cell is chosen with no chance, which nobody sees unless the cell is what is released."""

    def median(x, rng):
        edges = np.concatenate([[0.0], np.sort(tidy(x)), [1.0]])
        shares = np.diff(edges) * np.exp(-abs(np.arange(len(x) + 1) - len(x) / 2) / 2)
        cell = rng.choice(len(shares), p=shares / shares.sum())
        return edges[cell] + (edges[cell + 1] - edges[cell]) * (rng.random() if within else 0.5)

    told = lemmata.trace(median, np.array([0.2, 0.5, 0.5, 0.9]), np.array([0.2, 0.5, 0.7, 0.9]), ONE)
    assert bool(told.leads) != within and bool(told.hints) == within


# What is told ---------------------------------------------------------------------------------------------------------


def test_one_root_and_budget_give_one_answer():
    one, other = (audited(half, (x,), ONE, 2_048) for _ in range(2))
    assert one == other and str(one) == str(other) and one.reproducer == other.reproducer


def test_collected_garbage_runs_through_no_programs_lines():
    """Others are told of every collection, as Hypothesis asks to be: that is no line of the audited program."""

    def program():
        for _ in range(2):
            cycle: list = [0] * 1_000
            cycle.append(cycle)

    alone, beside = Coverage(), Coverage()
    with alone.following():
        program()
    collected: list[str] = []
    before, about = gc.get_threshold(), lambda phase, _: collected.append(phase)
    gc.callbacks.append(about)
    try:
        gc.set_threshold(1, 1, 1)
        with beside.following():
            program()
        gc.collect()
        assert gc.isenabled() and collected
    finally:
        gc.callbacks.remove(about)
        gc.set_threshold(*before)
    assert beside.seen == alone.seen


def test_lines_of_pythons_own_modules_are_no_programs_lines():
    """Abstract classes remember what they were asked, so that only the first audit would run through some of them."""
    coverage = Coverage()
    with coverage.following():
        half(x, 0)
    assert {code.co_name for code, _, _ in coverage.seen} == {"half", "tidy"}


def test_the_reproducer_runs_without_us(tmp_path):
    module = tmp_path / "somebodys.py"
    module.write_text(
        "import numpy as np\ndef rough(x, rng):\n    return np.minimum(np.nan_to_num(x), 1).sum() + rng.laplace()\n"
    )
    sys.path.insert(0, str(tmp_path))
    try:
        found = audited(importlib.import_module("somebodys").rough, (x,), ONE, 2_048)
    finally:
        sys.path.remove(str(tmp_path))
    assert found.verdict == "REFUTED" and len(found.reproducer.splitlines()) <= 20
    assert "lemmata" not in found.reproducer
    (tmp_path / "show.py").write_text(found.reproducer)
    shown = subprocess.run([sys.executable, "show.py"], cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    often = [int(line.split()[1]) for line in shown.splitlines()]
    assert max(often) - min(often) > 300


def test_the_pair_is_saved_and_is_a_pair(tmp_path):
    found = audited(unclipped, (x,), ONE, 2_048)
    found.save(tmp_path / "pair")
    with np.load(tmp_path / "pair.npz") as kept:
        assert np.array_equal(kept["data_0"], found.pair.data[0])
        assert (kept["data_0"] != kept["neighbour_0"]).sum() == 1
    assert "REFUTED" in (tmp_path / "pair.json").read_text()


def test_what_is_no_number_may_be_refused_and_that_is_said():
    found = audited(refuses_no_number, (x,), ONE, 1_024)
    assert found.verdict == "INCONCLUSIVE" and found.refused[0][0] == "ValueError: Input contains NaN or infinity."


def test_an_assertion_fails_with_all_that_helps(assert_private, capsys):
    assert assert_private(total, ONE, data=x, budget=1_024).verdict == "INCONCLUSIVE"
    with pytest.raises(
        AssertionError, match=r"(?s)REFUTED.*suspect:.*root=1, budget=1024.*without lemmata:.*import"
    ) as why:
        assert_private(through, ONE, data=x, budget=1_024, root=1)
    assert str(why.value).count("\n") < 30
    assert_private(total, ONE, data=x, seconds=0.01)
    assert "0.01 s are budget=1024" in capsys.readouterr().err


def test_more_time_pays_for_more_releases():
    """Between the fewest of a search and 16 audits' worth; in between there is the time that they take."""
    assert entry.afforded(total, (x,), 0.0, None) == entry.FEWEST
    assert entry.afforded(total, (x,), 1e9, None) == 16 * entry.BUDGET


# Valid whatever was tried ---------------------------------------------------------------------------------------------


def test_no_release_of_the_search_is_evidence(monkeypatch):
    """The seeds of the games are others than those by which pairs were chosen, and the levels add up to the level."""
    seeds, judged, levels = [], [], set()

    def count(x, seed):
        seeds.append(seed)
        return tidy(x).sum() + np.random.default_rng(seed).laplace()

    def played(trials, *_):
        searched = len(seeds)
        levels.update(trial.level for trial in trials)
        games_played(trials, *_)
        judged.extend(seeds[searched:])
        del seeds[searched:]

    games_played = repeated_tests.played
    monkeypatch.setattr(repeated_tests, "played", played)
    audited(count, (x,), ONE, 8_192)
    assert seeds and not set(seeds) & set(judged)
    assert len(set(judged)) > 0.99 * len(judged)
    assert levels == {1e-10 / 2**place for place in range(1, len(levels) + 1)}


@pytest.mark.soak
@pytest.mark.parametrize(
    ("target", "claim"), [(total, ONE), (lambda x, rng: tidy(x).sum() + rng.normal(), GaussianDP(1.0))]
)
def test_what_just_holds_is_refuted_as_seldom_as_the_level_says(target, claim):
    """At level .1, of 100 audits that look for neighbours themselves; nor is the limit at that level too high."""
    found = [lemmata.audit(target, x, claim, root=root, budget=1_100, level=nulls.LEVEL) for root in range(100)]
    assert sum(one.verdict == "REFUTED" for one in found) <= nulls.limit_alarms(100)
    assert sum(one.lower_at_level > 1 for one in found) <= nulls.limit_alarms(100)


# The command ----------------------------------------------------------------------------------------------------------

COUNTS = """
import numpy as np
import pandas as pd
data = np.array([0.2, 0.9, 0.4])
def total(x, rng): return np.clip(np.nan_to_num(x), 0, 1).sum() + rng.laplace()
def rough(x, rng): return np.clip(x, 0, 1).sum() + rng.laplace()
def broken(x, rng): return 1 / 0
"""


@pytest.mark.parametrize(
    ("name", "status", "words"),
    [
        ("total", 0, "survived"),
        ("rough", 1, "Without lemmata:"),
        ("broken", 2, "broken raised on every pair of datasets: ZeroDivisionError: division by zero"),
    ],
)
def test_a_mechanism_on_the_command_line(name, status, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delitem(sys.modules, "counts", raising=False)
    (tmp_path / "counts.py").write_text(COUNTS)
    saved = CliRunner().invoke(
        main, ["audit", f"counts.py:{name}", "--epsilon", "1", "--budget", "2048", "--save", "pair", "--seed", "1"]
    )
    assert saved.exit_code == status and words in saved.output, saved.output
    assert (tmp_path / "pair.npz").exists() == (status < 2)


def test_data_of_a_file_or_none(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "lone.py").write_text("def one(x): return 1.0\n")
    np.save(tmp_path / "x.npy", x)
    arguments = ["audit", "lone.py:one", "--epsilon", "1", "--budget", "1024"]
    missing = CliRunner().invoke(main, arguments)
    assert missing.exit_code == 2 and "--data is missing" in missing.output
    same = CliRunner().invoke(main, [*arguments, "--data", "x.npy"])
    assert same.exit_code == 3 and "nothing was audited" in same.output, same.output
    assert "every release on either side was (1)" in same.output


# Shapes of other libraries --------------------------------------------------------------------------------------------


class Measurement:
    """The shape of OpenDP's: called with lists, a domain that knows its members, a map that promises."""

    input_metric, output_measure = "SymmetricDistance()", "MaxDivergence"

    def __init__(self, scale):
        self.scale, self.input_domain = scale, self

    def member(self, values):
        return isinstance(values, list) and all(0 <= value <= 1 for value in values)

    def map(self, distance):
        return 1.0 * distance

    def __call__(self, values):
        return sum(values) + np.random.default_rng().laplace(scale=self.scale)


class Randomiser:
    """The shape of diffprivlib's noise mechanisms."""

    def __init__(self, scale):
        self.sensitivity, self.scale, self._rng = 1, scale, None

    def randomise(self, value):
        return value + self._rng.laplace(scale=self.scale)


@pytest.mark.parametrize(
    ("target", "data", "claims"),
    [(Measurement, np.linspace(0, 1, 6), ()), (Randomiser, 3.0, (ONE,))],
)
def test_shapes_of_other_libraries(target, data, claims):
    """Half the noise is refuted, what `map` promises is read; the honest twin survives."""
    found = lemmata.audit(target(0.25), data, *claims, root=TEST_ROOT, budget=8_000)
    assert found.verdict == "REFUTED" and found.claim.epsilon == 1.0, found
    assert found.claim.neighbours == ("replace" if claims else "add/remove")
    honest = lemmata.audit(target(1.0), data, *claims, root=TEST_ROOT, budget=2_048)
    assert honest.verdict == "INCONCLUSIVE" and all(
        0 <= value <= 1 for value in np.ravel(honest.pair.data[0]) * (not claims)
    )


@pytest.mark.slow
def test_frames_are_datasets():
    frame = pd.DataFrame({"age": 50 * X[:, 0], "town": ["a", "b"] * 6})

    def ages(frame, rng):
        return tidy(frame["age"], 0, 50).sum() / 50 + rng.laplace(scale=0.25)

    found = lemmata.audit(ages, frame, ONE, root=TEST_ROOT, budget=8_000)
    assert found.verdict == "REFUTED" and list(found.pair.data[0].columns) == ["age", "town"], found


def test_a_law_is_drawn_from_in_one_go():
    """A function that returns a law is called once a dataset and game, not once a release."""
    calls = []

    def law(x):
        calls.append(len(x))
        return Law(tidy(x).sum())

    found = lemmata.audit(law, x, ONE, root=TEST_ROOT, budget=4_096)
    assert found.verdict == "REFUTED" and len(calls) < found.searched + 20


@pytest.mark.parametrize(
    ("at", "scale", "verdict", "judged"),
    [
        (40, 1.0, "INCONCLUSIVE", False),  # while pairs are screened
        (2_000, 1.0, "INCONCLUSIVE", False),  # while the best are halved
        (4_000, 1.0, "INCONCLUSIVE", True),  # while they are played
        (2_300, 0.3, "REFUTED", True),  # while the pair that is refuted is made smaller, or its place is looked for
        (2_400, 0.3, "REFUTED", True),
    ],
)
def test_an_interrupt_leaves_what_was_found(at, scale, verdict, judged):
    calls = []

    def count(x, rng):
        calls.append(None)
        if len(calls) == at:
            raise KeyboardInterrupt
        return tidy(x).sum() + rng.laplace(scale=scale)

    found = lemmata.audit(count, np.zeros(5), ONE, root=3, bits=False)  # those of a zero would end it sooner
    assert (found.verdict, found.reason) == (verdict, "" if verdict == "REFUTED" else "INTERRUPTED")
    assert len(calls) >= at and found.pair is not None and bool(found.judged) == judged
    assert ("nothing was judged" in str(found)) != judged
    assert found.needed <= found.searched + found.judged + found.trained


def test_an_interrupt_before_anything_was_seen_is_one():
    def count(x, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lemmata.audit(count, np.zeros(5), ONE, root=3)


class Law:
    def __init__(self, centre):
        self.centre = centre

    def sample(self, rng, size=1):
        return self.centre + rng.laplace(scale=0.2, size=(size, 1))


class Undeclared(ReadsClasses):
    """Labels that may occur are a parameter, as in the learners here."""

    def __init__(self, epsilon=1.0, bounds=(0, 1), classes=None, random_state=None):
        super().__init__(epsilon, bounds, random_state)
        self.classes = classes

    def kinds(self, y):
        return np.unique(y) if self.classes is None else self.classes


@pytest.mark.slow
def test_labels_that_were_not_declared_are_named_with_the_remedy():
    found = lemmata.audit(Undeclared(), X, y, ONE, root=5, budget=4096)
    assert found.verdict == REFUTED
    assert found.place[0] == "classes was left out, so labels are taken as public; pass classes=(...)"
    squeezed = type("Squeezed", (Undeclared,), {"scale": lambda self, X: 0.5 / self.epsilon})
    found = lemmata.audit(squeezed(classes=[0, 1]), X, y, ONE, root=5, budget=4096)
    assert found.verdict == REFUTED and not any("classes" in line for line in found.place)
