"""What the page of the benchmark shows: the published leaderboard and examples, below reports/published.

`python -m lemmata.experiments.benchmark.page DIR` publishes the manifest of an export, ten of its records, and the ids
and hashes of its held-out ones.
"""

import csv
import json
import sys
from pathlib import Path
from typing import Any

from lemmata.experiments.benchmark.records import HELD_OUT, MANIFEST, Record, read_records
from lemmata.experiments.engine.ground.files import replace_file
from lemmata.experiments.engine.ground.folders import ROOT

LEADERBOARD, SUMMARY = "leaderboard.csv", "witness.json"
SHOWN = (*[("true", None)] * 3, *[("false", grade) for grade in range(1, 6)], *[("false", None)] * 2)


def choose_examples(records: list[Record]) -> list[Record]:
    """Ten short records: true ones, one of each grade, and two that a source prints."""
    chosen: list[Record] = []
    for truth, grade in SHOWN:
        fits = [r for r in records if (r["truth"], r["grade"]) == (truth, grade) and r not in chosen]
        plain = [r for r in fits if r["inequality"] and not r["inequality"]["left"].isdigit()]
        fits = plain if grade or truth == "true" else [r for r in fits if r["reading"] == "printed"]
        chosen += sorted(fits, key=lambda record: (len(record["words"]), record["id"]))[:1]
    return chosen


def publish(folder: Path, reports: Path) -> None:
    """Write the manifest of an export, its examples and its held-out hashes below reports/published."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    made = {"manifest": manifest, "examples": choose_examples(read_records(folder))}
    replace_file(reports / "published" / SUMMARY, json.dumps(made, indent=1, ensure_ascii=False) + "\n")
    replace_file(reports / "published" / HELD_OUT, (folder / HELD_OUT).read_text(encoding="utf-8"))


def read_benchmark(reports: Path) -> dict[str, Any]:
    """{manifest, examples, lines} of what is published; without a manifest where nothing is."""
    summary, board = (reports / "published" / name for name in (SUMMARY, LEADERBOARD))
    if not (summary.exists() and board.exists()):
        return {"manifest": None, "examples": [], "lines": []}
    lines = list(csv.DictReader(board.read_text(encoding="utf-8").splitlines()))
    return json.loads(summary.read_text(encoding="utf-8")) | {"lines": lines}


if __name__ == "__main__":
    publish(Path(sys.argv[1]), ROOT / "reports")
