"""The score of a checker: precision and recall with exact intervals, witnesses that count, calibration, seconds."""

import csv
import json
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from scipy.stats import binomtest

from lemmata.experiments.benchmark.checkers import Answer
from lemmata.experiments.benchmark.judge import find_fault
from lemmata.experiments.benchmark.records import Record
from lemmata.experiments.engine.ground.files import align_table, write_table

LEVEL = 0.95  # of the intervals of Clopper and Pearson
HEAD = (
    "checker", "records", "answered", "precision_false", "recall_false", "precision_true", "recall_true",
    "witnesses", "valid", "shown", "brier", "seconds",
)  # fmt: skip
Judged = tuple[Record, Answer, str | None]  # of a witness what is wrong with it; None without one


def judge(record: Record, answer: Answer) -> Judged:
    """A record with its answer, whose witness is executed."""
    has_witness = answer["verdict"] == "false" and answer.get("witness")
    return record, answer, find_fault(record, answer["witness"]) if has_witness else None


def judge_all(records: Sequence[Record], answers: Iterable[Answer], jobs: int) -> list[Judged]:
    """All records with their answers; each witness is a process, for which a thread waits."""
    with ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(judge, records, answers))


def share(count: int, whole: int) -> dict[str, Any]:
    """A share with its exact interval.

    >>> share(9, 10)["interval"]
    [0.555, 0.9975]
    """
    if not whole:
        return {"count": count, "of": whole, "share": None, "interval": [0.0, 1.0]}
    found = binomtest(count, whole).proportion_ci(LEVEL, "exact")
    return {
        "count": count,
        "of": whole,
        "share": round(count / whole, 4),
        "interval": [round(float(found.low), 4), round(float(found.high), 4)],
    }


def score(judged: Sequence[Judged]) -> dict[str, Any]:
    """The measures over some records, of which those that are true or false count.

    The Brier score is the mean square of (chance given to false - 1 if it is false else 0); no answer counts as 1/2.
    """
    scored = [each for each in judged if each[0]["truth"] in ("true", "false")]
    measures: dict[str, Any] = {"records": len(scored), "answered": sum(bool(a["verdict"]) for _, a, _ in scored)}
    for truth in ("false", "true"):
        right = sum(record["truth"] == answer["verdict"] == truth for record, answer, _ in scored)
        measures[f"precision_{truth}"] = share(right, sum(answer["verdict"] == truth for _, answer, _ in scored))
        measures[f"recall_{truth}"] = share(right, sum(record["truth"] == truth for record, _, _ in scored))
    given = [fault for _, _, fault in scored if fault is not None]
    valid = given.count("")
    measures |= {"witnesses": len(given), "valid": share(valid, len(given))}
    measures["shown"] = share(valid, sum(record["truth"] == "false" for record, _, _ in scored))
    losses = []
    for record, answer, _ in scored:
        chance = answer["confidence"] if answer["verdict"] == "false" else 1 - answer["confidence"]
        losses.append(((chance if answer["verdict"] else 0.5) - (record["truth"] == "false")) ** 2)
    measures["brier"] = round(sum(losses) / len(losses), 4) if losses else None
    measures["seconds"] = round(sum(answer["seconds"] for _, answer, _ in scored), 2)
    return measures


def score_groups(judged: Sequence[Judged]) -> dict[str, Any]:
    """The score of all records, by how a statement came about, by area, and of the grades of what we made."""
    groups: dict[str, list[Judged]] = {"all": list(judged)}
    for each in judged:
        record = each[0]
        names = [f"area: {record['area']}", "made" if record["perturbed"] else "from the ledger"]
        names += [f"grade {record['grade']}"] if record["grade"] else []
        for name in names:
            groups.setdefault(name, []).append(each)
    return {name: score(each) for name, each in sorted(groups.items())}


def row_of(name: str, measures: dict[str, Any]) -> list[str]:
    """A line of the leaderboard."""
    cells = []
    for column in HEAD[1:]:
        value = measures[column]
        if isinstance(value, dict):
            low, high = value["interval"]
            value = "" if value["share"] is None else f"{value['share']:.3f} [{low:.3f}, {high:.3f}]"
        cells.append("" if value is None else str(value))
    return [name, *cells]


def format_scores(name: str, groups: dict[str, Any]) -> str:
    """The scores as a table for a terminal."""
    lines = [["", *HEAD[1:]], *(row_of(group, measures) for group, measures in groups.items())]
    return f"{name}\n{align_table(lines)}"


def dump_scores(name: str, manifest: dict[str, Any], groups: dict[str, Any]) -> str:
    """The scores as JSON."""
    return json.dumps({"checker": name, "sha256": manifest.get("sha256", ""), "scores": groups}, indent=1) + "\n"


def add_line(path: Path, name: str, groups: dict[str, Any]) -> None:
    """Put the line of a checker into a leaderboard, in place of an older one; the best Brier score first."""
    lines = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))[1:] if path.exists() else []
    kept = [line for line in lines if line[0] != name]
    place = (*HEAD, "by_grade").index("brier")
    grades = [groups.get(f"grade {grade}", {}).get("recall_false", {}).get("share") for grade in range(1, 6)]
    line = [*row_of(name, groups["all"]), json.dumps(grades)]
    write_table(path, (*HEAD, "by_grade"), sorted([*kept, line], key=lambda line: (float(line[place]), line[0])))
