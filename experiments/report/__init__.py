"""The page: `write` draws reports/index.html from the store alone."""

from __future__ import annotations

import os
from pathlib import Path

from experiments.engine.ledger import as_frame, ledger_with_cells
from experiments.report.page import plain_page, render
from experiments.report.summary import summary_lines

NOT_PUBLISHED = ("seconds",)  # differs from run to run


def written(path, text):
    """Put `text` in the place of `path` at once: whoever reads meanwhile, or a full disk, finds the old file whole."""
    made = path.with_name(f".{path.name}.part")
    try:
        made.write_text(text, encoding="utf-8")
        os.replace(made, path)
    finally:
        made.unlink(missing_ok=True)


def write(store, root, reports, *, publish=False):
    """Write `reports`/index.html (and, to publish, `reports`/published/ledger.csv). Returns (page, summary text)."""
    pairs = ledger_with_cells(store, root)
    rows = [row for row, _ in pairs]
    reports = Path(reports)
    reports.mkdir(parents=True, exist_ok=True)
    page = reports / "index.html"
    written(page, render(pairs, root))
    written(reports / "hardened.html", plain_page("hardened.html.j2"))
    lines = summary_lines(rows)
    if publish:
        folder = reports / "published"
        folder.mkdir(exist_ok=True)
        written(folder / "ledger.csv", as_frame(rows).drop(columns=list(NOT_PUBLISHED)).to_csv(index=False))
        lines.append(f"published: {folder / 'ledger.csv'}")
    lines.append(f"the ledger, with formulas, witnesses and figures: {page.resolve()}")
    return page, "\n".join(lines)
