"""The page: `write` draws reports/index.html from the store alone."""

from __future__ import annotations

from pathlib import Path

from experiments.engine.ledger import as_frame, ledger_with_cells
from experiments.report.page import render
from experiments.report.summary import summary_lines

NOT_PUBLISHED = ("seconds",)  # differs from run to run


def write(store, root, reports, *, publish=False):
    """Write `reports`/index.html (and, to publish, `reports`/published/ledger.csv). Returns (page, summary text)."""
    pairs = ledger_with_cells(store, root)
    rows = [row for row, _ in pairs]
    reports = Path(reports)
    reports.mkdir(parents=True, exist_ok=True)
    page = reports / "index.html"
    page.write_text(render(pairs, root), encoding="utf-8")
    lines = summary_lines(rows)
    if publish:
        folder = reports / "published"
        folder.mkdir(exist_ok=True)
        as_frame(rows).drop(columns=list(NOT_PUBLISHED)).to_csv(folder / "ledger.csv", index=False)
        lines.append(f"published: {folder / 'ledger.csv'}")
    lines.append(f"the ledger, with formulas, witnesses and figures: {page.resolve()}")
    return page, "\n".join(lines)
