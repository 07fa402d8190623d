"""`lemmata compare`: what is stored and paired, what a newcomer's learner gets, and every mistake in one line."""

import json
import sys
from math import comb, inf
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from lemmata import GaussianDP, tools
from lemmata.command.main import main
from lemmata.experiments.comparison import attacks, figures, learners, page, peer, problems, reasons, statistics, table
from lemmata.experiments.engine.running.store import Store
from lemmata.mechanisms.learners.erm import private_svm
from lemmata.mechanisms.numerics.arithmetic import certified_delta
from tests.comparison import toy_learner

TOY = str(Path(toy_learner.__file__))
SMALL = "planted:n=60,d=4,margin=0.5"


def compare(folder, *options):
    """The command, in this process."""
    return CliRunner().invoke(main, ["compare", "--out", str(folder), "--jobs", "1", "--seed", "5", *options])


# The command, and a newcomer ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "shown"), [("LEARNER", "noisy mean"), ("law", "law")])
def test_a_newcomer_s_file_gets_the_table_the_figures_and_the_differences(tmp_path, name, shown):
    names = f"{SMALL} planted:n=120,d=4,margin=0.5"
    some = ["--learners", "MarginClassifier,majority class", "--learner", f"{TOY}:{name}", "--epsilons", "0.5,4"]
    first = compare(tmp_path, "--datasets", names, *some, "--repeats", "2", "--json")
    assert first.exit_code == 0, first.output
    rows = json.loads(first.stdout)
    assert len(rows) == 2 * 3 * 2 * 2 and {row["learner"] for row in rows} >= {shown}
    folder = tmp_path / "comparison"
    for name in ("along_epsilon.svg", "along_families.svg", "table.csv", "means.csv", "differences.csv"):
        assert (folder / name).stat().st_size > 100
    assert shown in (folder / "along_epsilon.svg").read_text()
    means = pd.read_csv(folder / "means.csv")
    strong = means[(means.learner == shown) & (means.epsilon == 4)].risk
    assert (strong < 0.2).all() and (means.repeats == 2).all()


def test_a_run_continues_and_computes_nothing_twice(tmp_path):
    asked = ["--datasets", SMALL, "--learners", "perceptron,majority class", "--epsilons", "1", "--json"]
    once = compare(tmp_path, *asked, "--repeats", "1")
    again = compare(tmp_path, *asked, "--repeats", "1")
    more = compare(tmp_path, *asked, "--repeats", "3")
    assert "2 new fits" in once.stderr and "0 new fits" in again.stderr and "4 new fits" in more.stderr
    assert once.stdout == again.stdout
    fresh = compare(tmp_path / "other", *asked, "--repeats", "3")
    assert [row | {"seconds": 0} for row in json.loads(fresh.stdout)] == [
        row | {"seconds": 0} for row in json.loads(more.stdout)
    ]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--datasets", "digits:3-x"], "--datasets: name must be digits:A-B, "),
        (["--datasets", "planted:n=two"], "n must be a number, got 'two'"),
        (["--datasets", "planted:margin=2"], "margin must be in [0, 1], got 2.0"),
        (["--datasets", "planted:width=2"], "must be one of n, d, margin, outliers, flips, got 'width'"),
        (["--learners", "nobody"], "--learners: must be one of MarginClassifier"),
        (["--learner", "nowhere.py"], "--learner: 'nowhere.py' cannot be imported"),
        (
            ["--learner", f"{TOY}:none"],
            "toy_learner.py:none' must be a comparison.learners.Learner or a function, got N",
        ),
        (["--learner", "tests.comparison.toy_learner:gaussian"], "Learner or a function, got module"),
        (["--learner", "nomodule:LEARNER"], "'nomodule:LEARNER' cannot be imported"),
        (["--learner", f"{TOY}:law", "--learner", "tests.comparison.toy_learner:law"], "both 'law'"),
        (["--epsilons", "one"], "--epsilons must be numbers separated by commas, got 'one'"),
        (["--epsilons", "1,900"], "--epsilons must be in [0.01, 50], got 900"),
    ],
)
def test_a_mistake_is_one_line(tmp_path, options, words):
    done = compare(tmp_path, *options)
    assert done.exit_code == 2 and words in done.stderr and done.stderr.count("\n") == 1, done.stderr
    assert not (tmp_path / "ledger.sqlite").exists()


