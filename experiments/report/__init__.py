"""The site: `write` draws reports/index.html and the pages beside it from the store alone."""

from __future__ import annotations

import os
from pathlib import Path

from experiments.engine.ledger import as_frame, ledger_with_cells
from experiments.report.site import pages
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
    """Write the site below `reports`, and to publish `reports`/published/ledger.csv. Returns (front page, summary)."""
    pairs = ledger_with_cells(store, root)
    rows = [row for row, _ in pairs]
    reports = Path(reports)
    made, figures = pages(pairs, root, reports)
    for path, text in made.items():
        (reports / path).parent.mkdir(parents=True, exist_ok=True)
        written(reports / path, text)
    for old in set((reports / "statements" / "figures").glob("*.svg")) - {reports / path for path in figures}:
        old.unlink()
    lines = summary_lines(rows)
    if publish:
        folder = reports / "published"
        folder.mkdir(exist_ok=True)
        written(folder / "ledger.csv", as_frame(rows).drop(columns=list(NOT_PUBLISHED)).to_csv(index=False))
        lines.append(f"published: {folder / 'ledger.csv'}")
    page = reports / "index.html"
    lines.append(f"the findings, with formulas, witnesses and figures: {page.resolve()}")
    return page, "\n".join(lines)
