"""The comparison: every learner on every problem, split after split, as chunks in the store; the tidy table they make.

A chunk is one fit: (dataset, learner, epsilon, repeat), with the risk of each of its releases on held-out records.
Its random numbers are a function of that alone, so a run may be killed, continued, or asked for more repeats, learners
or datasets, and nothing is computed twice. All learners see the same splits: differences are paired.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import groupby
from math import inf, log
from typing import Any

import joblib
import numpy as np
import pandas as pd

from lemmata.experiments.comparison import problems
from lemmata.experiments.comparison.learners import RELEASES, Learner, find, scores
from lemmata.experiments.engine.claims.fingerprint import hash_code
from lemmata.experiments.engine.claims.verdict import HOLD_ODDS, MeanDecider, log_e_tail
from lemmata.experiments.engine.ground.progress import progress_bar
from lemmata.experiments.engine.running.store import Chunk, Store
from lemmata.mechanisms.numerics.streams import canonical_json, generator

DELTA = 1e-5
DEFAULT, ONE_LABEL = "MarginClassifier", "majority class"
TELLS = 0.02  # by which somebody has to err less than one label, for a dataset to tell learners apart
EPSILONS = (0.1, 0.5, 1.0, 3.0, 8.0)
DATASETS = ("digits:3-8", "breast_cancer", "randhie", "fair")
CALLED = dict(zip(DATASETS, ("digits 3-8", "breast cancer", "health insurance", "Fair's survey"), strict=True))
SWEEPS = {  # a figure each: what is varied at epsilon 1, and everything else fixed
    "n": [f"planted:n={n}" for n in (100, 300, 1000, 3000)],
    "d": [f"planted:n=300,margin=0.3,d={d}" for d in (10, 100, 1000, 10_000)],
    "outliers": [f"planted:d=20,outliers={s}" for s in (0, 10, 30, 100, 200)],
    "flips": [f"planted:d=20,flips={p}" for p in (0.0, 0.05, 0.1, 0.2)],
}
FURTHEST = {"n": ["planted:n=10000"], "d": ["planted:n=300,margin=0.3,d=100000"]}  # with --full
COLUMNS = ["dataset", "n", "d", "learner", "epsilon", "repeat", "releases", "risk", "seconds"]
PAIRED = "dataset epsilon learner repeats difference low high wins losses better worse".split()
Task = tuple[str, int | None, int, list]  # dataset, records, repeat, [(learner as it was named, epsilon)]


class LearnerError(Exception):
    """A learner raised; one line."""


def name_learner(learner: Learner) -> str:
    """Under which name the store keeps the chunks of a learner."""
    return f"compare/{learner.name}"


def hash_learner(learner: Learner) -> str:
    """What its stored results depend on."""
    return hash_code(learner.law, problems.draw_problem, fit_once, generator)


def remember_codes() -> Callable[[str], tuple[Learner, str]]:
    """(learner, its code) by the learner's name: found and hashed once, for as long as the function is kept."""

    @cache
    def coded(named: str) -> tuple[Learner, str]:
        learner = find(named)
        return learner, hash_learner(learner)

    return coded


def locate_chunk(dataset: str, records: int | None, epsilon: float, learner: Learner) -> tuple:
    """(setting, stream, size, level) of a chunk."""
    setting = {"dataset": dataset, "delta": DELTA, "epsilon": epsilon if learner.private else None}
    if not dataset.startswith("planted"):
        setting["records"] = records
    return canonical_json(setting), "main", RELEASES[learner.cost], ""


def fit_once(learner: Learner, problem: Any, epsilon: float, public: Any, private: Any) -> tuple[np.ndarray, tuple]:
    """(the risk of every release, shape (releases,); the shape of the training records). A tie is +1."""
    known = {name: getattr(problem, name) for name in learner.knows}
    law = learner.law(problem.X, problem.y, epsilon=epsilon, delta=DELTA, rng=public, **known)
    releases = law.sample(private, RELEASES[learner.cost])
    said = np.where(scores(law, releases, problem.test) >= 0, 1.0, -1.0)
    return (said != problem.truth[:, None]).mean(axis=0), problem.X.shape


