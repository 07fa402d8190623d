"""The pages of the speed record, in the site's own dress."""

from __future__ import annotations

from pathlib import Path

from lemmata.experiments.report.site import rendered
from lemmata.tools.speed import page, scaling


def speed_pages(reports: Path) -> list[tuple[str, str]]:
    """What asv has measured, and how costs grow."""
    measured = reports / "asv" / "results"
    kept = measured if measured.exists() else reports / "published" / "asv"
    lines, regressed = page.shown(kept)
    dashboards = (reports / "asv" / "html" / "data.js").exists()
    record = {"lines": lines, "regressed": regressed, "dashboards": dashboards}
    return [
        rendered("speed.html.j2", "speed.html", drawing=page.drawing(kept), **record),
        rendered("scaling.html.j2", "scaling.html", lines=scaling.table()),
    ]
