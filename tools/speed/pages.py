"""The pages that only a checkout can make, in the site's own dress: the speed record."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lemmata.experiments.report.layout import NAV, FurtherPages, Nav, render_page

from . import page, scaling, workers  # by its place, as all here: asv imports the folder where only the wheel is

Page = Callable[..., tuple[str, str]]

WITH_SPEED: Nav = (*NAV[:-1], ("Speed", "speed.html"), ("Scaling", "scaling.html"), NAV[-1])
OURS: Page = partial(render_page, nav=WITH_SPEED)


def speed_pages(reports: Path, page_of: Page = OURS) -> list[tuple[str, str]]:
    """What asv has measured, and how costs grow."""
    measured = reports / "asv" / "results"
    kept = measured if measured.exists() else reports / "published" / "asv"
    lines, regressed = page.shown(kept)
    dashboards = (reports / "asv" / "html" / "data.js").exists()
    record = {"lines": lines, "regressed": regressed, "dashboards": dashboards}
    return [
        page_of("speed.html.j2", "speed.html", drawing=page.drawing(kept), **record),
        page_of("scaling.html.j2", "scaling.html", lines=scaling.table(), many=workers.shown()),
    ]


CHECKOUT = FurtherPages(WITH_SPEED, speed_pages)
