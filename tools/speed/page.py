"""The page of speed, in the site's dress: answers, limits, and all numbers; asv's dashboards have the histories."""

import csv
import io
import subprocess
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from lemmata.experiments.engine.ground.folders import ROOT
from lemmata.experiments.report.layout import NAV, FurtherPages, Nav, render_page
from lemmata.tools.speed import limits
from lemmata.tools.speed.measurements import (
    PUBLISHED,
    RESULTS,
    Measurement,
    in_words,
    measurements,
    newest,
    readable,
)
from lemmata.tools.speed.questions import draw_answers

Page = Callable[..., tuple[str, str]]

WITH_SPEED: Nav = (*NAV[:-1], ("Speed", "speed.html"), NAV[-1])
OURS: Page = partial(render_page, nav=WITH_SPEED)


def speed_pages(reports: Path, page_of: Page = OURS) -> list[tuple[str, str]]:
    """The page, its drawings, and the newest number of every benchmark as CSV."""
    here, published = (reports / place.relative_to("reports") for place in (RESULTS, PUBLISHED))
    taken = measurements(here if here.exists() else published)
    latest = newest(taken)
    answers = draw_answers(taken)
    drawings = [(f"speed/{i}.svg", answer.pop("drawing")) for i, answer in enumerate(answers, 1)]
    limited = limits.with_limits(latest)
    measured = {limit for limit, _ in limited}
    values = {
        "answers": [
            answer | {"path": path * bool(drawing)} for answer, (path, drawing) in zip(answers, drawings, strict=True)
        ],
        "latest": [(m, [limit for limit, other in limited if other is m]) for m in latest],
        "exceeded": [limit.describe_excess(m) for limit, m in limited if not m.value <= limit.at_most],
        "limited": len(limited),
        "unmeasured": [limit for limit in limits.load_limits() if limit not in measured],
        "subjects": read_subjects({m.commit for m in latest}),
        "dashboards": (reports / "asv" / "html" / "data.js").exists(),
        "in_words": in_words,
        "readable": readable,
    }
    files = [page_of("speed.html.j2", "speed.html", **values), ("speed.csv", write_csv(latest))]
    return files + [pair for pair in drawings if pair[1]]


def write_csv(latest: Sequence[Measurement]) -> str:
    """A line for each number."""
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(("benchmark", "parameters", "value", "unit", "commit", "date", "machine", "environment"))
    for m in latest:
        place = m.commit, f"{m.date:%Y-%m-%d}", m.machine, m.environment
        writer.writerow((m.benchmark, m.parameters, f"{m.value:.6g}", m.unit, *place))
    return lines.getvalue()


def read_subjects(commits: Collection[str]) -> dict[str, str]:
    """{commit: the first line of its message}, of those that this checkout knows."""
    command = ["git", "rev-list", "--ignore-missing", "--no-walk", "--abbrev=8", "--format=%h%x09%s", *sorted(commits)]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout if commits else ""
    except OSError:  # no git here
        return {}
    return dict(line.split("\t", 1) for line in listed.splitlines() if "\t" in line)


CHECKOUT = FurtherPages(WITH_SPEED, speed_pages)