def test_a_learner_that_raises_is_named_and_the_others_are_kept(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text(
        "from lemmata.experiments.comparison.learners import Learner\n"
        "def law(X, y, *, epsilon, delta, rng):\n    raise KeyError('weights')\n"
        "LEARNER = Learner('broken', law, 'it raises')\n"
    )
    asked = ["--datasets", SMALL, "--learners", "majority class", "--learner", str(file), "--epsilons", "1"]
    done = compare(tmp_path, *asked, "--repeats", "1")
    assert done.exit_code == 2 and "broken.py: on planted" in done.stderr and "KeyError" in done.stderr
    assert "1 new fits" not in done.stderr
    kept = compare(tmp_path, "--datasets", SMALL, "--learners", "majority class", "--epsilons", "1", "--repeats", "1")
    assert kept.exit_code == 0 and "0 new fits" in kept.stderr


def test_fits_of_an_edited_learner_are_not_taken_for_those_of_the_one_before(tmp_path, monkeypatch):
    """Its file is edited when the comparison has hashed it and a worker has not loaded it yet."""
    file = tmp_path / "edited.py"
    text = "from tests.comparison import toy_learner\nLEARNER = toy_learner.Learner('edited', toy_learner.law, '')\n"
    file.write_text(text)
    asked = list(table.list_tasks([SMALL], [str(file)], [1.0], 1))
    fits = table.fit_chunk

    def later(task, root):
        file.write_text(text.replace("toy_learner.law", "lambda *given, **named: toy_learner.law(*given, **named)"))
        return fits(task, root)

    monkeypatch.setattr(table, "fit_chunk", later)
    with Store(tmp_path / "ledger.sqlite") as store:
        with pytest.raises(table.LearnerError, match="its code was edited while it was compared"):
            table.run_tasks(asked, store, root=5, records=60)
        assert store.chunks().empty


# Attacks --------------------------------------------------------------------------------------------------------------


def test_a_newcomer_is_attacked_and_one_that_leaks_is_refuted():
    honest = attacks.attack_learner(toy_learner.LEARNER, root=3, budget=1500)
    leaky = attacks.attack_learner(toy_learner.LEAKING, root=3, budget=6000)
    assert (honest["verdict"], leaky["verdict"]) == ("INCONCLUSIVE", "REFUTED")
    assert leaky["epsilon"] > 1


def test_attacks_make_a_table_of_what_is_promised():
    found = attacks.make_table(["majority class", "SVM without privacy"], root=3, budget=600)
    assert found.learner.tolist() == ["majority class"] and found.promise.tolist() == ["ε = 1"]


@pytest.mark.parametrize("name", [one.name for one in learners.LEARNERS.values() if one.private])
def test_every_law_promises_what_the_comparison_says_that_it_spends(name):
    learner, rng = learners.find(name), np.random.default_rng(1)
    problem = problems.draw_problem(SMALL, 60, rng)
    asked = {"epsilon": 1.0, "delta": 1e-5, "rng": rng} | dict.fromkeys(learner.knows, 0.3)
    law = learner.law(problem.X, problem.y, **asked)
    spent = law.privacy
    assert spent.neighbours == learner.neighbours
    if isinstance(spent, GaussianDP):
        assert certified_delta(1.0, spent.mu) <= 1e-5
    else:
        assert spent.epsilon <= 1.0 + 1e-12 and spent.delta <= (1e-5 if learner.spends == "epsilon, delta" else 0)
    assert np.isfinite(learners.scores(law, law.sample(rng, 1), problem.test)).all()


# Problems -------------------------------------------------------------------------------------------------------------


def test_rows_are_prepared_one_by_one():
    """Replacing a record changes its own row and no other: nothing of the data is spent on the preprocessing."""
    X = np.random.default_rng(2).normal(size=(9, 3))
    other = X.copy()
    other[4] *= -7
    changed = (problems.unit_rows(X) != problems.unit_rows(other)).any(axis=1)
    assert changed.tolist() == [i == 4 for i in range(9)]
    assert np.linalg.norm(problems.unit_rows(100 * X), axis=1).max() <= 1 + 1e-12


def test_splits_are_the_same_for_all_and_hold_out_what_they_say():
    first, second = (problems.draw_problem("breast_cancer", 200, np.random.default_rng(8)) for _ in range(2))
    assert np.array_equal(first.X, second.X) and first.X.shape == (200, 32) and len(first.test) == 369
    train, test = ({row.tobytes() for row in part} for part in (first.X, first.test))
    assert len(train & test) == 0


def test_planted_records_have_their_margin_and_their_outliers():
    X, y = problems.make_planted(400, np.random.default_rng(3), n=400, d=6, margin=0.3, outliers=40, flips=0.0)
    assert np.linalg.norm(X, axis=1) == pytest.approx(np.ones(400))
    margins = y * X[:, 0]
    assert (margins == -1).sum() == 40 and np.allclose(margins[margins > 0], 0.3)
    flipped = problems.make_planted(4000, np.random.default_rng(3), n=4000, d=6, margin=0.3, outliers=0, flips=0.2)
    assert (flipped[1] * flipped[0][:, 0] < 0).mean() == pytest.approx(0.2, abs=0.03)


# Differences ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 7, 40])
def test_the_evidence_of_signs_is_an_e_value(n):
    """Its mean over fair splits is at most 1, at every number of them."""
    mean = sum(comb(n, k) / 2**n * 10 ** table.weigh_signs(k, n - k) for k in range(n + 1))
    assert 0.5 < mean <= 1 + 1e-9


def test_differences_are_paired_and_their_intervals_hold_the_mean():
    rows = []
    for repeat, hard in enumerate(np.random.default_rng(4).random(300) * 0.3):  # common to both learners of a split
        risks = (("MarginClassifier", 1.0, hard), ("other", 1.0, hard + 0.2), ("plain", inf, 0.0))
        rows += [("set", 9, 2, learner, epsilon, repeat, 1, risk, 0.1) for learner, epsilon, risk in risks]
    found = pd.DataFrame(rows, columns=table.COLUMNS)
    pairs = table.pair_learners(found, table.choose_reference(found)).set_index("learner")
    other = pairs.loc["other"]
    assert other.difference == pytest.approx(0.2) and 0 < other.low < 0.2 < other.high and other.wins == 300
    assert other.better > 3 > 0 > other.worse and pairs.loc["plain"].worse > 3
    means = table.average_risks(found).set_index("learner")
    assert means.loc["plain"].risk == 0 and means.loc["other"].repeats == 300


def test_figures_group_what_varies_alone():
    names = ["planted:n=100", "planted:n=300", "planted:n=300,d=9", "fair"]
    rows = [(name, 9, 2, "MarginClassifier", 1.0, 3, 0.1, 0.01, 0.1) for name in names]
    columns = ["dataset", "n", "d", "learner", "epsilon", "repeats", "deviation", "risk", "seconds"]
    found = figures.group_families(pd.DataFrame(rows, columns=columns))
    assert set(found) == {"n", "d"} and found["n"].value.tolist() == [100, 300] and found["d"].value.tolist() == [50, 9]


def test_the_page_shows_the_committed_tables_and_then_a_run_of_one_s_own(tmp_path):
    committed = page.describe_comparison(tmp_path)
    assert committed["datasets"] == [table.CALLED[name] for name in table.DATASETS]
    drawn = figures.draw_figures(page.read_tables(tmp_path)["means"])
    assert set(drawn) >= {"along_epsilon", "seconds"} and not [one for one in drawn.values() if "mathdefault" in one]
    assert {line["name"] for line in committed["lines"]} >= {table.DEFAULT, "perceptron", "SVM without privacy"}
    assert all(line["why"] for line in committed["lines"] if line["private"])
    assert sum(map(len, committed["order"].values())) == sum(line["private"] for line in committed["lines"]) - 1
    found = {row["learner"]: row["verdict"] for row in committed["attacks"]}
    assert found.keys() >= {table.DEFAULT, "perceptron"} and set(found.values()) == {"INCONCLUSIVE"}
    assert "diffprivlib" not in found, "what others have released is audited in the wild"
    done = compare(tmp_path, "--datasets", SMALL, "--learners", "perceptron", "--epsilons", "1", "--repeats", "1")
    assert done.exit_code == 0 and [line["name"] for line in page.describe_comparison(tmp_path)["lines"]] == [
        "perceptron"
    ]


def test_numbers_of_learners_are_those_chosen_on_other_tables():
    """Every rule for C, and every width of a phased learner, is the marked line of the tool's table."""
    chosen = pd.read_csv(Path(tools.__file__).with_name("comparison_rules.csv"))
    chosen = chosen[chosen.chosen == "yes"].set_index("learner").setting
    listed = {one.name: one for one in [*learners.LISTED, learners.OPTIONAL]}
    assert set(chosen.index) - {table.DEFAULT} == {
        name for name, one in listed.items() if {"scale", "rho"} & set(one.law.__kwdefaults__ or {})
    }
    for name, setting in chosen.drop(table.DEFAULT).items():
        asked = {key: float(value) for key, value in (one.split("=") for one in setting.split())}
        assert {key: listed[name].law.__kwdefaults__[key] for key in asked} == asked, name


def test_c_grows_with_records_and_budget_and_stays_solvable():
    assert learners.strength(2.0, 0.5, 100, 25, 0.5) == 20.0 and learners.strength(2.0, 0.5, 100, 25, 1.0) == 4.0
    assert learners.strength(1.0, 8.0, 10**6, 2, 0.5) == private_svm.LARGEST
    problem = problems.draw_problem(SMALL, None, np.random.default_rng(0))
    laws = [
        learners.find("Laplace SVM").law(problem.X, problem.y, epsilon=epsilon, delta=0.0, rng=None)
        for epsilon in (1.0, 2.0)
    ]
    assert laws[1].sensitivity == pytest.approx(
        2 * laws[0].sensitivity, rel=1e-3
    )  # the noise, S / epsilon, is the same


def test_a_reason_is_a_line_of_what_was_tried():
    said = reasons.write_sentences(pd.read_csv(reasons.TABLE))
    assert set(said) == set(reasons.EXPLAINED)
    line = {row["name"]: row for row in page.describe_comparison(Path("nowhere"))["lines"]}
    assert said["Laplace SVM"] == line["Laplace SVM"]["shown"] and "no noise" in said["Laplace SVM"]
    assert line["Laplace SVM"]["rule"].startswith("C = 0.1 nε/√d") and line["perceptron"]["rule"] == ""


def test_a_table_where_nobody_beats_one_label_says_so():
    rows = [("hard", "majority class", 1.0, 0.31), ("hard", "SVM without privacy", inf, 0.305)]
    rows += [("easy", "majority class", 1.0, 0.4), ("easy", "SVM without privacy", inf, 0.1)]
    found = pd.DataFrame(rows, columns=["dataset", "learner", "epsilon", "risk"])
    assert [table.is_uninformative(found[found.dataset == name]) for name in ("hard", "easy")] == [True, False]


def test_all_records_but_a_quarter_are_trained_on_unless_fewer_are_asked_for():
    assert problems.count_training("randhie", None) == 15142 and problems.count_training("randhie", 500) == 500
    assert problems.count_training("planted:n=70", 5) == 70
    asked = list(table.list_tasks(["fair", "digits:3-8"], ["private grid search"], [1.0], 1))
    assert {one[0] for one in asked} == {"digits:3-8"}
    assert len(list(table.list_tasks(["fair"], ["private grid search"], [1.0], 1, records=500))) == 1


def test_what_is_not_installed_is_listed_and_not_run():
    if learners.NOT_INSTALLED:
        with pytest.raises(learners.UnknownLearner, match="'diffprivlib' is not installed"):
            learners.find("diffprivlib")
    assert ("diffprivlib" in learners.LEARNERS) != ("diffprivlib" in learners.NOT_INSTALLED)


def test_a_peer_in_another_python_gets_the_records_and_gives_weights(monkeypatch):
    """This Python, and a program that stands in for the peer's: the mean of y x, times C; one process."""
    program = """def answer(data):
    mean = (data['y'][:, None] * data['X']).mean(axis=0) * float(data['C'])
    return [mean.tolist() for seed in data['seeds']]
"""
    monkeypatch.setattr(peer, "PYTHON", sys.executable)
    monkeypatch.setattr(peer, "PROGRAM", program)
    X, y = np.eye(3), np.array([1.0, -1.0, 1.0])
    law = learners.diffprivlib_logistic(X, y, epsilon=1.0, delta=1e-5, rng=None)
    for _ in range(2):
        drawn = law.sample(np.random.default_rng(0), 2)
        assert drawn == pytest.approx(np.tile(law.C * y / 3, (2, 1))) and law.privacy.epsilon == 1.0
    monkeypatch.setattr(peer, "PROGRAM", "raise ValueError('no such module')")
    with pytest.raises(RuntimeError, match="ValueError: no such module"):
        law.sample(np.random.default_rng(0))


EXACT = """import numpy as np
def answer(data):
    x, question = np.clip(data["x"], 0, data["high"]), str(data["question"])
    if question == "ridge":
        return [np.zeros(len(data["fresh"])).tolist() for seed in data["seeds"]]
    counts = np.histogram(data["x"], data["edges"])[0]
    told = {"mean": x.mean(), "median": np.median(x), "histogram": counts}[question]
    return [np.asarray(told).tolist() for seed in data["seeds"]]
"""


def test_statistics_of_a_peer_without_noise_have_no_error(monkeypatch):
    for name, value in {"SIZES": (100,), "LARGE": (300,), "RELEASES": 4, "FITS": 3, "PROGRAM": EXACT}.items():
        monkeypatch.setattr(statistics, name, value)
    monkeypatch.setattr(peer, "PYTHON", sys.executable)
    found = pd.DataFrame(statistics.compare_statistics(), columns=statistics.FIELDS).astype({"error": float})
    assert len(found) == 3 * 2 * 2 * 3 and {*found.library} == {"lemmata", "diffprivlib", "OpenDP"}
    assert (found.error[found.library == "lemmata"] > 0).all() and (
        found.error[found.library != "lemmata"] < 1e-12
    ).all()
    fits = pd.DataFrame(statistics.compare_regressions(), columns=statistics.FIELDS).astype({"error": float})
    none, zero = (fits[fits.library == one].error for one in ("none", "diffprivlib"))
    assert (none < 0.1).all() and (zero > 0.9).all()  # a prediction of 0 is no better than the mean
    peer.start_peer(sys.executable, EXACT).communicate()  # its pipes are closed
    peer.start_peer.cache_clear()


def test_errors_of_statistics_are_those_by_hand():
    x, edges = np.array([0.1, 0.2, 0.3, 0.9]), np.array([0.0, 0.5, 1.0])
    assert statistics.find_errors("mean", x, 1.0, edges, np.array([0.5])) == pytest.approx([0.125])
    assert statistics.find_errors("histogram", x, 1.0, edges, np.array([[4, -3]])).tolist() == [1.0]
    assert statistics.find_errors("median", x, 1.0, edges, np.array([0.25, 0.15, 0.95])).tolist() == [0, 1, 2]


def test_too_many_dimensions_are_left_out_and_said():
    narrow = learners.Learner("narrow", toy_learner.law, "", largest_d=3)
    assert table.count_features(SMALL) == 5 and table.count_features("fair") == 10
    assert narrow.largest_d < 5
    asked = list(table.list_tasks(["planted:d=10000"], ["pure output", "perceptron"], [1.0], 1))
    assert {one[1] for one in asked} == {"perceptron"}


def test_the_store_is_shared_with_the_ledger(tmp_path):
    """Chunks of a comparison stand beside those of claims, and are no claims."""
    store = Store(tmp_path / "ledger.sqlite")
    asked = list(table.list_tasks([SMALL], ["majority class"], [1.0], 2))
    assert table.run_tasks(asked, store, root=5, records=60) == 2
    kept = store.chunks()
    assert kept.key.tolist() == ["compare/majority class"] * 2 and kept["index"].tolist() == [0, 1]


def test_what_the_page_says_of_the_committed_run(tmp_path):
    """Known margin is better where it is told the truth only; who has no delta errs more at every epsilon up to 1."""
    found = page.read_tables(tmp_path)
    differences = found["differences"]
    better = differences[(differences.learner == "known margin") & (differences.worse > page.DECIDED)]
    assert len(better) and better.dataset.str.startswith("planted").all()
    wide = found["means"].pivot_table(index=["dataset", "epsilon"], columns="learner", values="risk")
    small = [(name, epsilon) for name in ("digits:3-8", "breast_cancer") for epsilon in (0.1, 0.5, 1.0)]
    perceptron = wide["perceptron"]
    assert all(perceptron[name, 8.0] > perceptron[name, 0.1] + 0.05 for name in ("fair", "randhie"))  # no margin there
    for name in ("Laplace SVM", "pure objective"):
        assert (wide.loc[small, name] > wide.loc[small, "MarginClassifier"]).all()
