"""The page of ratios and limits, in the site's dress; asv's dashboards have the histories of all benchmarks."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lemmata.experiments.report.layout import NAV, FurtherPages, Nav, render_page
from lemmata.tools.speed import limits
from lemmata.tools.speed.measurements import PUBLISHED, RESULTS, in_words, measurements, newest, readable

Page = Callable[..., tuple[str, str]]

WITH_SPEED: Nav = (*NAV[:-1], ("Speed", "speed.html"), NAV[-1])
OURS: Page = partial(render_page, nav=WITH_SPEED)
MACHINE_FREE = ("ratio", "exponent")  # units of what holds on any machine


def speed_pages(reports: Path, page_of: Page = OURS) -> list[tuple[str, str]]:
    """The newest numbers that have a limit, and all other ratios and exponents."""
    here, published = (reports / place.relative_to("reports") for place in (RESULTS, PUBLISHED))
    taken = newest(measurements(here if here.exists() else published))
    limited = limits.with_limits(taken)
    measured = {limit for limit, _ in limited}
    values = {
        "limited": limited,
        "exceeded": [(limit, m) for limit, m in limited if not m.value <= limit.at_most],
        "unmeasured": [limit for limit in limits.load_limits() if limit not in measured],
        "others": [m for m in taken if m.unit in MACHINE_FREE and all(m is not other for _, other in limited)],
        "dashboards": (reports / "asv" / "html" / "data.js").exists(),
        "in_words": in_words,
        "readable": readable,
    }
    return [page_of("speed.html.j2", "speed.html", **values)]


CHECKOUT = FurtherPages(WITH_SPEED, speed_pages)
