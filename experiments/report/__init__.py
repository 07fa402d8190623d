"""The site: `write` draws reports/index.html and the pages beside it from the store alone.

What pages say, their templates, stylesheet and the list of files that are up to date belong here; curves belong to
`lemmata.experiments.figures` and to the studies, and every number comes from the ledger or from a committed table.
Modules of this package import all other packages of `lemmata.experiments`, and none of those imports the report.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lemmata.bounds.library import Paper, library
from lemmata.experiments.engine.ledger import row_cache
from lemmata.experiments.report.incremental import SiteFiles, digest_tables

if TYPE_CHECKING:
    from lemmata.experiments.engine.running.store import Store
    from lemmata.experiments.report.layout import FurtherPages


def write(
    store: Store,
    root: int,
    reports: str | Path,
    *,
    record: bool = False,
    start: row_cache.State | None = None,
    also: Callable[[], FurtherPages] | None = None,
    papers: Sequence[Paper] = (),
) -> tuple[Path, str]:
    """Write the site below `reports`, with `record` also published/ledger.csv there. Returns (front page, summary).

    `start` is the state of our files before this process loaded them (`remembered.begun`): with it a site that was
    drawn from the same state is left as it is, and what is drawn now is marked so. The site is that of `papers`, by
    default that of this package; `also` makes further pages.
    """
    reports = Path(reports)
    drawn, shown = SiteFiles(reports), digest_tables(reports)
    mark = f"{start.mark(root, papers)} {shown} {os.environ.get('LEMMATA_CONTACT', '')}" if start else ""
    rows = row_cache.recall(store.path, root, papers, now=start) if drawn.is_current(mark) else None
    changed, idle = 0, list[str]()
    if rows is None:
        from lemmata.experiments.figures.captions import read_captions
        from lemmata.experiments.report.page_figures import explain_idle_captions
        from lemmata.experiments.report.site import make_pages

        pairs = row_cache.recall_or_fold(store, root, start, papers)
        rows = [row for row, _ in pairs]
        idle = explain_idle_captions(pairs, read_captions(papers or library.house))
        made, figures = make_pages(pairs, root, reports, drawn, also, papers)
        still = start is not None and row_cache.read_state(store.path) == start and digest_tables(reports) == shown
        changed = drawn.replace(made, figures, mark if still else "")
    from lemmata.experiments.report.summary import summarize

    lines = [*summarize(rows), *idle]
    if record:
        from lemmata.experiments.engine.ledger.ledger_rows import write_record

        published = reports / "published" / "ledger.csv"
        write_record(published, rows)
        lines.append(f"published: {published}")
    page = reports / "index.html"
    lines.append(f"{changed or 'no'} file{'s' * (changed != 1)} drawn anew")
    lines.append(f"the findings, with formulas, witnesses and figures: {page.resolve()}")
    return page, "\n".join(lines)