def fit_chunk(task: Task, root: int) -> tuple[Task, list[tuple]]:
    """A task, as they come in any order, and every fit of its split, in a worker.

    A fit: (learner as it was named, its code, epsilon, chunk or what it raised).
    """
    dataset, records, repeat, asked = task
    done = []
    problem = problems.draw_problem(
        dataset, records, generator(root, "compare.split", {"dataset": dataset}, "main", repeat)
    )
    for named, epsilon in asked:
        learner = find(named)
        code = hash_learner(learner)
        setting = {"dataset": dataset, "epsilon": epsilon, "records": records}
        public = generator(root, name_learner(learner), setting, "public", repeat)
        private = generator(root, name_learner(learner), setting, "main", repeat)
        digest, start, spent = private.bytes(16), time.perf_counter(), time.process_time()
        try:
            risks, shape = fit_once(learner, problem, epsilon, public, private)
        except (Exception, SystemExit) as error:  # a learner may be somebody else's and raise anything
            done.append((named, code, epsilon, f"{type(error).__name__}: {error}".splitlines()[0]))
            continue
        payload = {"values": np.concatenate([shape, risks])}
        seconds = time.perf_counter() - start, time.process_time() - spent
        done.append((named, code, epsilon, Chunk(payload, seconds[0], digest, seconds[1])))
    return task, done


def count_features(dataset: str) -> int:
    """d of the records as they are prepared."""
    return (
        problems.read_family(dataset)["d"] if dataset.startswith("planted") else problems.load(dataset)[0].shape[1]
    ) + 1


def list_tasks(
    datasets: Iterable[str],
    named: Iterable[str],
    epsilons: Iterable[float],
    repeats: int,
    records: int | None = None,
) -> Iterator[tuple]:
    """(dataset, learner as it was named, epsilon, repeat) of a comparison; without privacy there is one epsilon."""
    epsilons = tuple(epsilons)
    for dataset in datasets:
        d, n = count_features(dataset), problems.count_training(dataset, records)
        for name in named:
            learner = find(name)
            if d <= learner.largest_d and n <= learner.largest_n:
                for epsilon in epsilons if learner.private else epsilons[:1]:
                    yield from ((dataset, name, epsilon, repeat) for repeat in range(repeats))


def run_tasks(
    asked: Iterable[tuple], store: Store, *, root: int, records: int | None, jobs: int = 1, progress: bool = False
) -> int:
    """Compute what the store lacks of `asked`, write it as it arrives.

    Returns how many fits. Raises `LearnerError` at the end.
    """
    missing: dict[tuple[str, int], list] = {}
    seen: dict[tuple, set] = {}
    coded = remember_codes()
    for dataset, named, epsilon, repeat in asked:
        learner, code = coded(named)
        cell = name_learner(learner), code, root, locate_chunk(dataset, records, epsilon, learner)
        if cell not in seen:
            seen[cell] = set(store.read(*cell))
        if repeat not in seen[cell]:
            missing.setdefault((dataset, repeat), []).append((named, epsilon))
    tasks = [(dataset, records, repeat, todo) for (dataset, repeat), todo in missing.items()]
    workers = joblib.Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
    fits = workers(joblib.delayed(fit_chunk)(task, root) for task in tasks)
    hidden = None if progress else True  # None hides the bar where stderr is no terminal
    made, raised = 0, {}
    for task, done in progress_bar(fits, total=len(tasks), unit=" splits", disable=hidden, leave=False):
        for named, theirs, epsilon, chunk in done:
            learner, code = coded(named)
            if theirs != code:
                raised[named] = f"learner = {named}: its code was edited while it was compared; run it again"
                continue
            if isinstance(chunk, str):
                raised[named] = f"learner = {named}: on {task[0]} at epsilon = {epsilon:g} it raised {chunk}"
                continue
            where = locate_chunk(task[0], records, epsilon, learner)
            store.write(name_learner(learner), code, root, where, task[2], chunk)
            made += 1
    if raised:
        raise LearnerError("; ".join(raised.values()))
    return made


