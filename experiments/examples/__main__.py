"""`python -m experiments.examples` runs all five and keeps what each prints beside it, for the gallery: a minute."""

import contextlib
import importlib
import io
from pathlib import Path

from experiments.examples import GALLERY
from experiments.report.figures import figure_of_table

HERE = Path(__file__).parent

for name in GALLERY:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        importlib.import_module(f"experiments.examples.{name}").main()
    (HERE / f"{name}.txt").write_text(printed.getvalue(), encoding="utf-8")
drawn = figure_of_table((HERE / "digits.txt").read_text(encoding="utf-8"), "share of right answers")
(HERE / "digits.svg").write_text(drawn, encoding="utf-8")
