"""The pages that only a checkout can make, in the site's own dress: the speed record, and the documentation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lemmata.experiments.report.dress import Also, rendered
from lemmata.tools import docs
from lemmata.tools.speed import page, scaling

Page = Callable[..., tuple[str, str]]


OURS: Page = partial(rendered, nav=docs.NAV)


def speed_pages(reports: Path, page_of: Page = OURS) -> list[tuple[str, str]]:
    """What asv has measured, and how costs grow."""
    measured = reports / "asv" / "results"
    kept = measured if measured.exists() else reports / "published" / "asv"
    lines, regressed = page.shown(kept)
    dashboards = (reports / "asv" / "html" / "data.js").exists()
    record = {"lines": lines, "regressed": regressed, "dashboards": dashboards}
    return [
        page_of("speed.html.j2", "speed.html", drawing=page.drawing(kept), **record),
        page_of("scaling.html.j2", "scaling.html", lines=scaling.table()),
    ]


CHECKOUT = Also(docs.NAV, lambda reports, page_of: [*speed_pages(reports, page_of), *docs.docs_pages(page_of)])
