"""`python -m lemmata.experiments.examples` runs all five and keeps what each prints, for the pages: a minute."""

import contextlib
import importlib
import io
from pathlib import Path

from lemmata.experiments.examples import GALLERY
from lemmata.experiments.figures.claims import figure_of_table

HERE = Path(__file__).parent

for name in GALLERY:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        importlib.import_module(f"lemmata.experiments.examples.{name}").main()
    (HERE / f"{name}.txt").write_text(printed.getvalue(), encoding="utf-8")
drawn = figure_of_table((HERE / "digits.txt").read_text(encoding="utf-8"), "share of right answers")
(HERE / "digits.svg").write_text(drawn, encoding="utf-8")
