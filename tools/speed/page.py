"""The page of speed, in the site's dress: answers, limits, and all numbers; asv's dashboards have the histories."""

import operator
import subprocess
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from lemmata.experiments.engine.ground.files import spell_table
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
    promised = limits.load_limits()
    limited = [(m, [limit for limit in promised if limit.covers(m)]) for m in latest]
    kept = [limit for _, own in limited for limit in own]
    answers = [answer | {"path": f"speed/{i}.svg"} for i, answer in enumerate(draw_answers(taken), 1)]
    values = {
        "answers": answers,
        "latest": limited,
        "exceeded": [limit.describe_excess(m) for limit, m in limits.exceeded(latest)],
        "limited": len(kept),
        "unmeasured": [limit for limit in promised if limit not in kept],
        "subjects": read_subjects({m.commit for m in latest}),
        "dashboards": (reports / "asv" / "html" / "data.js").exists(),
        "in_words": in_words,
        "readable": readable,
    }
    files = [page_of("speed.html.j2", "speed.html", **values), ("speed.csv", spell_numbers(latest))]
    return files + [(answer["path"], answer["drawing"]) for answer in answers if answer["drawing"]]


def spell_numbers(latest: Sequence[Measurement]) -> str:
    """The numbers as CSV."""
    head = "benchmark", "parameters", "value", "unit", "commit", "date", "machine", "environment"
    numbers = ((m.benchmark, m.parameters, f"{m.value:.6g}", m.unit) for m in latest)
    places = ((m.commit, f"{m.date:%Y-%m-%d}", m.machine, m.environment) for m in latest)
    return spell_table(head, map(operator.add, numbers, places))


def read_subjects(commits: Collection[str]) -> dict[str, str]:
    """{commit: the first line of its message}, of those that this checkout knows."""
    command = ["git", "rev-list", "--ignore-missing", "--no-walk", "--abbrev=8", "--format=%h%x09%s", *sorted(commits)]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout if commits else ""
    except OSError:  # no git here
        return {}
    return dict(line.split("\t", 1) for line in listed.splitlines() if "\t" in line)


CHECKOUT = FurtherPages(WITH_SPEED, speed_pages)