def make_table(asked: Iterable[tuple], store: Store, *, root: int, records: int | None) -> pd.DataFrame:
    """The tidy table of what the store holds of `asked`: a row a fit; epsilon inf where nothing is private.

    `risk` is the mean over the releases of the fit, `seconds` CPU seconds a release, the fit's share included.
    """
    rows = []
    coded = remember_codes()
    for (dataset, named, epsilon), group in groupby(asked, key=lambda one: one[:3]):
        learner, code = coded(named)
        chunks = store.read(name_learner(learner), code, root, locate_chunk(dataset, records, epsilon, learner))
        for _, _, _, repeat in group:
            if repeat in chunks:
                n, d, *risks = chunks[repeat].payload["values"].tolist()
                spent = chunks[repeat].cpu / len(risks)
                shown = epsilon if learner.private else inf
                row = (dataset, int(n), int(d), learner.name, shown, repeat, len(risks), float(np.mean(risks)), spent)
                rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def average_risks(found: pd.DataFrame) -> pd.DataFrame:
    """A row a cell, over its repeats: mean risk, standard deviation, and median CPU seconds a release."""
    cells = found.groupby(["dataset", "n", "d", "learner", "epsilon"], sort=False)
    named = {"repeats": ("risk", "size"), "deviation": ("risk", "std"), "risk": ("risk", "mean")}
    return cells.agg(**named, seconds=("seconds", "median")).reset_index()


def is_uninformative(here: pd.DataFrame) -> bool:
    """Whether nobody, private or not, errs `TELLS` less than one label on a dataset."""
    risks = here.groupby(["learner", "epsilon"]).risk.mean()
    one_label = risks[risks.index.get_level_values("learner") == ONE_LABEL]
    return bool(len(one_label) and risks.min() > one_label.min() - TELLS)


# Differences ----------------------------------------------------------------------------------------------------------


def bound_difference(differences: np.ndarray) -> tuple[float, float]:
    """A 99.9 % confidence sequence for the mean of paired differences of risks, each in [-1, 1]: valid at every look.

    >>> low, high = bound_difference(np.full(200, 0.3)); low > 0 and high < 0.5
    True
    """
    decider = MeanDecider(0.0, low=-1.0, high=1.0)
    decider.add({"values": np.asarray(differences, dtype=float)})
    return decider.interval()


def weigh_signs(wins: int, losses: int) -> float:
    """log10 of the e-value against "no more than half of the splits are wins": valid at every look. Ties are no split.

    >>> weigh_signs(20, 0) > 3 > 0 > weigh_signs(10, 10)
    True
    """
    return log_e_tail(wins + losses, losses, 0.5, HOLD_ODDS) / log(10)


def pair_learners(found: pd.DataFrame, reference: str) -> pd.DataFrame:
    """Every learner against `reference` on the same splits: mean difference of risks, its confidence sequence, wins.

    Columns: dataset, epsilon, learner, repeats, difference (positive: the reference errs less), low, high, wins (splits
    on which the reference errs less), losses, and the evidence that it does, or does not, on most splits: "better" and
    "worse", log10 of two e-values, of which one above 3 is wrong with a chance of 1/1000 at most. What is not private
    is compared at every epsilon.
    """
    wide = found.pivot_table(index=["dataset", "epsilon", "repeat"], columns="learner", values="risk")
    rows = []
    for dataset, here in wide.groupby(level="dataset"):
        plain = here.xs(inf, level="epsilon") if inf in here.index.get_level_values("epsilon") else None
        for epsilon, at in here.groupby(level="epsilon"):
            if epsilon == inf or reference not in at:
                continue
            at = at.droplevel(["dataset", "epsilon"])
            if plain is not None:
                at = at.fillna(plain.droplevel("dataset"))
            for learner in at.columns.drop(reference):
                gaps = (at[learner] - at[reference]).dropna().to_numpy()
                if gaps.size:
                    low, high = bound_difference(gaps)
                    wins, losses = int((gaps > 0).sum()), int((gaps < 0).sum())
                    signs = wins, losses, weigh_signs(wins, losses), weigh_signs(losses, wins)
                    rows.append((dataset, epsilon, learner, gaps.size, gaps.mean(), low, high, *signs))
    return pd.DataFrame(rows, columns=PAIRED)


def choose_reference(found: pd.DataFrame) -> str:
    """What the others are compared with: our default where it was asked for, else the first learner."""
    return DEFAULT if (found.learner == DEFAULT).any() else str(found.learner.iloc[0])
